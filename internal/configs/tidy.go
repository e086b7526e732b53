package configs

import (
	"context"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/background"
	"github.com/belayhq/belay/internal/object"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
	"github.com/belayhq/belay/site"
)

const (
	// tidyEvery is how often what became old is looked for.
	tidyEvery = 10 * time.Minute
	// atOnce is how many configuration versions are looked at in one go.
	atOnce = 200
)

// Run does what becomes due by itself until ctx ends: an upload that never came is given
// up, an archive that was marked long ago is deleted. It may run on every replica.
func (r *Room) Run(ctx context.Context) {
	background.Run(ctx, background.Job{Every: tidyEvery, Do: func(ctx context.Context) {
		if err := r.Tidy(ctx); err != nil && ctx.Err() == nil {
			r.Log.Warn("configuration versions not tidied", "error", err)
		}
	}})
}

// change is what is done to a configuration version that is due.
type change func(*store.Tx, *belay.Workspace, *run.ConfigurationVersion) error

// Tidy does what is due now.
func (r *Room) Tidy(ctx context.Context) error {
	now := r.Now()
	// Whoever was given the URL may be sending until it expires, and a while longer.
	err := r.each(ctx, run.ConfigurationPending, since(run.ConfigurationPending, now.Add(-object.LongLife-time.Hour)),
		func(tx *store.Tx, _ *belay.Workspace, c *run.ConfigurationVersion) error {
			c.Fail(run.UploadExpired, "the archive was never uploaded", tx.Now)
			return nil
		})
	if err == nil {
		err = r.each(ctx, run.ConfigurationSoftDeleted, since(run.ConfigurationSoftDeleted, now.Add(-belay.BackingWindow)),
			r.moving(run.ConfigurationDeleted, "configuration_version.permanently_deleted"))
	}
	if err == nil {
		unused := func(v *store.View) ([]run.ConfigurationVersion, error) {
			return v.UnusedCommits(now.Add(-keepCommits), atOnce)
		}
		err = r.each(ctx, run.ConfigurationUploaded, unused, giveUp)
	}
	if err != nil || !r.Edition.Offers(site.DataRetention) {
		return err
	}
	aged := func(v *store.View) ([]run.ConfigurationVersion, error) { return v.AgedConfigurations(now, atOnce) }
	return r.each(ctx, run.ConfigurationUploaded, aged, r.moving(run.ConfigurationSoftDeleted, "configuration_version.soft_deleted"))
}

// keepCommits is how long what came from a repository stays at hand after its last run.
const keepCommits = 24 * time.Hour

// giveUp archives what came from a repository: it can be fetched again.
func giveUp(tx *store.Tx, w *belay.Workspace, c *run.ConfigurationVersion) error {
	busy, err := tx.ConfigurationInUse(c.ID)
	if err != nil {
		return err
	}
	if busy || w.ConfigurationID == c.ID || !c.GiveUp(tx.Now) {
		return belay.Refuse(belay.Conflict, "the configuration version is in use")
	}
	return emit(tx, belay.Principal{Name: "retention"}, "configuration_version.archived", w, c)
}

// since finds what came to a status before a moment.
func since(status run.ConfigurationStatus, before time.Time) func(*store.View) ([]run.ConfigurationVersion, error) {
	return func(v *store.View) ([]run.ConfigurationVersion, error) {
		return v.ConfigurationsSince(status, before, atOnce)
	}
}

// moving moves the archive of a configuration version towards its deletion.
func (r *Room) moving(to run.ConfigurationStatus, event string) change {
	return func(tx *store.Tx, w *belay.Workspace, c *run.ConfigurationVersion) error {
		busy, err := tx.ConfigurationInUse(c.ID)
		if err != nil {
			return err
		}
		if err := c.Transition(to, w.ConfigurationID == c.ID, busy, tx.Now); err != nil {
			return err
		}
		return emit(tx, belay.Principal{Name: "retention"}, event, w, c)
	}
}

// each changes every configuration version that is found and still has the status, each in
// its own transaction. One that may not be changed now is left alone.
func (r *Room) each(ctx context.Context, status run.ConfigurationStatus, find func(*store.View) ([]run.ConfigurationVersion, error), do change) error {
	for more := true; more && ctx.Err() == nil; {
		var list []run.ConfigurationVersion
		err := r.DB.View(ctx, func(v *store.View) (err error) {
			list, err = find(v)
			return err
		})
		if err != nil {
			return err
		}
		changed := 0
		for _, one := range list {
			switch err := r.tidy(ctx, one, status, do); {
			case err == nil:
				changed++
			case belay.KindOf(err) == belay.Internal:
				return err
			}
		}
		more = len(list) == atOnce && changed > 0
	}
	return ctx.Err()
}

func (r *Room) tidy(ctx context.Context, one run.ConfigurationVersion, status run.ConfigurationStatus, do change) error {
	gone := ""
	err := r.change(ctx, one.ID, func(tx *store.Tx, w *belay.Workspace, c *run.ConfigurationVersion) error {
		if gone = ""; c.Status != status { // it moved on meanwhile
			return nil
		}
		key := c.Key
		if err := do(tx, w, c); err != nil {
			return err
		}
		if c.Key == "" && !c.FromRepository() { // whose archive others have too: it is swept
			gone = key
		}
		return tx.SaveConfigurationVersion(w, c)
	})
	if err == nil {
		r.Objects.Forget(ctx, gone)
	}
	return err
}
