package store

import (
	"time"

	"github.com/belayhq/belay/run"
)

var jobs = newTable(table[run.Job]{
	name:  "jobs",
	late:  true,
	fixed: []text{"run_id", "workspace_id", "organization_id", "pool_id", "kind", "vtime", "attempt", "queued_at"},
	own: []column[run.Job]{
		{"id", func(j *run.Job) any { return &j.ID }},
		{"run_id", func(j *run.Job) any { return &j.RunID }},
		{"workspace_id", func(j *run.Job) any { return &j.WorkspaceID }},
		{"organization_id", func(j *run.Job) any { return &j.OrganizationID }},
		{"pool_id", func(j *run.Job) any { return &j.PoolID }},
		{"kind", func(j *run.Job) any { return &j.Kind }},
		{"class", func(j *run.Job) any { return &j.Class }},
		{"vtime", func(j *run.Job) any { return &j.VTime }},
		{"state", func(j *run.Job) any { return &j.State }},
		{"attempt", func(j *run.Job) any { return &j.Attempt }},
		{"lease_hash", func(j *run.Job) any { return &j.LeaseHash }},
		{"lease_until", func(j *run.Job) any { return millis{&j.LeaseUntil} }},
		{"runner_id", func(j *run.Job) any { return &j.RunnerID }},
		{"nonce", func(j *run.Job) any { return &j.Nonce }},
		{"cancel", func(j *run.Job) any { return &j.Cancel }},
		{"queued_at", func(j *run.Job) any { return millis{&j.QueuedAt} }},
		{"risen_at", func(j *run.Job) any { return millis{&j.RisenAt} }},
		{"taken_at", func(j *run.Job) any { return millis{&j.TakenAt} }},
		{"started_at", func(j *run.Job) any { return millis{&j.StartedAt} }},
		{"engine_at", func(j *run.Job) any { return millis{&j.EngineAt} }},
		{"ended_at", func(j *run.Job) any { return millis{&j.EndedAt} }},
		{"outcome", func(j *run.Job) any { return &j.Outcome }},
		{"ending", func(j *run.Job) any { return &j.Ending }},
		{"error", func(j *run.Job) any { return &j.Error }},
	},
})

// Wakes of what waits for the database to change.
const (
	JobsWake   Wake = "jobs"   // a job waits for a runner
	OrdersWake Wake = "orders" // a runner is to be told something
	DueWake    Wake = "due"    // something is to be looked at now
)

// Job is one job, by its id.
func (v *View) Job(id string) (run.Job, error) { return jobs.one(v, "jobs.id = ?", id) }

// OpenJob is the job of a run that has not ended; nil when there is none.
func (v *View) OpenJob(runID string) (*run.Job, error) {
	q := v.sql(jobs.selected+"WHERE run_id = ? AND state <> 'ended' ORDER BY queued_at DESC, id DESC", runID).first(1)
	if v.hold != "" {
		q.add(v.hold + " OF jobs")
	}
	list, err := jobs.many(v, q)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &list[0], nil
}

// JobsOfRun is every job of a run, the oldest first.
func (v *View) JobsOfRun(runID string) ([]run.Job, error) {
	return jobs.many(v, v.sql(jobs.selected+"WHERE run_id = ? ORDER BY queued_at, id", runID))
}

// AddJob writes a job that waits or is held, in the place that is its organization's turn: behind
// what the organization has queued in the pool, and never before what was given out
// already. That is start-time fair queueing, in one look-up by key. It is held, too, where its
// organization has as many jobs under way as a limit says; 0 is any number.
func (tx *Tx) AddJob(j *run.Job, limit int) error {
	q := tx.sql(`INSERT INTO flows (pool_id, organization_id, last_vtime)
		VALUES (?, ?, COALESCE((SELECT vnow FROM pool_clocks WHERE pool_id = ?), 0) + CAST(? AS BIGINT))
		ON CONFLICT (pool_id, organization_id) DO UPDATE SET last_vtime =
		CASE WHEN flows.last_vtime + ? > excluded.last_vtime THEN flows.last_vtime + ? ELSE excluded.last_vtime END
		RETURNING last_vtime, `, j.PoolID, j.OrganizationID, j.PoolID, run.Share, run.Share, run.Share)
	if limit > 0 {
		q.add(jobsOf + "flows.organization_id)")
	} else {
		q.add("-1")
	}
	type place struct {
		vtime    int64
		underWay int
	}
	is, err := theOne(collect(&tx.View, q, func(p *place) []any { return []any{&p.vtime, &p.underWay} }))
	if err != nil {
		return err
	}
	if j.VTime = is.vtime; is.underWay >= limit && limit > 0 {
		j.State = run.JobHeld
	}
	if j.State == run.JobWaiting {
		tx.Wake(JobsWake)
	}
	return jobs.insert(tx, j, nil)
}

