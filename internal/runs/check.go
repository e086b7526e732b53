package runs

import (
	"context"
	"slices"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// About is what the checks of a runner are told of the run of its job.
func (m *Room) About(ctx context.Context, lease string) (about run.About, err error) {
	err = m.DB.View(ctx, func(v *store.View) error {
		of, err := v.Leased(belay.HashToken(lease))
		switch r := &of.Run; {
		case belay.KindOf(err) == belay.NotFound:
			return belay.ErrUnauthenticated
		case err != nil:
			return err
		case late(&of.Job, r.Status):
			return errLeaseLost
		default:
			about = run.About{
				Message: r.Message, Source: r.Source, Reason: r.Reason, AutoApply: r.AutoApply, PlanOnly: r.PlanOnly,
				IsDestroy: r.IsDestroy, CommitSHA: r.CommitSHA,
			}
			by, err := v.User(r.CreatedBy)
			about.CreatedBy = by.Username
			return gone(err) // whoever made it may be deleted
		}
	})
	return about, err
}

// checkedBefore writes what the checks before a step came to, for whoever has the lease.
func (m *Room) checkedBefore(tx *store.Tx, lease string, checks []run.Check) error {
	_, r, j, err := m.job(tx, lease)
	switch name := run.Refusing(checks); {
	case err != nil:
		return err
	case late(&j, r.Status):
		return errLeaseLost
	case name != "":
		return belay.Refuse(belay.Invalid, "the mandatory check %s did not pass", name)
	}
	return m.recordChecks(tx, &r, &j, checks)
}

// recordChecks writes what the checks of a run that is held came to. What an earlier attempt at
// the job told of the same stages is forgotten.
func (m *Room) recordChecks(tx *store.Tx, r *run.Run, j *run.Job, checks []run.Check) error {
	if err := j.Kind.Tells(checks); err != nil {
		return err
	}
	told := map[run.CheckStage]bool{}
	for place, c := range checks {
		if !told[c.Stage] {
			told[c.Stage] = true
			if err := tx.DropRunChecks(r.ID, c.Stage); err != nil {
				return err
			}
		}
		c.ID, c.RunID = belay.NewID("runchk"), r.ID
		if c.Output != "" {
			c.Output = m.Ring.Seal([]byte(c.Output), c.ID)
		}
		if err := tx.AddRunCheck(&store.RunCheck{Check: c, Place: place}); err != nil {
			return err
		}
	}
	return nil
}

// Checks is what the checks of a run came to, for those who may read the run.
func (m *Room) Checks(ctx context.Context, s belay.Principal, runID string) (list []run.Check, err error) {
	err = m.DB.View(ctx, func(v *store.View) error {
		_, _, r, err := get(v, s, runID, belay.ReadRuns)
		if err != nil {
			return err
		}
		list, err = m.checks(v, &r)
		return err
	})
	return list, err
}

// ChecksOf is what the checks of a run came to that was handed out before.
func (m *Room) ChecksOf(ctx context.Context, r *View) (list []run.Check, err error) {
	err = m.DB.View(ctx, func(v *store.View) error {
		list, err = m.checks(v, &r.Run)
		return err
	})
	return list, err
}

// checks opens what the checks of a run said, unless the log was put aside that it stands in.
func (m *Room) checks(v *store.View, r *run.Run) (list []run.Check, err error) {
	kept, err := v.RunChecks(r.ID)
	for _, c := range kept {
		if c.Output != "" {
			plain, err := m.Ring.Unseal(c.Output, c.ID)
			if err != nil {
				return nil, err
			}
			c.Output = string(plain)
		}
		if c.Stage.Phase(r).Backing != run.BackingThere {
			c.Output = ""
		}
		list = append(list, c.Check)
	}
	slices.SortStableFunc(list, func(a, b run.Check) int {
		return slices.Index(run.CheckStages, a.Stage) - slices.Index(run.CheckStages, b.Stage)
	})
	return list, err
}
