package events

import (
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/base"
	"github.com/belayhq/belay/notices"
)

var notifications = sqldb.NewTable(sqldb.Table[notices.Notification]{
	Name: "notifications",
	Hold: "n",
	From: "notifications n",
	Own: []sqldb.Column[notices.Notification]{
		{Name: "id", At: func(n *notices.Notification) any { return &n.ID }},
		{Name: "organization_id", At: func(n *notices.Notification) any { return &n.OrganizationID }},
		{Name: "team_id", At: func(n *notices.Notification) any { return base.Reference(&n.TeamID) }},
		{Name: "workspace_id", At: func(n *notices.Notification) any { return base.Reference(&n.WorkspaceID) }},
		{Name: "project_id", At: func(n *notices.Notification) any { return base.Reference(&n.ProjectID) }},
		{Name: "name", At: func(n *notices.Notification) any { return &n.Name }},
		{Name: "destination", At: func(n *notices.Notification) any { return &n.Destination }},
		{Name: "enabled", At: func(n *notices.Notification) any { return &n.Enabled }},
		{Name: "triggers", At: func(n *notices.Notification) any { return sqldb.JSON(&n.Triggers) }},
		{Name: "on_change_request", At: func(n *notices.Notification) any { return &n.OnChangeRequest }},
		{Name: "url", At: func(n *notices.Notification) any { return &n.URL }},
		{Name: "sealed_token", At: func(n *notices.Notification) any { return &n.SealedToken }},
		{Name: "email_addresses", At: func(n *notices.Notification) any { return sqldb.JSON(&n.EmailAddresses) }},
		{Name: "email_all_members", At: func(n *notices.Notification) any { return &n.EmailAllMembers }},
		{Name: "created_at", At: func(n *notices.Notification) any { return sqldb.Millis(&n.CreatedAt) }},
		{Name: "updated_at", At: func(n *notices.Notification) any { return sqldb.Millis(&n.UpdatedAt) }},
	},
	Joined: []sqldb.Column[notices.Notification]{ // the deliverer writes it, not who changes the settings
		{Name: "n.response", At: func(n *notices.Notification) any { return sqldb.JSON(&n.Response) }},
	},
})

// Notification is one notification configuration.
func (v *View) Notification(id string) (notices.Notification, error) {
	n, err := notifications.One(v, "n.id = ?", id)
	if err != nil {
		return n, err
	}
	list := []notices.Notification{n}
	err = v.withUsers(list)
	return list[0], err
}

// SubscribableName is what the team, workspace or project of a configuration is called.
func (v *View) SubscribableName(n *notices.Notification) (string, error) {
	q := v.SQL(`SELECT COALESCE((SELECT name FROM teams WHERE id = ?), (SELECT name FROM projects WHERE id = ?), (SELECT name FROM workspaces WHERE id = ?), '')`, n.TeamID, n.ProjectID, n.WorkspaceID)
	name, _, err := sqldb.Value[string](v, q)
	return name, err
}

// Notifications is the configurations of a team, a workspace or a project, the oldest first.
func (v *View) Notifications(of notices.Notification) ([]notices.Notification, error) {
	q := v.SQL(notifications.Selected)
	switch {
	case of.TeamID != "":
		q.Add("WHERE n.team_id = ?", of.TeamID)
	case of.ProjectID != "":
		q.Add("WHERE n.project_id = ?", of.ProjectID)
	default:
		q.Add("WHERE n.workspace_id = ?", of.WorkspaceID)
	}
	list, err := notifications.Many(v, q.Add(" ORDER BY n.created_at, n.id"))
	if err != nil || len(list) == 0 {
		return list, err
	}
	return list, v.withUsers(list)
}

// withUsers reads who is to be mailed, for all of the list at once.
func (v *View) withUsers(list []notices.Notification) error {
	ids, at := make([]string, len(list)), make(map[string]int, len(list))
	for i, n := range list {
		ids[i], at[n.ID] = n.ID, i
	}
	type pair struct{ notification, user string }
	q := v.SQL("SELECT notification_id, user_id FROM notification_users WHERE notification_id").In("", ids).Add(" ORDER BY user_id")
	found, err := sqldb.Collect(v, q, func(p *pair) []any { return []any{&p.notification, &p.user} })
	for _, p := range found {
		n := &list[at[p.notification]]
		n.UserIDs = append(n.UserIDs, p.user)
	}
	return err
}

// AddNotification writes a new notification configuration, and whom it mails.
func (tx *Tx) AddNotification(n *notices.Notification) error {
	if err := notifications.Insert(tx, n, nil); err != nil {
		return err
	}
	return tx.setNotificationUsers(n)
}

// SaveNotification writes the settings of a notification configuration, and whom it mails.
func (tx *Tx) SaveNotification(n *notices.Notification) error {
	if err := notifications.Update(tx, n, nil); err != nil {
		return err
	}
	return tx.setNotificationUsers(n)
}

func (tx *Tx) setNotificationUsers(n *notices.Notification) error {
	// Users and memberships are held, in that order and before the rows that go with them: a
	// user who is leaving takes the row along, or is gone already.
	d := tx.Dialect()
	if len(n.UserIDs) > 0 {
		if err := tx.HoldRows("users", d.Share, "id"+d.In, d.List(n.UserIDs)); err != nil {
			return err
		}
		if err := tx.HoldRows("organization_memberships", d.Share, "organization_id = ? AND user_id"+d.In, n.OrganizationID, d.List(n.UserIDs)); err != nil {
			return err
		}
	}
	if err := tx.Do("DELETE FROM notification_users WHERE notification_id = ?", n.ID); err != nil {
		return err
	}
	if len(n.UserIDs) == 0 {
		return nil
	}
	q := tx.SQL("INSERT INTO notification_users (notification_id, user_id) SELECT CAST(? AS TEXT), m.user_id FROM organization_memberships m WHERE m.organization_id = ?", n.ID, n.OrganizationID)
	_, err := tx.Exec(q.In(" AND m.user_id", n.UserIDs))
	return err
}

// SaveNotificationResponse keeps the last answer of a destination.
func (tx *Tx) SaveNotificationResponse(id string, r *notices.DeliveryResponse) error {
	return tx.Do("UPDATE notifications SET response = ? WHERE id = ?", sqldb.JSON(&r), id)
}

// DropNotification deletes a notification configuration and its deliveries.
func (tx *Tx) DropNotification(n *notices.Notification) error {
	return tx.Do("DELETE FROM notifications WHERE id = ?", n.ID)
}

// MembersAmong is those of the users who are members of an organization, or invited.
func (v *View) MembersAmong(organizationID string, userIDs []string) ([]string, error) {
	q := v.SQL("SELECT user_id FROM organization_memberships WHERE organization_id = ?", organizationID)
	return sqldb.Values[string](v, q.In(" AND user_id", userIDs))
}