// SaveJob writes every column of a job, whose row must be held.
func (tx *Tx) SaveJob(j *run.Job) error { return jobs.update(tx, j, nil) }

// WaitingJobs is the jobs of a pool that are next, passing over those that others take.
func (tx *Tx) WaitingJobs(poolID string, kinds []string, atMost int) ([]run.Job, error) {
	q := tx.sql(jobs.selected+"WHERE pool_id = ? AND state = 'waiting'", poolID)
	if len(kinds) > 0 {
		q.in(" AND kind", kinds)
	}
	q.add(" ORDER BY class, vtime, id").first(atMost).add(tx.db.dialect.skipHeld)
	return jobs.many(&tx.View, q)
}

// PassVirtualTime moves the clock of a pool to what was given out.
func (tx *Tx) PassVirtualTime(poolID string, vtime int64) error {
	return tx.lastly(`INSERT INTO pool_clocks (pool_id, vnow) VALUES (?, ?)
		ON CONFLICT (pool_id) DO UPDATE SET vnow = excluded.vnow WHERE pool_clocks.vnow < excluded.vnow`, poolID, vtime)
}

// ClaimedJobs is what a claim of a runner took.
func (v *View) ClaimedJobs(runnerID, nonce string) ([]run.Job, error) {
	return jobs.many(v.Peek(), v.sql(jobs.selected+"WHERE runner_id = ? AND nonce = ? AND state IN ('leased', 'lost') ORDER BY class, vtime, id", runnerID, nonce))
}

// RenewLeases moves the end of the leases that a runner still has, and answers them.
func (tx *Tx) RenewLeases(runnerID string, hashes []string, until time.Time) ([]run.Job, error) {
	q := tx.sql("UPDATE jobs SET lease_until = ? WHERE runner_id = ? AND state = 'leased' AND lease_hash", unixMillis(until), runnerID).in("", hashes)
	q.add(" RETURNING id, lease_hash, cancel")
	return collect(&tx.View, q, func(j *run.Job) []any { return []any{&j.ID, &j.LeaseHash, &j.Cancel} })
}

// OrderedJobs is the jobs of a runner that it is to be told something about.
func (v *View) OrderedJobs(runnerID string) ([]run.Job, error) {
	return jobs.many(v, v.sql(jobs.selected+"WHERE runner_id = ? AND state = 'leased' AND cancel <> '' ORDER BY id", runnerID))
}

// ExpiredJobs is the ids of leased jobs whose lease is over, the oldest first.
func (v *View) ExpiredJobs(before time.Time, atMost int) ([]string, error) {
	return values[string](v, v.sql("SELECT id FROM jobs WHERE state = 'leased' AND lease_until < ? ORDER BY lease_until", unixMillis(before)).first(atMost))
}

// OpenJobs is how many jobs wait for a runner, and how many runners have.
func (v *View) OpenJobs() (waiting, taken int, err error) {
	if waiting, _, err = value[int](v, v.sql("SELECT count(*) FROM jobs WHERE state = 'waiting'")); err != nil {
		return 0, 0, err
	}
	taken, _, err = value[int](v, v.sql("SELECT count(*) FROM jobs WHERE state = 'leased'"))
	return waiting, taken, err
}

// NextExpiry is when the first lease ends; zero when nothing is leased.
func (v *View) NextExpiry() (time.Time, error) {
	ms, _, err := value[int64](v, v.sql("SELECT COALESCE(min(lease_until), 0) FROM jobs WHERE state = 'leased'"))
	if err != nil || ms == 0 {
		return time.Time{}, err
	}
	return time.UnixMilli(ms).UTC(), nil
}

// ProlongLeases gives every lease more time: the server was away, not the runners.
func (tx *Tx) ProlongLeases(until time.Time) error {
	return tx.do("UPDATE jobs SET lease_until = ? WHERE state = 'leased' AND lease_until < ?", unixMillis(until), unixMillis(until))
}

const risable text = "state = 'waiting' AND class > ? AND risen_at < ?"

// RaiseJobs moves what has waited since a moment one class up.
func (tx *Tx) RaiseJobs(since time.Time) error {
	return tx.do("UPDATE jobs SET class = class - 1, risen_at = ? WHERE "+risable,
		unixMillis(tx.Now), int64(run.ApplyClass), unixMillis(since))
}
