package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/blob"
	"github.com/belayhq/belay/internal/seal"
)

// statePrefix begins the keys of all files of states; nothing else lies below it.
const statePrefix = "states/"

// smallState is up to how many bytes a state is looked into while the client waits.
const smallState = 1 << 20

// The files of a state version, as its URLs name them.
const (
	StateObject = "state"
	JSONObject  = "json-state"
)

// newStateKey is a key that no file has had before: what a row names is never written again.
func newStateKey(workspaceID, id, object string) string {
	return statePrefix + workspaceID + "/" + id + "-" + strings.ToLower(belay.RandomText(8)) + "." + object
}

// incoming reads from a client and remembers how that went, so that its failures are not
// taken for the store's. It keeps the beginning of what it read.
type incoming struct {
	from io.Reader
	head bytes.Buffer
	keep int64
	size int64
	err  error
}

func (i *incoming) Read(p []byte) (int, error) {
	n, err := i.from.Read(p)
	if i.size += int64(n); i.size <= i.keep {
		i.head.Write(p[:n])
	}
	if err != nil && !errors.Is(err, io.EOF) {
		i.err = err
	}
	return n, err
}

// whole is all that was read, if it was no more than was to be kept.
func (i *incoming) whole() ([]byte, bool) { return i.head.Bytes(), i.size <= i.keep }

// refusal is what to tell the client whose body could not be read.
func (i *incoming) refusal() error {
	var refusal *belay.Error
	var problems belay.Problems
	if errors.As(i.err, &refusal) || errors.As(i.err, &problems) {
		return i.err
	}
	return &belay.Error{Kind: belay.BadRequest, Title: "bad request", Detail: "the body could not be read", Err: i.err}
}

// store writes what a client sends to a new file, which is durable when it returns.
func (a *App) store(ctx context.Context, key string, from *incoming) (belay.StateFile, error) {
	written, err := a.blobs.Put(ctx, key, from)
	switch {
	case from.err != nil:
		return belay.StateFile{}, from.refusal()
	case err != nil:
		return belay.StateFile{}, storeFailed(err)
	}
	return belay.StateFile{Key: key, MD5: written.MD5, Size: written.Size}, nil
}

// storeFailed is the answer while the store of state files does not work.
func storeFailed(err error) error {
	refusal := belay.Refuse(belay.NotReady, "the store of state files does not work at the moment, try again later")
	refusal.Err = err
	return refusal
}

// unread is the answer to a file that can't be read: that may pass, unless the file itself
// is at fault.
func unread(err error) error {
	if !errors.Is(err, blob.ErrNotFound) && !errors.Is(err, blob.ErrDamaged) && !errors.Is(err, seal.ErrUnknownKey) {
		return storeFailed(err)
	}
	refusal := belay.Refuse(belay.Damaged, "a file of the state version is missing, damaged or sealed with a key that the server lacks: "+
		"ask those who run the server to restore it")
	refusal.Err = err
	return refusal
}

// open opens a file of a state version; reading it ends in a refusal unless its bytes are
// the ones that were stored.
func (a *App) open(ctx context.Context, file belay.StateFile) (io.ReadCloser, error) {
	rc, err := a.blobs.Get(ctx, file.Key)
	if err != nil {
		return nil, unread(err)
	}
	return stored{blob.Verified(rc, file.MD5, file.Size), file.Key}, nil
}

// stored is a file from the store: that it can't be read is no fault of a client.
type stored struct {
	io.ReadCloser
	key string
}

func (s stored) Read(p []byte) (int, error) {
	n, err := s.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = unread(fmt.Errorf("read %s: %w", s.key, err))
	}
	return n, err
}

// forget deletes files that no row names. What can't be deleted now is swept later.
func (a *App) forget(ctx context.Context, keys ...string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	for _, key := range keys {
		if key == "" {
			continue
		}
		if err := a.blobs.Delete(ctx, key); err != nil {
			a.log.Warn("file of a state not deleted", "key", key, "error", err)
		}
	}
}

// forgetAfter deletes files after a failed transaction: only if it surely wrote nothing.
func (a *App) forgetAfter(ctx context.Context, err error, keys ...string) {
	if belay.KindOf(err) != belay.Internal {
		a.forget(ctx, keys...)
	}
}
