package people

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/base"
)

var memberTaken = belay.Problems{{
	Kind: belay.Invalid, Title: "invalid attribute", Detail: "User has already been taken", Place: "email",
}}

var memberships = sqldb.NewTable(sqldb.Table[belay.Membership]{
	Name: "organization_memberships",
	Hold: "m",
	From: "organization_memberships m JOIN organizations o ON o.id = m.organization_id",
	Own: []sqldb.Column[belay.Membership]{
		{Name: "id", At: func(m *belay.Membership) any { return &m.ID }},
		{Name: "organization_id", At: func(m *belay.Membership) any { return &m.OrganizationID }},
		{Name: "user_id", At: func(m *belay.Membership) any { return &m.UserID }},
		{Name: "email", At: func(m *belay.Membership) any { return &m.Email }},
		{Name: "status", At: func(m *belay.Membership) any { return &m.Status }},
		{Name: "by_groups", At: func(m *belay.Membership) any { return &m.ByGroups }},
		{Name: "created_at", At: func(m *belay.Membership) any { return sqldb.Millis(&m.CreatedAt) }},
	},
	Joined: []sqldb.Column[belay.Membership]{
		{Name: "(SELECT u.username FROM users u WHERE u.id = m.user_id)", At: func(m *belay.Membership) any { return &m.Username }},
		{Name: "o.name", At: func(m *belay.Membership) any { return &m.Organization.Name }},
		{Name: "o.id", At: func(m *belay.Membership) any { return &m.Organization.ID }},
		{Name: "o.access_generation", At: func(m *belay.Membership) any { return &m.Organization.AccessGeneration }},
		{Name: "o.user_tokens_enabled", At: func(m *belay.Membership) any { return &m.Organization.UserTokensEnabled }},
	},
})

// Membership is one membership, by id.
func (v *View) Membership(id string) (belay.Membership, error) {
	return memberships.One(v, "m.id = ?", id)
}

// MembershipOf is the membership of a user in an organization.
func (v *View) MembershipOf(organizationID, userID string) (belay.Membership, error) {
	return memberships.One(v, "m.organization_id = ? AND m.user_id = ?", organizationID, userID)
}

// MembershipsByID is many memberships of an organization, in no order.
func (v *View) MembershipsByID(o belay.Organization, ids []string) ([]belay.Membership, error) {
	return memberships.Many(v, v.SQL(memberships.Selected).Add("WHERE m.id").In("", ids).Beside("m.organization_id = ?", o.ID))
}

// MembershipsWithID is many memberships of any organization, by e-mail address.
func (v *View) MembershipsWithID(ids []string) ([]belay.Membership, error) {
	return memberships.Many(v, v.SQL(memberships.Selected).Add("WHERE m.id").In("", ids).Add(" ORDER BY m.email"))
}

// MembershipsNamed is the memberships of an organization of the users that go by these
// names or ids, with the name each was found by.
func (v *View) MembershipsNamed(o belay.Organization, names []string) (map[string]belay.Membership, error) {
	type named struct {
		belay.Membership
		username string
	}
	q := v.SQL(`SELECT m.id, m.user_id, m.status, u.username FROM organization_memberships m JOIN users u ON u.id = m.user_id
		WHERE m.organization_id = ? AND (u.username`, o.ID)
	q.In("", names).In(" OR u.id", names).Add(")")
	list, err := sqldb.Collect(v, q, func(n *named) []any { return []any{&n.ID, &n.UserID, &n.Status, &n.username} })
	found := make(map[string]belay.Membership, 2*len(list))
	for _, n := range list {
		found[n.username], found[n.UserID] = n.Membership, n.Membership
	}
	return found, err
}

// Memberships is one page of the memberships that a query finds, by e-mail address: of an
// organization, or of all when its id is empty.
func (v *View) Memberships(o belay.Organization, want belay.MembershipQuery) ([]belay.Membership, int, error) {
	q := v.SQL("SELECT count(*) FROM organization_memberships m WHERE ")
	addNarrow(addMembersOf(q, o, want), want)
	total, _, err := sqldb.Value[int](v, q)
	if err != nil || total == 0 {
		return nil, 0, err
	}
	list, err := v.MembershipsPage(o, want)
	return list, total, err
}

