package runs

import (
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/base"
	"github.com/belayhq/belay/run"
)

var runners = sqldb.NewTable(sqldb.Table[run.Runner]{
	Name: "runners",
	Own: []sqldb.Column[run.Runner]{
		{Name: "id", At: func(r *run.Runner) any { return &r.ID }},
		{Name: "pool_id", At: func(r *run.Runner) any { return &r.PoolID }},
		{Name: "token_id", At: func(r *run.Runner) any { return &r.TokenID }},
		{Name: "name", At: func(r *run.Runner) any { return &r.Name }},
		{Name: "boot_id", At: func(r *run.Runner) any { return &r.BootID }},
		{Name: "version", At: func(r *run.Runner) any { return &r.Version }},
		{Name: "platform", At: func(r *run.Runner) any { return sqldb.JSON(&r.Platform) }},
		{Name: "slots", At: func(r *run.Runner) any { return &r.Slots }},
		{Name: "kinds", At: func(r *run.Runner) any { return sqldb.JSON(&r.Kinds) }},
		{Name: "engines", At: func(r *run.Runner) any { return sqldb.JSON(&r.Engines) }},
		{Name: "isolation", At: func(r *run.Runner) any { return &r.Isolation }},
		{Name: "work_dir", At: func(r *run.Runner) any { return &r.WorkDir }},
		{Name: "labels", At: func(r *run.Runner) any { return sqldb.JSON(&r.Labels) }},
		{Name: "for_job", At: func(r *run.Runner) any { return &r.ForJob }},
		{Name: "ip", At: func(r *run.Runner) any { return &r.IP }},
		{Name: "token_hash", At: func(r *run.Runner) any { return &r.TokenHash }},
		{Name: "errored", At: func(r *run.Runner) any { return &r.Errored }},
		{Name: "created_at", At: func(r *run.Runner) any { return sqldb.Millis(&r.CreatedAt) }},
		{Name: "last_seen_at", At: func(r *run.Runner) any { return sqldb.Millis(&r.LastSeenAt) }},
		{Name: "exited_at", At: func(r *run.Runner) any { return sqldb.Millis(&r.ExitedAt) }},
	},
	Joined: []sqldb.Column[run.Runner]{
		{Name: "COALESCE((SELECT p.name FROM agent_pools p WHERE p.id = runners.pool_id), '')", At: func(r *run.Runner) any { return &r.PoolName }},
		{Name: "EXISTS (SELECT 1 FROM jobs j WHERE j.runner_id = runners.id AND j.state = 'leased')", At: func(r *run.Runner) any { return &r.Busy }},
	},
})

// Runner is one runner, by its id.
func (v *View) Runner(id string) (run.Runner, error) { return runners.One(v, "runners.id = ?", id) }

// RunnerByToken is the runner that a token is of.
func (v *View) RunnerByToken(hash string) (run.Runner, error) {
	return runners.One(v.Peek(), "token_hash = ?", hash)
}

// MayClaim says whether the token that a runner registered with is still in force. Of one that
// came before that was written down, any token of its pool will do.
func (v *View) MayClaim(r *run.Runner, now time.Time) (bool, error) {
	if r.PoolID == "" {
		return true, nil
	}
	_, may, err := sqldb.Value[int](v, v.SQL("SELECT 1 FROM tokens WHERE owner_id = ? AND (id = ? OR CAST(? AS TEXT) = '') AND (expired_at = 0 OR expired_at > ?) LIMIT 1",
		r.PoolID, r.TokenID, r.TokenID, sqldb.UnixMillis(now)))
	return may, err
}

// RunnerByBoot is the runner of one start of its program.
func (v *View) RunnerByBoot(poolID, name, bootID string) (run.Runner, error) {
	return runners.One(v, "pool_id = ? AND name = ? AND boot_id = ?", poolID, name, bootID)
}

// AddRunner writes a new runner.
func (tx *Tx) AddRunner(r *run.Runner) error { return runners.Insert(tx, r, errRunnerThere) }

var errRunnerThere = belay.Refuse(belay.Conflict, "the runner is registered already")

// SaveRunner writes every column of a runner.
func (tx *Tx) SaveRunner(r *run.Runner) error { return runners.Update(tx, r, nil) }

