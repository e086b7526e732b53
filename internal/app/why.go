package app

import (
	"context"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/identity"
	"github.com/belayhq/belay/internal/store"
)

// Reasons is why somebody may do something with a workspace, or why not.
type Reasons struct {
	User      belay.User
	Workspace belay.Workspace
	May       bool
	SiteAdmin bool // who may do everything everywhere
	Member    bool // of the organization, and come in
	Ways      []belay.Way
	Others    []belay.Way // that lead to the workspace, and do not open the right
}

// Why says by which ways a user comes to a right over a workspace: to those who see every
// member of the organization, and to everybody about themselves. Whoever is no member is unknown,
// whether the site has somebody of that name or not. Teams that the caller does not see have no
// name.
func (a *App) Why(ctx context.Context, s belay.Principal, organization, username, right string, ref belay.WorkspaceRef) (r Reasons, err error) {
	need, known := belay.RightNamed(right)
	if !known {
		return r, belay.Refuse(belay.Invalid, "there is no right called %q", right)
	}
	err = a.db.View(ctx, func(v *store.View) error {
		o, access, err := gate.Organization(v, s, organization, belay.Traverse)
		if err != nil {
			return err
		}
		if r.User, err = v.UserNamed(username); err != nil {
			return err
		}
		if err := mayAskAbout(v, s, o, access, &r.User); err != nil {
			return err
		}
		ref.Organization = o.Name
		if r.Workspace, _, err = gate.Workspace(v, s, ref, belay.Permission{}); err != nil {
			return err
		}
		return r.find(v, o, access, need)
	})
	if err != nil {
		return Reasons{}, err
	}
	return r, nil
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

// find asks every grant of the user by itself.
func (r *Reasons) find(v *store.View, o belay.Organization, access belay.Access, need belay.Permission) error {
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
	if err := v.FillGrants(teams); err != nil {
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
	return nil
}
