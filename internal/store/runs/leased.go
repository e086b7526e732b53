package runs

import (
	"errors"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/base"
	"github.com/belayhq/belay/internal/store/core"
	"github.com/belayhq/belay/run"
)

// What calls of runners are about is found by a lease, and read in one statement: runners call
// often, and each call needs most of it.

const (
	// ofLease is as the index of leases has it.
	ofLease sqldb.Text = "WHERE jobs.lease_hash = ? AND jobs.lease_hash <> ''"

	jobsWithRuns sqldb.Text = "FROM jobs JOIN runs ON runs.id = jobs.run_id "
)

// Leased is a job with the run and the workspace that it is of.
type Leased struct {
	Job       run.Job
	Run       run.Run
	Workspace belay.Workspace
	Brought   Brought
}

// Brought is which of the files are there that a plan can't end without.
type Brought struct{ Plan, PlanJSON bool }

func (l *Leased) dest() []any {
	dest := append(jobs.Dest(&l.Job), runs.Dest(&l.Run)...)
	return append(append(dest, core.Alone.Dest(&l.Workspace)...), &l.Brought.Plan, &l.Brought.PlanJSON)
}

const (
	leasedFrom sqldb.Text = " FROM jobs JOIN runs ON runs.id = jobs.run_id CROSS JOIN "
	leasedRow  sqldb.Text = " " + ofLease + " AND w.id = jobs.workspace_id"
)

var (
	leasedColumns = jobs.Columns() + ", " + runs.Columns() + ", " + core.Alone.Columns() +
		", EXISTS (SELECT 1 FROM run_files f WHERE f.run_id = runs.id AND f.kind = 'plan'), EXISTS (SELECT 1 FROM run_files f WHERE f.run_id = runs.id AND f.kind = 'plan-json')"

	leased = "SELECT " + leasedColumns + leasedFrom + core.Alone.From + leasedRow
)

// Leased is the job that a lease is or was of, with its run and its workspace. In a transaction
// all three are held: PostgreSQL takes rows in the order in which they are named, and answers
// them as they are when it has the last.
func (v *View) Leased(hash string) (Leased, error) {
	found, err := base.TheOne(sqldb.Held(v.Hold(), 1, func(hold sqldb.Text) ([]Leased, error) {
		return sqldb.Collect(v, v.SQL(leased, hash).Held(hold, "w, runs, jobs"), (*Leased).dest)
	}))
	if err == nil {
		err = found.complete(v)
	}
	return found, err
}

// complete reads what the workspace refers to, and remembers the rows that are written again.
func (l *Leased) complete(v *View) error {
	return errors.Join(core.Alone.Complete(v, &l.Workspace), jobs.Note(v, &l.Job), runs.Note(v, &l.Run))
}

// What most calls ask of their job and its run: each column that is read costs some.
var (
	jobHeads = jobs.Some("id", "run_id", "workspace_id", "organization_id", "pool_id", "kind", "state", "lease_hash", "lease_until", "runner_id", "cancel", "ended_at")
	runHeads = runs.Some("id", "workspace_id", "organization_id", "status", "configuration_version_id", "input_state_version_id", "plan_id", "apply_id", "created_by")
)

// LeasedRun is the heads of a job and of its run: where they belong, and how they stand. Locks
// says that the run has the lock of its workspace.
type LeasedRun struct {
	Job   run.Job
	Run   run.Run
	Locks bool
}

var leasedRun = "SELECT " + jobHeads.Columns() + ", " + runHeads.Columns() + `, EXISTS (SELECT 1 FROM workspaces w
	WHERE w.id = runs.workspace_id AND w.lock_holder_type = 'runs' AND w.lock_holder_id = runs.id) ` + jobsWithRuns + ofLease

// LeasedRun is the job that a lease is or was of, with its run.
func (v *View) LeasedRun(hash string) (LeasedRun, error) {
	return base.TheOne(sqldb.Collect(v, v.SQL(leasedRun, hash), func(l *LeasedRun) []any {
		return append(append(jobHeads.Dest(&l.Job), runHeads.Dest(&l.Run)...), &l.Locks)
	}))
}

// LeasedLog is the head of a job with what its log and its run come to.
type LeasedLog struct {
	Job       run.Job
	RunStatus run.Status
	Log       run.Log // of the phase that the job is of, begun or not
}

var leasedLog = "SELECT " + jobHeads.Columns() + `, runs.status,
	CASE WHEN jobs.kind = 'apply' THEN runs.apply_id ELSE runs.plan_id END, COALESCE(l.run_id, ''), COALESCE(l.state, ''), COALESCE(l.size, 0), COALESCE(l.sealed_size, 0),
	COALESCE(l.truncated_at, 0), COALESCE(l.watched_until, 0) ` + jobsWithRuns + `
	LEFT JOIN logs l ON l.id = CASE WHEN jobs.kind = 'apply' THEN runs.apply_id ELSE runs.plan_id END ` + ofLease

// LeasedLog is the job that a lease is or was of, with its log: what runners call most.
func (v *View) LeasedLog(hash string) (LeasedLog, error) {
	return base.TheOne(sqldb.Collect(v, v.SQL(leasedLog, hash), func(l *LeasedLog) []any {
		return append(append(jobHeads.Dest(&l.Job), &l.RunStatus), logDest(&l.Log)...)
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
