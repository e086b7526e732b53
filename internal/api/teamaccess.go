package api

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/openapi"
	"github.com/belayhq/belay/internal/patch"
)

type (
	teamWorkspaceDoc   = belay.TeamWorkspace
	teamWorkspacePatch = belay.TeamWorkspacePatch
	teamProjectDoc     = belay.TeamProject
	teamProjectPatch   = belay.TeamProjectPatch
)

var teamWorkspaceAttributes = attributes[teamWorkspaceDoc, teamWorkspacePatch]{
	{name: "access", allowed: []string{"read", "plan", "write", "admin", "custom"}, show: value(func(g *teamWorkspaceDoc) string { return g.Level }), write: field(func(p *teamWorkspacePatch) *patch.Field[string] { return &p.Level })},
	{name: "runs", allowed: []string{"read", "plan", "apply"}, show: value(func(g *teamWorkspaceDoc) string { return g.Access().Runs }), write: lenient(func(p *teamWorkspacePatch) *patch.Field[string] { return &p.Custom.Runs })},
	{name: "variables", allowed: []string{"none", "read", "write"}, show: value(func(g *teamWorkspaceDoc) string { return g.Access().Variables }), write: lenient(func(p *teamWorkspacePatch) *patch.Field[string] { return &p.Custom.Variables })},
	{name: "state-versions", allowed: []string{"none", "read-outputs", "read", "write"}, show: value(func(g *teamWorkspaceDoc) string { return g.Access().StateVersions }), write: lenient(func(p *teamWorkspacePatch) *patch.Field[string] { return &p.Custom.StateVersions })},
	{name: "sentinel-mocks", allowed: []string{"none", "read"}, show: value(func(g *teamWorkspaceDoc) string { return g.Access().SentinelMocks }), write: lenient(func(p *teamWorkspacePatch) *patch.Field[string] { return &p.Custom.SentinelMocks })},
	{name: "workspace-locking", show: value(func(g *teamWorkspaceDoc) bool { return g.Access().WorkspaceLocking }), write: lenient(func(p *teamWorkspacePatch) *patch.Field[bool] { return &p.Custom.WorkspaceLocking })},
	{name: "run-tasks", show: value(func(g *teamWorkspaceDoc) bool { return g.Access().RunTasks }), write: lenient(func(p *teamWorkspacePatch) *patch.Field[bool] { return &p.Custom.RunTasks })},
	{name: "policy-overrides", show: value(func(g *teamWorkspaceDoc) bool { return g.Access().PolicyOverrides }), write: lenient(func(p *teamWorkspacePatch) *patch.Field[bool] { return &p.Custom.PolicyOverrides })},
}

var teamProjectAttributes = attributes[teamProjectDoc, teamProjectPatch]{
	{name: "access", allowed: []string{"read", "write", "maintain", "admin", "custom"}, show: value(func(g *teamProjectDoc) string { return g.Level }), write: field(func(p *teamProjectPatch) *patch.Field[string] { return &p.Level })},
	{name: "project-access", show: parts(projectAccess), write: flatMembers(projectAccessGiven)},
	{name: "workspace-access", show: parts(projectWorkspaceAccess), write: flatMembers(projectWorkspaceGiven)},
}

// projectAccess and the three tables below it are what stands in project-access and
// workspace-access: in a document, and in a body.
var projectAccess = attributes[teamProjectDoc, teamProjectPatch]{
	{name: "settings", allowed: []string{"read", "update", "delete"}, show: value(func(g *teamProjectDoc) string { return g.Access().Settings })},
	{name: "teams", allowed: []string{"none", "read", "manage"}, show: value(func(g *teamProjectDoc) string { return g.Access().Teams })},
	{name: "variable-sets", allowed: []string{"none", "read", "write"}, show: value(func(g *teamProjectDoc) string { return g.Access().VariableSets })},
}

var projectAccessGiven = attributes[teamProjectPatch, teamProjectPatch]{
	{name: "settings", allowed: []string{"read", "update", "delete"}, write: nullable(func(p *teamProjectPatch) *patch.Field[string] { return &p.Project.Settings })},
	{name: "teams", allowed: []string{"none", "read", "manage"}, write: nullable(func(p *teamProjectPatch) *patch.Field[string] { return &p.Project.Teams })},
	{name: "variable-sets", allowed: []string{"none", "read", "write"}, write: nullable(func(p *teamProjectPatch) *patch.Field[string] { return &p.Project.VariableSets })},
}

