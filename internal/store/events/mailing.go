package events

import (
	"slices"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/base"
	"github.com/belayhq/belay/notices"
)

// mailable is the condition of users (u) by a membership (m) that anything is mailed to.
const mailable sqldb.Text = "m.status = 'active' AND NOT u.suspended AND u.email <> ''"

// MailAddresses is where a mail of a notification configuration goes that is told as a trigger: to its addresses and its users, or,
// when it names nobody or asks for it, to all members of the teams that it is about, but those who have left such mail out.
func (v *View) MailAddresses(n *notices.Notification, trigger string) ([]string, error) {
	q := v.SQL("SELECT DISTINCT u.email FROM users u JOIN organization_memberships m ON m.user_id = u.id WHERE m.organization_id = ? AND "+mailable, n.OrganizationID)
	q.In(" AND (u.id", n.UserIDs)
	if n.MailsTeams() {
		addMailedTeams(q.Add(" OR u.id IN (SELECT k.user_id FROM team_members k WHERE k.team_id IN ("), n).Add("))")
		if slices.Contains(notices.Personal, trigger) {
			q.Add(" AND NOT EXISTS (SELECT 1 FROM mail_left_out l WHERE l.user_id = u.id AND l.told_as = ?)", trigger)
		}
	}
	found, err := sqldb.Values[string](v, q.Add(") ORDER BY u.email"))
	return append(append([]string(nil), n.EmailAddresses...), found...), err
}

// MailedTo is the enabled configurations that mail a user, whatever of it that leaves out, by organization and name: at most
// so many, and where there are more of workspaces any of those.
func (v *View) MailedTo(userID string, most int) ([]notices.MailedNotification, error) {
	// A workspace that was deleted and may come back is of no organization meanwhile.
	const from sqldb.Text = `, COALESCE(t.name, w.name, p.name, ''), COALESCE(w.project_id, ''), o.name,
		EXISTS (SELECT 1 FROM notification_users x WHERE x.notification_id = n.id AND x.user_id = ?)
		FROM notifications n JOIN organizations o ON o.id = n.organization_id LEFT JOIN workspaces w ON w.id = n.workspace_id AND w.organization_id = n.organization_id
		LEFT JOIN teams t ON t.id = n.team_id LEFT JOIN projects p ON p.id = n.project_id
		WHERE n.enabled AND n.destination = 'email' AND (n.workspace_id IS NULL OR w.id IS NOT NULL) AND NOT (` + base.OrganizationIsHidden + ") AND n.id IN ("
	q := v.SQL("SELECT "+notifications.Columns()+from, userID)
	addIn(q.Add("SELECT n.id FROM notification_users x JOIN notifications n ON n.id = x.notification_id WHERE x.user_id = ?", userID), userID)
	addMailing(q, userID, most)
	list, err := sqldb.Collect(v, q.Add(") ORDER BY o.name, n.name, n.id").First(most), func(m *notices.MailedNotification) []any {
		return append(notifications.Dest(&m.Notification), &m.Of, &m.InProject, &m.Organization, &m.Named)
	})
	for i := range list {
		list[i].Team = !list[i].Named
	}
	return list, err
}

// addIn appends that a configuration n is of an organization that a user gets mail in.
func addIn(q *sqldb.Query, userID string) *sqldb.Query {
	return q.Add(" AND n.organization_id IN (SELECT m.organization_id FROM organization_memberships m JOIN users u ON u.id = m.user_id WHERE m.user_id = ? AND "+mailable+")", userID)
}

// addMailing appends, each after a UNION ALL, the ids of the configurations that mail all members of a team that a user is in. It is
// addMailedTeams the other way round. Those of workspaces are looked for among the mails of an organization: there are fewer than
// workspaces that a team comes to, and no more are told than most.
func addMailing(q *sqldb.Query, userID string, most int) {
	const all sqldb.Text = ` AND (n.email_all_members OR n.email_addresses IN ('', '[]', 'null')
		AND NOT EXISTS (SELECT 1 FROM notification_users x WHERE x.notification_id = n.id))`
	addIn(q.Add(" UNION ALL SELECT n.id FROM team_members k JOIN notifications n ON n.team_id = k.team_id WHERE k.user_id = ?"+all, userID), userID)
	for _, r := range notices.MailedTeams {
		p := places[r.Place]
		if r.Place == belay.OnProjects {
			addIn(q.Add(" UNION ALL SELECT n.id FROM team_members k JOIN "+p.access+" t ON t.team_id = k.team_id JOIN notifications n ON n."+p.own+" = t."+p.own+" WHERE k.user_id = ?"+all, userID), userID)
		}
		q.Add(" UNION ALL SELECT * FROM (SELECT DISTINCT n.id FROM notifications n CROSS JOIN workspaces w CROSS JOIN "+p.access+" t CROSS JOIN team_members k WHERE n.destination = 'email' AND n.workspace_id IS NOT NULL"+
			" AND w.id = n.workspace_id AND t."+p.own+" = w."+p.ofWorkspace+" AND k.team_id = t.team_id AND k.user_id = ?"+all, userID)
		addIn(q, userID).First(most).Add(") ofworkspaces")
	}
}

// LeftOut is what a user does not want to be mailed as one of a team, by trigger.
func (v *View) LeftOut(userID string) ([]string, error) {
	return sqldb.Values[string](v, v.SQL("SELECT told_as FROM mail_left_out WHERE user_id = ? ORDER BY told_as", userID))
}

// SetLeftOut has a user mailed of all but these, as one of a team.
func (tx *Tx) SetLeftOut(userID string, triggers []string) error {
	if err := tx.Do("DELETE FROM mail_left_out WHERE user_id = ?", userID); err != nil {
		return err
	}
	for _, trigger := range triggers {
		if err := tx.Do("INSERT INTO mail_left_out (user_id, told_as) VALUES (?, ?)", userID, trigger); err != nil {
			return err
		}
	}
	return nil
}
