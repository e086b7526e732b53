package events

import (
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
)

// FailedNotification is a destination that deliveries were given up on.
type FailedNotification struct {
	ID, Name string
	Count    int
	Newest   time.Time
}

// FailedNotifications is the destinations of an organization whose deliveries were given up since a moment, the
// latest first: of the workspaces and projects of a scope, and of teams if those are asked for.
func (v *View) FailedNotifications(organizationID string, of belay.Scope, teams bool, since time.Time, most int) ([]FailedNotification, error) {
	q := v.SQL(`SELECT n.id, n.name, count(*), max(d.updated_at) FROM deliveries d JOIN notifications n ON n.id = d.notification_id
		WHERE d.status = 'parked' AND d.updated_at >= ? AND n.organization_id = ?`, sqldb.UnixMillis(since), organizationID)
	if !of.Everything || !teams {
		q.Add(" AND (")
		if of.Everything {
			q.Add("n.team_id IS NULL")
		} else {
			q.In("n.workspace_id", of.Workspaces).In(" OR n.project_id", of.Projects)
			q.In(" OR n.workspace_id IN (SELECT m.id FROM workspaces m WHERE m.project_id", of.Projects).Add(")")
		}
		if teams {
			q.Add(" OR n.team_id IS NOT NULL")
		}
		q.Add(")")
	}
	q.Add(" GROUP BY n.id, n.name ORDER BY 4 DESC, n.id").First(most)
	return sqldb.Collect(v, q, func(f *FailedNotification) []any {
		return []any{&f.ID, &f.Name, &f.Count, sqldb.Millis(&f.Newest)}
	})
}
