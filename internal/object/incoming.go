package object

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"

	"github.com/belayhq/belay"
)

// Incoming reads from a client and remembers how that went, so that its failures are not
// taken for the store's. It keeps the beginning of what it read.
type Incoming struct {
	from io.Reader
	head bytes.Buffer
	keep int64
	size int64
	sum  hash.Hash
	err  error
}

// From reads from a client, and keeps all of what it sends if it is no more than keep bytes.
func From(r io.Reader, keep int64) *Incoming {
	return &Incoming{from: r, keep: keep, sum: sha256.New()}
}

func (i *Incoming) Read(p []byte) (int, error) {
	n, err := i.from.Read(p)
	i.sum.Write(p[:n])
	if i.size += int64(n); i.size <= i.keep {
		i.head.Write(p[:n])
	}
	if err != nil && !errors.Is(err, io.EOF) {
		i.err = err
	}
	return n, err
}

// Whole is all that was read, if it was no more than was to be kept.
func (i *Incoming) Whole() ([]byte, bool) { return i.head.Bytes(), i.size <= i.keep }

// SHA256 is the checksum of what was read so far, in hex.
func (i *Incoming) SHA256() string { return hex.EncodeToString(i.sum.Sum(nil)) }

// Refusal is what to tell the client whose body could not be read.
func (i *Incoming) Refusal() error {
	var refusal *belay.Error
	var problems belay.Problems
	if errors.As(i.err, &refusal) || errors.As(i.err, &problems) {
		return i.err
	}
	return &belay.Error{Kind: belay.BadRequest, Title: "bad request", Detail: "the body could not be read", Err: i.err}
}
