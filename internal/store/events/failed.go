package events

import (
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/notices"
)

// FailedNotification is a destination that deliveries were given up on.
type FailedNotification struct {
	ID, Name string
	Count    int
	Newest   time.Time
}

// Managed is which destinations of an organization somebody manages.
type Managed struct {
	Workspaces, Projects belay.Scope
	EveryTeam            bool
	Teams                []string
}

// None says that it is none at all.
func (m *Managed) None() bool {
	empty := func(s belay.Scope) bool { return !s.Everything && s.Projects == nil && s.Workspaces == nil }
	return empty(m.Workspaces) && empty(m.Projects) && !m.EveryTeam && m.Teams == nil
}

// add appends that a destination n is among them.
func (m *Managed) add(q *sqldb.Query) *sqldb.Query {
	q.Add(" AND (")
	if m.Workspaces.Everything {
		q.Add("n.workspace_id IS NOT NULL")
	} else {
		q.In("n.workspace_id", m.Workspaces.Workspaces)
		q.In(" OR n.workspace_id IN (SELECT m.id FROM workspaces m WHERE m.project_id", m.Workspaces.Projects).Add(")")
	}
	if m.Projects.Everything {
		q.Add(" OR n.project_id IS NOT NULL")
	} else {
		q.In(" OR n.project_id", m.Projects.Projects)
	}
	if m.EveryTeam {
		q.Add(" OR n.team_id IS NOT NULL")
	} else {
		q.In(" OR n.team_id", m.Teams)
	}
	return q.Add(")")
}

// FailedNotifications is the destinations of an organization whose deliveries were given up since a moment, the
// latest first: those that somebody manages.
func (v *View) FailedNotifications(organizationID string, of Managed, since time.Time, most int) ([]FailedNotification, error) {
	q := AddFailed(v.SQL("SELECT n.id, n.name, count(*), max(d.updated_at)"), organizationID, of, since, most)
	return sqldb.Collect(v, q, func(f *FailedNotification) []any {
		return []any{&f.ID, &f.Name, &f.Count, sqldb.Millis(&f.Newest)}
	})
}

// AddFailed appends to the columns of them where FailedNotifications are read.
func AddFailed(q *sqldb.Query, organizationID string, of Managed, since time.Time, most int) *sqldb.Query {
	q.Add(` FROM deliveries d JOIN notifications n ON n.id = d.notification_id
		WHERE d.status = 'parked' AND d.updated_at >= ? AND n.organization_id = ?`, sqldb.UnixMillis(since), organizationID)
	return of.add(q).Add(" GROUP BY n.id, n.name ORDER BY max(d.updated_at) DESC, n.id").First(most)
}

// ManagedNotifications is one page of the destinations of an organization that somebody manages, by name:
// mails last, since every team begins with one.
func (v *View) ManagedNotifications(organizationID string, of Managed, page belay.Page) ([]notices.ManagedNotification, int, error) {
	// A workspace that was deleted and may come back is of no organization meanwhile.
	const from sqldb.Text = ` FROM notifications n LEFT JOIN workspaces w ON w.id = n.workspace_id AND w.organization_id = n.organization_id
		LEFT JOIN teams t ON t.id = n.team_id LEFT JOIN projects p ON p.id = n.project_id
		WHERE n.organization_id = ? AND (n.workspace_id IS NULL OR w.id IS NOT NULL)`
	q := of.add(v.SQL("SELECT "+notifications.Columns()+", COALESCE(t.name, w.name, p.name, ''), count(*) OVER ()"+from, organizationID))
	total := 0
	list, err := sqldb.Collect(v, q.Add(" ORDER BY CASE n.destination WHEN 'email' THEN 1 ELSE 0 END, n.name, n.id").Page(page), func(m *notices.ManagedNotification) []any {
		return append(notifications.Dest(&m.Notification), &m.Of, &total)
	})
	return list, total, err
}
