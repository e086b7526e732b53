package app

import (
	"context"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
)

const (
	// sweepPause is how long no server sweeps after one has begun to.
	sweepPause = 50 * time.Minute

	sweepName = "sweep-state-files"
	ownerFact = "state-files-owner" // in the database: who its files belong to
)

// sweepFiles deletes the files that no row names.
func (a *App) sweepFiles(ctx context.Context) {
	if a.objects.Absent() {
		return
	}
	if err := a.objects.Sweep(ctx, sweptRows{a}); err != nil && ctx.Err() == nil {
		a.log.Warn("files not swept", "error", err)
	}
}

// sweptRows is the database as the sweeper of files knows it.
type sweptRows struct{ app *App }

// TakeSweep reserves the sweeping for this server, and says who the files that the
// database knows of belong to.
func (r sweptRows) TakeSweep(ctx context.Context) (owner string, mine bool, err error) {
	holder := belay.RandomText(16)
	err = r.app.db.Update(ctx, func(tx *store.Tx) error {
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

// Named is which of the keys a row names.
func (r sweptRows) Named(ctx context.Context, keys []string) (named map[string]bool, err error) {
	err = r.app.db.View(ctx, func(v *store.View) error {
		named, err = v.NamedBlobs(keys)
		return err
	})
	return named, err
}

// held says whether a backup copies files.
func (a *App) held(ctx context.Context) (held bool, err error) {
	err = a.db.View(store.Background(ctx), func(v *store.View) (err error) {
		held, err = v.ObjectsHeld()
		return err
	})
	return held, err
}
