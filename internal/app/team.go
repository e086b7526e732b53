package app

import (
	"context"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/record"
	"github.com/belayhq/belay/internal/store"
)

// TeamView is a team as a principal sees it, with who is in it.
type TeamView struct {
	belay.Team
	Members []belay.TeamMember
	Access  belay.Access // of the principal
}

// teamViews gathers the members of teams and what they open. Addresses are for those who see every member.
func teamViews(v *store.View, list []belay.Team, access belay.Access) ([]TeamView, error) {
	if err := v.FillGrants(list, gate.Weighed(access)); err != nil {
		return nil, err
	}
	ids := make([]string, len(list))
	at := make(map[string]int, len(list))
	views := make([]TeamView, len(list))
	for i, t := range list {
		ids[i], at[t.ID], views[i] = t.ID, i, TeamView{Team: t, Access: access}
	}
	if len(list) == 0 {
		return views, nil
	}
	members, err := v.TeamMembers(ids)
	for _, m := range members {
		if !access.Everywhere.Has(belay.ReadEveryMember) {
			m.Email = ""
		}
		view := &views[at[m.TeamID]]
		view.Members = append(view.Members, m)
	}
	return views, err
}

func teamView(v *store.View, t belay.Team, access belay.Access) (TeamView, error) {
	views, err := teamViews(v, []belay.Team{t}, access)
	if err != nil {
		return TeamView{}, err
	}
	return views[0], nil
}

// CreateTeam makes a team in an organization.
func (a *App) CreateTeam(ctx context.Context, s belay.Principal, organization string, p belay.TeamPatch) (view TeamView, err error) {
	err = a.db.Update(ctx, func(tx *store.Tx) error {
		o, access, err := gate.Organization(tx.Peek(), s, organization, belay.ManageTeams)
		if err != nil {
			return err
		}
		t := belay.NewTeam(o, tx.Now)
		if err := changeTeam(&t, access, belay.GivenBy(s, tx.Now), p); err != nil {
			return err
		}
		if err := tx.AddTeam(&t); err != nil {
			return err
		}
		if view, err = teamView(tx.Peek(), t, access); err != nil {
			return err
		}
		return record.EmitOrganization(tx, s, "team.created", o.ID, "teams", t.ID, t.Name)
	})
	return view, err
}

// changeTeam applies a patch. The switches over the organization are for those who may
// set them, and nobody hands on what it does not have.
func changeTeam(t *belay.Team, access belay.Access, by belay.Given, p belay.TeamPatch) error {
	before := t.Access
	if err := t.Apply(p); err != nil {
		return err
	}
	if t.Access.Shows(before) && !access.Everywhere.Has(belay.ManageOrganizationAccess) {
		t.Access = before // what follows from a switch was sent back as it was shown
		return nil
	}
	has, added := access.Everywhere, t.Access.Permissions().Without(before.Permissions())
	if has.Has(belay.ManageOrganizationAccess) && has.Gives(added) {
		if t.Access != before {
			t.AccessGiven = by
		}
		return nil
	}
	var problems belay.Problems
	problems.Attribute("organization-access", "Organization access is more than you may give: %s", strings.Join(beyond(has, before, t.Access), ", "))
	return problems
}

// beyond is the switches that somebody with these permissions may not turn as they were.
func beyond(has belay.Permission, before, after belay.OrganizationAccess) (names []string) {
	was := map[string]bool{}
	before.Each(func(name string, on bool) { was[name] = on })
	after.Each(func(name string, on bool) {
		if on != was[name] && (!has.Has(belay.ManageOrganizationAccess) || on && !has.Gives(belay.SwitchedOn(name).Permissions())) {
			names = append(names, name)
		}
	})
	return names
}

// Team is one team, to those who see it.
func (a *App) Team(ctx context.Context, s belay.Principal, id string) (view TeamView, err error) {
	err = a.db.View(ctx, func(v *store.View) error {
		t, access, err := gate.Team(v, s, id)
		if err != nil {
			return err
		}
		view, err = teamView(v, t, access)
		return err
	})
	return view, err
}

