package configs

import (
	"context"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// Archive gives up the archive of a configuration version that nobody needs any more.
func (r *Room) Archive(ctx context.Context, s belay.Principal, id string) error {
	return r.give(ctx, s, id, belay.QueueRuns, "configuration_version.archived", func(tx *store.Tx, c *run.ConfigurationVersion, current, busy bool) error {
		return c.Archive(current, busy, tx.Now)
	})
}

// SoftDelete marks the archive of a configuration version for deletion. That, and what
// follows it, is left to the organization's owners.
func (r *Room) SoftDelete(ctx context.Context, s belay.Principal, id string) error {
	return r.transition(ctx, s, id, run.ConfigurationSoftDeleted, "configuration_version.soft_deleted")
}

// Restore takes the mark back.
func (r *Room) Restore(ctx context.Context, s belay.Principal, id string) error {
	return r.transition(ctx, s, id, run.ConfigurationUploaded, "configuration_version.restored")
}

// DeleteForGood deletes the archive of a configuration version that is marked.
func (r *Room) DeleteForGood(ctx context.Context, s belay.Principal, id string) error {
	return r.transition(ctx, s, id, run.ConfigurationDeleted, "configuration_version.permanently_deleted")
}

func (r *Room) transition(ctx context.Context, s belay.Principal, id string, to run.ConfigurationStatus, event string) error {
	return r.give(ctx, s, id, gate.OwnersOnly, event, func(tx *store.Tx, c *run.ConfigurationVersion, current, busy bool) error {
		return c.Transition(to, current, busy, tx.Now)
	})
}

// give changes what is to become of an archive, and deletes it once no row names it.
func (r *Room) give(ctx context.Context, s belay.Principal, id string, need belay.Permission, event string,
	change func(tx *store.Tx, c *run.ConfigurationVersion, current, busy bool) error) error {
	var gone string
	err := r.DB.Update(ctx, func(tx *store.Tx) error {
		_, w, err := get(&tx.Locked, s, id, need)
		if err != nil {
			return err
		}
		c, err := tx.ConfigurationVersion(id) // again, now that its workspace is held
		if err != nil {
			return err
		}
		busy, err := tx.ConfigurationInUse(c.ID)
		if err != nil {
			return err
		}
		gone = c.Key
		if err := change(tx, &c, w.ConfigurationID == c.ID, busy); err != nil {
			return err
		}
		if c.Key != "" {
			gone = ""
		}
		if err := tx.SaveConfigurationVersion(&w, &c); err != nil {
			return err
		}
		return emit(tx, s, event, &w, &c)
	})
	if err == nil {
		r.Objects.Forget(ctx, gone)
	}
	return err
}
