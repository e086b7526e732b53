package store

import (
	"database/sql/driver"
	"fmt"

	"github.com/belayhq/belay"
)

var notifications = newTable(table[belay.Notification]{
	name: "notifications",
	hold: "n",
	from: "notifications n",
	own: []column[belay.Notification]{
		{"id", func(n *belay.Notification) any { return &n.ID }},
		{"organization_id", func(n *belay.Notification) any { return &n.OrganizationID }},
		{"team_id", func(n *belay.Notification) any { return reference{&n.TeamID} }},
		{"workspace_id", func(n *belay.Notification) any { return reference{&n.WorkspaceID} }},
		{"project_id", func(n *belay.Notification) any { return reference{&n.ProjectID} }},
		{"name", func(n *belay.Notification) any { return &n.Name }},
		{"destination", func(n *belay.Notification) any { return &n.Destination }},
		{"enabled", func(n *belay.Notification) any { return &n.Enabled }},
		{"triggers", func(n *belay.Notification) any { return jsonText[[]string]{&n.Triggers} }},
		{"on_change_request", func(n *belay.Notification) any { return &n.OnChangeRequest }},
		{"url", func(n *belay.Notification) any { return &n.URL }},
		{"sealed_token", func(n *belay.Notification) any { return &n.SealedToken }},
		{"email_addresses", func(n *belay.Notification) any { return jsonText[[]string]{&n.EmailAddresses} }},
		{"email_all_members", func(n *belay.Notification) any { return &n.EmailAllMembers }},
		{"created_at", func(n *belay.Notification) any { return millis{&n.CreatedAt} }},
		{"updated_at", func(n *belay.Notification) any { return millis{&n.UpdatedAt} }},
	},
	joined: []column[belay.Notification]{ // the deliverer writes it, not who changes the settings
		{"n.response", func(n *belay.Notification) any { return jsonText[*belay.DeliveryResponse]{&n.Response} }},
	},
})

// reference keeps an id that a foreign key watches over: NULL where it is empty, since
// a foreign key takes no empty text.
type reference struct{ id *string }

// Value writes the id.
func (r reference) Value() (driver.Value, error) {
	if *r.id == "" {
		return nil, nil
	}
	return *r.id, nil
}

// Scan reads the id.
func (r reference) Scan(src any) error {
	switch s := src.(type) {
	case nil:
		*r.id = ""
	case string:
		*r.id = s
	case []byte:
		*r.id = string(s)
	default:
		return fmt.Errorf("an id is kept as text, not as %T", src)
	}
	return nil
}

// Notification is one notification configuration.
func (v *View) Notification(id string) (belay.Notification, error) {
	n, err := notifications.one(v, "n.id = ?", id)
	if err != nil {
		return n, err
	}
	list := []belay.Notification{n}
	err = v.withUsers(list)
	return list[0], err
}

// Notifications is the configurations of a team, a workspace or a project, the oldest first.
func (v *View) Notifications(of belay.Notification) ([]belay.Notification, error) {
	q := v.sql(notifications.selected)
	switch {
	case of.TeamID != "":
		q.add("WHERE n.team_id = ?", of.TeamID)
	case of.ProjectID != "":
		q.add("WHERE n.project_id = ?", of.ProjectID)
	default:
		q.add("WHERE n.workspace_id = ?", of.WorkspaceID)
	}
	list, err := notifications.many(v, q.add(" ORDER BY n.created_at, n.id"))
	if err != nil || len(list) == 0 {
		return list, err
	}
	return list, v.withUsers(list)
}

// withUsers reads who is to be mailed, for all of the list at once.
func (v *View) withUsers(list []belay.Notification) error {
	ids, at := make([]string, len(list)), make(map[string]int, len(list))
	for i, n := range list {
		ids[i], at[n.ID] = n.ID, i
	}
	type pair struct{ notification, user string }
	q := v.sql("SELECT notification_id, user_id FROM notification_users WHERE notification_id").in("", ids).add(" ORDER BY user_id")
	found, err := collect(v, q, func(p *pair) []any { return []any{&p.notification, &p.user} })
	for _, p := range found {
		n := &list[at[p.notification]]
		n.UserIDs = append(n.UserIDs, p.user)
	}
	return err
}

