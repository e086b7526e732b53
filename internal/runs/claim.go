package runs

import (
	"cmp"
	"context"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// Limits of the wire.
const (
	maxSlots  = 100
	maxWait   = 50 * time.Second
	maxClaims = 32 // that one transaction serves
	keepLost  = 24 * time.Hour
	startWait = time.Minute // every lease gets it after a start of the server
)

// Register makes a runner of a pool known: ” is the server's own pool. The same start of
// the same runner is the same one, with the same token: a registration that comes twice, or
// late, takes nothing from it. It takes jobs for as long as the token that it came with.
func (m *Room) Register(ctx context.Context, poolID, tokenID, ip string, in run.Registration) (answer run.Registered, err error) {
	return m.register(ctx, run.Runner{PoolID: poolID, TokenID: tokenID}, ip, in)
}

// RegisterForJob makes a runner known that another one started elsewhere to carry one job out:
// the lease of the job lets it in, and it gets no other.
func (m *Room) RegisterForJob(ctx context.Context, lease, ip string, in run.Registration) (answer run.Registered, err error) {
	h, err := m.Holding(ctx, lease)
	if err != nil {
		return answer, err
	}
	if h.Job.State == run.JobEnded {
		return answer, belay.ErrUnauthenticated
	}
	return m.register(ctx, run.Runner{PoolID: h.Job.PoolID, ForJob: h.Job.ID}, ip, in)
}

func (m *Room) register(ctx context.Context, as run.Runner, ip string, in run.Registration) (answer run.Registered, err error) {
	if in.Slots < 1 || in.Slots > maxSlots {
		return answer, belay.Refuse(belay.Invalid, "slots must be from 1 to %d", maxSlots)
	}
	if err := run.CheckLabels(in.Labels); err != nil {
		return answer, err
	}
	err = m.DB.Update(ctx, func(tx *store.Tx) error {
		r, err := tx.RunnerByBoot(as.PoolID, in.Name, in.BootID)
		fresh := belay.KindOf(err) == belay.NotFound
		if err != nil && !fresh {
			return err
		}
		if fresh {
			r = run.Runner{ID: belay.NewID("agent"), PoolID: as.PoolID, ForJob: as.ForJob, Name: in.Name, BootID: in.BootID, CreatedAt: tx.Now}
		}
		r.Version, r.Platform, r.Slots, r.Kinds, r.Engines = in.Version, in.Platform, in.Slots, in.Kinds, in.Engines
		r.Isolation, r.WorkDir, r.IP, r.Labels = in.Isolation, in.WorkDir, ip, in.Labels
		r.TokenID = as.TokenID
		answer.Token = "runner." + m.Ring.MAC("runner", r.ID)
		r.TokenHash, r.LastSeenAt, r.ExitedAt, r.Errored = belay.HashToken(answer.Token), tx.Now, time.Time{}, false
		answer.ID = r.ID
		if fresh {
			return tx.AddRunner(&r)
		}
		return tx.SaveRunner(&r)
	})
	answer.Address, answer.LogLimit = m.Address, m.LogLimit
	answer.HeartbeatMillis, answer.LeaseMillis = run.Heartbeat.Milliseconds(), run.Lease.Milliseconds()
	answer.WaitSeconds, answer.KeepSeconds = int(maxWait/time.Second), int(keepLost/time.Second)
	answer.SnapshotMillis = m.SnapshotInterval.Milliseconds()
	return answer, err
}

// Runner is the runner that a token is of; belay.ErrUnauthenticated when nobody's.
func (m *Room) Runner(ctx context.Context, token string) (r run.Runner, err error) {
	err = m.DB.View(ctx, func(v *store.View) error {
		r, err = v.RunnerByToken(belay.HashToken(token))
		return err
	})
	if belay.KindOf(err) == belay.NotFound {
		err = belay.ErrUnauthenticated
	}
	return r, err
}

// Exit says goodbye for a runner: what it has not begun is free again.
func (m *Room) Exit(ctx context.Context, r run.Runner) error {
	return m.DB.Update(ctx, func(tx *store.Tx) error {
		now, err := tx.Runner(r.ID)
		if err != nil {
			return err
		}
		now.ExitedAt, now.LastSeenAt = tx.Now, tx.Now
		if err := tx.GiveBack(r.ID); err != nil {
			return err
		}
		if now.ForJob != "" && !now.Busy { // there are as many as there were jobs
			return tx.DropRunner(r.ID)
		}
		tx.Wake(store.JobsWake)
		return tx.SaveRunner(&now)
	})
}

// claimant is a claim that waits for jobs.
type claimant struct {
	runner run.Runner
	claim  run.Claim
	answer chan claimed // holds one
	served bool         // it was answered; known to whoever serves it
	left   bool         // its time is over, or its runner gone; under the dispatcher's lock
}

type claimed struct {
	jobs []run.ClaimedJob
	err  error
}

// Claim gives a runner up to as many jobs as it has free slots, and waits for the first
// when there is none.
func (m *Room) Claim(ctx context.Context, r run.Runner, c run.Claim) ([]run.ClaimedJob, error) {
	if c.Slots < 1 || c.Slots > maxSlots {
		return nil, belay.Refuse(belay.Invalid, "slots must be from 1 to %d", maxSlots)
	}
	if r.ForJob != "" {
		return nil, belay.Refuse(belay.Forbidden, "a runner that was started for one job takes no other")
	}
	if c.Engines != nil {
		if err := m.learnEngines(ctx, r.ID, c.Engines); err != nil {
			return nil, err
		}
	}
	wait := min(max(time.Duration(c.Wait)*time.Second, 0), maxWait)
	one := &claimant{runner: r, claim: c, answer: make(chan claimed, 1)}
	m.give(ctx, []*claimant{one}, true)
	select {
	case got := <-one.answer:
		return got.jobs, got.err
	default:
	}
	if wait == 0 {
		return nil, nil
	}
	return m.dispatch.park(ctx, m, one, wait)
}

func (m *Room) learnEngines(ctx context.Context, id string, engines []run.EngineBinary) error {
	return m.DB.Update(ctx, func(tx *store.Tx) error {
		r, err := tx.Runner(id)
		if err != nil {
			return err
		}
		r.Engines = engines
		return tx.SaveRunner(&r)
	})
}

// give takes jobs for claims, in one transaction for all, and answers those that got one.
func (m *Room) give(ctx context.Context, claims []*claimant, first bool) {
	got := make([]claimed, len(claims))
	err := m.DB.Update(ctx, func(tx *store.Tx) error {
		clear(got)
		for i, c := range claims {
			list, err := m.takeJobs(tx, c, first)
			if err != nil && belay.KindOf(err) != belay.Ended { // which is one claim's alone
				return err
			}
			got[i] = claimed{list, err}
		}
		return nil
	})
	for i, c := range claims {
		if err != nil {
			got[i] = claimed{err: err}
		}
		if got[i].err != nil || len(got[i].jobs) > 0 {
			c.served = true
			c.answer <- got[i]
		}
	}
}

// errRevoked tells a runner that its pool's token is no more: it ends what it has, and goes.
var errRevoked error = belay.Refuse(belay.Ended, "the token that the runner registered with was revoked, or has expired")

// takeJobs gives one claim its jobs: those that it was given before, when it is repeated.
func (m *Room) takeJobs(tx *store.Tx, c *claimant, first bool) (list []run.ClaimedJob, err error) {
	if may, err := tx.MayClaim(&c.runner, tx.Now); err != nil || !may {
		return nil, cmp.Or(err, errRevoked)
	}
	jobs, err := m.jobsFor(tx, c, first)
	if err != nil {
		return nil, err
	}
	for i := range jobs {
		j := &jobs[i]
		list = append(list, run.ClaimedJob{
			ID: j.ID, Kind: j.Kind, Attempt: j.Attempt, RunID: j.RunID, WorkspaceID: j.WorkspaceID,
			Lease: m.lease(j), LeaseUntil: j.LeaseUntil,
		})
	}
	return list, nil
}

// jobsFor is the jobs of a claim, which are its own from now on.
func (m *Room) jobsFor(tx *store.Tx, c *claimant, first bool) ([]run.Job, error) {
	want := store.Claim{PoolID: c.runner.PoolID, RunnerID: c.runner.ID, AtMost: c.claim.Slots}
	if first {
		want.Nonce = c.claim.Nonce
	}
	for _, kind := range c.claim.Kinds {
		want.Kinds = append(want.Kinds, string(kind))
	}
	jobs, fresh, err := tx.Claimable(want)
	if err != nil || len(jobs) == 0 || !fresh {
		return jobs, err
	}
	for i := range jobs {
		j := &jobs[i]
		j.RunnerID, j.Nonce = c.runner.ID, c.claim.Nonce
		j.Take(c.runner.ID, c.claim.Nonce, m.lease(j), tx.Now)
		if err := tx.SaveJob(j); err != nil {
			return nil, err
		}
	}
	return jobs, nil
}

// LeasePrefix begins every lease.
const LeasePrefix = "lease."

// lease is the token of one attempt at a job by one claim: made anew from the server's key
// whenever the claim is repeated, so that it need not be kept.
func (m *Room) lease(j *run.Job) string {
	return LeasePrefix + m.Ring.MAC("lease", j.ID+"|"+j.RunnerID+"|"+j.Nonce)
}
