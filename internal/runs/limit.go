package runs

import (
	"context"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// assessmentLimit is how many assessments of an organization go on at once: nobody waits for
// them, and all of its workspaces may be due together.
const assessmentLimit = 4

// addJob writes a new job: it waits for a runner, or is held while there are as many as may
// be. The row of its workspace must be held.
func (m *Room) addJob(tx *store.Tx, w *belay.Workspace, j *run.Job) error {
	limit := w.Organization.RunsAtOnce(m.RunLimit)
	full, err := m.crowded(tx, j)
	if err != nil {
		return err
	}
	if full {
		j.State = run.JobHeld
	} else if err := takeLimit(tx, j, limit); err != nil {
		return err
	}
	return tx.AddJob(j, limit)
}

// takeLimit lets nobody else count the jobs of an organization that has a limit, until the
// transaction ends.
func takeLimit(tx *store.Tx, j *run.Job, limit int) error {
	if limit <= 0 {
		return nil
	}
	return tx.TakeTurn("jobs of " + j.OrganizationID)
}

// full says that a workspace or an organization has as many jobs under way as it may have. A
// job that is held never rises: its class says what it is.
func (m *Room) full(tx *store.Tx, w *belay.Workspace, j *run.Job) (bool, error) {
	limit := w.Organization.RunsAtOnce(m.RunLimit)
	if full, err := m.crowded(tx, j); full || err != nil || limit <= 0 {
		return full, err
	}
	if err := takeLimit(tx, j, limit); err != nil {
		return true, err
	}
	n, err := tx.JobsUnderWay(j.OrganizationID)
	return n >= limit, err
}

// crowded says that there are as many jobs of its kind under way as may be.
func (m *Room) crowded(tx *store.Tx, j *run.Job) (bool, error) {
	if j.Class == run.SpeculativeClass {
		if n, err := tx.SpeculativeJobs(j.WorkspaceID); err != nil || n >= m.SpeculativeLimit {
			return true, err
		}
	}
	if j.Kind == run.AssessJob {
		if err := tx.TakeTurn("assessments of " + j.OrganizationID); err != nil {
			return true, err
		}
		if n, err := tx.AssessmentsUnderWay(j.OrganizationID); err != nil || n >= assessmentLimit {
			return true, err
		}
	}
	return false, nil
}

// closeJob writes a job that ended: its engine's token ends with it, and one that was held
// may follow.
func (m *Room) closeJob(tx *store.Tx, w *belay.Workspace, r *run.Run, j *run.Job) error {
	if w.Organization.RunsAtOnce(m.RunLimit) > 0 || !r.Queued() {
		tx.Wake(store.DueWake)
	}
	older := !j.StartedAt.IsZero() && j.TokenUntil.IsZero() // its token is a row of its own
	if err := tx.SaveJob(j); err != nil || !older {
		return err
	}
	return tx.DropToken(&belay.Token{ID: belay.TokenOfJob(j.ID)})
}

// release lets jobs wait for a runner that were held, as far as there is room.
func (m *Room) release(ctx context.Context) error {
	for released := true; released; {
		var list []run.Job
		err := m.DB.View(ctx, func(v *store.View) (err error) {
			list, err = v.ReleasableJobs(m.SpeculativeLimit, assessmentLimit, m.RunLimit, batch)
			return err
		})
		if err != nil {
			return err
		}
		released = false
		for i := range list {
			var one bool
			err := m.DB.Update(ctx, func(tx *store.Tx) (err error) {
				one, err = m.releaseOne(tx, &list[i])
				return err
			})
			if err != nil {
				return err
			}
			released = released || one
		}
	}
	return nil
}

func (m *Room) releaseOne(tx *store.Tx, found *run.Job) (bool, error) {
	w, err := tx.WorkspaceForRuns(belay.WorkspaceRef{ID: found.WorkspaceID})
	if err != nil {
		return false, gone(err)
	}
	j, err := tx.Job(found.ID)
	if err != nil || j.State != run.JobHeld {
		return false, gone(err)
	}
	if full, err := m.full(tx, &w, &j); err != nil || full {
		return false, err
	}
	j.State, j.RisenAt = run.JobWaiting, tx.Now
	tx.Wake(store.JobsWake)
	return true, tx.SaveJob(&j)
}
