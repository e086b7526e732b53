package object

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"

	"github.com/belayhq/belay"
)

// Incoming reads from a client and remembers how that went, so that its failures are not
// taken for the store's. Somebody may look into what it reads meanwhile.
type Incoming struct {
	from io.Reader
	sum  hash.Hash // nil: nobody asks for it
	err  error
	seen *along // nil: nobody looks
}

// From reads from a client what is known by its SHA-256.
func From(r io.Reader) *Incoming { return &Incoming{from: r, sum: sha256.New()} }

// Of reads from a client what is known by its MD5.
func Of(r io.Reader) *Incoming { return &Incoming{from: r} }

// Along is Of, and has what the client sends looked into while it comes, if it is no more than so many
// bytes and there is room for it: look reads it, and waits inside of its reader for what comes next.
// Where the rest does not come, or is too much, its reader fails. Whoever calls Along calls Free.
func (r *Room) Along(from io.Reader, most int64, look func(io.Reader)) *Incoming {
	return &Incoming{from: from, seen: lookAlong(&r.lookedAt, most, look)}
}

func (i *Incoming) Read(p []byte) (int, error) {
	n, err := i.from.Read(p)
	if i.sum != nil {
		i.sum.Write(p[:n])
	}
	ended := errors.Is(err, io.EOF)
	if err != nil && !ended {
		i.err = err
	}
	if i.seen != nil {
		i.seen.give(p[:n], ended)
	}
	return n, err
}

// Seen says whether somebody looked into all that came, or as much of it as was wanted.
func (i *Incoming) Seen() bool { return i.seen != nil && i.seen.whole }

// Free gives back the room of who looks, and leaves what was not looked into.
func (i *Incoming) Free() {
	if i.seen != nil {
		i.seen.leave()
	}
}

// SHA256 is the checksum of what was read so far, in hex; empty where nobody asked for it.
func (i *Incoming) SHA256() string {
	if i.sum == nil {
		return ""
	}
	return hex.EncodeToString(i.sum.Sum(nil))
}

// Refusal is what to tell the client whose body could not be read.
func (i *Incoming) Refusal() error {
	var refusal *belay.Error
	var problems belay.Problems
	if errors.As(i.err, &refusal) || errors.As(i.err, &problems) {
		return i.err
	}
	return &belay.Error{Kind: belay.BadRequest, Title: "bad request", Detail: "the body could not be read", Err: i.err}
}
