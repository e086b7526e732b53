package store

import (
	"slices"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/run"
)

var runners = newTable(table[run.Runner]{
	name: "runners",
	own: []column[run.Runner]{
		{"id", func(r *run.Runner) any { return &r.ID }},
		{"pool_id", func(r *run.Runner) any { return &r.PoolID }},
		{"token_id", func(r *run.Runner) any { return &r.TokenID }},
		{"name", func(r *run.Runner) any { return &r.Name }},
		{"boot_id", func(r *run.Runner) any { return &r.BootID }},
		{"version", func(r *run.Runner) any { return &r.Version }},
		{"platform", func(r *run.Runner) any { return jsonText[run.Platform]{&r.Platform} }},
		{"slots", func(r *run.Runner) any { return &r.Slots }},
		{"kinds", func(r *run.Runner) any { return jsonText[[]run.JobKind]{&r.Kinds} }},
		{"engines", func(r *run.Runner) any { return jsonText[[]run.EngineBinary]{&r.Engines} }},
		{"isolation", func(r *run.Runner) any { return &r.Isolation }},
		{"work_dir", func(r *run.Runner) any { return &r.WorkDir }},
		{"for_job", func(r *run.Runner) any { return &r.ForJob }},
		{"ip", func(r *run.Runner) any { return &r.IP }},
		{"token_hash", func(r *run.Runner) any { return &r.TokenHash }},
		{"errored", func(r *run.Runner) any { return &r.Errored }},
		{"created_at", func(r *run.Runner) any { return millis{&r.CreatedAt} }},
		{"last_seen_at", func(r *run.Runner) any { return millis{&r.LastSeenAt} }},
		{"exited_at", func(r *run.Runner) any { return millis{&r.ExitedAt} }},
	},
	joined: []column[run.Runner]{
		{"COALESCE((SELECT p.name FROM agent_pools p WHERE p.id = runners.pool_id), '')", func(r *run.Runner) any { return &r.PoolName }},
		{"EXISTS (SELECT 1 FROM jobs j WHERE j.runner_id = runners.id AND j.state = 'leased')", func(r *run.Runner) any { return &r.Busy }},
	},
})

// Runner is one runner, by its id.
func (v *View) Runner(id string) (run.Runner, error) { return runners.one(v, "runners.id = ?", id) }

// RunnerByToken is the runner that a token is of.
func (v *View) RunnerByToken(hash string) (run.Runner, error) {
	return runners.one(v.Peek(), "token_hash = ?", hash)
}

// MayClaim says whether the token that a runner registered with is still in force. Of one that
// came before that was written down, any token of its pool will do.
func (v *View) MayClaim(r *run.Runner, now time.Time) (bool, error) {
	if r.PoolID == "" {
		return true, nil
	}
	_, may, err := value[int](v, v.sql("SELECT 1 FROM tokens WHERE owner_id = ? AND (id = ? OR CAST(? AS TEXT) = '') AND (expired_at = 0 OR expired_at > ?) LIMIT 1",
		r.PoolID, r.TokenID, r.TokenID, unixMillis(now)))
	return may, err
}

// RunnerByBoot is the runner of one start of its program.
func (v *View) RunnerByBoot(poolID, name, bootID string) (run.Runner, error) {
	return runners.one(v, "pool_id = ? AND name = ? AND boot_id = ?", poolID, name, bootID)
}

// AddRunner writes a new runner.
func (tx *Tx) AddRunner(r *run.Runner) error { return runners.insert(tx, r, errRunnerThere) }

var errRunnerThere = belay.Refuse(belay.Conflict, "the runner is registered already")

// SaveRunner writes every column of a runner.
func (tx *Tx) SaveRunner(r *run.Runner) error { return runners.update(tx, r, nil) }

// SeeRunner notes that a runner was heard now.
func (tx *Tx) SeeRunner(id, ip string, errored bool) error {
	return tx.do("UPDATE runners SET last_seen_at = ?, ip = ?, errored = ? WHERE id = ?", unixMillis(tx.Now), ip, errored, id)
}

// LastHeard is when any runner was last heard; zero when none ever was.
func (v *View) LastHeard() (time.Time, error) {
	ms, _, err := value[int64](v, v.sql("SELECT COALESCE(max(last_seen_at), 0) FROM runners"))
	if err != nil || ms == 0 {
		return time.Time{}, err
	}
	return time.UnixMilli(ms).UTC(), nil
}

// Runners is every runner of a pool that is still remembered, the oldest first.
func (v *View) Runners(poolID string) ([]run.Runner, error) {
	return runners.many(v, v.sql(runners.selected+"WHERE pool_id = ? ORDER BY created_at, id", poolID))
}

// EnginesAtHand is the engines that the runners of a pool have: ” is the server's own.
func (v *View) EnginesAtHand(poolID string) ([]run.EngineBinary, error) {
	lists, err := collect(v, v.sql("SELECT engines FROM runners WHERE pool_id = ? AND exited_at = 0 AND engines <> ''", poolID),
		func(r *run.Runner) []any { return []any{jsonText[[]run.EngineBinary]{&r.Engines}} })
	var engines []run.EngineBinary
	for _, r := range lists {
		for _, e := range r.Engines {
			if !slices.Contains(engines, e) {
				engines = append(engines, e)
			}
		}
	}
	return engines, err
}

// GiveBack frees the jobs of a runner that it has not begun.
func (tx *Tx) GiveBack(runnerID string) error {
	return tx.do("UPDATE jobs SET state = 'waiting', lease_hash = '', lease_until = 0, runner_id = '', nonce = '' WHERE runner_id = ? AND state = 'leased' AND started_at = 0", runnerID)
}

// ForgetRunners deletes the runners that were last heard before a moment and have nothing.
func (tx *Tx) ForgetRunners(before time.Time) error {
	return tx.do("DELETE FROM runners WHERE "+forgettable, unixMillis(before))
}

const forgettable text = "last_seen_at < ? AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.runner_id = runners.id AND j.state IN ('leased', 'lost'))"

// Aged says whether RaiseJobs or ForgetRunners would find anything: mostly they do not, and
// then nothing need be written.
func (v *View) Aged(waitingSince, heardBefore time.Time) (bool, error) {
	q := v.sql("SELECT 1 WHERE EXISTS (SELECT 1 FROM jobs WHERE "+risable+")", int64(run.ApplyClass), unixMillis(waitingSince))
	q.add(" OR EXISTS (SELECT 1 FROM runners WHERE "+forgettable+")", unixMillis(heardBefore))
	_, some, err := value[int](v, q)
	return some, err
}

// DropRunner deletes a runner.
func (tx *Tx) DropRunner(id string) error { return tx.do("DELETE FROM runners WHERE id = ?", id) }
