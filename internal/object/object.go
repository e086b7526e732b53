// Package object owns what is kept as bytes beside the database: which kinds of it
// there are and where each lies, the presigned URLs that read and write it, and the
// sweeping of what no row names. The bytes themselves are blob's.
//
// It never decides who may have a URL, and never reads the database: it is told what
// its rows name.
package object

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/blob"
	"github.com/belayhq/belay/internal/fair"
	"github.com/belayhq/belay/internal/seal"
)

// Room is where objects are kept.
type Room struct {
	blobs blob.Store
	ring  *seal.Ring
	log   *slog.Logger
	now   func() time.Time

	reached func(ctx context.Context, kind Kind, id string) error
	held    func(ctx context.Context) (bool, error)

	lookedAt atomic.Int64 // bytes of what is looked into while it comes
}

// Config is what a room is built on.
type Config struct {
	Blobs blob.Store       // where the bytes lie; nil where none are touched
	Ring  *seal.Ring       // signs URLs; nil where none are made
	Log   *slog.Logger     // nil: nothing is logged
	Now   func() time.Time // the clock; time.Now when nil

	// Reached refuses what belongs to something that nobody reaches any more, whoever has a
	// URL of it; nil: everything is reached.
	Reached func(ctx context.Context, kind Kind, id string) error
	// Held says whether somebody wants no object deleted now, as a backup does that copies
	// them. What is left then is swept later. nil: nobody ever does.
	Held func(ctx context.Context) (bool, error)
}

// New makes a room.
func New(c Config) *Room {
	r := &Room{blobs: c.Blobs, ring: c.Ring, log: c.Log, now: c.Now, reached: c.Reached, held: c.Held}
	if r.log == nil {
		r.log = slog.New(slog.DiscardHandler)
	}
	if r.now == nil {
		r.now = time.Now
	}
	if r.held == nil {
		r.held = func(context.Context) (bool, error) { return false, nil }
	}
	return r
}

// Absent says that the room keeps nothing: it was built without a place for bytes.
func (r *Room) Absent() bool { return r.blobs == nil }

// Ping says whether the place of the bytes answers.
func (r *Room) Ping(ctx context.Context) error { return r.blobs.Ping(ctx) }

// File is one object as it was stored.
type File struct {
	Key    string
	MD5    string // in hex
	SHA256 string // in hex
	Size   int64
}

// Put writes what a client sends under a key, durably. It refuses what the client is to
// blame for, and tells it to come back when the store is.
func (r *Room) Put(ctx context.Context, key string, from *Incoming) (File, error) {
	return r.PutRest(ctx, key, nil, from)
}

// PutRest is Put of what began with some bytes that were read already.
func (r *Room) PutRest(ctx context.Context, key string, read []byte, from *Incoming) (File, error) {
	written, err := r.blobs.Put(ctx, key, io.MultiReader(bytes.NewReader(read), from))
	switch {
	case from.err != nil:
		return File{}, from.Refusal()
	case err != nil:
		return File{}, StoreFailed(key, err)
	}
	return File{Key: key, MD5: written.MD5, SHA256: from.SHA256(), Size: written.Size}, nil
}

// Open opens an object; reading it ends in a refusal unless its bytes are the ones that
// were stored: those of a size and a checksum, either MD5 or SHA-256.
func (r *Room) Open(ctx context.Context, key, sum string, size int64) (io.ReadCloser, error) {
	return r.open(ctx, key, func(rc io.ReadCloser) io.ReadCloser { return blob.Verified(rc, sum, size) })
}

// OpenSealed is Open by the seal and the size alone. The seal holds for one key, and no key names two objects: a checksum says no more of
// what lies there, and an MD5 takes three times as long as all else (decision 0807).
func (r *Room) OpenSealed(ctx context.Context, key string, size int64) (io.ReadCloser, error) {
	return r.open(ctx, key, func(rc io.ReadCloser) io.ReadCloser { return blob.Sized(rc, size) })
}

func (r *Room) open(ctx context.Context, key string, checked func(io.ReadCloser) io.ReadCloser) (io.ReadCloser, error) {
	rc, err := r.blobs.Get(ctx, key)
	if err != nil {
		return nil, Unread(key, err)
	}
	return stored{checked(rc), key, fair.WorkOf(ctx)}, nil
}

// stored is an object from the store: that it can't be read is no fault of a client. Who works on it rests between its pieces.
type stored struct {
	io.ReadCloser
	key  string
	work *fair.Work
}

func (s stored) Read(p []byte) (int, error) {
	n, err := s.ReadCloser.Read(p)
	s.work.Rest()
	if err != nil && !errors.Is(err, io.EOF) {
		err = Unread(s.key, fmt.Errorf("read %s: %w", s.key, err))
	}
	return n, err
}

// StoreFailed is the answer while the place of the bytes does not work.
func StoreFailed(key string, err error) error {
	refusal := belay.Refuse(belay.NotReady, "the store of %s does not work at the moment, try again later", traitOf(key).files)
	refusal.Err = err
	return refusal
}

// Unread is the answer to an object that can't be read: that may pass, unless the object
// itself is at fault.
func Unread(key string, err error) error {
	if !errors.Is(err, blob.ErrNotFound) && !errors.Is(err, blob.ErrDamaged) && !errors.Is(err, seal.ErrUnknownKey) {
		return StoreFailed(key, err)
	}
	refusal := belay.Refuse(belay.Damaged, "a file of the %s is missing, damaged or sealed with a key that the server lacks: "+
		"ask those who run the server to restore it", traitOf(key).owner)
	refusal.Err = err
	return refusal
}

// Forget deletes objects that no row names. What can't be deleted now is swept later.
func (r *Room) Forget(ctx context.Context, keys ...string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	keys = slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return key == "" })
	if len(keys) == 0 {
		return
	}
	if held, err := r.held(ctx); err != nil || held {
		r.log.Debug("files are left to be swept", "keys", keys, "error", err)
		return
	}
	for _, key := range keys {
		if err := r.blobs.Delete(ctx, key); err != nil {
			r.log.Warn("file not deleted", "key", key, "error", err)
		}
	}
}

// ForgetAfter deletes objects after a failed transaction: only if it surely wrote nothing.
func (r *Room) ForgetAfter(ctx context.Context, err error, keys ...string) {
	if belay.KindOf(err) != belay.Internal {
		r.Forget(ctx, keys...)
	}
}

// NewKey is a key that no object has had before: what a row names is never written again.
func NewKey(kind Kind, ownerID, id string) string {
	return traits[kind].prefix + ownerID + "/" + id + "-" + strings.ToLower(belay.RandomText(8)) + "." + string(kind)
}
