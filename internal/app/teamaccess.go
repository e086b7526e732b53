package app

import (
	"context"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/record"
	"github.com/belayhq/belay/internal/store"
)

// teamFor hands out the team that is given access to something in an organization, to a
// caller who sees it.
func (a *App) teamFor(v *store.View, access belay.Access, organizationID, id string) (belay.Team, error) {
	t, err := v.Team(id)
	if err == nil && (t.OrganizationID != organizationID || !access.OnTeam(t)) {
		err = belay.ErrNotFound
	}
	return t, err
}

// mayGive lets those give access, change it or take it away who have it themselves.
func mayGive(can belay.Permission, given ...belay.Permission) error {
	var problems belay.Problems
	for _, rights := range given {
		if !can.Gives(rights) {
			problems.Attribute("access", "Access is more than you may give")
			break
		}
	}
	return problems.Err()
}

// shownTeams is the teams whose access is shown: all to those who manage it, and so take it away;
// else the caller's own.
func shownTeams(access belay.Access, manages bool) belay.TeamScope {
	return belay.TeamScope{Everything: manages, IDs: access.TeamIDs()}
}

// withoutName is a team in a list for those who manage access: one that they do not see has no name.
func withoutName(access belay.Access, t belay.Team) belay.Team {
	if !access.OnTeam(t) {
		t.Name = ""
	}
	return t
}

// GiveWorkspace gives a team access to a workspace.
func (a *App) GiveWorkspace(ctx context.Context, s belay.Principal, teamID, workspaceID string, p belay.TeamWorkspacePatch) (g belay.TeamWorkspace, err error) {
	err = a.db.Update(ctx, func(tx *store.Tx) error {
		w, access, err := gate.Workspace(tx.Peek(), s, belay.WorkspaceRef{ID: workspaceID}, belay.ManageWorkspaceTeams)
		if err != nil {
			return err
		}
		t, err := a.teamFor(tx.Peek(), access, w.OrganizationID, teamID)
		if err != nil {
			return err
		}
		g = belay.TeamWorkspace{
			ID: belay.NewID("tws"), OrganizationID: w.OrganizationID, TeamID: t.ID, WorkspaceID: w.ID, Workspace: w, Team: t,
		}
		if err := g.Apply(p); err != nil {
			return err
		}
		g.Given = belay.GivenBy(s, tx.Now)
		if err := mayGive(access.OnWorkspace(w.ID, w.ProjectID), g.Permissions()); err != nil {
			return err
		}
		if err := tx.AddTeamWorkspace(&g); err != nil {
			return err
		}
		return tx.Emit(ofTeamWorkspace(s, "team_workspace.created", &g))
	})
	return g, err
}

func ofTeamWorkspace(s belay.Principal, kind string, g *belay.TeamWorkspace) belay.Event {
	return record.InOrganization(s, kind, g.OrganizationID, "team-workspaces", g.ID, g.Team.Name+" "+g.Level+" "+g.Workspace.Name)
}

// teamWorkspace hands out the access of a team to a workspace, and what the principal may do there.
func (a *App) teamWorkspace(v store.Reader, s belay.Principal, id string, need belay.Permission) (belay.TeamWorkspace, belay.Permission, error) {
	g, err := v.TeamWorkspace(id)
	if err != nil {
		return g, belay.Permission{}, err
	}
	access, err := v.Access(s, g.Workspace.Organization)
	if err != nil {
		return g, belay.Permission{}, err
	}
	can := access.OnWorkspace(g.WorkspaceID, g.Workspace.ProjectID)
	if !can.Has(need.And(belay.ReadWorkspace)) || !can.Has(belay.ManageWorkspaceTeams) && !access.Teams[g.TeamID] {
		return g, belay.Permission{}, belay.ErrNotFound
	}
	return g, can, nil
}

