package workspaces

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/paths"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/patch"
)

type (
	projectDoc   = app.ProjectView
	projectPatch = belay.ProjectPatch
)

// ProjectAttributes is every attribute of a project.
var ProjectAttributes = doc.Attributes[projectDoc, projectPatch]{
	{Name: "name", Show: doc.Value(func(p *projectDoc) string { return p.Name }), Write: doc.Lenient(func(p *projectPatch) *patch.Field[string] { return &p.Name })},
	{Name: "description", Show: doc.Value(func(p *projectDoc) string { return p.Description }), Write: doc.Nullable(func(p *projectPatch) *patch.Field[string] { return &p.Description })},
	{Name: "created-at", Show: doc.Value(func(p *projectDoc) time.Time { return p.CreatedAt })},
	{Name: "auto-destroy-activity-duration", Show: doc.Maybe(func(p *projectDoc) string { return p.AutoDestroyActivityDuration }), Write: doc.Nullable(func(p *projectPatch) *patch.Field[string] { return &p.AutoDestroyActivityDuration })},
	{Name: "default-execution-mode", Allowed: ExecutionModes, Show: doc.Value(projectMode), Write: doc.Lenient(func(p *projectPatch) *patch.Field[belay.ExecutionMode] { return &p.DefaultExecutionMode })},
	{Name: "default-agent-pool-id", Write: doc.Nullable(func(p *projectPatch) *patch.Field[string] { return &p.DefaultAgentPoolID })},
	{Name: "setting-overwrites", Show: doc.Parts(projectOverwrites), Write: doc.FlatMembers(projectOverwritten)},
	{Name: "workspace-count", Show: doc.Value(func(p *projectDoc) int { return p.WorkspaceCount })},
	{Name: "team-count", Show: doc.Value(func(p *projectDoc) int { return p.TeamCount })},
	{Name: "is-unified", Show: doc.Fixed[projectDoc](false)},
	{Name: "permissions", Show: doc.Permitted(projectPermissions, func(p *projectDoc) belay.Permission { return p.Can })},
}

func projectMode(p *projectDoc) string {
	mode, _ := p.Execution()
	return string(mode)
}

// projectOverwrites is which settings are the project's own, in a document and in a body.
var projectOverwrites = doc.Attributes[projectDoc, projectPatch]{
	{Name: "default-execution-mode", Show: doc.Value(func(p *projectDoc) bool { return p.OwnsExecution })},
	{Name: "default-agent-pool", Show: doc.Value(func(p *projectDoc) bool { return p.OwnsExecution })},
}

var projectOverwritten = doc.Attributes[projectPatch, projectPatch]{
	{Name: "default-execution-mode", Write: doc.Nullable(func(p *projectPatch) *patch.Field[bool] { return &p.OverwritesMode })},
	{Name: "default-agent-pool", Write: doc.Nullable(func(p *projectPatch) *patch.Field[bool] { return &p.OverwritesPool })},
}

// Projects is projects.
var Projects = &doc.Noun[projectDoc, projectPatch]{
	Type:       "projects",
	ID:         func(p *projectDoc) string { return p.ID },
	Path:       func(p *projectDoc) string { return "/api/v2/projects/" + p.ID },
	Attributes: ProjectAttributes,
	Relations: []doc.Relation[projectDoc, projectPatch]{
		paths.OfOrganization[projectDoc, projectPatch](func(p *projectDoc) string { return p.Organization.Name }),
		doc.To[projectDoc, projectPatch]("default-agent-pool", "agent-pools", projectPool).
			Taking(doc.Ref("agent-pools"), func(_ doc.Reading, in *jsonapi.Incoming, p *projectPatch) error {
				return DefaultPool(in, &p.DefaultAgentPoolID)
			}),
		doc.Below[projectDoc, projectPatch]("effective-tag-bindings", "/effective-tag-bindings", "effective-tag-bindings"),
		doc.Below[projectDoc, projectPatch]("tag-bindings", "/tag-bindings").
			Taking(newBindings(), func(_ doc.Reading, in *jsonapi.Incoming, p *projectPatch) (err error) {
				p.TagBindings, err = relatedBindings(in)
				return err
			}),
	},
}

func projectPool(p *projectDoc) string {
	_, pool := p.Execution()
	return pool
}

var _ = routes.Join(func(a *Verbs) []door.Route {
	return []door.Route{
		{Method: http.MethodGet, Path: paths.Organization + "/projects", Status: http.StatusOK, Do: door.Listing(Projects, a.listProjects, a.withProjects()), Query: projectParameters, Filters: projectFilters, Needs: belay.Traverse, Does: "List the projects that one sees"},
		{Method: http.MethodPost, Path: paths.Organization + "/projects", Status: http.StatusCreated, Do: door.Writing(Projects, a.createProject), Needs: belay.CreateProject, Does: "Make a project"},
		{Method: http.MethodGet, Path: paths.Project, Status: http.StatusOK, Do: door.Showing(Projects, a.showProject, a.withProjects()), Needs: belay.ReadProject, Does: "See the project"},
		{Method: http.MethodPatch, Path: paths.Project, Status: http.StatusOK, Do: door.Writing(Projects, a.updateProject), Needs: belay.UpdateProject, Does: "Change its settings"},
		{Method: http.MethodDelete, Path: paths.Project, Status: http.StatusNoContent, Do: door.Doing(a.deleteProject), Needs: belay.DeleteProject, Does: "Delete it, when it is empty"},
		{Method: http.MethodPost, Path: paths.Project + "/relationships/workspaces", Status: http.StatusNoContent, Do: door.Naming("workspaces", a.moveWorkspaces), Refuses: []belay.Kind{belay.Forbidden}, Needs: belay.MoveWorkspace, Does: "Move workspaces to a project where one may do the same"},
	}
})

func (a *Verbs) createProject(r *door.Request, p projectPatch) (projectDoc, error) {
	return a.App.CreateProject(r.Context(), r.Principal, r.Param("organization_name"), p)
}

func (a *Verbs) listProjects(r *door.Request) ([]projectDoc, int, error) {
	q := r.Query()
	return a.App.Projects(r.Context(), r.Principal, r.Param("organization_name"), belay.ProjectQuery{
		Search: q.Get("q"), Names: door.Commas(q["filter[names]"]...), Tagged: tagFilters(q), Page: r.Page(),
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
			need = need.And(permission)
		}
	}
	return need
}

// moveWorkspaces puts workspaces into the project.
func (a *Verbs) moveWorkspaces(r *door.Request, ids []string) error {
	return a.App.MoveWorkspaces(r.Context(), r.Principal, r.Param("project_id"), ids)
}

func (a *Verbs) showProject(r *door.Request) (projectDoc, error) {
	return a.App.Project(r.Context(), r.Principal, r.Param("project_id"))
}

func (a *Verbs) updateProject(r *door.Request, p projectPatch) (projectDoc, error) {
	return a.App.UpdateProject(r.Context(), r.Principal, r.Param("project_id"), p)
}

func (a *Verbs) deleteProject(r *door.Request) error {
	return a.App.DeleteProject(r.Context(), r.Principal, r.Param("project_id"))
}

// DefaultPool reads the relationship default-agent-pool of a body, when it is there.
func DefaultPool(in *jsonapi.Incoming, id *patch.Field[string]) error {
	pool, given, err := doc.RelatedRef(in, "default-agent-pool", "agent-pools")
	if given && err == nil {
		*id = patch.Of(pool.ID)
	}
	return err
}
