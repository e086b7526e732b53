package people

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
)

var teamWorkspaceTaken = belay.Problems{{
	Kind: belay.Invalid, Title: "invalid attribute", Detail: "Team has already been given access to this workspace", Place: belay.Related("team"),
}}

var teamProjectTaken = belay.Problems{{
	Kind: belay.Invalid, Title: "invalid attribute", Detail: "Team has already been given access to this project", Place: belay.Related("team"),
}}

var teamWorkspaces = sqldb.NewTable(sqldb.Table[belay.TeamWorkspace]{
	Name: "team_workspaces",
	Hold: "g",
	From: `team_workspaces g JOIN teams t ON t.id = g.team_id JOIN workspaces w ON w.id = g.workspace_id
		JOIN organizations o ON o.id = g.organization_id`,
	Own: []sqldb.Column[belay.TeamWorkspace]{
		{Name: "id", At: func(g *belay.TeamWorkspace) any { return &g.ID }},
		{Name: "organization_id", At: func(g *belay.TeamWorkspace) any { return &g.OrganizationID }},
		{Name: "team_id", At: func(g *belay.TeamWorkspace) any { return &g.TeamID }},
		{Name: "workspace_id", At: func(g *belay.TeamWorkspace) any { return &g.WorkspaceID }},
		{Name: "access", At: func(g *belay.TeamWorkspace) any { return &g.Level }},
		{Name: "custom", At: func(g *belay.TeamWorkspace) any { return sqldb.JSON(&g.Custom) }},
		{Name: "given_at", At: func(g *belay.TeamWorkspace) any { return sqldb.Millis(&g.Given.At) }},
		{Name: "given_by", At: func(g *belay.TeamWorkspace) any { return &g.Given.By }},
	},
	Joined: []sqldb.Column[belay.TeamWorkspace]{
		{Name: "t.name", At: func(g *belay.TeamWorkspace) any { return &g.Team.Name }},
		{Name: "t.id", At: func(g *belay.TeamWorkspace) any { return &g.Team.ID }},
		{Name: "t.visibility", At: func(g *belay.TeamWorkspace) any { return &g.Team.Visibility }},
		{Name: "w.id", At: func(g *belay.TeamWorkspace) any { return &g.Workspace.ID }},
		{Name: "w.name", At: func(g *belay.TeamWorkspace) any { return &g.Workspace.Name }},
		{Name: "w.project_id", At: func(g *belay.TeamWorkspace) any { return &g.Workspace.ProjectID }},
		{Name: "o.id", At: func(g *belay.TeamWorkspace) any { return &g.Workspace.Organization.ID }},
		{Name: "o.name", At: func(g *belay.TeamWorkspace) any { return &g.Workspace.Organization.Name }},
		{Name: "o.access_generation", At: func(g *belay.TeamWorkspace) any { return &g.Workspace.Organization.AccessGeneration }},
		{Name: "o.user_tokens_enabled", At: func(g *belay.TeamWorkspace) any { return &g.Workspace.Organization.UserTokensEnabled }},
	},
})

var teamProjects = sqldb.NewTable(sqldb.Table[belay.TeamProject]{
	Name: "team_projects",
	Hold: "g",
	From: `team_projects g JOIN teams t ON t.id = g.team_id JOIN projects p ON p.id = g.project_id
		JOIN organizations o ON o.id = g.organization_id`,
	Own: []sqldb.Column[belay.TeamProject]{
		{Name: "id", At: func(g *belay.TeamProject) any { return &g.ID }},
		{Name: "organization_id", At: func(g *belay.TeamProject) any { return &g.OrganizationID }},
		{Name: "team_id", At: func(g *belay.TeamProject) any { return &g.TeamID }},
		{Name: "project_id", At: func(g *belay.TeamProject) any { return &g.ProjectID }},
		{Name: "access", At: func(g *belay.TeamProject) any { return &g.Level }},
		{Name: "custom", At: func(g *belay.TeamProject) any { return sqldb.JSON(&g.Custom) }},
		{Name: "given_at", At: func(g *belay.TeamProject) any { return sqldb.Millis(&g.Given.At) }},
		{Name: "given_by", At: func(g *belay.TeamProject) any { return &g.Given.By }},
	},
	Joined: []sqldb.Column[belay.TeamProject]{
		{Name: "t.name", At: func(g *belay.TeamProject) any { return &g.Team.Name }},
		{Name: "t.id", At: func(g *belay.TeamProject) any { return &g.Team.ID }},
		{Name: "t.visibility", At: func(g *belay.TeamProject) any { return &g.Team.Visibility }},
		{Name: "p.id", At: func(g *belay.TeamProject) any { return &g.Project.ID }},
		{Name: "o.id", At: func(g *belay.TeamProject) any { return &g.Project.Organization.ID }},
		{Name: "o.name", At: func(g *belay.TeamProject) any { return &g.Project.Organization.Name }},
		{Name: "o.access_generation", At: func(g *belay.TeamProject) any { return &g.Project.Organization.AccessGeneration }},
		{Name: "o.user_tokens_enabled", At: func(g *belay.TeamProject) any { return &g.Project.Organization.UserTokensEnabled }},
	},
})