var projectWorkspaceAccess = attributes[teamProjectDoc, teamProjectPatch]{
	{name: "create", show: value(func(g *teamProjectDoc) bool { return g.Access().Workspaces.Create })},
	{name: "move", show: value(func(g *teamProjectDoc) bool { return g.Access().Workspaces.Move })},
	{name: "locking", show: value(func(g *teamProjectDoc) bool { return g.Access().Workspaces.WorkspaceLocking })},
	{name: "delete", show: value(func(g *teamProjectDoc) bool { return g.Access().Workspaces.Delete })},
	{name: "runs", allowed: []string{"read", "plan", "apply"}, show: value(func(g *teamProjectDoc) string { return g.Access().Workspaces.Runs })},
	{name: "variables", allowed: []string{"none", "read", "write"}, show: value(func(g *teamProjectDoc) string { return g.Access().Workspaces.Variables })},
	{name: "state-versions", allowed: []string{"none", "read-outputs", "read", "write"}, show: value(func(g *teamProjectDoc) string { return g.Access().Workspaces.StateVersions })},
	{name: "sentinel-mocks", allowed: []string{"none", "read"}, show: value(func(g *teamProjectDoc) string { return g.Access().Workspaces.SentinelMocks })},
	{name: "run-tasks", show: value(func(g *teamProjectDoc) bool { return g.Access().Workspaces.RunTasks })},
	{name: "policy-overrides", show: value(func(g *teamProjectDoc) bool { return g.Access().Workspaces.PolicyOverrides })},
}

var projectWorkspaceGiven = attributes[teamProjectPatch, teamProjectPatch]{
	{name: "create", write: nullable(func(p *teamProjectPatch) *patch.Field[bool] { return &p.Workspaces.Create })},
	{name: "move", write: nullable(func(p *teamProjectPatch) *patch.Field[bool] { return &p.Workspaces.Move })},
	{name: "locking", write: nullable(func(p *teamProjectPatch) *patch.Field[bool] { return &p.Workspaces.WorkspaceLocking })},
	{name: "delete", write: nullable(func(p *teamProjectPatch) *patch.Field[bool] { return &p.Workspaces.Delete })},
	{name: "runs", allowed: []string{"read", "plan", "apply"}, write: nullable(func(p *teamProjectPatch) *patch.Field[string] { return &p.Workspaces.Runs })},
	{name: "variables", allowed: []string{"none", "read", "write"}, write: nullable(func(p *teamProjectPatch) *patch.Field[string] { return &p.Workspaces.Variables })},
	{name: "state-versions", allowed: []string{"none", "read-outputs", "read", "write"}, write: nullable(func(p *teamProjectPatch) *patch.Field[string] { return &p.Workspaces.StateVersions })},
	{name: "sentinel-mocks", allowed: []string{"none", "read"}, write: nullable(func(p *teamProjectPatch) *patch.Field[string] { return &p.Workspaces.SentinelMocks })},
	{name: "run-tasks", write: nullable(func(p *teamProjectPatch) *patch.Field[bool] { return &p.Workspaces.RunTasks })},
	{name: "policy-overrides", write: nullable(func(p *teamProjectPatch) *patch.Field[bool] { return &p.Workspaces.PolicyOverrides })},
}

var teamWorkspaces = &noun[teamWorkspaceDoc, teamWorkspacePatch]{
	typ:        "team-workspaces",
	id:         func(g *teamWorkspaceDoc) string { return g.ID },
	path:       func(g *teamWorkspaceDoc) string { return "/api/v2/team-workspaces/" + g.ID },
	attributes: teamWorkspaceAttributes,
	relations: []relation[teamWorkspaceDoc, teamWorkspacePatch]{
		to[teamWorkspaceDoc, teamWorkspacePatch]("team", "teams", func(g *teamWorkspaceDoc) string { return g.TeamID }),
		toAt[teamWorkspaceDoc, teamWorkspacePatch]("workspace", "workspaces", func(g *teamWorkspaceDoc) string { return g.WorkspaceID }, func(g *teamWorkspaceDoc) string {
			return organizationPath(g.Workspace.Organization.Name) + "/workspaces/" + g.Workspace.Name
		}),
	},
}

var teamProjects = &noun[teamProjectDoc, teamProjectPatch]{
	typ:        "team-projects",
	id:         func(g *teamProjectDoc) string { return g.ID },
	path:       func(g *teamProjectDoc) string { return "/api/v2/team-projects/" + g.ID },
	attributes: teamProjectAttributes,
	relations: []relation[teamProjectDoc, teamProjectPatch]{
		to[teamProjectDoc, teamProjectPatch]("team", "teams", func(g *teamProjectDoc) string { return g.TeamID }),
		to[teamProjectDoc, teamProjectPatch]("project", "projects", func(g *teamProjectDoc) string { return g.ProjectID }),
	},
}

// required reads a query parameter that a list can't do without.
func (r *request) required(name string) (string, error) {
	value := r.query().Get(name)
	if value == "" {
		return "", belay.Refuse(belay.BadRequest, "the parameter %s is missing", name)
	}
	return value, nil
}

// wholePage is the page that the query asks for; all in one where it asks for none.
func (r *request) wholePage() (page belay.Page, whole bool) {
	q := r.URL.Query()
	if q.Has("page[number]") || q.Has("page[size]") {
		return r.page(), false
	}
	return belay.Page{Number: 1, Size: 1 << 20}, true
}

