package object

import (
	"bytes"
	"context"
	"io"

	"github.com/belayhq/belay/internal/blob"
	"github.com/belayhq/belay/internal/fair"
)

// Kept is where the bytes of something are: under a key beside the database, or, where they are few,
// sealed in a row.
type Kept struct {
	Key     string
	Sealed  string // for Context; empty: they are under the key
	Context string
	SHA256  string
	Size    int64
}

// Seal is bytes as a row keeps them.
func (r *Room) Seal(plain []byte, context string) string { return r.ring.Seal(plain, context) }

// OpenKept is Open of what may be in a row.
func (r *Room) OpenKept(ctx context.Context, k Kept) (io.ReadCloser, error) {
	if k.Sealed == "" {
		return r.Open(ctx, k.Key, k.SHA256, k.Size)
	}
	name := ofRuns.prefix // all that is kept so is of runs
	plain, err := r.ring.Unseal(k.Sealed, k.Context)
	if err != nil {
		return nil, Unread(name, err)
	}
	return stored{blob.Verified(io.NopCloser(bytes.NewReader(plain)), k.SHA256, k.Size), name, fair.WorkOf(ctx)}, nil
}
