package identity

import (
	"context"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/record"
	"github.com/belayhq/belay/internal/store"
)

// tokensTeam hands out a team to those who may make and revoke its tokens.
func (m *Room) tokensTeam(v store.Reader, s belay.Principal, id string) (belay.Team, error) {
	t, _, err := gate.ManagedTeam(v, s, id, belay.Access.MayManageTokens, belay.ErrNotFound)
	return t, err
}

// teamToken begins a token of a team. The token of an organization decides what teams may
// do, so what it makes stays under what it may do itself, whatever the team gets later.
func teamToken(s belay.Principal, t belay.Team) belay.Token {
	actor, _ := s.Actor()
	return belay.Token{
		OwnerKind: belay.TeamPrincipal, OwnerID: t.ID, OrganizationID: t.OrganizationID, CreatedBy: actor,
		ByOrganization: s.Organizational(),
	}
}

// CreateTeamToken makes one of the tokens of a team, told apart by their descriptions.
func (m *Room) CreateTeamToken(ctx context.Context, s belay.Principal, teamID string, want NewToken) (t belay.Token, value string, err error) {
	err = m.db.Update(ctx, func(tx *store.Tx) error {
		team, err := m.tokensTeam(&tx.Locked, s, teamID)
		if err != nil {
			return err
		}
		t = teamToken(s, team)
		t.Description = want.Description
		if err := freeDescription(tx, &t); err != nil {
			return err
		}
		if t, value, err = AddToken(tx, s, t, want); err != nil {
			return err
		}
		return emitToken(tx, s, "token.created", &t)
	})
	return t, value, err
}

// freeDescription refuses a description that another token of the team has.
func freeDescription(tx *store.Tx, t *belay.Token) error {
	taken, err := tx.DescribedToken(t.OwnerID, t.Purpose, t.Description)
	if err != nil || !taken {
		return err
	}
	return belay.Problems{{
		Kind: belay.Invalid, Title: "invalid attributes", Detail: "Validation failed: Description has already been taken",
		Place: "description",
	}}
}

// ReplaceTeamToken makes the one token of a team that has no description, in the place
// of the one before it.
func (m *Room) ReplaceTeamToken(ctx context.Context, s belay.Principal, teamID string, want NewToken) (t belay.Token, value string, err error) {
	err = m.db.Update(ctx, func(tx *store.Tx) error {
		team, err := m.tokensTeam(&tx.Locked, s, teamID)
		if err != nil {
			return err
		}
		legacy := teamToken(s, team)
		legacy.Purpose, want.Description = belay.LegacyToken, ""
		t, value, err = replaceToken(tx, s, legacy, want)
		return err
	})
	return t, value, err
}

// replaceToken makes a token in the place of all of the same owner and purpose.
func replaceToken(tx *store.Tx, s belay.Principal, t belay.Token, want NewToken) (belay.Token, string, error) {
	if _, err := tx.DropTokensOf(t.OwnerID, t.Purpose); err != nil {
		return t, "", err
	}
	t, value, err := AddToken(tx, s, t, want)
	if err != nil {
		return t, "", err
	}
	return t, value, emitToken(tx, s, "token.created", &t)
}

func emitToken(tx *store.Tx, s belay.Principal, kind string, t *belay.Token) error {
	return record.EmitOrganization(tx, s, kind, t.OrganizationID, "authentication-tokens", t.ID, t.Description)
}

// TeamToken is the one token of a team that has no description.
func (m *Room) TeamToken(ctx context.Context, s belay.Principal, teamID string) (t belay.Token, err error) {
	err = m.db.View(ctx, func(v *store.View) error {
		team, err := m.tokensTeam(v, s, teamID)
		if err != nil {
			return err
		}
		t, err = v.TokenOf(team.ID, belay.LegacyToken)
		return err
	})
	return t, err
}

// DeleteTeamToken revokes the one token of a team that has no description.
func (m *Room) DeleteTeamToken(ctx context.Context, s belay.Principal, teamID string) error {
	return m.db.Update(ctx, func(tx *store.Tx) error {
		team, err := m.tokensTeam(&tx.Locked, s, teamID)
		if err != nil {
			return err
		}
		t, err := tx.TokenOf(team.ID, belay.LegacyToken)
		if err != nil {
			return err
		}
		if err := tx.DropToken(&t); err != nil {
			return err
		}
		return emitToken(tx, s, "token.deleted", &t)
	})
}

// TeamTokens is the tokens of a team that have descriptions.
func (m *Room) TeamTokens(ctx context.Context, s belay.Principal, teamID string, page belay.Page) (list []belay.Token, total int, err error) {
	err = m.db.View(ctx, func(v *store.View) error {
		team, err := m.tokensTeam(v, s, teamID)
		if err != nil {
			return err
		}
		list, total, err = v.TokensOf(team.ID, "", page)
		return err
	})
	return list, total, err
}

