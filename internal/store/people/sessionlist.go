package people

import (
	"time"

	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/signin"
)

// SessionsOf is the newest of the browsers that a user is signed in with.
func (v *View) SessionsOf(userID string, now time.Time, most int) ([]signin.Session, error) {
	q := v.SQL(sessions.Selected+"WHERE user_id = ? AND expired_at > ? ORDER BY created_at DESC, id", userID, sqldb.UnixMillis(now))
	return sessions.Many(v, q.First(most))
}

// DropOtherSessions ends the sessions of a user but for one.
func (tx *Tx) DropOtherSessions(userID, but string) error {
	return tx.Do("DELETE FROM sessions WHERE user_id = ? AND id <> ?", userID, but)
}
