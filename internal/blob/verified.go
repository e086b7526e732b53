package blob

import (
	"crypto/md5" //nolint:gosec // the checksum that the API speaks of, no protection
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"
)

// Verified reads rc and makes sure that it gives exactly the expected bytes: if
// their size or checksum differs it ends in ErrDamaged instead of io.EOF. The
// checksum is in hex, an MD5 or, told by its length, a SHA-256. The check comes
// before the last bytes are handed out, so not even a reader that counts them and
// never waits for io.EOF gets a wrong blob whole.
func Verified(rc io.ReadCloser, sum string, size int64) io.ReadCloser {
	made := md5.New() //nolint:gosec // see the import
	if len(sum) == 2*sha256.Size {
		made = sha256.New()
	}
	return &verified{Closer: rc, from: rc, want: sum, left: size, sum: made}
}

// Sized is Verified without a checksum, for what opens only if it is what was sealed under its key.
func Sized(rc io.ReadCloser, size int64) io.ReadCloser {
	return &verified{Closer: rc, from: rc, left: size}
}

type verified struct {
	io.Closer
	from io.Reader
	sum  hash.Hash // nil: only the size counts
	want string
	left int64
	err  error // sticky
}

func (v *verified) Read(p []byte) (int, error) {
	if v.err != nil || len(p) == 0 {
		return 0, v.err
	}
	n, err := v.from.Read(p)
	if v.sum != nil {
		v.sum.Write(p[:n])
	}
	v.left -= int64(n)
	ended := errors.Is(err, io.EOF)
	switch {
	case v.left < 0:
		v.err = fmt.Errorf("longer than expected: %w", ErrDamaged)
	case v.left > 0 && ended:
		v.err = fmt.Errorf("%d bytes shorter than expected: %w", v.left, ErrDamaged)
	case v.left == 0 && v.sum != nil && (n > 0 || ended) && !strings.EqualFold(v.want, hex.EncodeToString(v.sum.Sum(nil))):
		v.err = fmt.Errorf("its checksum is not the expected one: %w", ErrDamaged)
	default:
		v.err = err
		return n, err
	}
	return 0, v.err
}
