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

// readingLease is how long one replica keeps a state to itself while it reads it. Reading
// it twice does no harm.
const readingLease = 30 * time.Second

// wakeReader says that there may be a state to read.
func (a *App) wakeReader() {
	select {
	case a.readerWake <- struct{}{}:
	default:
	}
}

// readStates reads the states that were too large to read while their clients waited.
func (a *App) readStates(ctx context.Context) {
	for ctx.Err() == nil {
		var ids []string
		err := a.db.View(ctx, func(v *store.View) (err error) {
			ids, err = v.UnprocessedStates(a.now(), 16)
			return err
		})
		if err != nil {
			a.log.Warn("states to read not found", "error", err)
		}
		if err != nil || len(ids) == 0 {
			return
		}
		for _, id := range ids {
			if err := a.readLater(ctx, id); err != nil && !errors.Is(err, belay.ErrNotFound) && ctx.Err() == nil {
				a.log.Warn("state not read", "state", id, "error", err)
			}
		}
	}
}

func (a *App) readLater(ctx context.Context, id string) error {
	var state belay.StateVersion
	leased := false
	err := a.db.Update(ctx, func(tx *store.Tx) (err error) {
		if leased, err = tx.LeaseState(id, tx.Now.Add(readingLease)); err != nil || !leased {
			return err
		}
		state, err = tx.StateVersion(id)
		return err
	})
	if err != nil || !leased {
		return err
	}
	found, err := a.readStored(ctx, state.State)
	if err != nil {
		return err
	}
	return a.learn(ctx, state, found)
}

// readStored looks into a file that is stored already. One that is no state stays as it
// is, and its problem becomes known.
func (a *App) readStored(ctx context.Context, file belay.StateFile) (*contents, error) {
	rc, err := a.open(ctx, file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rc.Close() }()
	found, err := a.readState(rc)
	if belay.KindOf(err) == belay.Invalid {
		return &contents{problem: err.(*belay.Error).Detail}, nil //nolint:errorlint,forcetypeassert // made by unreadable
	}
	return found, err
}

// learn writes down what a state says, and its workspace too when it is the current one.
func (a *App) learn(ctx context.Context, state belay.StateVersion, found *contents) error {
	return a.changeState(ctx, state, func(tx *store.Tx, w *belay.Workspace, v *belay.StateVersion) error {
		if v.Processed {
			return nil
		}
		if outputs, learned := found.know(v); learned {
			if err := tx.ReplaceStateOutputs(v.ID, outputs); err != nil {
				return err
			}
		}
		if w.CurrentStateVersionID != v.ID {
			return nil
		}
		w.LearnState(v)
		return tx.SaveState(w, v)
	})
}

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
