package people

import (
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/signin"
)

// NoteBrowsers keeps when and how sessions were last used, in the order of their ids. One that another holds is passed
// over, as in TouchTokens; one that has ended is nobody's.
func (tx *Tx) NoteBrowsers(ids []string, used map[string]signin.Browser) error {
	for _, id := range ids {
		b := used[id]
		at := sqldb.UnixMillis(b.At)
		q := tx.SQL("UPDATE sessions SET device = ?, address = ?, seen_at = ? WHERE id = ?", b.Device, b.Address, at, id)
		if skip := tx.Dialect().SkipHeld; skip != "" {
			q.Add(" AND id IN (SELECT id FROM sessions WHERE id = ?"+skip+")", id)
		}
		n, err := tx.Exec(q)
		if err == nil && n > 0 {
			err = tx.Do("INSERT INTO user_seen (user_id, seen_at) SELECT user_id, CAST(? AS BIGINT) FROM sessions WHERE id = ? ON CONFLICT (user_id) DO UPDATE SET seen_at = excluded.seen_at", at, id)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Presences is how users come in, and when they did last, by id.
func (v *View) Presences(userIDs []string, now time.Time) (map[string]belay.Presence, error) {
	type row struct {
		id string
		belay.Presence
	}
	of := make(map[string]belay.Presence, len(userIDs))
	if len(userIDs) == 0 {
		return of, nil
	}
	q := v.SQL(`SELECT u.id, u.password_hash <> '', (SELECT count(*) FROM identities i WHERE i.user_id = u.id), COALESCE(s.seen_at, 0),
		COALESCE((SELECT max(t.last_used_at) FROM tokens t WHERE t.owner_id = u.id), 0), (SELECT count(*) FROM sessions c WHERE c.user_id = u.id AND c.expired_at > ?)
		FROM users u LEFT JOIN user_seen s ON s.user_id = u.id WHERE u.id`, sqldb.UnixMillis(now)).In("", userIDs)
	list, err := sqldb.Collect(v, q, func(r *row) []any {
		return []any{&r.id, &r.Password, &r.Providers, sqldb.Millis(&r.LastSeen), sqldb.Millis(&r.LastToken), &r.Sessions}
	})
	for i := range list {
		of[list[i].id] = list[i].Presence
	}
	return of, err
}
