package store

import "github.com/belayhq/belay"

var projects = newTable(table[belay.Project]{
	name: "projects",
	hold: "p",
	from: "projects p JOIN organizations o ON o.id = p.organization_id",
	own: []column[belay.Project]{
		{"id", func(p *belay.Project) any { return &p.ID }},
		{"organization_id", func(p *belay.Project) any { return &p.OrganizationID }},
		{"name", func(p *belay.Project) any { return &p.Name }},
		{"description", func(p *belay.Project) any { return &p.Description }},
		{"auto_destroy_activity_duration", func(p *belay.Project) any { return &p.AutoDestroyActivityDuration }},
		{"owns_execution", func(p *belay.Project) any { return &p.OwnsExecution }},
		{"default_execution_mode", func(p *belay.Project) any { return &p.DefaultExecutionMode }},
		{"default_agent_pool_id", func(p *belay.Project) any { return &p.DefaultAgentPoolID }},
		{"created_at", func(p *belay.Project) any { return millis{&p.CreatedAt} }},
	},
	joined: []column[belay.Project]{
		{"p.workspace_count", func(p *belay.Project) any { return &p.WorkspaceCount }},
		{"(SELECT count(*) FROM team_projects c WHERE c.project_id = p.id)", func(p *belay.Project) any { return &p.TeamCount }},
		{"o.id", func(p *belay.Project) any { return &p.Organization.ID }},
		{"o.name", func(p *belay.Project) any { return &p.Organization.Name }},
		{"o.default_execution_mode", func(p *belay.Project) any { return &p.Organization.DefaultExecutionMode }},
		{"o.default_agent_pool_id", func(p *belay.Project) any { return &p.Organization.DefaultAgentPoolID }},
		{"o.default_project_id", func(p *belay.Project) any { return &p.Organization.DefaultProjectID }},
		{"o.access_generation", func(p *belay.Project) any { return &p.Organization.AccessGeneration }},
		{"o.user_tokens_enabled", func(p *belay.Project) any { return &p.Organization.UserTokensEnabled }},
	},
})

// Project is one project.
func (v *View) Project(id string) (belay.Project, error) { return projects.one(v, "p.id = ?", id) }

// ProjectsByID is many projects, in no order.
func (v *View) ProjectsByID(ids []string) ([]belay.Project, error) {
	return projects.many(v, v.sql(projects.selected).add("WHERE p.id").in("", ids))
}

// Projects is one page of an organization's projects, by name.
func (v *View) Projects(o belay.Organization, want belay.ProjectQuery) ([]belay.Project, int, error) {
	q := v.projectsWhere(projects.selected+"WHERE ", o, want)
	if want.Descending {
		q.add(" ORDER BY p.name DESC")
	} else {
		q.add(" ORDER BY p.name")
	}
	q.page(want.Page)
	list, err := projects.many(v, q)
	if err != nil || want.Page.Number == 1 && len(list) < want.Page.Size { // which tells the total
		return list, len(list), err
	}
	total, _, err := value[int](v, v.projectsWhere("SELECT count(*) FROM projects p WHERE ", o, want))
	return list, total, err
}

func (v *View) projectsWhere(begin text, o belay.Organization, want belay.ProjectQuery) *query {
	q := v.sql(begin+"p.organization_id = ?", o.ID)
	if want.Names != nil {
		q.in(" AND LOWER(p.name)", lowerEach(want.Names))
	}
	if want.Search != "" {
		q.add(" AND ").like("p.name", contains(want.Search))
	}
	for _, tag := range want.Tagged {
		q.add(" AND p.id IN (SELECT b.project_id FROM project_tag_bindings b WHERE ").bound(o, tagTerm{key: tag.Key, value: tag.Value})
		q.add(")")
	}
	if !want.Scope.Everything {
		q.in(" AND p.id", want.Scope.Projects)
	}
	return q
}

// AddProject writes a new project.
func (tx *Tx) AddProject(p *belay.Project) error { return projects.insert(tx, p, nameTaken) }

// SaveProject writes a project.
func (tx *Tx) SaveProject(p *belay.Project) error {
	if err := projects.update(tx, p, nameTaken); err != nil {
		return err
	}
	tx.moveFacts(p.OrganizationID)
	return nil
}

// DropProject deletes a project. It must hold no workspace.
func (tx *Tx) DropProject(p *belay.Project) error {
	if err := tx.do("DELETE FROM varsets WHERE project_id <> '' AND project_id = ?", p.ID); err != nil {
		return err
	}
	if err := tx.do("DELETE FROM projects WHERE id = ?", p.ID); err != nil {
		return err
	}
	tx.moveAccessGeneration(p.OrganizationID)
	return nil
}

// GivesConnected says whether a workspace with a repository takes its execution mode from a project.
func (v *View) GivesConnected(projectID string) (bool, error) {
	_, found, err := value[int](v, v.sql("SELECT 1 FROM workspaces w WHERE w.project_id = ? AND w.vcs_token_id <> '' AND NOT w.owns_execution LIMIT 1", projectID))
	return found, err
}
