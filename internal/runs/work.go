package runs

import (
	"context"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// errLeaseLost is the answer to whoever had a job and has it no more.
var errLeaseLost = belay.Refuse(belay.Conflict, "rescue: the lease is lost; keep what the job made and offer it")

// job hands out a leased job with its workspace and run, all held, to whoever has the
// lease. A lease that was lost is refused, and so is one of a job that ended.
func (m *Room) job(tx *store.Tx, lease string) (w belay.Workspace, r run.Run, j run.Job, err error) {
	found, err := m.leased(tx, lease)
	return found.Workspace, found.Run, found.Job, err
}

func (m *Room) leased(tx *store.Tx, lease string) (found store.Leased, err error) {
	found, err = tx.Leased(belay.HashToken(lease))
	return found, unknownLease(err)
}

// unknownLease is an error of looking for a lease, as whoever has it hears of it.
func unknownLease(err error) error {
	if belay.KindOf(err) == belay.NotFound {
		return belay.ErrUnauthenticated
	}
	return err
}

// Start answers what a job is about, and the first time moves its run on.
func (m *Room) Start(ctx context.Context, lease string, _ run.Start) (spec run.JobSpec, err error) {
	err = m.DB.Update(ctx, func(tx *store.Tx) error {
		l, err := tx.LeasedStart(belay.HashToken(lease))
		switch {
		case err != nil:
			return unknownLease(err)
		case l.Job.State != run.JobLeased || l.Run.Status.Final():
			return errLeaseLost
		}
		fresh := l.Job.StartedAt.IsZero()
		if fresh {
			if err := m.started(tx, &l, nil); err != nil {
				return err
			}
		}
		spec, err = m.spec(tx, &l, fresh)
		return err
	})
	return spec, err
}

// started notes that a runner begins a job, which is nil where it is yet to be read.
func (m *Room) started(tx *store.Tx, l *store.LeasedStart, by *run.Runner) error {
	w, r, j := &l.Workspace, &l.Run, &l.Job
	j.StartedAt = tx.Now
	j.TokenHash, j.TokenUntil = belay.HashToken(m.runToken(j)), tx.Now.Add(m.ApplyTimeout+time.Hour)
	if err := tx.SaveJob(j); err != nil {
		return err
	}
	name := run.RunnerName{ID: j.RunnerID, PoolID: j.PoolID}
	if j.PoolID != "" && by == nil {
		runner, err := tx.Peek().Runner(j.RunnerID)
		if err != nil {
			return err
		}
		by = &runner
	}
	if j.PoolID != "" {
		name.Name, name.PoolName = by.Name, by.PoolName
	}
	return m.take(tx, belay.Principal{}, w, r, run.Fact{Kind: run.JobStarted, Runner: name, StateVersionID: w.CurrentStateVersionID})
}

// Step is the gate: from its answer on, an apply is done by nobody else. What the checks before
// it came to is written with it.
func (m *Room) Step(ctx context.Context, lease string, step run.StepName, checks ...run.Check) error {
	hash := belay.HashToken(lease)
	if step == run.InitStep && len(checks) == 0 { // only older runners ask: what it does may be done twice, so nothing is written or held
		return m.DB.View(ctx, func(v *store.View) error { return mayStep(v, hash, m.Now()) })
	}
	return m.DB.Update(ctx, func(tx *store.Tx) error {
		if len(checks) > 0 {
			if err := m.checkedBefore(tx, lease, checks); err != nil {
				return err
			}
		}
		if step == run.InitStep {
			return mayStep(tx.Peek(), hash, tx.Now)
		}
		// What ends a run or gives an order writes the row of its job: whoever comes second sees it.
		if begun, err := tx.BeginEngine(hash); err != nil || begun {
			return err
		}
		return mayStep(tx.Peek(), hash, tx.Now)
	})
}

// mayStep says why the engine of a job may not do its next step, if so.
func mayStep(v *store.View, hash string, now time.Time) error {
	of, err := v.LeasedRun(hash)
	j := &of.Job
	switch {
	case belay.KindOf(err) == belay.NotFound:
		return belay.ErrUnauthenticated
	case err != nil:
		return err
	case j.State != run.JobLeased || of.Run.Status.Final():
		return errLeaseLost
	case j.Cancel != run.NoOrder:
		return belay.Refuse(belay.Conflict, "canceled: the step must not be executed")
	case j.LeaseUntil.Before(now):
		return belay.Refuse(belay.Conflict, "the lease is over: renew it first")
	default:
		return nil
	}
}

// Beat renews the leases of a runner's jobs, and tells it what it has to know of them.
func (m *Room) Beat(ctx context.Context, runner run.Runner, ip string, beat run.Beat) (answer run.Beaten, err error) {
	if len(beat.Jobs) > belay.MaxListed {
		return answer, belay.Refuse(belay.Invalid, "a heartbeat names at most %d jobs", belay.MaxListed)
	}
	hashes := make([]string, len(beat.Jobs))
	for i, j := range beat.Jobs {
		hashes[i] = belay.HashToken(j.Lease)
	}
	kept := map[string]run.Order{}
	err = m.DB.Update(ctx, func(tx *store.Tx) error {
		clear(kept)
		answer = run.Beaten{IntervalMillis: run.Heartbeat.Milliseconds(), Now: tx.Now, Jobs: []run.JobOrder{}}
		if len(hashes) > 0 {
			renewed, err := tx.RenewLeases(runner.ID, hashes, tx.Now.Add(run.Lease))
			if err != nil {
				return err
			}
			for _, j := range renewed {
				kept[j.LeaseHash] = j.Cancel
			}
		}
		return tx.SeeRunner(runner.ID, ip, beat.Errored)
	})
	if err != nil {
		return answer, err
	}
	for i, b := range beat.Jobs {
		o := run.JobOrder{ID: b.ID, LeaseUntil: answer.Now.Add(run.Lease)}
		var there bool
		if o.Order, there = kept[hashes[i]]; !there {
			if o, err = m.notRenewed(ctx, &runner, b, hashes[i]); err != nil {
				return answer, err
			}
		}
		answer.Jobs = append(answer.Jobs, o)
	}
	return answer, nil
}

// notRenewed is what a runner is told of a job whose lease was not renewed. What changes nothing is
// read beside the writer: nobody waits for a runner that names many jobs which are not its own.
func (m *Room) notRenewed(ctx context.Context, runner *run.Runner, b run.BeatJob, hash string) (o run.JobOrder, err error) {
	perhaps := false
	err = m.DB.View(ctx, func(v *store.View) error {
		found, err := v.LeasedRun(hash)
		if belay.KindOf(err) == belay.NotFound {
			o, err = forgotten(v, b)
			return err
		}
		o, perhaps = run.JobOrder{ID: b.ID, Order: run.GoneOrder}, mayTakeUp(runner, hash, &found.Run, &found.Job)
		return err
	})
	if err != nil || !perhaps {
		return o, err
	}
	err = m.DB.Update(ctx, func(tx *store.Tx) (err error) {
		o, err = m.takenUp(tx, runner, b, hash)
		return err
	})
	return o, err
}

// mayTakeUp says whether a job may be a runner's own again.
func mayTakeUp(runner *run.Runner, hash string, r *run.Run, j *run.Job) bool {
	return !r.Status.Final() && j.LeaseHash == hash && j.PoolID == runner.PoolID && (j.State == run.JobLost || j.State == run.JobLeased)
}

// takenUp is what a runner is told of a job whose lease was not renewed. It is its own
// again where the runner began anew and still has it, and where an apply was silent.
func (m *Room) takenUp(tx *store.Tx, runner *run.Runner, b run.BeatJob, hash string) (run.JobOrder, error) {
	gone := run.JobOrder{ID: b.ID, Order: run.GoneOrder}
	w, r, j, err := m.job(tx, b.Lease)
	switch {
	case belay.KindOf(err) == belay.Unauthenticated || belay.KindOf(err) == belay.NotFound:
		return forgotten(tx.Peek(), b)
	case err != nil:
		return gone, err
	case !mayTakeUp(runner, hash, &r, &j):
		return gone, nil
	}
	silent := j.State == run.JobLost
	j.State, j.RunnerID, j.LeaseUntil = run.JobLeased, runner.ID, tx.Now.Add(run.Lease)
	if err := tx.SaveJob(&j); err != nil {
		return gone, err
	}
	order := run.JobOrder{ID: j.ID, Order: j.Cancel, LeaseUntil: j.LeaseUntil}
	if !silent {
		return order, nil
	}
	if err := tx.DropDue(dueLost, j.ID); err != nil {
		return gone, err
	}
	return order, m.take(tx, belay.Principal{}, &w, &r, run.Fact{Kind: run.CameBack})
}

// forgotten is what a runner is told of a job that is not known: to end it, for its workspace
// was deleted; for good where nobody can bring it back. Where the workspace is there, a backup
// may have been older than the job: what that makes is kept for a person.
func forgotten(v *store.View, b run.BeatJob) (run.JobOrder, error) {
	kill := run.JobOrder{ID: b.ID, Order: run.KillOrder}
	if b.WorkspaceID == "" {
		return kill, nil
	}
	w, err := v.Workspace(belay.WorkspaceRef{ID: b.WorkspaceID})
	switch {
	case belay.KindOf(err) == belay.NotFound:
		kill.Deleted = true
		return kill, nil
	case err != nil || w.Organization.Gone():
		return kill, err
	default:
		return run.JobOrder{ID: b.ID, Order: run.GoneOrder}, nil
	}
}

// Orders is what a runner is to be told at once, as soon as there is something.
func (m *Room) Orders(ctx context.Context, runner run.Runner) (orders run.Orders, err error) {
	told, stop := m.DB.Watch(store.OrdersWake)
	defer stop()
	for {
		var list []run.Job
		err := m.DB.View(ctx, func(v *store.View) error {
			list, err = v.OrderedJobs(runner.ID)
			return err
		})
		for _, j := range list {
			orders.Jobs = append(orders.Jobs, run.JobOrder{ID: j.ID, Order: j.Cancel, LeaseUntil: j.LeaseUntil})
		}
		if err != nil || len(list) > 0 {
			return orders, err
		}
		select {
		case <-told:
		case <-ctx.Done():
			return orders, nil
		}
	}
}