// OrganizationTeamTokens is the tokens of the teams of an organization: of all teams, to
// those who manage teams; else of the teams whose tokens the caller may manage.
func (m *Room) OrganizationTeamTokens(ctx context.Context, s belay.Principal, organization string, want belay.TokenQuery) (list []belay.Token, total int, err error) {
	err = m.db.View(ctx, func(v *store.View) error {
		o, access, err := gate.Organization(v, s, organization, belay.Traverse)
		if err != nil {
			return err
		}
		if !access.Everywhere.Has(belay.ManageTeams.And(belay.AccessSecretTeams, belay.ManageOwners)) {
			if want.TeamIDs, err = tokenTeams(v, o, access); err != nil {
				return err
			}
		}
		list, total, err = v.TeamTokens(o, want, m.now())
		return err
	})
	return list, total, err
}

// tokenTeams is the teams of an organization whose tokens a principal may manage.
func tokenTeams(v *store.View, o belay.Organization, access belay.Access) ([]string, error) {
	teams, _, err := v.Teams(o, belay.TeamQuery{
		Secret: access.Everywhere.Has(belay.AccessSecretTeams), MemberOf: access.TeamIDs(), Page: belay.Page{Number: 1, Size: 1 << 20},
	})
	if err != nil {
		return nil, err
	}
	if err := v.FillGrants(teams, gate.Weighed(access)); err != nil {
		return nil, err
	}
	ids := []string{}
	for _, t := range teams {
		if access.MayManageTokens(t) {
			ids = append(ids, t.ID)
		}
	}
	return ids, nil
}

// DeleteTeamTokens revokes tokens of those teams of an organization whose tokens the caller
// may manage.
func (m *Room) DeleteTeamTokens(ctx context.Context, s belay.Principal, organization string, ids []string) error {
	return m.db.Update(ctx, func(tx *store.Tx) error {
		o, access, err := gate.Organization(tx.Peek(), s, organization, belay.Traverse)
		if err != nil {
			return err
		}
		if !access.Everywhere.Has(belay.ManageTeams.And(belay.AccessSecretTeams, belay.GiveRights)) {
			return belay.Refuse(belay.Forbidden, "revoking the tokens of every team is left to the organization's owners")
		}
		teams, err := tokenTeams(tx.Peek(), o, access)
		if err != nil {
			return err
		}
		if err := tx.DropTeamTokens(o, teams, ids); err != nil {
			return err
		}
		return record.EmitOrganization(tx, s, "token.deleted", o.ID, "organizations", o.Name, o.Name)
	})
}

// ReplaceOrganizationToken makes the token of an organization for a purpose, in the place
// of the one before it.
func (m *Room) ReplaceOrganizationToken(ctx context.Context, s belay.Principal, organization, purpose string, want NewToken) (t belay.Token, value string, err error) {
	err = m.db.Update(ctx, func(tx *store.Tx) error {
		o, _, err := gate.Organization(&tx.Locked, s, organization, belay.ManageOrganizationTokens)
		if err != nil {
			return err
		}
		actor, _ := s.Actor()
		t, value, err = replaceToken(tx, s, belay.Token{
			OwnerKind: belay.OrganizationPrincipal, OwnerID: o.ID, OrganizationID: o.ID, Purpose: purpose, CreatedBy: actor,
		}, want)
		return err
	})
	return t, value, err
}

// OrganizationToken is the token of an organization for a purpose, without its value.
func (m *Room) OrganizationToken(ctx context.Context, s belay.Principal, organization, purpose string) (t belay.Token, err error) {
	err = m.db.View(ctx, func(v *store.View) error {
		o, _, err := gate.Organization(v, s, organization, belay.ManageOrganizationTokens)
		if err != nil {
			return err
		}
		t, err = v.TokenOf(o.ID, purpose)
		return err
	})
	return t, err
}

// OrganizationTokens is the tokens that an organization has of its own, by purpose.
func (m *Room) OrganizationTokens(ctx context.Context, s belay.Principal, organization string) (of map[string]belay.Token, err error) {
	err = m.db.View(ctx, func(v *store.View) error {
		o, _, err := gate.Organization(v, s, organization, belay.ManageOrganizationTokens)
		if err != nil {
			return err
		}
		list, err := v.OrganizationTokens(o.ID)
		of = make(map[string]belay.Token, len(list))
		for i := range list {
			of[list[i].Purpose] = list[i]
		}
		return err
	})
	return of, err
}

// DeleteOrganizationToken revokes the token of an organization for a purpose.
func (m *Room) DeleteOrganizationToken(ctx context.Context, s belay.Principal, organization, purpose string) error {
	return m.db.Update(ctx, func(tx *store.Tx) error {
		o, _, err := gate.Organization(&tx.Locked, s, organization, belay.ManageOrganizationTokens)
		if err != nil {
			return err
		}
		t, err := tx.TokenOf(o.ID, purpose)
		if err != nil {
			return err
		}
		if err := tx.DropToken(&t); err != nil {
			return err
		}
		return emitToken(tx, s, "token.deleted", &t)
	})
}
