package object

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/belayhq/belay/internal/blob"
)

const (
	// orphanAge is how old an object must be before it may be swept: longer by far than any
	// request takes between storing it and writing the row that names it.
	orphanAge = 24 * time.Hour

	ownerKey = "belay.owner" // says which database the objects belong to
)

// Rows is the database as the sweeper knows it.
type Rows interface {
	// TakeSweep reserves the sweeping for this server for a while, and says who the objects
	// that the database knows of belong to.
	TakeSweep(ctx context.Context) (owner string, mine bool, err error)
	// Named is which of the keys a row names.
	Named(ctx context.Context, keys []string) (map[string]bool, error)
}

// Sweep deletes the objects that no row names: of requests that failed half way, and of
// rows that are gone.
func (r *Room) Sweep(ctx context.Context, rows Rows) error {
	owner, mine, err := rows.TakeSweep(ctx)
	if err == nil && mine {
		err = r.checkOwner(ctx, owner)
	}
	if err == nil && mine {
		_, err = r.blobs.Sweep(ctx, r.now().Add(-orphanAge))
	}
	if err == nil && mine {
		_, err = r.SweepBefore(ctx, rows, r.now().Add(-orphanAge))
	}
	return err
}

// checkOwner refuses to sweep the objects of another database: a server that is started on
// the wrong one, once, must not delete what that one has never heard of.
func (r *Room) checkOwner(ctx context.Context, owner string) error {
	rc, err := r.blobs.Get(ctx, ownerKey)
	if errors.Is(err, blob.ErrNotFound) {
		_, err = r.blobs.Put(ctx, ownerKey, strings.NewReader(owner))
		return err
	}
	if err != nil {
		return err
	}
	defer func() { _ = rc.Close() }()
	marked, err := io.ReadAll(io.LimitReader(rc, 1024))
	if err == nil && string(marked) != owner {
		err = errors.New("the files belong to another database: nothing is swept")
	}
	return err
}

// SweepBefore deletes the objects that are older than a moment and that no row names.
func (r *Room) SweepBefore(ctx context.Context, rows Rows, before time.Time) (deleted int, err error) {
	var old []string
	flush := func() error {
		n, err := r.deleteUnnamed(ctx, rows, old)
		deleted, old = deleted+n, old[:0]
		return err
	}
	err = r.blobs.Walk(ctx, func(key string, modified time.Time) error {
		if modified.Before(before) && swept(key) {
			old = append(old, key)
		}
		if len(old) < 500 {
			return nil
		}
		return flush()
	})
	return deleted, errors.Join(err, flush())
}

func (r *Room) deleteUnnamed(ctx context.Context, rows Rows, keys []string) (deleted int, err error) {
	if len(keys) == 0 {
		return 0, nil
	}
	named, err := rows.Named(ctx, keys)
	if err == nil { // asked after it is known what no row names
		var held bool
		if held, err = r.held(ctx); held {
			return 0, err
		}
	}
	for _, key := range keys {
		if err != nil {
			break
		}
		if !named[key] {
			if err = r.blobs.Delete(ctx, key); err == nil {
				deleted++
			}
		}
	}
	return deleted, err
}
