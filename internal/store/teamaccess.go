package store

import "github.com/belayhq/belay"

var teamWorkspaceTaken = belay.Problems{{
	Kind: belay.Invalid, Title: "invalid attribute", Detail: "Team has already been given access to this workspace", Place: belay.Related("team"),
}}

var teamProjectTaken = belay.Problems{{
	Kind: belay.Invalid, Title: "invalid attribute", Detail: "Team has already been given access to this project", Place: belay.Related("team"),
}}

var teamWorkspaces = newTable(table[belay.TeamWorkspace]{
	name: "team_workspaces",
	hold: "g",
	from: `team_workspaces g JOIN teams t ON t.id = g.team_id JOIN workspaces w ON w.id = g.workspace_id
		JOIN organizations o ON o.id = g.organization_id`,
	own: []column[belay.TeamWorkspace]{
		{"id", func(g *belay.TeamWorkspace) any { return &g.ID }},
		{"organization_id", func(g *belay.TeamWorkspace) any { return &g.OrganizationID }},
		{"team_id", func(g *belay.TeamWorkspace) any { return &g.TeamID }},
		{"workspace_id", func(g *belay.TeamWorkspace) any { return &g.WorkspaceID }},
		{"access", func(g *belay.TeamWorkspace) any { return &g.Level }},
		{"custom", func(g *belay.TeamWorkspace) any { return jsonText[belay.WorkspaceAccess]{&g.Custom} }},
	},
	joined: []column[belay.TeamWorkspace]{
		{"t.name", func(g *belay.TeamWorkspace) any { return &g.Team.Name }},
		{"t.id", func(g *belay.TeamWorkspace) any { return &g.Team.ID }},
		{"t.visibility", func(g *belay.TeamWorkspace) any { return &g.Team.Visibility }},
		{"w.id", func(g *belay.TeamWorkspace) any { return &g.Workspace.ID }},
		{"w.name", func(g *belay.TeamWorkspace) any { return &g.Workspace.Name }},
		{"w.project_id", func(g *belay.TeamWorkspace) any { return &g.Workspace.ProjectID }},
		{"o.id", func(g *belay.TeamWorkspace) any { return &g.Workspace.Organization.ID }},
		{"o.name", func(g *belay.TeamWorkspace) any { return &g.Workspace.Organization.Name }},
		{"o.access_generation", func(g *belay.TeamWorkspace) any { return &g.Workspace.Organization.AccessGeneration }},
		{"o.user_tokens_enabled", func(g *belay.TeamWorkspace) any { return &g.Workspace.Organization.UserTokensEnabled }},
	},
})

var teamProjects = newTable(table[belay.TeamProject]{
	name: "team_projects",
	hold: "g",
	from: `team_projects g JOIN teams t ON t.id = g.team_id JOIN projects p ON p.id = g.project_id
		JOIN organizations o ON o.id = g.organization_id`,
	own: []column[belay.TeamProject]{
		{"id", func(g *belay.TeamProject) any { return &g.ID }},
		{"organization_id", func(g *belay.TeamProject) any { return &g.OrganizationID }},
		{"team_id", func(g *belay.TeamProject) any { return &g.TeamID }},
		{"project_id", func(g *belay.TeamProject) any { return &g.ProjectID }},
		{"access", func(g *belay.TeamProject) any { return &g.Level }},
		{"custom", func(g *belay.TeamProject) any { return jsonText[belay.ProjectAccess]{&g.Custom} }},
	},
	joined: []column[belay.TeamProject]{
		{"t.name", func(g *belay.TeamProject) any { return &g.Team.Name }},
		{"t.id", func(g *belay.TeamProject) any { return &g.Team.ID }},
		{"t.visibility", func(g *belay.TeamProject) any { return &g.Team.Visibility }},
		{"p.id", func(g *belay.TeamProject) any { return &g.Project.ID }},
		{"o.id", func(g *belay.TeamProject) any { return &g.Project.Organization.ID }},
		{"o.name", func(g *belay.TeamProject) any { return &g.Project.Organization.Name }},
		{"o.access_generation", func(g *belay.TeamProject) any { return &g.Project.Organization.AccessGeneration }},
		{"o.user_tokens_enabled", func(g *belay.TeamProject) any { return &g.Project.Organization.UserTokensEnabled }},
	},
})

