package core

import (
	"time"

	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/run"
)

// PoolLoads is how busy pools are: those of some ids, or all that have jobs or runners. ” is
// the server's own. Runners that were started for one job have no slots of their own: those of
// whoever starts them are counted.
func (v *View) PoolLoads(now time.Time, ids []string) (map[string]run.PoolLoad, error) {
	type row struct {
		pool string
		run.PoolLoad
	}
	some := func(q *sqldb.Query) {
		if ids != nil {
			q.In(" AND pool_id", ids)
		}
	}
	q := v.SQL(`SELECT pool_id, sum(waiting), sum(running), sum(CASE WHEN heard AND own THEN 1 ELSE 0 END), sum(CASE WHEN heard AND own THEN slots ELSE 0 END),
		sum(CASE WHEN heard AND NOT busy THEN 1 ELSE 0 END), sum(CASE WHEN heard AND busy THEN 1 ELSE 0 END), sum(CASE WHEN lost THEN 1 ELSE 0 END) FROM (`)
	some(q.Add("SELECT pool_id, 1 AS waiting, 0 AS running, 0 AS slots, FALSE AS heard, FALSE AS lost, FALSE AS own, FALSE AS busy FROM jobs WHERE state = 'waiting'"))
	some(q.Add(" UNION ALL SELECT pool_id, 0, 1, 0, FALSE, FALSE, FALSE, FALSE FROM jobs WHERE state = 'leased'"))
	heard, known := sqldb.UnixMillis(now.Add(-run.RunnerSilence)), sqldb.UnixMillis(now.Add(-run.RunnerGivenUp))
	some(q.Add(` UNION ALL SELECT pool_id, 0, 0, slots, last_seen_at > ?, last_seen_at <= ?, for_job = '',
		EXISTS (SELECT 1 FROM jobs j WHERE j.runner_id = runners.id AND j.state = 'leased') FROM runners WHERE exited_at = 0 AND NOT errored AND last_seen_at > ?`, heard, heard, known))
	list, err := sqldb.Collect(v, q.Add(") x GROUP BY pool_id"), func(r *row) []any {
		return []any{&r.pool, &r.Waiting, &r.Running, &r.Runners, &r.Slots, &r.Idle, &r.Busy, &r.Unknown}
	})
	loads := make(map[string]run.PoolLoad, len(list))
	for i := range list {
		loads[list[i].pool] = list[i].PoolLoad
	}
	return loads, err
}
