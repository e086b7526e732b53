package app

import (
	"context"
	"slices"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/identity"
	"github.com/belayhq/belay/internal/store"
)

// WhyQuery is a question about somebody's right.
type WhyQuery struct {
	Organization, Right string
	User, Team          string // by name; both: the team where there is no such user
	Workspace, Project  string // by name; both: the project where there is no such workspace
}

// Reasons is why somebody may do something with a workspace, or why not.
type Reasons struct {
	User      belay.User
	Team      belay.Team // in place of a user: what the team itself may
	Workspace belay.Workspace
	Project   belay.Project // in place of a workspace: all that is in it, without what single ones are given
	May       bool
	SiteAdmin bool // who may do everything everywhere
	Member    bool // of the organization, and come in
	Ways      []belay.Way
	Others    []belay.Way // that lead to the workspace, and do not open the right
}

// Why says by which ways a user comes to a right over a workspace, or a team, or over all of a project: to those who see every
// member of the organization, and to everybody about themselves. Whoever is no member is unknown,
// whether the site has somebody of that name or not. Teams that the caller does not see have no
// name, and may not be asked about.
func (a *App) Why(ctx context.Context, s belay.Principal, want WhyQuery) (r Reasons, err error) {
	need, known := belay.RightNamed(want.Right)
	if !known {
		return r, belay.Refuse(belay.Invalid, "there is no right called %q", want.Right)
	}
	err = a.db.View(ctx, func(v *store.View) error {
		o, access, err := gate.Organization(v, s, want.Organization, belay.Traverse)
		if err != nil {
			return err
		}
		if err := r.findWho(v, s, o, access, &want); err != nil {
			return err
		}
		if err := r.findWhere(v, s, o, access, &want); err != nil {
			return err
		}
		return r.find(v, o, access, need)
	})
	if err != nil {
		return Reasons{}, err
	}
	return r, nil
}

// findWho finds the user whom a question is about, or the team: those who see every member may ask about the teams that they
// see, and everybody about their own.
func (r *Reasons) findWho(v *store.View, s belay.Principal, o belay.Organization, access belay.Access, want *WhyQuery) (err error) {
	err = belay.ErrNotFound
	if want.User != "" {
		if r.User, err = v.UserNamed(want.User); err == nil {
			err = mayAskAbout(v, s, o, access, &r.User)
		}
	}
	if want.Team == "" || belay.KindOf(err) != belay.NotFound {
		return err
	}
	list, _, err := v.Teams(o, belay.TeamQuery{
		Names: []string{want.Team}, Secret: access.Everywhere.Has(belay.AccessSecretTeams), MemberOf: access.TeamIDs(), Page: belay.Page{Number: 1, Size: 1},
	})
	if err != nil {
		return err
	}
	if len(list) == 0 || !access.Everywhere.Has(belay.ReadEveryMember) && !slices.Contains(access.TeamIDs(), list[0].ID) {
		return belay.ErrNotFound
	}
	r.User, r.Team = belay.User{}, list[0]
	return nil
}

// findWhere finds the workspace that a question is about, or the project.
func (r *Reasons) findWhere(v *store.View, s belay.Principal, o belay.Organization, access belay.Access, want *WhyQuery) (err error) {
	err = belay.ErrNotFound
	if want.Workspace != "" {
		r.Workspace, _, err = gate.Workspace(v, s, belay.WorkspaceRef{Organization: o.Name, Name: want.Workspace}, belay.Permission{})
	}
	if want.Project == "" || belay.KindOf(err) != belay.NotFound {
		return err
	}
	list, _, err := v.Projects(o, belay.ProjectQuery{Names: []string{want.Project}, Scope: access.Scope(belay.ReadProject), Page: belay.Page{Number: 1, Size: 1}})
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return belay.ErrNotFound
	}
	r.Project, r.Workspace = list[0], belay.Workspace{OrganizationID: o.ID, ProjectID: list[0].ID}
	return nil
}

// mayAskAbout lets everybody ask about themselves, site admins about everybody, and those who see
// every member about the members.
func mayAskAbout(v *store.View, s belay.Principal, o belay.Organization, access belay.Access, u *belay.User) error {
	if s.SiteAdmin || s.Kind == belay.UserPrincipal && u.ID == s.ID {
		return nil
	}
	member, err := v.InOrganization(o.ID, u.ID)
	if err == nil && !(member && access.Everywhere.Has(belay.ReadEveryMember)) {
		err = belay.ErrNotFound
	}
	return err
}

// find asks every grant of the user by itself, or of the team.
func (r *Reasons) find(v *store.View, o belay.Organization, access belay.Access, need belay.Permission) error {
	if r.Team.ID != "" {
		teams := []belay.Team{r.Team}
		if err := v.FillGrants(teams, belay.Scope{Workspaces: []string{r.Workspace.ID}}); err != nil {
			return err
		}
		r.Member = true
		r.ask(teams, nil, access, need)
		r.May = len(r.Ways) > 0
		return nil
	}
	whose := identity.PrincipalOf(r.User)
	theirs, err := v.Access(whose, o)
	if err != nil {
		return err
	}
	r.May = !r.User.Suspended && theirs.OnWorkspace(r.Workspace.ID, r.Workspace.ProjectID).Has(need)
	r.SiteAdmin, r.Member = r.User.IsAdmin, theirs.Everywhere.Has(belay.Traverse)
	teams, err := v.TeamsByID(theirs.TeamIDs())
	if err != nil || len(teams) == 0 {
		return err
	}
	if err := v.FillGrants(teams, belay.Scope{Workspaces: []string{r.Workspace.ID}}); err != nil {
		return err
	}
	places, err := v.TeamsOfMembers([]string{o.ID}, []string{r.User.ID})
	if err != nil {
		return err
	}
	place := make(map[string]belay.TeamMember, len(places))
	for i := range places {
		place[places[i].TeamID] = places[i]
	}
	r.ask(teams, place, access, need)
	return nil
}

// ask tells the grants of teams that open a right from those that don't.
func (r *Reasons) ask(teams []belay.Team, place map[string]belay.TeamMember, access belay.Access, need belay.Permission) {
	for _, t := range teams {
		shown := belay.Team{}
		if access.OnTeam(t) {
			shown = belay.Team{ID: t.ID, Name: t.Name}
		}
		for _, g := range t.Grants {
			switch {
			case g.Opens(need, &r.Workspace):
				r.Ways = append(r.Ways, belay.Way{Team: shown, Grant: g, Place: place[t.ID]})
			case g.Reaches(&r.Workspace):
				r.Others = append(r.Others, belay.Way{Team: shown, Grant: g, Place: place[t.ID]})
			}
		}
	}
}

// Askable is one of whom and what Why may be asked about.
type Askable = store.Askable

// Askable is whom and what Why may be asked about: the first people of an organization, with those of some teams that they
// are in, and its first workspaces, as far as the caller sees them; at most so many of both.
func (a *App) Askable(ctx context.Context, s belay.Principal, organization string, teams []string, most int) (list []Askable, err error) {
	err = a.db.View(ctx, func(v *store.View) error {
		o, access, err := gate.Organization(v, s, organization, belay.Traverse)
		if err != nil {
			return err
		}
		list, err = v.Askable(o, onlyMember(s, access), teams, access.Scope(belay.ReadWorkspace), most)
		return err
	})
	return list, err
}
