package runs

import (
	"context"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// Held is the heads of a job and of its run, as whoever has its lease sees them.
type Held struct {
	Run  run.Run
	Job  run.Job
	Late bool // the lease is not in force any more: only what must not be lost is taken

	// Locks says that the run has the lock of its workspace: a state that it brings is the
	// workspace's next one.
	Locks bool
}

// Subject is the run as whoever writes its state.
func (h *Held) Subject() belay.Principal {
	return belay.Principal{
		Kind: belay.RunPrincipal, ID: h.Run.ID, Purpose: belay.ApplyPurpose, ServiceUserID: h.Run.CreatedBy,
		OrganizationID: h.Run.OrganizationID, WorkspaceID: h.Run.WorkspaceID,
	}
}

// Holding is the job that a lease is or was of. One that ended long ago is unknown.
func (m *Room) Holding(ctx context.Context, lease string) (h Held, err error) {
	err = m.DB.View(ctx, func(v *store.View) error {
		found, err := v.LeasedRun(belay.HashToken(lease))
		h = Held{Job: found.Job, Run: found.Run, Locks: found.Locks, Late: late(&found.Job, found.Run.Status)}
		return err
	})
	return h, m.unlessOld(&h.Job, err)
}

// Writing is the log that a lease is or was for.
type Writing struct {
	store.LeasedLog
	Late bool // the lease is not in force any more
}

// Writing is the log that a lease is or was for, of whose run hardly anything is asked: it is
// what runners call most.
func (m *Room) Writing(ctx context.Context, lease string) (w Writing, err error) {
	err = m.DB.View(ctx, func(v *store.View) error {
		w.LeasedLog, err = v.LeasedLog(belay.HashToken(lease))
		return err
	})
	w.Late = late(&w.Job, w.RunStatus)
	return w, m.unlessOld(&w.Job, err)
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