// MembershipsPage is Memberships for those who know how many there are.
func (v *View) MembershipsPage(o belay.Organization, want belay.MembershipQuery) ([]belay.Membership, error) {
	q := v.SQL(memberships.Selected + "WHERE ")
	addNarrow(addMembersOf(q, o, want), want)
	return memberships.Many(v, q.Add(" ORDER BY m.email, m.id").Page(want.Page))
}

// MembershipStatuses is how many memberships of an organization have each status, everybody's or those of one
// user, and how many of them a query finds.
func (v *View) MembershipStatuses(o belay.Organization, want belay.MembershipQuery) (counts map[string]int, total int, err error) {
	type counted struct {
		status   string
		n, found int
	}
	q := addNarrow(v.SQL("SELECT m.status, count(*), count(*) FILTER (WHERE TRUE"), want)
	addMembersOf(q.Add(") FROM organization_memberships m WHERE "), o, want)
	list, err := sqldb.Collect(v, q.Add(" GROUP BY m.status"), func(c *counted) []any { return []any{&c.status, &c.n, &c.found} })
	counts = make(map[string]int, len(list))
	for _, c := range list {
		counts[c.status] = c.n
		total += c.found
	}
	return counts, total, err
}

// addMembersOf is the condition of whose memberships a query is about.
func addMembersOf(q *sqldb.Query, o belay.Organization, want belay.MembershipQuery) *sqldb.Query {
	if o.ID != "" {
		q.Add("m.organization_id = ?", o.ID)
	} else {
		q.Add("m.organization_id NOT IN (SELECT o.id FROM organizations o WHERE " + base.OrganizationIsGone + ")")
	}
	if want.UserID != "" {
		q.Add(" AND m.user_id = ?", want.UserID)
	}
	return q
}

// addNarrow is the condition of which of these it finds.
func addNarrow(q *sqldb.Query, want belay.MembershipQuery) *sqldb.Query {
	if want.Emails != nil {
		folded := make([]string, len(want.Emails))
		for i, email := range want.Emails {
			folded[i] = belay.FoldEmail(email)
		}
		q.In(" AND LOWER(m.email)", folded)
	}
	if want.Status != "" {
		q.Add(" AND m.status = ?", want.Status)
	}
	if want.Search != "" {
		q.Add(` AND (LOWER(m.email) LIKE ? ESCAPE '\' OR m.user_id IN (SELECT u.id FROM users u WHERE LOWER(u.username) LIKE ? ESCAPE '\'))`,
			sqldb.Contains(want.Search), sqldb.Contains(want.Search))
	}
	return q
}

// TeamsOfMembers is the teams that users are in, by user, within the
// organizations, and whether they are the only one of the owners who is here.
func (v *View) TeamsOfMembers(organizationIDs, userIDs []string) ([]belay.TeamMember, error) {
	q := v.SQL(`SELECT c.team_id, c.user_id, m.id, t.visibility, t.name, c.joined_at, c.by_groups,
		t.name = 'owners' AND NOT EXISTS (SELECT 1 FROM team_members d JOIN users u ON u.id = d.user_id WHERE d.team_id = t.id AND d.user_id <> c.user_id AND NOT u.invited) FROM team_members c JOIN teams t ON t.id = c.team_id
		JOIN organization_memberships m ON m.user_id = c.user_id AND m.organization_id = t.organization_id WHERE c.user_id`)
	q.In("", userIDs).In(" AND t.organization_id", organizationIDs)
	return sqldb.Collect(v, q.Add(" ORDER BY t.name"), func(m *belay.TeamMember) []any {
		return []any{&m.TeamID, &m.UserID, &m.MembershipID, &m.Visibility, &m.Team, sqldb.Millis(&m.JoinedAt), &m.ByGroups, &m.OnlyOne}
	})
}

