package store

import "github.com/belayhq/belay"

var teams = newTable(table[belay.Team]{
	name: "teams",
	hold: "t",
	from: "teams t JOIN organizations o ON o.id = t.organization_id",
	own: []column[belay.Team]{
		{"id", func(t *belay.Team) any { return &t.ID }},
		{"organization_id", func(t *belay.Team) any { return &t.OrganizationID }},
		{"name", func(t *belay.Team) any { return &t.Name }},
		{"description", func(t *belay.Team) any { return &t.Description }},
		{"sso_team_id", func(t *belay.Team) any { return &t.SSOTeamID }},
		{"visibility", func(t *belay.Team) any { return &t.Visibility }},
		{"allow_member_token_management", func(t *belay.Team) any { return &t.AllowMemberTokenManagement }},
		{"organization_access", func(t *belay.Team) any { return jsonText[belay.OrganizationAccess]{&t.Access} }},
		{"created_at", func(t *belay.Team) any { return millis{&t.CreatedAt} }},
	},
	joined: []column[belay.Team]{
		{"(SELECT count(*) FROM team_members c JOIN users u ON u.id = c.user_id WHERE c.team_id = t.id AND NOT u.invited)", func(t *belay.Team) any { return &t.UsersCount }},
		{"(SELECT count(*) FROM team_members c JOIN users u ON u.id = c.user_id WHERE c.team_id = t.id AND NOT u.invited AND NOT u.is_service_account)", func(t *belay.Team) any { return &t.PeopleCount }},
		{"o.name", func(t *belay.Team) any { return &t.Organization.Name }},
		{"o.id", func(t *belay.Team) any { return &t.Organization.ID }},
		{"o.access_generation", func(t *belay.Team) any { return &t.Organization.AccessGeneration }},
		{"o.user_tokens_enabled", func(t *belay.Team) any { return &t.Organization.UserTokensEnabled }},
	},
})

// Team is one team, by id.
func (v *View) Team(id string) (belay.Team, error) { return teams.one(v, "t.id = ?", id) }

// TeamsByID is many teams, in no order.
func (v *View) TeamsByID(ids []string) ([]belay.Team, error) {
	return teams.many(v, v.sql(teams.selected).add("WHERE t.id").in("", ids))
}

// AddTeam writes a new team, with the notification configuration that every team begins with.
func (tx *Tx) AddTeam(t *belay.Team) error {
	if err := teams.insert(tx, t, nameTaken); err != nil {
		return err
	}
	mail := belay.DefaultNotification(t, tx.Now)
	if err := tx.AddNotification(&mail); err != nil {
		return err
	}
	tx.moveAccessGeneration(t.OrganizationID)
	return nil
}

// SaveTeam writes a team.
func (tx *Tx) SaveTeam(t *belay.Team) error {
	if err := teams.update(tx, t, nameTaken); err != nil {
		return err
	}
	tx.moveAccessGeneration(t.OrganizationID)
	return nil
}

// DropTeam deletes a team with its tokens; the locks that it holds stay.
func (tx *Tx) DropTeam(t *belay.Team) error {
	if _, err := tx.dropTokens("owner_id = ?", t.ID); err != nil {
		return err
	}
	if err := tx.do("DELETE FROM teams WHERE id = ?", t.ID); err != nil {
		return err
	}
	tx.moveAccessGeneration(t.OrganizationID)
	return nil
}

// Teams is one page of the teams that a query finds, by name.
func (v *View) Teams(o belay.Organization, want belay.TeamQuery) ([]belay.Team, int, error) {
	total, _, err := value[int](v, v.teamsWhere("SELECT count(*) FROM teams t WHERE ", o, want))
	if err != nil || total == 0 {
		return nil, 0, err
	}
	q := v.teamsWhere(teams.selected+"WHERE ", o, want)
	q.add(" ORDER BY t.name").page(want.Page)
	list, err := teams.many(v, q)
	return list, total, err
}

func (v *View) teamsWhere(begin text, o belay.Organization, want belay.TeamQuery) *query {
	q := v.sql(begin+"t.organization_id = ?", o.ID)
	if want.Names != nil {
		q.in(" AND t.name", want.Names)
	}
	if want.Search != "" {
		q.add(" AND ").like("t.name", contains(want.Search))
	}
	if !want.Secret {
		q.in(" AND (t.visibility = 'organization' OR t.id", want.MemberOf)
		q.add(")")
	}
	return q
}

// TeamMembers is everybody in the teams, by user.
func (v *View) TeamMembers(teamIDs []string) ([]belay.TeamMember, error) {
	q := v.sql(`SELECT c.team_id, c.user_id, m.id, u.invited FROM team_members c JOIN teams t ON t.id = c.team_id
		JOIN users u ON u.id = c.user_id
		JOIN organization_memberships m ON m.user_id = c.user_id AND m.organization_id = t.organization_id WHERE c.team_id`)
	q.in("", teamIDs)
	return collect(v, q.add(" ORDER BY c.team_id, u.username"), func(m *belay.TeamMember) []any {
		return []any{&m.TeamID, &m.UserID, &m.MembershipID, &m.Invited}
	})
}

// AddTeamMembers puts members of the organization into a team; those in it already stay,
// also when they lose the groups that put them there.
// A place in a team refers to the one in the organization, and goes with it.
func (tx *Tx) AddTeamMembers(t *belay.Team, userIDs []string) error {
	q := tx.sql("INSERT INTO team_members (team_id, user_id, organization_id) SELECT CAST(? AS TEXT), m.user_id, m.organization_id"+
		" FROM organization_memberships m WHERE m.organization_id = ? AND m.user_id", t.ID, t.OrganizationID)
	if _, err := tx.exec(q.in("", userIDs).add(" ON CONFLICT (team_id, user_id) DO UPDATE SET by_groups = FALSE")); err != nil {
		return err
	}
	tx.moveAccessGeneration(t.OrganizationID)
	return nil
}

// DropTeamMembers takes users, by id, out of a team; those not in it don't matter.
func (tx *Tx) DropTeamMembers(t *belay.Team, userIDs []string) error {
	if _, err := tx.exec(tx.sql("DELETE FROM team_members WHERE team_id = ? AND user_id", t.ID).in("", userIDs)); err != nil {
		return err
	}
	tx.moveAccessGeneration(t.OrganizationID)
	return nil
}

// TeamMembersNamed is the ids of those in a team that go by these user names or ids.
func (v *View) TeamMembersNamed(t *belay.Team, names []string) ([]string, error) {
	q := v.sql("SELECT c.user_id FROM team_members c JOIN users u ON u.id = c.user_id WHERE c.team_id = ? AND (u.username", t.ID)
	return values[string](v, q.in("", names).in(" OR u.id", names).add(")"))
}