// TeamWorkspace is the access of one team to one workspace.
func (a *App) TeamWorkspace(ctx context.Context, s belay.Principal, id string) (g belay.TeamWorkspace, err error) {
	err = a.db.View(ctx, func(v *store.View) error {
		g, _, err = a.teamWorkspace(v, s, id, belay.ReadWorkspace)
		return err
	})
	return g, err
}

// TeamWorkspaces is the access that teams have to a workspace.
func (a *App) TeamWorkspaces(ctx context.Context, s belay.Principal, workspaceID string, page belay.Page) (list []belay.TeamWorkspace, total int, err error) {
	err = a.db.View(ctx, func(v *store.View) error {
		w, access, err := gate.Workspace(v, s, belay.WorkspaceRef{ID: workspaceID}, belay.ReadWorkspace)
		if err != nil {
			return err
		}
		manages := access.OnWorkspace(w.ID, w.ProjectID).Has(belay.ManageWorkspaceTeams)
		list, total, err = v.TeamWorkspaces(w.ID, shownTeams(access, manages), page)
		for i := range list {
			list[i].Team = withoutName(access, list[i].Team)
		}
		return err
	})
	return list, total, err
}

// ChangeTeamWorkspace changes the access of a team to a workspace.
func (a *App) ChangeTeamWorkspace(ctx context.Context, s belay.Principal, id string, p belay.TeamWorkspacePatch) (g belay.TeamWorkspace, err error) {
	err = a.db.Update(ctx, func(tx *store.Tx) error {
		var can belay.Permission
		if g, can, err = a.teamWorkspace(&tx.Locked, s, id, belay.ManageWorkspaceTeams); err != nil {
			return err
		}
		before := g
		if err := g.Apply(p); err != nil {
			return err
		}
		if g.Level != before.Level || g.Custom != before.Custom {
			g.Given = belay.GivenBy(s, tx.Now)
		}
		if err := mayGive(can, before.Permissions(), g.Permissions()); err != nil {
			return err
		}
		if err := tx.SaveTeamWorkspace(&g); err != nil {
			return err
		}
		return tx.Emit(record.Changing(ofTeamWorkspace(s, "team_workspace.updated", &g), store.TeamWorkspaceChanges(&before, &g)))
	})
	return g, err
}

// TakeTeamWorkspace takes the access of a team to a workspace away.
func (a *App) TakeTeamWorkspace(ctx context.Context, s belay.Principal, id string) error {
	return a.db.Update(ctx, func(tx *store.Tx) error {
		g, can, err := a.teamWorkspace(&tx.Locked, s, id, belay.ManageWorkspaceTeams)
		if err != nil {
			return err
		}
		if err := mayGive(can, g.Permissions()); err != nil {
			return err
		}
		if err := tx.DropTeamWorkspace(&g); err != nil {
			return err
		}
		return tx.Emit(ofTeamWorkspace(s, "team_workspace.deleted", &g))
	})
}

// GiveProject gives a team access to a project and the workspaces in it.
func (a *App) GiveProject(ctx context.Context, s belay.Principal, teamID, projectID string, p belay.TeamProjectPatch) (g belay.TeamProject, err error) {
	err = a.db.Update(ctx, func(tx *store.Tx) error {
		project, access, err := gate.Project(tx.Peek(), s, projectID, belay.ManageProjectTeams)
		if err != nil {
			return err
		}
		t, err := a.teamFor(tx.Peek(), access, project.OrganizationID, teamID)
		if err != nil {
			return err
		}
		g = belay.TeamProject{
			ID: belay.NewID("tprj"), OrganizationID: project.OrganizationID, TeamID: t.ID, ProjectID: project.ID, Project: project, Team: t,
		}
		if err := g.Apply(p); err != nil {
			return err
		}
		g.Given = belay.GivenBy(s, tx.Now)
		if err := mayGive(access.OnProject(project.ID), g.Permissions()); err != nil {
			return err
		}
		if err := tx.AddTeamProject(&g); err != nil {
			return err
		}
		return tx.Emit(ofTeamProject(s, "team_project.created", &g))
	})
	return g, err
}