// Teams is the teams of an organization that the caller sees.
func (a *App) Teams(ctx context.Context, s belay.Principal, organization string, want belay.TeamQuery) (list []TeamView, total int, err error) {
	_, total, err = a.teams(ctx, s, organization, want, func(v *store.View, found []belay.Team, access belay.Access) error {
		list, err = teamViews(v, found, access)
		return err
	})
	return list, total, err
}

// TeamNames is Teams for those who want no more than what they are called.
func (a *App) TeamNames(ctx context.Context, s belay.Principal, organization string, want belay.TeamQuery) (list []belay.Team, total int, err error) {
	return a.teams(ctx, s, organization, want, func(*store.View, []belay.Team, belay.Access) error { return nil })
}

// Joinable is teams that the caller sees, and those of them, by id, that it may put people into.
type Joinable struct {
	Teams []belay.Team
	May   map[string]bool
}

// TeamsToJoin is TeamNames for who invites people. An owner puts them into any team: of others it is asked what the teams open.
func (a *App) TeamsToJoin(ctx context.Context, s belay.Principal, organization string, want belay.TeamQuery) (found Joinable, err error) {
	found.May = map[string]bool{}
	found.Teams, _, err = a.teams(ctx, s, organization, want, func(v *store.View, list []belay.Team, access belay.Access) error {
		every := access.Everywhere.Has(belay.ManageMembership.And(belay.ManageOwners, belay.GiveRights))
		if !every && access.Everywhere.Has(belay.ManageMembership) {
			if err := v.FillGrants(list, gate.Weighed(access)); err != nil {
				return err
			}
		}
		for i := range list {
			found.May[list[i].ID] = every || gate.MayManageMembers(access, list[i])
		}
		return nil
	})
	return found, err
}

// LevelsQuery is whose levels are asked for: of teams, and those that they have on a page of workspaces by themselves.
type LevelsQuery struct {
	belay.TeamQuery
	Workspaces belay.Page // of no size: none
	Named      string     // which have this in their names

	Known func(teams []string) // is told whose levels are read, before they are
}

// LevelsView is teams with the levels that they have, of their own on those workspaces that the caller reads.
type LevelsView struct {
	store.TeamLevels
	Teams []belay.Team
	Total int
}

// TeamLevels is Teams with their levels, and without who is in them.
func (a *App) TeamLevels(ctx context.Context, s belay.Principal, organization string, want LevelsQuery) (view LevelsView, err error) {
	view.Teams, view.Total, err = a.teams(ctx, s, organization, want.TeamQuery, func(v *store.View, list []belay.Team, access belay.Access) (err error) {
		ids := make([]string, len(list))
		for i := range list {
			ids[i] = list[i].ID
		}
		if want.Known != nil {
			want.Known(ids)
		}
		view.TeamLevels, err = v.TeamLevels(ids, store.OwnQuery{Page: want.Workspaces, Seen: access.Scope(belay.ReadWorkspace), Named: want.Named})
		return err
	})
	return view, err
}

// WorkspacesOfTeam is on how many workspaces a team has a level of its own, for those who see the team.
func (a *App) WorkspacesOfTeam(ctx context.Context, s belay.Principal, id string) (own int, err error) {
	err = a.db.View(ctx, func(v *store.View) error {
		t, _, err := gate.Team(v, s, id)
		if err != nil {
			return err
		}
		levels, err := v.TeamLevels([]string{t.ID}, store.OwnQuery{})
		own = levels.Own[t.ID]
		return err
	})
	return own, err
}

// teams reads what a query finds, and more of it with fill.
func (a *App) teams(ctx context.Context, s belay.Principal, organization string, want belay.TeamQuery, fill func(*store.View, []belay.Team, belay.Access) error) (list []belay.Team, total int, err error) {
	err = a.db.View(ctx, func(v *store.View) error {
		o, access, err := gate.Organization(v, s, organization, belay.Traverse)
		if err != nil {
			return err
		}
		want.Secret, want.MemberOf = access.Everywhere.Has(belay.AccessSecretTeams), access.TeamIDs()
		if list, total, err = v.Teams(o, want); err != nil {
			return err
		}
		return fill(v, list, access)
	})
	return list, total, err
}

