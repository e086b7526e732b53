package runs

import (
	"context"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// Held is a job with its run, as whoever has its lease sees them.
type Held struct {
	Run  run.Run
	Job  run.Job
	Late bool // the lease is not in force any more: only what must not be lost is taken
}

// Subject is the run as whoever writes its state.
func (h *Held) Subject() belay.Subject {
	return belay.Subject{
		Kind: belay.RunSubject, ID: h.Run.ID, Purpose: belay.ApplyPurpose, ServiceUserID: h.Run.CreatedBy,
		OrganizationID: h.Run.OrganizationID, WorkspaceID: h.Run.WorkspaceID,
	}
}

// HoldsLock says that a run has the lock of its workspace: a state that it brings is the
// workspace's next one.
func (m *Room) HoldsLock(ctx context.Context, r *run.Run) (holds bool, err error) {
	err = m.DB.View(ctx, func(v *store.View) error {
		w, err := v.Workspace(belay.WorkspaceRef{ID: r.WorkspaceID})
		holds = w.Lock.Held() && lockFree(&w, r)
		return err
	})
	return holds, err
}

// Holding is the job that a lease is or was of. One that ended long ago is unknown.
func (m *Room) Holding(ctx context.Context, lease string) (h Held, err error) {
	err = m.DB.View(ctx, func(v *store.View) error {
		if h.Job, err = v.JobByLease(belay.HashToken(lease)); err != nil {
			return err
		}
		h.Run, err = v.Run(h.Job.RunID)
		return err
	})
	h.Late = late(&h.Job, h.Run.Status)
	return h, m.unlessOld(&h.Job, err)
}

// Writing is the log that a lease is or was for, of whose run hardly anything is asked: it is
// what runners call most.
func (m *Room) Writing(ctx context.Context, lease string) (logID string, order run.Order, gone bool, err error) {
	var j run.Job
	err = m.DB.View(ctx, func(v *store.View) error {
		if j, err = v.JobByLease(belay.HashToken(lease)); err != nil {
			return err
		}
		of, err := v.RunHead(j.RunID)
		if logID = of.PlanID; j.Kind == run.ApplyJob {
			logID = of.ApplyID
		}
		gone = late(&j, of.Status)
		return err
	})
	return logID, j.Cancel, gone, m.unlessOld(&j, err)
}

func late(j *run.Job, status run.Status) bool {
	return j.State != run.JobLeased || status.Final()
}

// unlessOld makes a lease unknown that is of no job, or of one that ended long ago.
func (m *Room) unlessOld(j *run.Job, err error) error {
	old := j.State == run.JobEnded && m.Now().Sub(j.EndedAt) > keepLost
	if belay.KindOf(err) == belay.NotFound || err == nil && old {
		return belay.ErrUnauthenticated
	}
	return err
}

// ErrLeaseLost is the answer to whoever had a job and has it no more.
func ErrLeaseLost() error { return errLeaseLost }
