package core

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/base"
)

// Projects is the columns of a project.
var Projects = sqldb.NewTable(sqldb.Table[belay.Project]{
	Name: "projects",
	Hold: "p",
	From: "projects p JOIN organizations o ON o.id = p.organization_id",
	Own: []sqldb.Column[belay.Project]{
		{Name: "id", At: func(p *belay.Project) any { return &p.ID }},
		{Name: "organization_id", At: func(p *belay.Project) any { return &p.OrganizationID }},
		{Name: "name", At: func(p *belay.Project) any { return &p.Name }},
		{Name: "description", At: func(p *belay.Project) any { return &p.Description }},
		{Name: "auto_destroy_activity_duration", At: func(p *belay.Project) any { return &p.AutoDestroyActivityDuration }},
		{Name: "owns_execution", At: func(p *belay.Project) any { return &p.OwnsExecution }},
		{Name: "default_execution_mode", At: func(p *belay.Project) any { return &p.DefaultExecutionMode }},
		{Name: "default_agent_pool_id", At: func(p *belay.Project) any { return &p.DefaultAgentPoolID }},
		{Name: "created_at", At: func(p *belay.Project) any { return sqldb.Millis(&p.CreatedAt) }},
	},
	Joined: []sqldb.Column[belay.Project]{
		{Name: base.CountedIn("p"), At: func(p *belay.Project) any { return &p.WorkspaceCount }},
		{Name: "(SELECT count(*) FROM team_projects c WHERE c.project_id = p.id)", At: func(p *belay.Project) any { return &p.TeamCount }},
		{Name: "o.id", At: func(p *belay.Project) any { return &p.Organization.ID }},
		{Name: "o.name", At: func(p *belay.Project) any { return &p.Organization.Name }},
		{Name: "o.default_execution_mode", At: func(p *belay.Project) any { return &p.Organization.DefaultExecutionMode }},
		{Name: "o.default_agent_pool_id", At: func(p *belay.Project) any { return &p.Organization.DefaultAgentPoolID }},
		{Name: "o.default_project_id", At: func(p *belay.Project) any { return &p.Organization.DefaultProjectID }},
		{Name: "o.access_generation", At: func(p *belay.Project) any { return &p.Organization.AccessGeneration }},
		{Name: "o.user_tokens_enabled", At: func(p *belay.Project) any { return &p.Organization.UserTokensEnabled }},
	},
})

// Project is one project.
func (v *View) Project(id string) (belay.Project, error) {
	return Once(v, projectKey(id), func() (belay.Project, error) { return Projects.One(v, "p.id = ?", id) })
}

// ProjectsByID is many projects, in no order.
func (v *View) ProjectsByID(ids []string) ([]belay.Project, error) {
	return Projects.Many(v, v.SQL(Projects.Selected).Add("WHERE p.id").In("", ids))
}

// AddProject writes a new project.
func (tx *Tx) AddProject(p *belay.Project) error { return Projects.Insert(tx, p, base.NameTaken) }

// SaveProject writes a project.
func (tx *Tx) SaveProject(p *belay.Project) error {
	if err := Projects.Update(tx, p, base.NameTaken); err != nil {
		return err
	}
	tx.MoveFacts(p.OrganizationID)
	return nil
}

// DropProject deletes a project. It must hold no workspace.
func (tx *Tx) DropProject(p *belay.Project) error {
	if err := tx.Do("DELETE FROM varsets WHERE project_id <> '' AND project_id = ?", p.ID); err != nil {
		return err
	}
	if err := tx.Do("DELETE FROM projects WHERE id = ?", p.ID); err != nil {
		return err
	}
	tx.MoveAccessGeneration(p.OrganizationID)
	return nil
}

// GivesConnected says whether a workspace with a repository takes its execution mode from a project.
func (v *View) GivesConnected(projectID string) (bool, error) {
	_, found, err := sqldb.Value[int](v, v.SQL("SELECT 1 FROM workspaces w WHERE w.project_id = ? AND w.vcs_token_id <> '' AND NOT w.owns_execution LIMIT 1", projectID))
	return found, err
}
