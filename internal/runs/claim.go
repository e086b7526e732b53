package runs

import (
	"cmp"
	"context"
	"slices"
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
	maxStarts = 8  // of those that start their job, too
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
	hash := belay.HashToken(token)
	err = m.DB.View(ctx, func(v *store.View) error {
		r, err = v.RunnerByToken(hash)
		return err
	})
	switch {
	case err == nil:
		m.met.note(hash)
	case belay.KindOf(err) == belay.NotFound:
		err = belay.ErrUnauthenticated
		m.met.forget(hash)
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
	run.Claimed
	err error
}

// Claim gives a runner up to as many jobs as it has free slots, and waits for the first
// when there is none.
func (m *Room) Claim(ctx context.Context, r run.Runner, c run.Claim) (got run.Claimed, err error) {
	if c.Slots < 1 || c.Slots > maxSlots {
		return got, belay.Refuse(belay.Invalid, "slots must be from 1 to %d", maxSlots)
	}
	if r.ForJob != "" {
		return got, belay.Refuse(belay.Forbidden, "a runner that was started for one job takes no other")
	}
	if c.Engines != nil && !slices.Equal(c.Engines, r.Engines) {
		if err := m.learnEngines(ctx, r.ID, c.Engines); err != nil {
			return got, err
		}
	}
	wait := min(max(time.Duration(c.Wait)*time.Second, 0), maxWait)
	one := &claimant{runner: r, claim: c, answer: make(chan claimed, 1)}
	m.give(ctx, []*claimant{one}, true)
	select {
	case got := <-one.answer:
		return got.Claimed, got.err
	default:
	}
	if wait == 0 {
		return got, nil
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
	got, err := m.taken(ctx, claims, first, maxStarts)
	if err != nil && ctx.Err() == nil { // one job that can't be started must not stop all others: its start says why
		got, err = m.taken(ctx, claims, first, 0)
	}
	for i, c := range claims {
		if err != nil {
			got[i] = claimed{err: err}
		}
		if got[i].err != nil || len(got[i].Jobs) > 0 {
			c.served = true
			c.answer <- got[i]
		}
	}
}

// taken is what each of some claims gets; so many of them may start their job with it.
func (m *Room) taken(ctx context.Context, claims []*claimant, first bool, starts int) ([]claimed, error) {
	got := make([]claimed, len(claims))
	return got, m.DB.Update(ctx, func(tx *store.Tx) error {
		clear(got)
		for i, c := range claims {
			begins := c.claim.Start && i < starts
			one, err := m.takeJobs(tx, c, first, begins)
			if err != nil && belay.KindOf(err) != belay.Ended { // which is one claim's alone
				return err
			}
			got[i] = claimed{one, err}
		}
		return nil
	})
}

// errRevoked tells a runner that its pool's token is no more: it ends what it has, and goes.
var errRevoked error = belay.Refuse(belay.Ended, "the token that the runner registered with was revoked, or has expired")

// takeJobs gives one claim its jobs: those that it was given before, when it is repeated. With begins
// it is one, which is started.
func (m *Room) takeJobs(tx *store.Tx, c *claimant, first, begins bool) (got run.Claimed, err error) {
	if may, err := tx.MayClaim(&c.runner, tx.Now); err != nil || !may {
		return got, cmp.Or(err, errRevoked)
	}
	want := store.Claim{PoolID: c.runner.PoolID, RunnerID: c.runner.ID, AtMost: c.claim.Slots, Kinds: kindsOf(&c.claim)}
	if first {
		want.Nonce = c.claim.Nonce
	}
	if begins {
		if got, more, err := m.takeStarted(tx, c, want); err != nil || !more {
			return got, err
		}
	}
	jobs, err := m.jobsFor(tx, c, want)
	for i := range jobs {
		got.Jobs = append(got.Jobs, m.claimedJob(&jobs[i]))
	}
	return got, err
}

func (m *Room) claimedJob(j *run.Job) run.ClaimedJob {
	return run.ClaimedJob{
		ID: j.ID, Kind: j.Kind, Attempt: j.Attempt, RunID: j.RunID, WorkspaceID: j.WorkspaceID, Lease: m.lease(j), LeaseUntil: j.LeaseUntil,
	}
}

// takeStarted gives a claim one job, and starts it. more says that there may be one that is not to be
// started so.
func (m *Room) takeStarted(tx *store.Tx, c *claimant, want store.Claim) (got run.Claimed, more bool, err error) {
	l, more, err := tx.ClaimStart(want)
	if err != nil || l == nil {
		return got, more, err
	}
	if l.Run.Status.Final() {
		return got, true, nil
	}
	got, err = m.startTaken(tx, l, c)
	return got, false, err
}

// kindsOf is the kinds of jobs that a claim asks for, as the store names them.
func kindsOf(c *run.Claim) (kinds []string) {
	for _, kind := range c.Kinds {
		kinds = append(kinds, string(kind))
	}
	return kinds
}

// startTaken starts the job that a claim took.
func (m *Room) startTaken(tx *store.Tx, l *store.LeasedStart, c *claimant) (got run.Claimed, err error) {
	m.takenBy(&l.Job, c, tx.Now)
	if err := m.started(tx, l, &c.runner); err != nil {
		return got, err
	}
	spec, err := m.spec(tx, l, true)
	return run.Claimed{Jobs: []run.ClaimedJob{m.claimedJob(&l.Job)}, Specs: []run.JobSpec{spec}}, err
}

// jobsFor is the jobs of a claim, which are its own from now on.
func (m *Room) jobsFor(tx *store.Tx, c *claimant, want store.Claim) ([]run.Job, error) {
	jobs, fresh, err := tx.Claimable(want)
	if err != nil || len(jobs) == 0 || !fresh {
		return jobs, err
	}
	for i := range jobs {
		m.takenBy(&jobs[i], c, tx.Now)
		if err := tx.SaveJob(&jobs[i]); err != nil {
			return nil, err
		}
	}
	return jobs, nil
}

func (m *Room) takenBy(j *run.Job, c *claimant, now time.Time) {
	j.RunnerID, j.Nonce = c.runner.ID, c.claim.Nonce
	j.Take(c.runner.ID, c.claim.Nonce, m.lease(j), now)
}

// LeasePrefix begins every lease.
const LeasePrefix = "lease."

// lease is the token of one attempt at a job by one claim: made anew from the server's key
// whenever the claim is repeated, so that it need not be kept.
func (m *Room) lease(j *run.Job) string {
	return LeasePrefix + m.Ring.MAC("lease", j.ID+"|"+j.RunnerID+"|"+j.Nonce)
}
