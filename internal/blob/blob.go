// Package blob owns where the bytes of states lie: a folder or an S3 bucket. It
// encrypts them on their way in, decrypts them on their way out (see seal), and
// streams both ways: no file is ever held in memory as a whole.
//
// A blob can be read only once it is complete and, in a folder, synced to the
// disk. Both stores keep the same bytes under the same keys, so blobs may be
// copied from one to the other with any tool.
//
// It never knows what a blob means, who may read it or which row names it; never
// reads the database; and never deletes a blob nobody asked it to delete.
package blob

import (
	"context"
	"crypto/md5" //nolint:gosec // the checksum that the API speaks of, no protection
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"time"

	"github.com/belayhq/belay/internal/seal"
)

var (
	// ErrNotFound says that there is no blob under a key.
	ErrNotFound = errors.New("no such blob")
	// ErrDamaged says that a blob is cut or changed, or is not the one expected.
	ErrDamaged = seal.ErrDamaged
)

// Store is a place for blobs; it is safe for concurrent use. A key is a path of
// letters, digits, dots, dashes and underscores such as states/ws-1/sv-2.state,
// and no part of it begins with a dot.
type Store interface {
	// Put stores what r gives under key, in place of what was there. When it
	// returns an error nothing new can be read under key, except if the store
	// itself failed to tell how its last step ended.
	Put(ctx context.Context, key string, r io.Reader) (Written, error)
	// Get opens a blob, or says ErrNotFound. A blob that was cut or changed ends
	// in ErrDamaged instead of io.EOF.
	Get(ctx context.Context, key string) (io.ReadCloser, error)
	// Sealed opens a blob as it lies, and says how many bytes that is. It needs no key.
	Sealed(ctx context.Context, key string) (io.ReadCloser, int64, error)
	// PutSealed stores bytes that Sealed gave, here or elsewhere, as Put does.
	PutSealed(ctx context.Context, key string, r io.Reader) error
	// Delete removes a blob; one that is not there is fine.
	Delete(ctx context.Context, key string) error
	// Walk calls visit for every blob, in no order, until visit returns an error,
	// and returns that. Visit may delete the blob it is called for.
	Walk(ctx context.Context, visit func(key string, modified time.Time) error) error
	// Sweep removes what unfinished Puts left behind before a time and says how
	// much that was. It leaves blobs alone.
	Sweep(ctx context.Context, before time.Time) (int, error)
	// Ping says whether the store works now.
	Ping(ctx context.Context) error
}

// Written says what Put stored, in terms of the plain bytes.
type Written struct {
	Size int64
	MD5  string // in hex
}

// Open prepares the store a URL names, one of
//
//	file:///var/lib/belay/blobs
//	s3://bucket?endpoint=host:port&region=eu-1&prefix=belay&insecure=true
//
// An endpoint may be written with its scheme; http:// says insecure.
// A folder is made if missing. Of a bucket only the URL is checked: Ping says
// whether it answers. Its credentials come from AWS_ACCESS_KEY_ID and the other
// usual variables, the shared credentials file, or the machine's role.
func Open(ctx context.Context, rawURL string, ring *seal.Ring) (Store, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	u, err := url.Parse(rawURL)
	if err != nil {
		return nil, errors.New("blob store: not a URL") // it may hold a secret: not repeated
	}
	switch u.Scheme {
	case "file":
		return openFolder(u, ring)
	case "s3":
		return openBucket(u, ring)
	default:
		return nil, fmt.Errorf("blob store: the URL must begin with file:// or s3://, not %q", u.Scheme)
	}
}

const keyLimit = 512

var keyForm = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$`)

func validKey(key string) bool { return len(key) <= keyLimit && keyForm.MatchString(key) }

// begin is what every call that takes a key does first.
func begin(ctx context.Context, key string) error {
	if !validKey(key) {
		return fmt.Errorf("%q cannot be the key of a blob", key)
	}
	return ctx.Err()
}

// pour encrypts r into w, bound to the key, and measures the plain bytes.
func pour(ctx context.Context, ring *seal.Ring, key string, w io.Writer, r io.Reader) (Written, error) {
	sealed, err := ring.Writer(w, key)
	if err != nil {
		return Written{}, err
	}
	sum := md5.New() //nolint:gosec // see the import
	size, err := io.Copy(io.MultiWriter(sealed, sum), cancelled{ctx, r})
	if err != nil {
		return Written{}, err
	}
	if err := sealed.Close(); err != nil {
		return Written{}, err
	}
	return Written{Size: size, MD5: hex.EncodeToString(sum.Sum(nil))}, nil
}

// copied is pour for bytes that are sealed already.
func copied(ctx context.Context, w io.Writer, r io.Reader) (Written, error) {
	size, err := io.Copy(w, cancelled{ctx, r})
	return Written{Size: size}, err
}

// draw opens the sealed bytes of a key; it closes them if they do not open.
func draw(ctx context.Context, ring *seal.Ring, key string, sealed io.ReadCloser) (io.ReadCloser, error) {
	plain, err := ring.Reader(sealed, key)
	if err != nil {
		return nil, errors.Join(err, sealed.Close())
	}
	return opened{cancelled{ctx, plain}, sealed}, nil
}

// opened reads the plain bytes and closes the sealed ones.
type opened struct {
	io.Reader
	io.Closer
}

// cancelled reads until its context ends.
type cancelled struct {
	ctx context.Context //nolint:containedctx // lives as long as one call or one open blob
	r   io.Reader
}

func (c cancelled) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}
