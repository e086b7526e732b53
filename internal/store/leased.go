package store

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/run"
)

// What calls of runners are about is found by a lease, and read in one statement: runners call
// often, and each call needs most of it.

const (
	// ofLease is as the index of leases has it.
	ofLease text = "WHERE jobs.lease_hash = ? AND jobs.lease_hash <> ''"

	jobsWithRuns text = "FROM jobs JOIN runs ON runs.id = jobs.run_id "
)

// Leased is a job with the run and the workspace that it is of.
type Leased struct {
	Job       run.Job
	Run       run.Run
	Workspace belay.Workspace
}

func (l *Leased) dest() []any {
	dest := append(jobs.Dest(&l.Job), runs.Dest(&l.Run)...)
	return append(dest, alone.Dest(&l.Workspace)...)
}

var leased = "SELECT " + jobs.Columns() + ", " + runs.Columns() + ", " + alone.Columns() +
	" FROM jobs JOIN runs ON runs.id = jobs.run_id CROSS JOIN " + alone.From + " " + ofLease + " AND w.id = jobs.workspace_id"

// Leased is the job that a lease is or was of, with its run and its workspace. In a transaction
// all three are held: PostgreSQL takes rows in the order in which they are named, and answers
// them as they are when it has the last.
func (v *View) Leased(hash string) (Leased, error) {
	q := v.SQL(leased, hash)
	if v.Hold() != "" {
		q.Add(v.Hold() + " OF w, runs, jobs")
	}
	return theOne(sqldb.Collect(v, q, (*Leased).dest))
}

// LeasedRun is a job with its run. Locks says that the run has the lock of its workspace.
type LeasedRun struct {
	Job   run.Job
	Run   run.Run
	Locks bool
}

var leasedRun = "SELECT " + jobs.Columns() + ", " + runs.Columns() + `, EXISTS (SELECT 1 FROM workspaces w
	WHERE w.id = runs.workspace_id AND w.lock_holder_type = 'runs' AND w.lock_holder_id = runs.id) ` + jobsWithRuns + ofLease

// LeasedRun is the job that a lease is or was of, with its run.
func (v *View) LeasedRun(hash string) (LeasedRun, error) {
	return theOne(sqldb.Collect(v, v.SQL(leasedRun, hash), func(l *LeasedRun) []any {
		return append(append(jobs.Dest(&l.Job), runs.Dest(&l.Run)...), &l.Locks)
	}))
}

// LeasedLog is a job with what its log and its run come to.
type LeasedLog struct {
	Job       run.Job
	RunStatus run.Status
	Log       run.Log // of the phase that the job is of, begun or not
}

var leasedLog = "SELECT " + jobs.Columns() + `, runs.status,
	CASE WHEN jobs.kind = 'apply' THEN runs.apply_id ELSE runs.plan_id END, COALESCE(l.run_id, ''), COALESCE(l.state, ''), COALESCE(l.size, 0), COALESCE(l.sealed_size, 0),
	COALESCE(l.truncated_at, 0), COALESCE(l.watched_until, 0) ` + jobsWithRuns + `
	LEFT JOIN logs l ON l.id = CASE WHEN jobs.kind = 'apply' THEN runs.apply_id ELSE runs.plan_id END ` + ofLease

// LeasedLog is the job that a lease is or was of, with its log: what runners call most.
func (v *View) LeasedLog(hash string) (LeasedLog, error) {
	return theOne(sqldb.Collect(v, v.SQL(leasedLog, hash), func(l *LeasedLog) []any {
		return append(append(jobs.Dest(&l.Job), &l.RunStatus), logDest(&l.Log)...)
	}))
}

// BeginEngine notes that the engine of a job begins now, unless it has begun, is to stop, or is
// not its runner's any more. begun is false then, and nothing is changed.
func (tx *Tx) BeginEngine(hash string) (begun bool, err error) {
	now := sqldb.UnixMillis(tx.Now)
	n, err := tx.Exec(tx.SQL("UPDATE jobs SET engine_at = ? "+ofLease+` AND state = 'leased' AND engine_at = 0 AND cancel = '' AND lease_until >= ?
		AND EXISTS (SELECT 1 FROM runs r WHERE r.id = jobs.run_id AND r.unfinished)`, now, hash, now))
	return n > 0, err
}

// theOne is the only one of a list; belay.ErrNotFound when it is empty.
func theOne[N any](list []N, err error) (N, error) {
	var zero N
	if err == nil && len(list) == 0 {
		err = belay.ErrNotFound
	}
	if err != nil {
		return zero, err
	}
	return list[0], nil
}
