package runs

import (
	"cmp"
	"slices"
	"time"

	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/base"
	"github.com/belayhq/belay/run"
)

var jobs = sqldb.NewTable(sqldb.Table[run.Job]{
	Name:  "jobs",
	Late:  true,
	Fixed: []sqldb.Text{"run_id", "workspace_id", "organization_id", "pool_id", "kind", "vtime", "attempt", "queued_at"},
	Own: []sqldb.Column[run.Job]{
		{Name: "id", At: func(j *run.Job) any { return &j.ID }},
		{Name: "run_id", At: func(j *run.Job) any { return &j.RunID }},
		{Name: "workspace_id", At: func(j *run.Job) any { return &j.WorkspaceID }},
		{Name: "organization_id", At: func(j *run.Job) any { return &j.OrganizationID }},
		{Name: "pool_id", At: func(j *run.Job) any { return &j.PoolID }},
		{Name: "kind", At: func(j *run.Job) any { return &j.Kind }},
		{Name: "class", At: func(j *run.Job) any { return &j.Class }},
		{Name: "vtime", At: func(j *run.Job) any { return &j.VTime }},
		{Name: "state", At: func(j *run.Job) any { return &j.State }},
		{Name: "attempt", At: func(j *run.Job) any { return &j.Attempt }},
		{Name: "lease_hash", At: func(j *run.Job) any { return &j.LeaseHash }},
		{Name: "lease_until", At: func(j *run.Job) any { return sqldb.Millis(&j.LeaseUntil) }},
		{Name: "runner_id", At: func(j *run.Job) any { return &j.RunnerID }},
		{Name: "nonce", At: func(j *run.Job) any { return &j.Nonce }},
		{Name: "cancel", At: func(j *run.Job) any { return &j.Cancel }},
		{Name: "queued_at", At: func(j *run.Job) any { return sqldb.Millis(&j.QueuedAt) }},
		{Name: "risen_at", At: func(j *run.Job) any { return sqldb.Millis(&j.RisenAt) }},
		{Name: "taken_at", At: func(j *run.Job) any { return sqldb.Millis(&j.TakenAt) }},
		{Name: "started_at", At: func(j *run.Job) any { return sqldb.Millis(&j.StartedAt) }},
		{Name: "token_hash", At: func(j *run.Job) any { return &j.TokenHash }},
		{Name: "token_until", At: func(j *run.Job) any { return sqldb.Millis(&j.TokenUntil) }},
		{Name: "engine_at", At: func(j *run.Job) any { return sqldb.Millis(&j.EngineAt) }},
		{Name: "ended_at", At: func(j *run.Job) any { return sqldb.Millis(&j.EndedAt) }},
		{Name: "outcome", At: func(j *run.Job) any { return &j.Outcome }},
		{Name: "ending", At: func(j *run.Job) any { return &j.Ending }},
		{Name: "error", At: func(j *run.Job) any { return &j.Error }},
	},
})

// Wakes of what waits for the database to change.
const (
	JobsWake   sqldb.Wake = "jobs"   // a job waits for a runner
	OrdersWake sqldb.Wake = "orders" // a runner is to be told something
)

// Job is one job, by its id.
func (v *View) Job(id string) (run.Job, error) { return jobs.One(v, "jobs.id = ?", id) }

// OpenJob is the job of a run that has not ended; nil when there is none.
func (v *View) OpenJob(runID string) (*run.Job, error) {
	q := v.SQL(jobs.Selected+"WHERE run_id = ? AND state <> 'ended' ORDER BY queued_at DESC, id DESC", runID).First(1).Held(v.Hold(), "jobs")
	list, err := jobs.Many(v, q)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &list[0], nil
}

// JobsOfRun is every job of a run, the oldest first.
func (v *View) JobsOfRun(runID string) ([]run.Job, error) {
	return jobs.Many(v, v.SQL(jobs.Selected+"WHERE run_id = ? ORDER BY queued_at, id", runID))
}

// turn is the place of a new job: behind what its organization has queued in the pool, and never
// before what was given out already. That is start-time fair queueing. Both are read from the jobs,
// at one end of an index each; what jobs that were deleted had come to was written down then.
const turn sqldb.Text = `(SELECT max(before.at) FROM (SELECT 0 AS at
	UNION ALL SELECT max(vtime) FROM jobs WHERE pool_id = ? AND organization_id = ?
	UNION ALL SELECT max(vtime) FROM jobs WHERE pool_id = ? AND taken_at > 0
	UNION ALL SELECT last_vtime FROM flows WHERE pool_id = ? AND organization_id = ?
	UNION ALL SELECT vnow FROM pool_clocks WHERE pool_id = ?) before) + CAST(? AS BIGINT)`

// AddJob writes a job that waits or is held, in the place that is its organization's turn. It is
// held, too, where its organization has as many jobs under way as a limit says; 0 is any number.
func (tx *Tx) AddJob(j *run.Job, limit int) error {
	q := tx.SQL("INSERT INTO jobs (").List(jobs.Names()).Add(") VALUES (")
	for i, value := range jobs.Values(j) {
		if i > 0 {
			q.Add(", ")
		}
		switch name := jobs.Own[i].Name; {
		case name == "vtime":
			q.Add(turn, j.PoolID, j.OrganizationID, j.PoolID, j.PoolID, j.OrganizationID, j.PoolID, run.Share)
		case name == "state" && limit > 0:
			q.Add("CASE WHEN "+jobsOf+"?) >= ? THEN 'held' ELSE ? END", j.OrganizationID, limit, value)
		default:
			q.Add("?", value)
		}
	}
	type place struct {
		vtime int64
		state run.JobState
	}
	is, err := base.TheOne(sqldb.Collect(&tx.View, q.Add(") RETURNING vtime, state"), func(p *place) []any { return []any{&p.vtime, &p.state} }))
	if err != nil {
		return err
	}
	if j.VTime, j.State = is.vtime, is.state; j.State == run.JobWaiting {
		tx.Wake(JobsWake)
	}
	return nil
}