// listWhole is the document of a list that is paginated only when asked to be.
func (r *request) listWhole(data []*jsonapi.Resource, total int) *jsonapi.Document {
	if _, all := r.wholePage(); !all {
		return r.list(data, total)
	}
	page := jsonapi.Page{Number: 1, Size: max(total, jsonapi.DefaultPageSize)}
	_, meta := page.Envelope("", nil, total)
	return &jsonapi.Document{Data: data, Meta: meta}
}

// relatedOne reads the one resource that a relationship of the body names. What is wrong with
// it is for later; then there is none.
func (r *request) relatedOne(in *jsonapi.Incoming, name string) (string, error) {
	ref, _, err := relatedRef(in, name, name+"s")
	var problems belay.Problems
	if err := problems.Add(err); err != nil {
		return "", err
	}
	if err == nil && ref.ID == "" {
		problems.At(belay.Related(name), "%s can't be blank", name)
	}
	if len(problems) > 0 {
		ref.ID = ""
	}
	return ref.ID, r.later(problems.Err())
}

// granting reads a body that gives a team access to something of a kind. rules is what may be
// said of the access where it is not known to what.
func granting[D, P any](n *noun[D, P], kind string, rules func(P) error, verb func(r *request, team, id string, p P) (D, error)) action {
	grant := showing(n, func(r *request) (none D, err error) {
		in, err := r.resource(n.typ)
		if err != nil {
			return none, err
		}
		var p P
		if err := r.later(n.decode(r, in, &p)); err != nil {
			return none, err
		}
		team, err := r.relatedOne(in, "team")
		if err != nil {
			return none, err
		}
		id, err := r.relatedOne(in, kind)
		if err != nil {
			return none, err
		}
		if team == "" || id == "" {
			return none, rules(p)
		}
		return verb(r, team, id, p)
	})
	grant.takes = func(d *describer) *openapi.Schema { return grantBody(n, d, kind) }
	return grant
}

// grantBody is the schema of a body that gives access.
func grantBody[D, P any](n *noun[D, P], d *describer, kind string) *openapi.Schema {
	return d.named("New"+n.name()+"Body", func() *openapi.Schema {
		relations := &openapi.Schema{Type: openapi.Types{"object"}}
		for _, name := range []string{"team", kind} {
			relations.Add(name, document(bodyRef(name+"s")), true)
		}
		is := &openapi.Schema{Type: openapi.Types{"object"}}
		is.Add("type", openapi.Of[string]().One(n.typ), false).Add("attributes", n.attributes.taken(d.edition), true)
		return document(is.Add("relationships", relations, true))
	})
}

func (a *API) listTeamWorkspaces(r *request) ([]teamWorkspaceDoc, int, error) {
	id, err := r.required("filter[workspace][id]")
	if err != nil {
		return nil, 0, err
	}
	page, _ := r.wholePage()
	return a.App.TeamWorkspaces(r.Context(), r.subject, id, page)
}

func teamWorkspaceRules(p teamWorkspacePatch) error { return new(belay.TeamWorkspace).Apply(p) }

func teamProjectRules(p teamProjectPatch) error { return new(belay.TeamProject).Apply(p) }

func (a *API) createTeamWorkspace(r *request, team, id string, p teamWorkspacePatch) (teamWorkspaceDoc, error) {
	return a.App.GiveWorkspace(r.Context(), r.subject, team, id, p)
}

func (a *API) showTeamWorkspace(r *request) (teamWorkspaceDoc, error) {
	return a.App.TeamWorkspace(r.Context(), r.subject, r.param("access_id"))
}

func (a *API) updateTeamWorkspace(r *request, p teamWorkspacePatch) (teamWorkspaceDoc, error) {
	return a.App.ChangeTeamWorkspace(r.Context(), r.subject, r.param("access_id"), p)
}

func (a *API) deleteTeamWorkspace(r *request) error {
	return a.App.TakeTeamWorkspace(r.Context(), r.subject, r.param("access_id"))
}

func (a *API) listTeamProjects(r *request) ([]teamProjectDoc, int, error) {
	id, err := r.required("filter[project][id]")
	if err != nil {
		return nil, 0, err
	}
	page, _ := r.wholePage()
	return a.App.TeamProjects(r.Context(), r.subject, id, page)
}

func (a *API) createTeamProject(r *request, team, id string, p teamProjectPatch) (teamProjectDoc, error) {
	return a.App.GiveProject(r.Context(), r.subject, team, id, p)
}

func (a *API) showTeamProject(r *request) (teamProjectDoc, error) {
	return a.App.TeamProject(r.Context(), r.subject, r.param("access_id"))
}

func (a *API) updateTeamProject(r *request, p teamProjectPatch) (teamProjectDoc, error) {
	return a.App.ChangeTeamProject(r.Context(), r.subject, r.param("access_id"), p)
}

func (a *API) deleteTeamProject(r *request) error {
	return a.App.TakeTeamProject(r.Context(), r.subject, r.param("access_id"))
}
