package app

import (
	"context"
	"errors"
	"time"

	"github.com/belayhq/belay"
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

// orphanAge is how old a file must be before it may be swept: longer than any request
// takes between storing a file and writing the row that names it.
const orphanAge = time.Hour

// sweepStateFiles deletes the files that no row names: of requests that failed half way,
// and of state versions that are gone.
func (a *App) sweepStateFiles(ctx context.Context) {
	if a.blobs == nil {
		return
	}
	before := a.now().Add(-orphanAge)
	if _, err := a.blobs.Sweep(ctx, a.now().Add(-24*time.Hour)); err != nil && ctx.Err() == nil {
		a.log.Warn("unfinished uploads not swept", "error", err)
	}
	swept, err := a.sweep(ctx, before)
	if err != nil && ctx.Err() == nil {
		a.log.Warn("files of states not swept", "error", err)
	}
	if swept > 0 {
		a.log.Info("swept files of states that nothing names", "files", swept)
	}
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