// AddNotification writes a new notification configuration, and whom it mails.
func (tx *Tx) AddNotification(n *belay.Notification) error {
	if err := notifications.insert(tx, n, nil); err != nil {
		return err
	}
	return tx.setNotificationUsers(n)
}

// SaveNotification writes the settings of a notification configuration, and whom it mails.
func (tx *Tx) SaveNotification(n *belay.Notification) error {
	if err := notifications.update(tx, n, nil); err != nil {
		return err
	}
	return tx.setNotificationUsers(n)
}

func (tx *Tx) setNotificationUsers(n *belay.Notification) error {
	// Users and memberships are held, in that order and before the rows that go with them: a
	// user who is leaving takes the row along, or is gone already.
	d := tx.db.dialect
	if len(n.UserIDs) > 0 {
		if err := tx.holdRows("users", d.share, "id"+d.in, d.list(n.UserIDs)); err != nil {
			return err
		}
		if err := tx.holdRows("organization_memberships", d.share, "organization_id = ? AND user_id"+d.in, n.OrganizationID, d.list(n.UserIDs)); err != nil {
			return err
		}
	}
	if err := tx.do("DELETE FROM notification_users WHERE notification_id = ?", n.ID); err != nil {
		return err
	}
	if len(n.UserIDs) == 0 {
		return nil
	}
	q := tx.sql("INSERT INTO notification_users (notification_id, user_id) SELECT CAST(? AS TEXT), m.user_id FROM organization_memberships m WHERE m.organization_id = ?", n.ID, n.OrganizationID)
	_, err := tx.exec(q.in(" AND m.user_id", n.UserIDs))
	return err
}

// SaveNotificationResponse keeps the last answer of a destination.
func (tx *Tx) SaveNotificationResponse(id string, r *belay.DeliveryResponse) error {
	return tx.do("UPDATE notifications SET response = ? WHERE id = ?", jsonText[*belay.DeliveryResponse]{&r}, id)
}

// DropNotification deletes a notification configuration and its deliveries.
func (tx *Tx) DropNotification(n *belay.Notification) error {
	return tx.do("DELETE FROM notifications WHERE id = ?", n.ID)
}

// MembersAmong is those of the users who are members of an organization, or invited.
func (v *View) MembersAmong(organizationID string, userIDs []string) ([]string, error) {
	q := v.sql("SELECT user_id FROM organization_memberships WHERE organization_id = ?", organizationID)
	return values[string](v, q.in(" AND user_id", userIDs))
}

// MailAddresses is where a mail of a notification configuration goes: to its addresses
// and its users, or, when it names nobody or asks for it, to all members of the teams
// that it is about.
func (v *View) MailAddresses(n *belay.Notification) ([]string, error) {
	q := v.sql(`SELECT DISTINCT u.email FROM users u JOIN organization_memberships m ON m.user_id = u.id
		WHERE m.organization_id = ? AND m.status = 'active' AND NOT u.suspended AND u.email <> ''`, n.OrganizationID)
	q.in(" AND (u.id", n.UserIDs)
	if n.EmailAllMembers || len(n.UserIDs)+len(n.EmailAddresses) == 0 {
		q.add(" OR u.id IN (SELECT k.user_id FROM team_members k WHERE k.team_id IN (").teamsOf(n).add("))")
	}
	found, err := values[string](v, q.add(") ORDER BY u.email"))
	return append(append([]string(nil), n.EmailAddresses...), found...), err
}

// teamsOf selects the ids of the teams that a configuration is about: its own, or those
// with access to its project or workspace.
func (q *query) teamsOf(n *belay.Notification) *query {
	switch {
	case n.TeamID != "":
		return q.add("SELECT id FROM teams WHERE id = ?", n.TeamID)
	case n.ProjectID != "":
		return q.add("SELECT team_id FROM team_projects WHERE project_id = ?", n.ProjectID)
	default:
		return q.add(`SELECT team_id FROM team_workspaces WHERE workspace_id = ? UNION SELECT g.team_id
			FROM team_projects g JOIN workspaces w ON w.project_id = g.project_id WHERE w.id = ?`, n.WorkspaceID, n.WorkspaceID)
	}
}
