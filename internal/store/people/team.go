package people

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/base"
	"github.com/belayhq/belay/internal/store/core"
	"github.com/belayhq/belay/notices"
)

var teams = sqldb.NewTable(sqldb.Table[belay.Team]{
	Name: "teams",
	Hold: "t",
	From: "teams t JOIN organizations o ON o.id = t.organization_id",
	Own: []sqldb.Column[belay.Team]{
		{Name: "id", At: func(t *belay.Team) any { return &t.ID }},
		{Name: "organization_id", At: func(t *belay.Team) any { return &t.OrganizationID }},
		{Name: "name", At: func(t *belay.Team) any { return &t.Name }},
		{Name: "description", At: func(t *belay.Team) any { return &t.Description }},
		{Name: "sso_team_id", At: func(t *belay.Team) any { return &t.SSOTeamID }},
		{Name: "visibility", At: func(t *belay.Team) any { return &t.Visibility }},
		{Name: "allow_member_token_management", At: func(t *belay.Team) any { return &t.AllowMemberTokenManagement }},
		{Name: "organization_access", At: func(t *belay.Team) any { return sqldb.JSON(&t.Access) }},
		{Name: "access_given_at", At: func(t *belay.Team) any { return sqldb.Millis(&t.AccessGiven.At) }},
		{Name: "access_given_by", At: func(t *belay.Team) any { return &t.AccessGiven.By }},
		{Name: "created_at", At: func(t *belay.Team) any { return sqldb.Millis(&t.CreatedAt) }},
	},
	Joined: []sqldb.Column[belay.Team]{
		{Name: "(SELECT count(*) FROM team_members c JOIN users u ON u.id = c.user_id WHERE c.team_id = t.id AND NOT u.invited)", At: func(t *belay.Team) any { return &t.UsersCount }},
		{Name: "(SELECT count(*) FROM team_members c JOIN users u ON u.id = c.user_id WHERE c.team_id = t.id AND NOT u.invited AND NOT u.is_service_account)", At: func(t *belay.Team) any { return &t.PeopleCount }},
		{Name: "o.name", At: func(t *belay.Team) any { return &t.Organization.Name }},
		{Name: "o.id", At: func(t *belay.Team) any { return &t.Organization.ID }},
		{Name: "o.access_generation", At: func(t *belay.Team) any { return &t.Organization.AccessGeneration }},
		{Name: "o.user_tokens_enabled", At: func(t *belay.Team) any { return &t.Organization.UserTokensEnabled }},
	},
})

// Team is one team, by id.
func (v *View) Team(id string) (belay.Team, error) {
	return core.Once(&v.View, teamKey(id), func() (belay.Team, error) { return teams.One(v, "t.id = ?", id) })
}

type teamKey string

// TeamsByID is many teams, in no order.
func (v *View) TeamsByID(ids []string) ([]belay.Team, error) {
	return teams.Many(v, v.SQL(teams.Selected).Add("WHERE t.id").In("", ids))
}

// AddTeam writes a new team, with the notification configuration that every team begins with.
func (tx *Tx) AddTeam(t *belay.Team) error {
	if err := teams.Insert(tx, t, base.NameTaken); err != nil {
		return err
	}
	mail := notices.DefaultNotification(t, tx.Now)
	if err := tx.AddNotification(&mail); err != nil {
		return err
	}
	tx.MoveAccessGeneration(t.OrganizationID)
	return nil
}

// SaveTeam writes a team.
func (tx *Tx) SaveTeam(t *belay.Team) error {
	if err := teams.Update(tx, t, base.NameTaken); err != nil {
		return err
	}
	tx.MoveAccessGeneration(t.OrganizationID)
	return nil
}

// DropTeam deletes a team with its tokens; the locks that it holds stay.
func (tx *Tx) DropTeam(t *belay.Team) error {
	if _, err := tx.DropTokens("owner_id = ?", t.ID); err != nil {
		return err
	}
	if err := tx.Do("DELETE FROM teams WHERE id = ?", t.ID); err != nil {
		return err
	}
	tx.MoveAccessGeneration(t.OrganizationID)
	return nil
}

