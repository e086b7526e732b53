package core

import "github.com/belayhq/belay/internal/sqldb"

// KeepVirtualTime notes how far the queue of jobs has come by some that are about to be deleted, of
// which a column has one of some values: its clocks are read from the jobs that there are, and
// never go back.
func (tx *Tx) KeepVirtualTime(column sqldb.Text, values []string) error {
	for _, clock := range []struct{ keep, of, where, key, moved sqldb.Text }{
		{
			keep: "flows (pool_id, organization_id, last_vtime)", of: "pool_id, organization_id", key: "pool_id, organization_id",
			moved: "last_vtime = excluded.last_vtime WHERE flows.last_vtime < excluded.last_vtime",
		},
		{
			keep: "pool_clocks (pool_id, vnow)", of: "pool_id", where: "taken_at > 0 AND ", key: "pool_id",
			moved: "vnow = excluded.vnow WHERE pool_clocks.vnow < excluded.vnow",
		},
	} {
		q := tx.SQL("INSERT INTO "+clock.keep+" SELECT "+clock.of+", max(vtime) FROM jobs WHERE "+clock.where).In(column, values)
		q.Add(" GROUP BY " + clock.of + " ORDER BY " + clock.of + " ON CONFLICT (" + clock.key + ") DO UPDATE SET " + clock.moved)
		if _, err := tx.Exec(q); err != nil {
			return err
		}
	}
	return nil
}
