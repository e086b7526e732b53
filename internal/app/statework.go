package app

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/blob"
	"github.com/belayhq/belay/internal/store"
)

const (
	// orphanAge is how old a file must be before it may be swept: longer by far than any
	// request takes between storing a file and writing the row that names it.
	orphanAge = 24 * time.Hour
	// sweepPause is how long no server sweeps after one has begun to.
	sweepPause = 50 * time.Minute

	sweepName = "sweep-state-files"
	ownerFact = "state-files-owner" // in the database: who its files belong to
	ownerKey  = "belay.owner"       // and in the store of files
)

// sweepStateFiles deletes the files that no row names: of requests that failed half way,
// and of state versions that are gone.
func (a *App) sweepStateFiles(ctx context.Context) {
	if a.blobs == nil {
		return
	}
	owner, mine, err := a.takeSweep(ctx)
	if err == nil && mine {
		err = a.checkOwner(ctx, owner)
	}
	if err == nil && mine {
		_, err = a.blobs.Sweep(ctx, a.now().Add(-orphanAge))
	}
	if err == nil && mine {
		_, err = a.sweep(ctx, a.now().Add(-orphanAge))
	}
	if err != nil && ctx.Err() == nil {
		a.log.Warn("files of states not swept", "error", err)
	}
}

// takeSweep reserves the sweeping for this server, and says who the files that the
// database knows of belong to.
func (a *App) takeSweep(ctx context.Context) (owner string, mine bool, err error) {
	holder := belay.RandomText(16)
	err = a.db.Update(ctx, func(tx *store.Tx) error {
		if mine, err = tx.TakeLease(sweepName, holder, tx.Now.Add(sweepPause)); err != nil || !mine {
			return err
		}
		if owner, err = tx.Meta(ownerFact); err != nil || owner != "" {
			return err
		}
		owner = belay.RandomText(32)
		return tx.SetMeta(ownerFact, owner)
	})
	return owner, mine, err
}

// checkOwner refuses to sweep the files of another database: a server that is started on
// the wrong one, once, must not delete what that one has never heard of.
func (a *App) checkOwner(ctx context.Context, owner string) error {
	rc, err := a.blobs.Get(ctx, ownerKey)
	if errors.Is(err, blob.ErrNotFound) {
		_, err = a.blobs.Put(ctx, ownerKey, strings.NewReader(owner))
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

// sweep deletes the files that are older than a moment and that no row names.
func (a *App) sweep(ctx context.Context, before time.Time) (swept int, err error) {
	var old []string
	flush := func() error {
		n, err := a.deleteUnnamed(ctx, old)
		swept, old = swept+n, old[:0]
		return err
	}
	err = a.blobs.Walk(ctx, func(key string, modified time.Time) error {
		if modified.Before(before) && isStateKey(key) {
			old = append(old, key)
		}
		if len(old) < 500 {
			return nil
		}
		return flush()
	})
	return swept, errors.Join(err, flush())
}

func (a *App) deleteUnnamed(ctx context.Context, keys []string) (deleted int, err error) {
	if len(keys) == 0 {
		return 0, nil
	}
	var named map[string]bool
	err = a.db.View(ctx, func(v *store.View) (err error) {
		named, err = v.NamedBlobs(keys)
		return err
	})
	for _, key := range keys {
		if err != nil {
			break
		}
		if !named[key] {
			if err = a.blobs.Delete(ctx, key); err == nil {
				deleted++
			}
		}
	}
	return deleted, err
}