// Holdings is what a user has in an organization.
func (v *View) Holdings(organizationID, userID string) (h belay.Holdings, err error) {
	q := v.SQL(`SELECT (SELECT count(*) FROM tokens k WHERE k.created_by = ? AND k.organization_id = ? AND k.workspace_id <> ''),
		(SELECT count(*) FROM notification_users u JOIN notifications n ON n.id = u.notification_id WHERE u.user_id = ? AND n.organization_id = ?),
		(SELECT count(*) FROM workspace_locks l WHERE l.organization_id = ? AND l.holder_id = ?),
		(SELECT count(*) FROM change_requests c WHERE c.organization_id = ? AND c.assigned_to = ? AND c.archived_at = 0)`,
		userID, organizationID, userID, organizationID, organizationID, userID, organizationID, userID)
	list, err := sqldb.Collect(v, q, func(h *belay.Holdings) []any { return []any{&h.RunTokens, &h.Mails, &h.Locks, &h.Requests} })
	if len(list) > 0 {
		h = list[0]
	}
	return h, err
}

// AddMembership writes a new membership of an organization.
func (tx *Tx) AddMembership(m *belay.Membership) error {
	if err := memberships.Insert(tx, m, memberTaken); err != nil {
		return err
	}
	tx.MoveAccessGeneration(m.OrganizationID)
	return nil
}

// DropMembership takes a user out of an organization, and with that out of its teams. The
// tokens that it issued for runs there go, and so does a user that was only invited, and
// is invited nowhere else.
func (tx *Tx) DropMembership(m *belay.Membership) error {
	if _, err := tx.DropTokens("created_by = ? AND organization_id = ? AND workspace_id <> ''", m.UserID, m.OrganizationID); err != nil {
		return err
	}
	if err := tx.Do("DELETE FROM organization_memberships WHERE id = ?", m.ID); err != nil {
		return err
	}
	if err := tx.Do("DELETE FROM notification_users WHERE user_id = ? AND notification_id IN (SELECT id FROM notifications WHERE organization_id = ?)", m.UserID, m.OrganizationID); err != nil {
		return err
	}
	if err := tx.Do("DELETE FROM users WHERE id = ? AND invited AND NOT EXISTS (SELECT 1 FROM organization_memberships m WHERE m.user_id = users.id)", m.UserID); err != nil {
		return err
	}
	tx.MoveAccessGeneration(m.OrganizationID)
	return nil
}

// CountOwners is how many users are in an organization's owners team and have come in.
// Whoever asks holds the organization: of two who take an owner out, the later counts
// without the earlier's.
func (tx *Tx) CountOwners(organizationID string) (int, error) {
	if err := tx.HoldOrganizations("id = ?", organizationID); err != nil {
		return 0, err
	}
	total, _, err := sqldb.Value[int](&tx.View, tx.SQL(`SELECT count(*) FROM team_members c JOIN teams t ON t.id = c.team_id JOIN users u ON u.id = c.user_id
		WHERE t.organization_id = ? AND t.name = 'owners' AND NOT u.invited`, organizationID))
	return total, err
}

// IsMember says whether a user is in one of the teams of a name of an organization.
func (v *View) IsMember(organizationID, team, userID string) (bool, error) {
	n, _, err := sqldb.Value[int](v, v.SQL(`SELECT count(*) FROM team_members c JOIN teams t ON t.id = c.team_id
		WHERE t.organization_id = ? AND t.name = ? AND c.user_id = ?`, organizationID, team, userID))
	return n > 0, err
}

// ShareOrganization says whether two users are members of one organization, or the one
// asked for acts for an organization of the other.
func (v *View) ShareOrganization(userID, otherID string) (bool, error) {
	n, _, err := sqldb.Value[int](v, v.SQL(`SELECT count(*) FROM organization_memberships m JOIN organizations o ON o.id = m.organization_id
		WHERE m.user_id = ? AND m.status = 'active' AND NOT (`+base.OrganizationIsGone+`) AND (o.service_user_id = ? OR EXISTS
		(SELECT 1 FROM organization_memberships other WHERE other.organization_id = m.organization_id AND other.user_id = ?))`,
		userID, otherID, otherID))
	return n > 0, err
}

// InOrganization says whether a user is a member of an organization, or acts for it.
func (v *View) InOrganization(organizationID, userID string) (bool, error) {
	n, _, err := sqldb.Value[int](v, v.SQL(`SELECT count(*) FROM organizations o WHERE o.id = ? AND NOT (`+base.OrganizationIsGone+`) AND (o.service_user_id = ? OR EXISTS
		(SELECT 1 FROM organization_memberships m WHERE m.organization_id = o.id AND m.user_id = ?))`, organizationID, userID, userID))
	return n > 0, err
}
