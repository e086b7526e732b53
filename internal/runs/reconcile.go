package runs

import (
	"context"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/background"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// How often what happens by itself is looked at when nobody tells.
const (
	reconcileEvery = 5 * time.Second
	raiseAfter     = 10 * time.Minute
	batch          = 100
)

// Run does what happens by itself until ctx ends: leases that end, turns that come, saved
// plans that grow old. Any number of replicas may do it at once.
func (m *Room) Run(ctx context.Context) {
	if err := m.Recover(ctx); err != nil {
		m.Log.Warn("leases not prolonged", "error", err)
	}
	go m.DB.Listen(ctx)
	told, stop := m.DB.Watch(store.DueWake)
	defer stop()
	background.Run(ctx, background.Job{Every: reconcileEvery, Early: told, Do: func(ctx context.Context) {
		if err := m.Reconcile(ctx); err != nil && ctx.Err() == nil {
			m.Log.Warn("runs not reconciled", "error", err)
		}
	}})
}

// Recover gives the runners time to be heard after the server was away: silence that
// nobody could hear counts for nothing.
func (m *Room) Recover(ctx context.Context) error {
	return m.DB.Update(ctx, func(tx *store.Tx) error {
		heard, err := tx.LastHeard()
		if err != nil || tx.Now.Sub(heard) < run.Lease { // another replica was there
			return err
		}
		return tx.ProlongLeases(tx.Now.Add(startWait))
	})
}

// Reconcile does all that is to be done now, each piece in a transaction of its own.
func (m *Room) Reconcile(ctx context.Context) error {
	if err := m.expireLeases(ctx); err != nil {
		return err
	}
	if err := m.doDue(ctx); err != nil {
		return err
	}
	if err := m.release(ctx); err != nil {
		return err
	}
	aged := false
	err := m.DB.View(ctx, func(v *store.View) (err error) {
		aged, err = v.Aged(m.Now().Add(-raiseAfter), m.Now().Add(-run.RunnerForgotten))
		return err
	})
	if err != nil || !aged {
		return err
	}
	return m.DB.Update(ctx, func(tx *store.Tx) error {
		if err := tx.RaiseJobs(tx.Now.Add(-raiseAfter)); err != nil {
			return err
		}
		return tx.ForgetRunners(tx.Now.Add(-run.RunnerForgotten))
	})
}

func (m *Room) expireLeases(ctx context.Context) error {
	for {
		var ids []string
		err := m.DB.View(ctx, func(v *store.View) (err error) {
			ids, err = v.ExpiredJobs(m.Now(), batch)
			return err
		})
		if err != nil || len(ids) == 0 {
			return err
		}
		for _, id := range ids {
			if err := m.DB.Update(ctx, func(tx *store.Tx) error { return m.expire(tx, id) }); err != nil {
				return err
			}
		}
		if len(ids) < batch {
			return nil
		}
	}
}

// expire settles a job whose lease is over.
func (m *Room) expire(tx *store.Tx, id string) error {
	peeked, err := tx.Peek().Job(id)
	if err != nil {
		return gone(err)
	}
	w, err := tx.WorkspaceForRuns(belay.WorkspaceRef{ID: peeked.WorkspaceID})
	if err != nil {
		return gone(err)
	}
	r, err := tx.Run(peeked.RunID)
	if err != nil {
		return gone(err)
	}
	j, err := tx.Job(id)
	if err != nil || j.State != run.JobLeased || !j.LeaseUntil.Before(tx.Now) {
		return gone(err)
	}
	switch j.Expire(&r) {
	case run.BeSilent:
		return m.silent(tx, &w, &r, &j)
	case run.GiveAgain:
		return m.giveAgain(tx, &w, &r, &j)
	case run.GiveUp:
		return m.giveUp(tx, &w, &r, &j, "the runner was lost twice")
	default:
		j.End(run.Interrupted, "its runner was silent", tx.Now)
		return m.closeJob(tx, &w, &r, &j)
	}
}

// gone takes no notice of what was deleted meanwhile.
func gone(err error) error {
	if belay.KindOf(err) == belay.NotFound {
		return nil
	}
	return err
}

func (m *Room) silent(tx *store.Tx, w *belay.Workspace, r *run.Run, j *run.Job) error {
	j.State = run.JobLost
	if err := tx.SaveJob(j); err != nil {
		return err
	}
	if err := tx.SetDue(dueLost, j.ID, tx.Now.Add(m.ApplyLostAfter)); err != nil {
		return err
	}
	return m.take(tx, belay.Principal{}, w, r, run.Fact{Kind: run.WentSilent, Why: "the runner has been silent since " + j.LeaseUntil.Add(-run.Lease).Format(time.RFC3339)})
}

func (m *Room) giveAgain(tx *store.Tx, w *belay.Workspace, r *run.Run, j *run.Job) error {
	started := !j.StartedAt.IsZero()
	j.End(run.Interrupted, "its runner was lost", tx.Now)
	if err := m.closeJob(tx, w, r, j); err != nil {
		return err
	}
	next := j.Again(tx.Now)
	if err := tx.AddJob(&next, 0); err != nil || !started {
		return err
	}
	n := r.Noted("runner_lost", "the "+string(j.Kind)+" is given to another runner", "", tx.Now)
	if err := tx.AddRunNote(&n); err != nil {
		return err
	}
	return tx.SaveRun(r)
}

func (m *Room) giveUp(tx *store.Tx, w *belay.Workspace, r *run.Run, j *run.Job, why string) error {
	ran := j.EngineRan()
	j.End(run.Failed, why, tx.Now)
	if err := m.closeJob(tx, w, r, j); err != nil {
		return err
	}
	if r.Status != run.Planning && r.Status != run.Applying { // nothing began
		return nil
	}
	return m.take(tx, belay.Principal{}, w, r, run.Fact{Kind: run.GivenUp, Why: why, EngineRan: ran, LockHeld: w.Lock.Holder == holder(r)})
}

// doDue looks at everything that is due.
func (m *Room) doDue(ctx context.Context) error {
	for {
		var list []store.Due
		err := m.DB.View(ctx, func(v *store.View) (err error) {
			list, err = v.DueNow(m.Now(), batch)
			return err
		})
		if err != nil || len(list) == 0 {
			return err
		}
		more := len(list) == batch
		for _, d := range list {
			if err := m.one(ctx, d); err != nil {
				return err
			}
			more = more || d.Kind == store.InForceDue // what it noted is due at once
		}
		if !more {
			return nil
		}
	}
}

// turnAll notes that the runs that wait in an organization or a project may have their turn,
// some of them in each transaction, and finds them outside of it: whatever waits by then.
func (m *Room) turnAll(ctx context.Context, d store.Due) error {
	for last := ""; ; {
		var ids []string
		err := m.DB.View(ctx, func(v *store.View) (err error) {
			ids, err = v.WaitingIn(d.Subject, last, batch)
			return err
		})
		if err != nil || len(ids) == 0 {
			return err
		}
		if err := m.DB.Update(ctx, func(tx *store.Tx) error { return tx.NoteTurns(ids) }); err != nil {
			return err
		}
		last = ids[len(ids)-1]
	}
}

func (m *Room) one(ctx context.Context, d store.Due) error {
	switch d.Kind {
	case dueTriggers:
		return m.trigger(ctx, d)
	case store.ProjectDestroyDue:
		return m.scheduleProject(ctx, d)
	case store.InForceDue:
		if err := m.turnAll(ctx, d); err != nil {
			return err
		}
		return m.assessAll(ctx, d)
	case dueBacking:
		return m.giveUpBacking(ctx, d)
	}
	return m.DB.Update(ctx, func(tx *store.Tx) error {
		if d.Kind == dueLost {
			return m.lost(tx, d)
		}
		if d.Kind == dueExpire {
			return m.expireSaved(tx, d)
		}
		return m.inWorkspace(tx, d)
	})
}

// inWorkspace does what is due in a workspace.
func (m *Room) inWorkspace(tx *store.Tx, d store.Due) error {
	w, err := tx.WorkspaceForRuns(belay.WorkspaceRef{ID: d.Subject})
	if err != nil {
		return dropGone(tx, d, err)
	}
	if mine, err := tx.TakeDue(d); err != nil || !mine {
		return err
	}
	switch d.Kind {
	case dueSaved:
		saved, err := tx.SavedRuns(w.ID)
		if err != nil {
			return err
		}
		return m.outdate(tx, &w, saved, "")
	case store.DestroyDue:
		return m.schedule(tx, &w, d)
	case store.AssessDue:
		return m.assessDue(tx, &w)
	default:
		return m.lockOpened(tx, &w)
	}
}

// lockOpened lets go on what waits for the lock of a workspace.
func (m *Room) lockOpened(tx *store.Tx, w *belay.Workspace) error {
	if run.Status(w.CurrentRunStatus) == run.Confirmed {
		r, err := tx.Run(w.CurrentRunID)
		if err != nil || r.Status != run.Confirmed || !lockFree(w, &r) {
			return err
		}
		return m.take(tx, belay.Principal{}, w, &r, run.Fact{Kind: run.LockOpened, LockFree: true})
	}
	_, _, err := m.turn(tx, w, "")
	return err
}

// lost gives an apply up whose runner was silent for too long. The workspace stays locked:
// a person must look, or its state come home.
func (m *Room) lost(tx *store.Tx, d store.Due) error {
	peeked, err := tx.Peek().Job(d.Subject)
	if err != nil {
		return dropGone(tx, d, err)
	}
	w, err := tx.WorkspaceForRuns(belay.WorkspaceRef{ID: peeked.WorkspaceID})
	if err != nil {
		return gone(err)
	}
	if mine, err := tx.TakeDue(d); err != nil || !mine {
		return err
	}
	r, err := tx.Run(peeked.RunID)
	if err != nil {
		return gone(err)
	}
	j, err := tx.Job(d.Subject)
	if err != nil || j.State != run.JobLost {
		return gone(err)
	}
	if r.Status.Final() {
		j.End(run.Interrupted, "its runner was silent", tx.Now)
		return m.closeJob(tx, &w, &r, &j)
	}
	why := "the runner was lost while applying; the state may not be complete"
	if w.Lock.Holder == holder(&r) {
		why += ". The workspace stays locked until its state comes home or somebody unlocks it"
	}
	return m.giveUp(tx, &w, &r, &j, why)
}

func (m *Room) expireSaved(tx *store.Tx, d store.Due) error {
	w, _, r, err := get(&tx.Locked, belay.Principal{SiteAdmin: true}, d.Subject, belay.ReadRuns)
	if err != nil {
		return dropGone(tx, d, err)
	}
	if mine, err := tx.TakeDue(d); err != nil || !mine || r.Status != run.PlannedAndSaved {
		return err
	}
	return m.take(tx, belay.Principal{}, &w, &r, run.Fact{Kind: run.Outdated, Why: "the saved plan is too old"})
}
