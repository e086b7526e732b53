package store

import (
	"time"

	"github.com/belayhq/belay"
)

// SessionsOf is the newest of the browsers that a user is signed in with.
func (v *View) SessionsOf(userID string, now time.Time, most int) ([]belay.Session, error) {
	q := v.sql(sessions.selected+"WHERE user_id = ? AND expired_at > ? ORDER BY created_at DESC, id", userID, unixMillis(now))
	return sessions.many(v, q.first(most))
}

// DropOtherSessions ends the sessions of a user but for one.
func (tx *Tx) DropOtherSessions(userID, but string) error {
	return tx.do("DELETE FROM sessions WHERE user_id = ? AND id <> ?", userID, but)
}