func ofTeamProject(s belay.Principal, kind string, g *belay.TeamProject) belay.Event {
	return record.InOrganization(s, kind, g.OrganizationID, "team-projects", g.ID, g.Team.Name+" "+g.Level+" "+g.ProjectID)
}

// teamProject hands out the access of a team to a project, and what the principal may do there.
func (a *App) teamProject(v store.Reader, s belay.Principal, id string, need belay.Permission) (belay.TeamProject, belay.Permission, error) {
	g, err := v.TeamProject(id)
	if err != nil {
		return g, belay.Permission{}, err
	}
	access, err := v.Access(s, g.Project.Organization)
	if err != nil {
		return g, belay.Permission{}, err
	}
	can := access.OnProject(g.ProjectID)
	shown := can.Has(belay.ManageProjectTeams) || can.Has(belay.ReadProjectTeams) && access.OnTeam(g.Team)
	if !can.Has(need.And(belay.ReadProject)) || !shown && !access.Teams[g.TeamID] {
		return g, belay.Permission{}, belay.ErrNotFound
	}
	return g, can, nil
}

// TeamProject is the access of one team to one project.
func (a *App) TeamProject(ctx context.Context, s belay.Principal, id string) (g belay.TeamProject, err error) {
	err = a.db.View(ctx, func(v *store.View) error {
		g, _, err = a.teamProject(v, s, id, belay.ReadProject)
		return err
	})
	return g, err
}

// TeamProjects is the access that teams have to a project.
func (a *App) TeamProjects(ctx context.Context, s belay.Principal, projectID string, page belay.Page) (list []belay.TeamProject, total int, err error) {
	err = a.db.View(ctx, func(v *store.View) error {
		p, access, err := gate.Project(v, s, projectID, belay.ReadProject)
		if err != nil {
			return err
		}
		can := access.OnProject(p.ID)
		shown := shownTeams(access, can.Has(belay.ManageProjectTeams))
		if !shown.Everything && can.Has(belay.ReadProjectTeams) {
			shown = access.TeamScope()
		}
		list, total, err = v.TeamProjects(p.ID, shown, page)
		for i := range list {
			list[i].Team = withoutName(access, list[i].Team)
		}
		return err
	})
	return list, total, err
}

// ChangeTeamProject changes the access of a team to a project.
func (a *App) ChangeTeamProject(ctx context.Context, s belay.Principal, id string, p belay.TeamProjectPatch) (g belay.TeamProject, err error) {
	err = a.db.Update(ctx, func(tx *store.Tx) error {
		var can belay.Permission
		if g, can, err = a.teamProject(&tx.Locked, s, id, belay.ManageProjectTeams); err != nil {
			return err
		}
		before := g
		if err := g.Apply(p); err != nil {
			return err
		}
		if g.Level != before.Level || g.Custom != before.Custom {
			g.Given = belay.GivenBy(s, tx.Now)
		}
		if err := mayGive(can, before.Permissions(), g.Permissions()); err != nil {
			return err
		}
		if err := tx.SaveTeamProject(&g); err != nil {
			return err
		}
		return tx.Emit(record.Changing(ofTeamProject(s, "team_project.updated", &g), store.TeamProjectChanges(&before, &g)))
	})
	return g, err
}

// TakeTeamProject takes the access of a team to a project away.
func (a *App) TakeTeamProject(ctx context.Context, s belay.Principal, id string) error {
	return a.db.Update(ctx, func(tx *store.Tx) error {
		g, can, err := a.teamProject(&tx.Locked, s, id, belay.ManageProjectTeams)
		if err != nil {
			return err
		}
		if err := mayGive(can, g.Permissions()); err != nil {
			return err
		}
		if err := tx.DropTeamProject(&g); err != nil {
			return err
		}
		return tx.Emit(ofTeamProject(s, "team_project.deleted", &g))
	})
}