// TeamWorkspace is the access of one team to one workspace, by its id.
func (v *View) TeamWorkspace(id string) (belay.TeamWorkspace, error) {
	return teamWorkspaces.One(v, "g.id = ?", id)
}

// TeamWorkspaces is one page of the access that teams have to a workspace, by name of the
// team.
func (v *View) TeamWorkspaces(workspaceID string, only belay.TeamScope, page belay.Page) ([]belay.TeamWorkspace, int, error) {
	return grantsPage(v, teamWorkspaces, "g.workspace_id = ?", workspaceID, only, page)
}

// grantsPage is one page of grants on one thing, by name of the team.
func grantsPage[N any](v *View, t *sqldb.Table[N], condition sqldb.Text, id string, only belay.TeamScope, page belay.Page) ([]N, int, error) {
	where := func(begin sqldb.Text) *sqldb.Query {
		q := v.SQL(begin+"WHERE "+condition, id)
		if !only.Everything {
			q.In(" AND (g.team_id", only.IDs)
			if only.Visible {
				q.Add(" OR EXISTS (SELECT 1 FROM teams seen WHERE seen.id = g.team_id AND seen.visibility = ?)", belay.VisibleTeam)
			}
			q.Add(")")
		}
		return q
	}
	list, err := t.Many(v, where(t.Selected).Add(" ORDER BY t.name, g.id").Page(page))
	return sqldb.Counted(v, list, err, page, func() *sqldb.Query { return where("SELECT count(*) FROM " + t.Name + " g ") })
}

// AddTeamWorkspace writes the access of a team to a workspace.
func (tx *Tx) AddTeamWorkspace(g *belay.TeamWorkspace) error {
	if err := teamWorkspaces.Insert(tx, g, teamWorkspaceTaken); err != nil {
		return err
	}
	tx.MoveAccessGeneration(g.OrganizationID)
	return nil
}

// SaveTeamWorkspace writes a changed access.
func (tx *Tx) SaveTeamWorkspace(g *belay.TeamWorkspace) error {
	if err := teamWorkspaces.Update(tx, g, nil); err != nil {
		return err
	}
	tx.MoveAccessGeneration(g.OrganizationID)
	return nil
}

// DropTeamWorkspace takes the access away.
func (tx *Tx) DropTeamWorkspace(g *belay.TeamWorkspace) error {
	if err := tx.Do("DELETE FROM team_workspaces WHERE id = ?", g.ID); err != nil {
		return err
	}
	tx.MoveAccessGeneration(g.OrganizationID)
	return nil
}

// TeamProject is the access of one team to one project, by its id.
func (v *View) TeamProject(id string) (belay.TeamProject, error) {
	return teamProjects.One(v, "g.id = ?", id)
}

// TeamProjects is one page of the access that teams have to a project, by name of the
// team.
func (v *View) TeamProjects(projectID string, only belay.TeamScope, page belay.Page) ([]belay.TeamProject, int, error) {
	return grantsPage(v, teamProjects, "g.project_id = ?", projectID, only, page)
}

// AddTeamProject writes the access of a team to a project.
func (tx *Tx) AddTeamProject(g *belay.TeamProject) error {
	if err := teamProjects.Insert(tx, g, teamProjectTaken); err != nil {
		return err
	}
	tx.MoveAccessGeneration(g.OrganizationID)
	return nil
}

// SaveTeamProject writes a changed access.
func (tx *Tx) SaveTeamProject(g *belay.TeamProject) error {
	if err := teamProjects.Update(tx, g, nil); err != nil {
		return err
	}
	tx.MoveAccessGeneration(g.OrganizationID)
	return nil
}

// DropTeamProject takes the access away.
func (tx *Tx) DropTeamProject(g *belay.TeamProject) error {
	if err := tx.Do("DELETE FROM team_projects WHERE id = ?", g.ID); err != nil {
		return err
	}
	tx.MoveAccessGeneration(g.OrganizationID)
	return nil
}