// Teams is one page of the teams that a query finds, by name.
func (v *View) Teams(o belay.Organization, want belay.TeamQuery) ([]belay.Team, int, error) {
	q := v.teamsWhere(teams.Selected+"WHERE ", o, want)
	list, err := teams.Many(v, q.Add(" ORDER BY t.name").Page(want.Page))
	return sqldb.Counted(v, list, err, want.Page, func() *sqldb.Query { return v.teamsWhere("SELECT count(*) FROM teams t WHERE ", o, want) })
}

func (v *View) teamsWhere(begin sqldb.Text, o belay.Organization, want belay.TeamQuery) *sqldb.Query {
	q := v.SQL(begin+"t.organization_id = ?", o.ID)
	if want.Names != nil {
		q.In(" AND t.name", want.Names)
	}
	if want.Search != "" {
		q.Add(" AND ").Like("t.name", sqldb.Contains(want.Search))
	}
	if !want.Secret {
		q.In(" AND (t.visibility = 'organization' OR t.id", want.MemberOf)
		q.Add(")")
	}
	return q
}

// TeamMembers is everybody in the teams, by user.
func (v *View) TeamMembers(teamIDs []string) ([]belay.TeamMember, error) {
	q := v.SQL(`SELECT c.team_id, c.user_id, m.id, m.email, u.invited, c.joined_at, c.by_groups FROM team_members c JOIN teams t ON t.id = c.team_id
		JOIN users u ON u.id = c.user_id
		JOIN organization_memberships m ON m.user_id = c.user_id AND m.organization_id = t.organization_id WHERE c.team_id`)
	q.In("", teamIDs)
	return sqldb.Collect(v, q.Add(" ORDER BY c.team_id, u.username"), func(m *belay.TeamMember) []any {
		return []any{&m.TeamID, &m.UserID, &m.MembershipID, &m.Email, &m.Invited, sqldb.Millis(&m.JoinedAt), &m.ByGroups}
	})
}

// AddTeamMembers puts members of the organization into a team; those in it already stay,
// also when they lose the groups that put them there.
// A place in a team refers to the one in the organization, and goes with it.
func (tx *Tx) AddTeamMembers(t *belay.Team, userIDs []string) error {
	q := tx.SQL("INSERT INTO team_members (team_id, user_id, organization_id, joined_at) SELECT CAST(? AS TEXT), m.user_id, m.organization_id, CAST(? AS BIGINT)"+
		" FROM organization_memberships m WHERE m.organization_id = ? AND m.user_id", t.ID, sqldb.UnixMillis(tx.Now), t.OrganizationID)
	if _, err := tx.Exec(q.In("", userIDs).Add(" ON CONFLICT (team_id, user_id) DO UPDATE SET by_groups = FALSE")); err != nil {
		return err
	}
	tx.MoveAccessGeneration(t.OrganizationID)
	return nil
}

// DropTeamMembers takes users, by id, out of a team; those not in it don't matter.
func (tx *Tx) DropTeamMembers(t *belay.Team, userIDs []string) error {
	if _, err := tx.Exec(tx.SQL("DELETE FROM team_members WHERE team_id = ? AND user_id", t.ID).In("", userIDs)); err != nil {
		return err
	}
	tx.MoveAccessGeneration(t.OrganizationID)
	return nil
}

// TeamMembersNamed is the ids of those in a team that go by these user names or ids.
func (v *View) TeamMembersNamed(t *belay.Team, names []string) ([]string, error) {
	q := v.SQL("SELECT c.user_id FROM team_members c JOIN users u ON u.id = c.user_id WHERE c.team_id = ? AND (u.username", t.ID)
	return sqldb.Values[string](v, q.In("", names).In(" OR u.id", names).Add(")"))
}
