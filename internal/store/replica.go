package store

import (
	"time"

	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/site"
)

// Beat notes that a server is there, and forgets those that have been silent since a moment, and those of its own name
// that were silent since a later one: it stands where they did.
func (tx *Tx) Beat(r *site.Replica, forgotten, succeeded time.Time) error {
	seen := sqldb.UnixMillis(r.SeenAt)
	if err := tx.Do(`INSERT INTO replicas (id, name, version, started_at, seen_at) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at`, r.ID, r.Name, r.Version, sqldb.UnixMillis(r.StartedAt), seen); err != nil {
		return err
	}
	gone := tx.SQL("DELETE FROM replicas WHERE id IN (SELECT id FROM replicas WHERE id <> ? AND (seen_at < ? OR name = ? AND seen_at < ?)"+tx.Dialect().SkipHeld+")",
		r.ID, sqldb.UnixMillis(forgotten), r.Name, sqldb.UnixMillis(succeeded))
	_, err := tx.Exec(gone)
	return err
}

// DropReplica forgets a server that stops.
func (tx *Tx) DropReplica(id string) error { return tx.Do("DELETE FROM replicas WHERE id = ?", id) }

// Replicas is the servers that told of themselves, by their names.
func (v *reads) Replicas() ([]site.Replica, error) {
	return sqldb.Collect(v, v.SQL("SELECT id, name, version, started_at, seen_at FROM replicas ORDER BY name, id"), func(r *site.Replica) []any {
		return []any{&r.ID, &r.Name, &r.Version, sqldb.Millis(&r.StartedAt), sqldb.Millis(&r.SeenAt)}
	})
}