// SaveJob writes every column of a job, whose row must be held.
func (tx *Tx) SaveJob(j *run.Job) error { return jobs.Update(tx, j, nil) }

// Claim is what a runner wants, and may have been given before.
type Claim struct {
	PoolID   string
	RunnerID string
	Nonce    string   // of the claim; empty: it can't have been answered before
	Kinds    []string // none: any
	AtMost   int
}

// Claimable is what a claim took when it was made before; else the jobs of its pool that are next,
// passing over those that others take. fresh says that it is these.
func (v *View) Claimable(c Claim) (list []run.Job, fresh bool, err error) {
	q := v.SQL("")
	if c.Nonce != "" {
		q.Add(jobs.Selected+"WHERE runner_id = ? AND nonce = ? AND state IN ('leased', 'lost') UNION ALL SELECT * FROM (", c.RunnerID, c.Nonce)
	}
	q.Add(jobs.Selected+"WHERE pool_id = ? AND state = 'waiting'", c.PoolID)
	if len(c.Kinds) > 0 {
		q.In(" AND kind", c.Kinds)
	}
	q.Add(" ORDER BY class, vtime, id").First(c.AtMost)
	if v.Hold() != "" {
		q.Add(v.Dialect().SkipHeld)
	}
	if c.Nonce != "" {
		q.Add(") waiting")
	}
	if list, err = jobs.Many(v, q); err != nil {
		return nil, false, err
	}
	for i := range list {
		if err := jobs.Note(v, &list[i]); err != nil {
			return nil, false, err
		}
	}
	slices.SortFunc(list, func(a, b run.Job) int {
		return cmp.Or(cmp.Compare(a.Class, b.Class), cmp.Compare(a.VTime, b.VTime), cmp.Compare(a.ID, b.ID))
	})
	before := slices.DeleteFunc(slices.Clone(list), func(j run.Job) bool { return j.State == run.JobWaiting })
	if len(before) > 0 {
		return before, false, nil
	}
	return list, true, nil
}

// RenewLeases moves the end of the leases that a runner still has, and answers them.
func (tx *Tx) RenewLeases(runnerID string, hashes []string, until time.Time) ([]run.Job, error) {
	q := tx.SQL("UPDATE jobs SET lease_until = ? WHERE runner_id = ? AND state = 'leased' AND lease_hash", sqldb.UnixMillis(until), runnerID).In("", hashes)
	q.Add(" RETURNING id, lease_hash, cancel")
	return sqldb.Collect(&tx.View, q, func(j *run.Job) []any { return []any{&j.ID, &j.LeaseHash, &j.Cancel} })
}

// OrderedJobs is the jobs of a runner that it is to be told something about.
func (v *View) OrderedJobs(runnerID string) ([]run.Job, error) {
	return jobs.Many(v, v.SQL(jobs.Selected+"WHERE runner_id = ? AND state = 'leased' AND cancel <> '' ORDER BY id", runnerID))
}

// ExpiredJobs is the ids of leased jobs whose lease is over, the oldest first.
func (v *View) ExpiredJobs(before time.Time, atMost int) ([]string, error) {
	return sqldb.Values[string](v, v.SQL("SELECT id FROM jobs WHERE state = 'leased' AND lease_until < ? ORDER BY lease_until", sqldb.UnixMillis(before)).First(atMost))
}

// OpenJobs is how many jobs wait for a runner, and how many runners have.
func (v *View) OpenJobs() (waiting, taken int, err error) {
	if waiting, _, err = sqldb.Value[int](v, v.SQL("SELECT count(*) FROM jobs WHERE state = 'waiting'")); err != nil {
		return 0, 0, err
	}
	taken, _, err = sqldb.Value[int](v, v.SQL("SELECT count(*) FROM jobs WHERE state = 'leased'"))
	return waiting, taken, err
}

// NextExpiry is when the first lease ends; zero when nothing is leased.
func (v *View) NextExpiry() (time.Time, error) {
	ms, _, err := sqldb.Value[int64](v, v.SQL("SELECT COALESCE(min(lease_until), 0) FROM jobs WHERE state = 'leased'"))
	if err != nil || ms == 0 {
		return time.Time{}, err
	}
	return time.UnixMilli(ms).UTC(), nil
}

// ProlongLeases gives every lease more time: the server was away, not the runners.
func (tx *Tx) ProlongLeases(until time.Time) error {
	return tx.Do("UPDATE jobs SET lease_until = ? WHERE state = 'leased' AND lease_until < ?", sqldb.UnixMillis(until), sqldb.UnixMillis(until))
}

const risable sqldb.Text = "state = 'waiting' AND class > ? AND risen_at < ?"

// RaiseJobs moves what has waited since a moment one class up.
func (tx *Tx) RaiseJobs(since time.Time) error {
	return tx.Do("UPDATE jobs SET class = class - 1, risen_at = ? WHERE "+risable,
		sqldb.UnixMillis(tx.Now), int64(run.ApplyClass), sqldb.UnixMillis(since))
}
