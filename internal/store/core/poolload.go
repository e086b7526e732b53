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
		pool                             string
		waiting, running, runners, slots int
	}
	some := func(q *sqldb.Query) {
		if ids != nil {
			q.In(" AND pool_id", ids)
		}
	}
	q := v.SQL("SELECT pool_id, sum(waiting), sum(running), sum(runners), sum(slots) FROM (")
	some(q.Add("SELECT pool_id, 1 AS waiting, 0 AS running, 0 AS runners, 0 AS slots FROM jobs WHERE state = 'waiting'"))
	some(q.Add(" UNION ALL SELECT pool_id, 0, 1, 0, 0 FROM jobs WHERE state = 'leased'"))
	heard := sqldb.UnixMillis(now.Add(-run.RunnerSilence))
	some(q.Add(" UNION ALL SELECT pool_id, 0, 0, 1, slots FROM runners WHERE exited_at = 0 AND NOT errored AND for_job = '' AND last_seen_at > ?", heard))
	list, err := sqldb.Collect(v, q.Add(") x GROUP BY pool_id"), func(r *row) []any { return []any{&r.pool, &r.waiting, &r.running, &r.runners, &r.slots} })
	loads := make(map[string]run.PoolLoad, len(list))
	for _, r := range list {
		loads[r.pool] = run.PoolLoad{Waiting: r.waiting, Running: r.running, Runners: r.runners, Slots: r.slots}
	}
	return loads, err
}
