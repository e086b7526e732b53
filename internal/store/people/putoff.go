package people

import (
	"time"

	"github.com/belayhq/belay/internal/sqldb"
)

// AddPutOff appends where the marks are read of what a user has put off in an organization.
func AddPutOff(q *sqldb.Query, userID, organizationID string, now time.Time) *sqldb.Query {
	return q.Add(" FROM put_off WHERE user_id = ? AND organization_id = ? AND until > ?", userID, organizationID, sqldb.UnixMillis(now))
}

// AddPutOff puts a thing off until a moment; of more than most the newest are kept.
func (tx *Tx) AddPutOff(userID, organizationID, mark string, until time.Time, most int) error {
	if err := tx.Do("DELETE FROM put_off WHERE user_id = ? AND until <= ?", userID, sqldb.UnixMillis(tx.Now)); err != nil {
		return err
	}
	if err := tx.Do("INSERT INTO put_off (user_id, organization_id, mark, until) VALUES (?, ?, ?, ?) ON CONFLICT (user_id, organization_id, mark) DO UPDATE SET until = excluded.until",
		userID, organizationID, mark, sqldb.UnixMillis(until)); err != nil {
		return err
	}
	return tx.Do(`DELETE FROM put_off WHERE user_id = ? AND organization_id = ? AND mark NOT IN (
		SELECT mark FROM put_off WHERE user_id = ? AND organization_id = ? ORDER BY until DESC, mark LIMIT ? + 0)`, userID, organizationID, userID, organizationID, most)
}

// DropPutOff has all come back that a user has put off in an organization.
func (tx *Tx) DropPutOff(userID, organizationID string) error {
	return tx.Do("DELETE FROM put_off WHERE user_id = ? AND organization_id = ?", userID, organizationID)
}