// SeeRunner notes that a runner was heard now.
func (tx *Tx) SeeRunner(id, ip string, errored bool) error {
	return tx.Do("UPDATE runners SET last_seen_at = ?, ip = ?, errored = ? WHERE id = ?", sqldb.UnixMillis(tx.Now), ip, errored, id)
}

// LastHeard is when any runner was last heard; zero when none ever was.
func (v *View) LastHeard() (time.Time, error) {
	ms, _, err := sqldb.Value[int64](v, v.SQL("SELECT COALESCE(max(last_seen_at), 0) FROM runners"))
	if err != nil || ms == 0 {
		return time.Time{}, err
	}
	return time.UnixMilli(ms).UTC(), nil
}

// Runners is every runner of a pool that is still remembered, the oldest first.
func (v *View) Runners(poolID string) ([]run.Runner, error) {
	return runners.Many(v, v.SQL(runners.Selected+"WHERE pool_id = ? ORDER BY created_at, id", poolID))
}

// HeldJobs is the jobs that runners of a pool have in hand.
func (v *View) HeldJobs(poolID string) ([]run.HeldJob, error) {
	q := v.SQL(`SELECT j.runner_id, j.run_id, j.organization_id, w.id, w.name, w.project_id FROM jobs j JOIN runners r ON r.id = j.runner_id JOIN workspaces w ON w.id = j.workspace_id
		WHERE r.pool_id = ? AND j.state = 'leased' ORDER BY j.taken_at, j.id`, poolID)
	return sqldb.Collect(v, q.First(sqldb.RowsAtOnce), func(j *run.HeldJob) []any {
		return []any{&j.RunnerID, &j.RunID, &j.OrganizationID, &j.WorkspaceID, &j.Workspace, &j.ProjectID}
	})
}

// EnginesAtHand is the engines that the runners of a pool have: ” is the server's own.
func (v *View) EnginesAtHand(poolID string) ([]run.EngineBinary, error) {
	lists, err := sqldb.Collect(v, v.SQL("SELECT engines FROM runners WHERE pool_id = ? AND exited_at = 0 AND engines <> ''", poolID),
		func(r *run.Runner) []any { return []any{sqldb.JSON(&r.Engines)} })
	all := make([][]run.EngineBinary, len(lists))
	for i := range lists {
		all[i] = lists[i].Engines
	}
	return base.Distinct(all), err
}

// GiveBack frees the jobs of a runner that it has not begun. What was started with its claim and never
// heard of again may have begun: its lease is over now.
func (tx *Tx) GiveBack(runnerID string) error {
	err := tx.Do("UPDATE jobs SET lease_until = ? WHERE runner_id = ? AND state = 'leased' AND started_at > 0 AND started_at = taken_at AND lease_until = taken_at + ?",
		sqldb.UnixMillis(tx.Now), runnerID, run.Lease.Milliseconds())
	if err != nil {
		return err
	}
	return tx.Do("UPDATE jobs SET state = 'waiting', lease_hash = '', lease_until = 0, runner_id = '', nonce = '' WHERE runner_id = ? AND state = 'leased' AND started_at = 0", runnerID)
}

// ForgetRunners deletes the runners that were last heard before a moment and have nothing.
func (tx *Tx) ForgetRunners(before time.Time) error {
	return tx.Do("DELETE FROM runners WHERE "+forgettable, sqldb.UnixMillis(before))
}

const forgettable sqldb.Text = "last_seen_at < ? AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.runner_id = runners.id AND j.state IN ('leased', 'lost'))"

// Aged says whether RaiseJobs or ForgetRunners would find anything: mostly they do not, and
// then nothing need be written.
func (v *View) Aged(waitingSince, heardBefore time.Time) (bool, error) {
	q := v.SQL("SELECT 1 WHERE EXISTS (SELECT 1 FROM jobs WHERE "+risable+")", int64(run.ApplyClass), sqldb.UnixMillis(waitingSince))
	q.Add(" OR EXISTS (SELECT 1 FROM runners WHERE "+forgettable+")", sqldb.UnixMillis(heardBefore))
	_, some, err := sqldb.Value[int](v, q)
	return some, err
}

// DropRunner deletes a runner.
func (tx *Tx) DropRunner(id string) error { return tx.Do("DELETE FROM runners WHERE id = ?", id) }
