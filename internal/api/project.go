package api

import (
	"encoding/json"
	"net/url"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/patch"
)

type (
	projectDoc   = app.ProjectView
	projectPatch = belay.ProjectPatch
)

var projectAttributes = attributes[projectDoc, projectPatch]{
	{name: "name", read: func(p *projectDoc) any { return p.Name }, write: lenient(func(p *projectPatch) *patch.Field[string] { return &p.Name })},
	{name: "description", read: func(p *projectDoc) any { return p.Description }, write: nullable(func(p *projectPatch) *patch.Field[string] { return &p.Description })},
	{name: "created-at", read: func(p *projectDoc) any { return p.CreatedAt }},
	{name: "auto-destroy-activity-duration", read: func(p *projectDoc) any { return orNull(p.AutoDestroyActivityDuration) }, write: nullable(func(p *projectPatch) *patch.Field[string] { return &p.AutoDestroyActivityDuration })},
	{name: "default-execution-mode", read: projectMode, write: lenient(func(p *projectPatch) *patch.Field[belay.ExecutionMode] { return &p.DefaultExecutionMode })},
	{name: "default-agent-pool-id", write: nullable(func(p *projectPatch) *patch.Field[string] { return &p.DefaultAgentPoolID })},
	{name: "setting-overwrites", read: projectOverwrites, write: writeProjectOverwrites},
	{name: "workspace-count", read: func(p *projectDoc) any { return p.WorkspaceCount }},
	{name: "team-count", read: func(p *projectDoc) any { return p.TeamCount }},
	{name: "is-unified", read: func(*projectDoc) any { return false }},
	{name: "permissions", read: func(p *projectDoc) any { return can(projectPermissions, p.Can) }},
}

func projectMode(p *projectDoc) any {
	mode, _ := p.Execution()
	return string(mode)
}

func projectOverwrites(p *projectDoc) any {
	return jsonapi.Object{{Name: "default-execution-mode", Value: p.OwnsExecution}, {Name: "default-agent-pool", Value: p.OwnsExecution}}
}

func writeProjectOverwrites(p *projectPatch, raw json.RawMessage) error {
	var given struct {
		Mode patch.Field[bool] `json:"default-execution-mode"`
		Pool patch.Field[bool] `json:"default-agent-pool"`
	}
	err := json.Unmarshal(raw, &given)
	p.OverwritesMode, p.OverwritesPool = given.Mode, given.Pool
	return err
}

func (a *API) project(p projectDoc) *jsonapi.Resource {
	self := "/api/v2/projects/" + p.ID
	_, pool := p.Execution()
	return &jsonapi.Resource{
		Type: "projects", ID: p.ID,
		Attributes: projectAttributes.object(&p, a.App.Edition()),
		Relationships: []jsonapi.Relation{
			{Name: "organization", Data: jsonapi.Ref{Type: "organizations", ID: p.Organization.Name}, Related: "/api/v2/organizations/" + url.PathEscape(p.Organization.Name)},
			linked("default-agent-pool", "agent-pools", pool),
			{Name: "effective-tag-bindings", Related: self + "/effective-tag-bindings"},
			{Name: "tag-bindings", Related: self + "/tag-bindings"},
		},
		Links: jsonapi.Object{{Name: "self", Value: self}},
	}
}

func (r *request) projectPatch() (p projectPatch, err error) {
	in, err := r.resource("projects")
	if err != nil {
		return p, err
	}
	var problems belay.Problems
	if err := problems.Add(projectAttributes.decode(in, &p, r.api.App.Edition())); err != nil {
		return p, err
	}
	if err := problems.Add(defaultPool(in, &p.DefaultAgentPoolID)); err != nil {
		return p, err
	}
	p.TagBindings, err = relatedBindings(in)
	if err := problems.Add(err); err != nil {
		return p, err
	}
	return p, problems.Err()
}

func (a *API) createProject(r *request) (*jsonapi.Document, error) {
	p, err := r.projectPatch()
	if err != nil {
		return nil, err
	}
	project, err := a.App.CreateProject(r.Context(), r.subject, r.param("organization_name"), p)
	return a.projectAnswer(project, err)
}

func (a *API) listProjects(r *request) (*jsonapi.Document, error) {
	names, err := r.includes(bindingsIncluded)
	if err != nil {
		return nil, err
	}
	q := r.URL.Query()
	list, total, err := a.App.Projects(r.Context(), r.subject, r.param("organization_name"), belay.ProjectQuery{
		Search: q.Get("q"), Names: commas(q["filter[names]"]...), Tagged: tagFilters(q), Page: r.page(),
		Descending: strings.HasPrefix(q.Get("sort"), "-"), Need: projectNeed(q),
	})
	if err != nil {
		return nil, err
	}
	document := r.list(each(list, a.project), total)
	return document, r.includeProjectBindings(document, list, names)
}

// projectNeed is what the caller must be able to do with the projects of a list.
func projectNeed(q url.Values) (need belay.Permission) {
	for name, permission := range map[string]belay.Permission{
		"create-workspace": belay.CreateWorkspace, "update": belay.UpdateProject,
		"move-workspace": belay.MoveWorkspace, "manage-tags": belay.ManageProjectTags,
	} {
		if asked := q.Get("filter[permissions][" + name + "]"); asked != "" && asked != "false" {
			need |= permission
		}
	}
	return need
}

// moveWorkspaces puts workspaces into the project.
func (a *API) moveWorkspaces(r *request) (*jsonapi.Document, error) {
	ids, err := r.identifiers("workspaces")
	if err != nil {
		return nil, err
	}
	return nil, a.App.MoveWorkspaces(r.Context(), r.subject, r.param("project_id"), ids)
}

func (a *API) showProject(r *request) (*jsonapi.Document, error) {
	names, err := r.includes(bindingsIncluded)
	if err != nil {
		return nil, err
	}
	p, err := a.App.Project(r.Context(), r.subject, r.param("project_id"))
	if err != nil {
		return nil, err
	}
	document := one(a.project(p))
	return document, r.includeProjectBindings(document, []projectDoc{p}, names)
}

func (a *API) updateProject(r *request) (*jsonapi.Document, error) {
	p, err := r.projectPatch()
	if err != nil {
		return nil, err
	}
	project, err := a.App.UpdateProject(r.Context(), r.subject, r.param("project_id"), p)
	return a.projectAnswer(project, err)
}

func (a *API) deleteProject(r *request) (*jsonapi.Document, error) {
	return nil, a.App.DeleteProject(r.Context(), r.subject, r.param("project_id"))
}

func (a *API) projectAnswer(p projectDoc, err error) (*jsonapi.Document, error) {
	if err != nil {
		return nil, err
	}
	return one(a.project(p)), nil
}