// AnOwner is the username of the first owner of an organization, for who needs one; empty where the caller does not see the owners.
func (a *App) AnOwner(ctx context.Context, s belay.Principal, organization string) (username string, err error) {
	owners := belay.TeamQuery{Names: []string{belay.OwnersTeam}, Page: belay.Page{Number: 1, Size: 1}}
	_, _, err = a.teams(ctx, s, organization, owners, func(v *store.View, found []belay.Team, _ belay.Access) error {
		if len(found) == 0 {
			return nil
		}
		people, err := v.PeopleOf([]string{found[0].ID}, 1)
		for _, p := range people[found[0].ID] {
			username = p.Username
		}
		return err
	})
	return username, err
}

// UpdateTeam changes a team.
func (a *App) UpdateTeam(ctx context.Context, s belay.Principal, id string, p belay.TeamPatch) (view TeamView, err error) {
	err = a.db.Update(ctx, func(tx *store.Tx) error {
		t, access, err := gate.ManagedTeam(&tx.Locked, s, id, gate.MayManageTeam, belay.ErrNotFound)
		if err != nil {
			return err
		}
		before := t
		if err := changeTeam(&t, access, belay.GivenBy(s, tx.Now), p); err != nil {
			return err
		}
		if err := tx.SaveTeam(&t); err != nil {
			return err
		}
		if view, err = teamView(tx.Peek(), t, access); err != nil {
			return err
		}
		told := record.InOrganization(s, "team.updated", t.OrganizationID, "teams", t.ID, t.Name)
		return tx.Emit(record.Changing(told, store.TeamChanges(&before, &t)))
	})
	return view, err
}

// DeleteTeam deletes a team with its tokens. The owners team stays.
func (a *App) DeleteTeam(ctx context.Context, s belay.Principal, id string) error {
	return a.db.Update(ctx, func(tx *store.Tx) error {
		t, _, err := gate.ManagedTeam(tx.Seizing(), s, id, gate.MayManageTeam, belay.ErrNotFound)
		if err != nil {
			return err
		}
		if t.Owners() {
			return belay.Refuse(belay.Forbidden, "the owners team can't be deleted")
		}
		if err := tx.DropTeam(&t); err != nil {
			return err
		}
		return record.EmitOrganization(tx, s, "team.deleted", t.OrganizationID, "teams", t.ID, t.Name)
	})
}

// TeamsSeen is the teams of some ids that the caller sees, for documents that lead to them.
func (a *App) TeamsSeen(ctx context.Context, s belay.Principal, ids []string) (list []TeamView, err error) {
	err = a.teamsSeen(ctx, s, ids, func(v *store.View, found []belay.Team, access map[string]belay.Access) error {
		if list, err = teamViews(v, found, belay.Access{}); err != nil {
			return err
		}
		for i := range list {
			list[i].Access = access[list[i].OrganizationID]
		}
		return nil
	})
	return list, err
}

// TeamNamesSeen is what the teams of some ids are called that the caller sees, by id.
func (a *App) TeamNamesSeen(ctx context.Context, s belay.Principal, ids []string) (map[string]string, error) {
	names := make(map[string]string, len(ids))
	return names, a.teamsSeen(ctx, s, ids, func(_ *store.View, found []belay.Team, _ map[string]belay.Access) error {
		for i := range found {
			names[found[i].ID] = found[i].Name
		}
		return nil
	})
}

// teamsSeen finds the teams of some ids that the caller sees, and what it may in their organizations.
func (a *App) teamsSeen(ctx context.Context, s belay.Principal, ids []string, use func(*store.View, []belay.Team, map[string]belay.Access) error) error {
	if len(ids) == 0 {
		return nil
	}
	return a.db.View(ctx, func(v *store.View) error {
		found, err := v.TeamsByID(ids)
		if err != nil {
			return err
		}
		access, seen := map[string]belay.Access{}, found[:0]
		for i := range found {
			t := &found[i]
			if access[t.OrganizationID], err = gate.AccessIfTaken(v, s, t.Organization); err != nil {
				return err
			}
			if access[t.OrganizationID].OnTeam(*t) {
				seen = append(seen, *t)
			}
		}
		return use(v, seen, access)
	})
}
