package object

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"sync"
	"sync/atomic"

	"github.com/belayhq/belay"
)

// Incoming reads from a client and remembers how that went, so that its failures are not
// taken for the store's. It may keep what it read.
type Incoming struct {
	from io.Reader
	sum  hash.Hash // nil: nobody asks for it
	size int64
	err  error
	kept *kept // nil: nothing is kept
}

// From reads from a client what is known by its SHA-256.
func From(r io.Reader) *Incoming { return &Incoming{from: r, sum: sha256.New()} }

// Of reads from a client what is known by its MD5.
func Of(r io.Reader) *Incoming { return &Incoming{from: r} }

// Keep is Of, and keeps what the client sends if it is no more than so many bytes and there is
// room for it. Whoever calls it calls Free.
func (r *Room) Keep(from io.Reader, most int64) *Incoming {
	return &Incoming{from: from, kept: &kept{used: &r.kept, most: most}}
}

func (i *Incoming) Read(p []byte) (int, error) {
	n, err := i.from.Read(p)
	if i.sum != nil {
		i.sum.Write(p[:n])
	}
	if i.size += int64(n); i.kept != nil {
		i.kept.add(p[:n], i.size)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		i.err = err
	}
	return n, err
}

// Whole reads all that came, if it was kept. It may be called once.
func (i *Incoming) Whole() (io.Reader, bool) {
	if i.kept == nil || i.kept.most < 0 {
		return nil, false
	}
	return i.kept, true
}

// Free gives back what is kept.
func (i *Incoming) Free() {
	if i.kept != nil {
		i.kept.drop()
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

// What is kept of all that comes in, at most, and in pieces of which size.
const (
	keptInAll = 12 << 20
	pieceSize = 64 << 10
)

type piece [pieceSize]byte

var pieces = sync.Pool{New: func() any { return new(piece) }}

// kept is what came, in pieces that are used again; a reader of it.
type kept struct {
	used   *atomic.Int64 // bytes of all pieces that are in use
	most   int64         // bytes that may come; negative: there was no room for them
	pieces []*piece
	size   int // bytes that came
	at     int // of them read
}

// add keeps what came, of which there are so many bytes in all by now.
func (k *kept) add(p []byte, size int64) {
	if size > k.most {
		k.drop()
	}
	for len(p) > 0 && k.most >= 0 {
		if k.size == len(k.pieces)*pieceSize && !k.grow() {
			k.drop()
			return
		}
		n := copy(k.pieces[k.size/pieceSize][k.size%pieceSize:], p)
		p, k.size = p[n:], k.size+n
	}
}

// grow takes one more piece, if there is room.
func (k *kept) grow() bool {
	if k.used.Add(pieceSize) > keptInAll {
		k.used.Add(-pieceSize)
		return false
	}
	next, _ := pieces.Get().(*piece)
	k.pieces = append(k.pieces, next)
	return true
}

// drop gives all pieces back, and keeps nothing from here on.
func (k *kept) drop() {
	for _, p := range k.pieces {
		pieces.Put(p)
		k.used.Add(-pieceSize)
	}
	k.pieces, k.most = nil, -1
}

func (k *kept) Read(p []byte) (int, error) {
	if k.at == k.size || k.pieces == nil {
		return 0, io.EOF
	}
	from := k.pieces[k.at/pieceSize][k.at%pieceSize:]
	n := copy(p, from[:min(len(from), k.size-k.at)])
	k.at += n
	return n, nil
}
