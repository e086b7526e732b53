package runfile

import (
	"context"
	"time"

	"github.com/belayhq/belay/internal/background"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/site"
)

const (
	// retainEvery is how often the policies are carried out.
	retainEvery = time.Hour
	// retainAtOnce is how many files one transaction gives up.
	retainAtOnce = 200
)

// Run gives up what the data retention policies no longer keep, until ctx ends. It may run
// on every replica.
func (r *Room) Run(ctx context.Context) {
	background.Run(ctx, background.Job{Every: retainEvery, Do: func(ctx context.Context) {
		if err := r.Retain(ctx); err != nil && ctx.Err() == nil {
			r.Log.Warn("files of runs not given up", "error", err)
		}
	}})
}

// Retain deletes the files of runs that are older than the policies allow, their logs among
// them. The rows go first: what is left behind then is swept.
func (r *Room) Retain(ctx context.Context) error {
	if r.Objects.Absent() || !r.Edition.Offers(site.DataRetention) {
		return nil
	}
	for ctx.Err() == nil {
		var list []store.RunFile
		err := r.DB.View(ctx, func(v *store.View) (err error) { // it may look at many: nobody waits for that
			list, err = v.AgedRunFiles(r.Now(), retainAtOnce)
			return err
		})
		if err != nil || len(list) == 0 {
			return err
		}
		err = r.DB.Update(ctx, func(tx *store.Tx) error {
			for i := range list {
				if err := drop(tx, &list[i]); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		for _, f := range list {
			r.Objects.Forget(ctx, f.Key)
		}
	}
	return ctx.Err()
}

// drop forgets a file of a run, and with a log what its checks said.
func drop(tx *store.Tx, f *store.RunFile) error {
	if stages := checksIn[f.Kind]; len(stages) > 0 {
		if err := tx.DropCheckOutput(f.RunID, stages...); err != nil {
			return err
		}
	}
	return tx.DropRunFile(f)
}
