package api

import (
	"net/url"
	"strings"
	"time"

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
	{name: "name", show: value(func(p *projectDoc) string { return p.Name }), write: lenient(func(p *projectPatch) *patch.Field[string] { return &p.Name })},
	{name: "description", show: value(func(p *projectDoc) string { return p.Description }), write: nullable(func(p *projectPatch) *patch.Field[string] { return &p.Description })},
	{name: "created-at", show: value(func(p *projectDoc) time.Time { return p.CreatedAt })},
	{name: "auto-destroy-activity-duration", show: maybe(func(p *projectDoc) string { return p.AutoDestroyActivityDuration }), write: nullable(func(p *projectPatch) *patch.Field[string] { return &p.AutoDestroyActivityDuration })},
	{name: "default-execution-mode", allowed: executionModes, show: value(projectMode), write: lenient(func(p *projectPatch) *patch.Field[belay.ExecutionMode] { return &p.DefaultExecutionMode })},
	{name: "default-agent-pool-id", write: nullable(func(p *projectPatch) *patch.Field[string] { return &p.DefaultAgentPoolID })},
	{name: "setting-overwrites", show: parts(projectOverwrites), write: flatMembers(projectOverwritten)},
	{name: "workspace-count", show: value(func(p *projectDoc) int { return p.WorkspaceCount })},
	{name: "team-count", show: value(func(p *projectDoc) int { return p.TeamCount })},
	{name: "is-unified", show: fixed[projectDoc](false)},
	{name: "permissions", show: permitted(projectPermissions, func(p *projectDoc) belay.Permission { return p.Can })},
}

func projectMode(p *projectDoc) string {
	mode, _ := p.Execution()
	return string(mode)
}

// projectOverwrites is which settings are the project's own, in a document and in a body.
var projectOverwrites = attributes[projectDoc, projectPatch]{
	{name: "default-execution-mode", show: value(func(p *projectDoc) bool { return p.OwnsExecution })},
	{name: "default-agent-pool", show: value(func(p *projectDoc) bool { return p.OwnsExecution })},
}

var projectOverwritten = attributes[projectPatch, projectPatch]{
	{name: "default-execution-mode", write: nullable(func(p *projectPatch) *patch.Field[bool] { return &p.OverwritesMode })},
	{name: "default-agent-pool", write: nullable(func(p *projectPatch) *patch.Field[bool] { return &p.OverwritesPool })},
}

var projects = &noun[projectDoc, projectPatch]{
	typ:        "projects",
	id:         func(p *projectDoc) string { return p.ID },
	path:       func(p *projectDoc) string { return "/api/v2/projects/" + p.ID },
	attributes: projectAttributes,
	relations: []relation[projectDoc, projectPatch]{
		ofOrganization[projectDoc, projectPatch](func(p *projectDoc) string { return p.Organization.Name }),
		to[projectDoc, projectPatch]("default-agent-pool", "agent-pools", projectPool).
			taking(ref("agent-pools"), func(_ *request, in *jsonapi.Incoming, p *projectPatch) error {
				return defaultPool(in, &p.DefaultAgentPoolID)
			}),
		below[projectDoc, projectPatch]("effective-tag-bindings", "/effective-tag-bindings", "effective-tag-bindings"),
		below[projectDoc, projectPatch]("tag-bindings", "/tag-bindings").
			taking(newBindings(), func(_ *request, in *jsonapi.Incoming, p *projectPatch) (err error) {
				p.TagBindings, err = relatedBindings(in)
				return err
			}),
	},
}

func projectPool(p *projectDoc) string {
	_, pool := p.Execution()
	return pool
}

func (a *API) createProject(r *request, p projectPatch) (projectDoc, error) {
	return a.App.CreateProject(r.Context(), r.subject, r.param("organization_name"), p)
}

func (a *API) listProjects(r *request) ([]projectDoc, int, error) {
	q := r.query()
	return a.App.Projects(r.Context(), r.subject, r.param("organization_name"), belay.ProjectQuery{
		Search: q.Get("q"), Names: commas(q["filter[names]"]...), Tagged: tagFilters(q), Page: r.page(),
		Descending: strings.HasPrefix(q.Get("sort"), "-"), Need: projectNeed(q),
	})
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
func (a *API) moveWorkspaces(r *request, ids []string) error {
	return a.App.MoveWorkspaces(r.Context(), r.subject, r.param("project_id"), ids)
}

func (a *API) showProject(r *request) (projectDoc, error) {
	return a.App.Project(r.Context(), r.subject, r.param("project_id"))
}

func (a *API) updateProject(r *request, p projectPatch) (projectDoc, error) {
	return a.App.UpdateProject(r.Context(), r.subject, r.param("project_id"), p)
}

func (a *API) deleteProject(r *request) error {
	return a.App.DeleteProject(r.Context(), r.subject, r.param("project_id"))
}