// TeamWorkspace is the access of one team to one workspace, by its id.
func (v *View) TeamWorkspace(id string) (belay.TeamWorkspace, error) {
	return teamWorkspaces.one(v, "g.id = ?", id)
}

// TeamWorkspaces is one page of the access that teams have to a workspace, by name of the
// team.
func (v *View) TeamWorkspaces(workspaceID string, only belay.TeamScope, page belay.Page) ([]belay.TeamWorkspace, int, error) {
	return grantsPage(v, teamWorkspaces, "g.workspace_id = ?", workspaceID, only, page)
}

// grantsPage is one page of grants on one thing, by name of the team.
func grantsPage[N any](v *View, t *table[N], condition text, id string, only belay.TeamScope, page belay.Page) ([]N, int, error) {
	where := func(begin text) *query {
		q := v.sql(begin+"WHERE "+condition, id)
		if !only.Everything {
			q.in(" AND (g.team_id", only.IDs)
			if only.Visible {
				q.add(" OR EXISTS (SELECT 1 FROM teams seen WHERE seen.id = g.team_id AND seen.visibility = ?)", belay.VisibleTeam)
			}
			q.add(")")
		}
		return q
	}
	total, _, err := value[int](v, where("SELECT count(*) FROM "+t.name+" g "))
	if err != nil || total == 0 {
		return nil, 0, err
	}
	list, err := t.many(v, where(t.selected).add(" ORDER BY t.name, g.id").page(page))
	return list, total, err
}

// AddTeamWorkspace writes the access of a team to a workspace.
func (tx *Tx) AddTeamWorkspace(g *belay.TeamWorkspace) error {
	if err := teamWorkspaces.insert(tx, g, teamWorkspaceTaken); err != nil {
		return err
	}
	tx.moveAccessGeneration(g.OrganizationID)
	return nil
}

// SaveTeamWorkspace writes a changed access.
func (tx *Tx) SaveTeamWorkspace(g *belay.TeamWorkspace) error {
	if err := teamWorkspaces.update(tx, g, nil); err != nil {
		return err
	}
	tx.moveAccessGeneration(g.OrganizationID)
	return nil
}

// DropTeamWorkspace takes the access away.
func (tx *Tx) DropTeamWorkspace(g *belay.TeamWorkspace) error {
	if err := tx.do("DELETE FROM team_workspaces WHERE id = ?", g.ID); err != nil {
		return err
	}
	tx.moveAccessGeneration(g.OrganizationID)
	return nil
}

// TeamProject is the access of one team to one project, by its id.
func (v *View) TeamProject(id string) (belay.TeamProject, error) {
	return teamProjects.one(v, "g.id = ?", id)
}

// TeamProjects is one page of the access that teams have to a project, by name of the
// team.
func (v *View) TeamProjects(projectID string, only belay.TeamScope, page belay.Page) ([]belay.TeamProject, int, error) {
	return grantsPage(v, teamProjects, "g.project_id = ?", projectID, only, page)
}

// AddTeamProject writes the access of a team to a project.
func (tx *Tx) AddTeamProject(g *belay.TeamProject) error {
	if err := teamProjects.insert(tx, g, teamProjectTaken); err != nil {
		return err
	}
	tx.moveAccessGeneration(g.OrganizationID)
	return nil
}

// SaveTeamProject writes a changed access.
func (tx *Tx) SaveTeamProject(g *belay.TeamProject) error {
	if err := teamProjects.update(tx, g, nil); err != nil {
		return err
	}
	tx.moveAccessGeneration(g.OrganizationID)
	return nil
}

// DropTeamProject takes the access away.
func (tx *Tx) DropTeamProject(g *belay.TeamProject) error {
	if err := tx.do("DELETE FROM team_projects WHERE id = ?", g.ID); err != nil {
		return err
	}
	tx.moveAccessGeneration(g.OrganizationID)
	return nil
}
