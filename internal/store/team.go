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
		{"(SELECT count(*) FROM team_members c WHERE c.team_id = t.id)", func(t *belay.Team) any { return &t.UsersCount }},
		{"o.name", func(t *belay.Team) any { return &t.Organization.Name }},
		{"o.id", func(t *belay.Team) any { return &t.Organization.ID }},
		{"o.access_generation", func(t *belay.Team) any { return &t.Organization.AccessGeneration }},
	},
})

// Team is one team, by id.
func (v *View) Team(id string) (belay.Team, error) { return teams.one(v, "t.id = ?", id) }

// TeamsByID is many teams, in no order.
func (v *View) TeamsByID(ids []string) ([]belay.Team, error) {
	return teams.many(v, v.sql(teams.selected).add("WHERE t.id").in("", ids))
}

// AddTeam writes a new team.
func (tx *Tx) AddTeam(t *belay.Team) error {
	if err := teams.insert(tx, t, nameTaken); err != nil {
		return err
	}
	return tx.moveAccessGeneration(t.OrganizationID)
}

// AddTeamMembers puts users into a team; those in it already stay.
func (tx *Tx) AddTeamMembers(t *belay.Team, userIDs []string) error {
	for _, id := range userIDs {
		if err := tx.do("INSERT INTO team_members (team_id, user_id) VALUES (?, ?) ON CONFLICT DO NOTHING", t.ID, id); err != nil {
			return err
		}
	}
	return tx.moveAccessGeneration(t.OrganizationID)
}

// AddMembership writes a new membership of an organization.
func (tx *Tx) AddMembership(m *belay.Membership) error {
	if err := memberships.insert(tx, m, emailTaken); err != nil {
		return err
	}
	return tx.moveAccessGeneration(m.OrganizationID)
}

var emailTaken = belay.Problems{{
	Kind: belay.Invalid, Title: "invalid attribute", Detail: "Email has already been taken", Pointer: "/data/attributes/email",
}}

var memberships = newTable(table[belay.Membership]{
	name: "organization_memberships",
	hold: "m",
	from: "organization_memberships m JOIN organizations o ON o.id = m.organization_id",
	own: []column[belay.Membership]{
		{"id", func(m *belay.Membership) any { return &m.ID }},
		{"organization_id", func(m *belay.Membership) any { return &m.OrganizationID }},
		{"user_id", func(m *belay.Membership) any { return &m.UserID }},
		{"email", func(m *belay.Membership) any { return &m.Email }},
		{"status", func(m *belay.Membership) any { return &m.Status }},
		{"created_at", func(m *belay.Membership) any { return millis{&m.CreatedAt} }},
	},
	joined: []column[belay.Membership]{
		{"o.name", func(m *belay.Membership) any { return &m.Organization.Name }},
		{"o.id", func(m *belay.Membership) any { return &m.Organization.ID }},
		{"o.access_generation", func(m *belay.Membership) any { return &m.Organization.AccessGeneration }},
	},
})
