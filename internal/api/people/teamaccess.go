package people

import (
	"net/http"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/paths"
	"github.com/belayhq/belay/internal/openapi"
	"github.com/belayhq/belay/internal/patch"
)

type (
	teamWorkspaceDoc   = belay.TeamWorkspace
	teamWorkspacePatch = belay.TeamWorkspacePatch
	teamProjectDoc     = belay.TeamProject
	teamProjectPatch   = belay.TeamProjectPatch
)

// TeamWorkspaceAttributes is every attribute of the access of a team to a workspace.
var TeamWorkspaceAttributes = doc.Attributes[teamWorkspaceDoc, teamWorkspacePatch]{
	{Name: "access", Allowed: []string{"read", "plan", "write", "admin", "custom"}, Show: doc.Value(func(g *teamWorkspaceDoc) string { return g.Level }), Write: doc.Field(func(p *teamWorkspacePatch) *patch.Field[string] { return &p.Level })},
	{Name: "runs", Allowed: []string{"read", "plan", "apply"}, Show: doc.Value(func(g *teamWorkspaceDoc) string { return g.Access().Runs }), Write: doc.Lenient(func(p *teamWorkspacePatch) *patch.Field[string] { return &p.Custom.Runs })},
	{Name: "variables", Allowed: []string{"none", "read", "write"}, Show: doc.Value(func(g *teamWorkspaceDoc) string { return g.Access().Variables }), Write: doc.Lenient(func(p *teamWorkspacePatch) *patch.Field[string] { return &p.Custom.Variables })},
	{Name: "state-versions", Allowed: []string{"none", "read-outputs", "read", "write"}, Show: doc.Value(func(g *teamWorkspaceDoc) string { return g.Access().StateVersions }), Write: doc.Lenient(func(p *teamWorkspacePatch) *patch.Field[string] { return &p.Custom.StateVersions })},
	{Name: "sentinel-mocks", Allowed: []string{"none", "read"}, Show: doc.Value(func(g *teamWorkspaceDoc) string { return g.Access().SentinelMocks }), Write: doc.Lenient(func(p *teamWorkspacePatch) *patch.Field[string] { return &p.Custom.SentinelMocks })},
	{Name: "workspace-locking", Show: doc.Value(func(g *teamWorkspaceDoc) bool { return g.Access().WorkspaceLocking }), Write: doc.Lenient(func(p *teamWorkspacePatch) *patch.Field[bool] { return &p.Custom.WorkspaceLocking })},
	{Name: "run-tasks", Show: doc.Value(func(g *teamWorkspaceDoc) bool { return g.Access().RunTasks }), Write: doc.Lenient(func(p *teamWorkspacePatch) *patch.Field[bool] { return &p.Custom.RunTasks })},
	{Name: "policy-overrides", Show: doc.Value(func(g *teamWorkspaceDoc) bool { return g.Access().PolicyOverrides }), Write: doc.Lenient(func(p *teamWorkspacePatch) *patch.Field[bool] { return &p.Custom.PolicyOverrides })},
	{Name: "given-at", Show: doc.Maybe(func(g *teamWorkspaceDoc) time.Time { return g.Given.At })},
}

// TeamProjectAttributes is every attribute of the access of a team to a project.
var TeamProjectAttributes = doc.Attributes[teamProjectDoc, teamProjectPatch]{
	{Name: "access", Allowed: []string{"read", "write", "maintain", "admin", "custom"}, Show: doc.Value(func(g *teamProjectDoc) string { return g.Level }), Write: doc.Field(func(p *teamProjectPatch) *patch.Field[string] { return &p.Level })},
	{Name: "project-access", Show: doc.Parts(projectAccess), Write: doc.FlatMembers(projectAccessGiven)},
	{Name: "workspace-access", Show: doc.Parts(projectWorkspaceAccess), Write: doc.FlatMembers(projectWorkspaceGiven)},
	{Name: "given-at", Show: doc.Maybe(func(g *teamProjectDoc) time.Time { return g.Given.At })},
}

// projectAccess and the three tables below it are what stands in project-access and
// workspace-access: in a document, and in a body.
var projectAccess = doc.Attributes[teamProjectDoc, teamProjectPatch]{
	{Name: "settings", Allowed: []string{"read", "update", "delete"}, Show: doc.Value(func(g *teamProjectDoc) string { return g.Access().Settings })},
	{Name: "teams", Allowed: []string{"none", "read", "manage"}, Show: doc.Value(func(g *teamProjectDoc) string { return g.Access().Teams })},
	{Name: "variable-sets", Allowed: []string{"none", "read", "write"}, Show: doc.Value(func(g *teamProjectDoc) string { return g.Access().VariableSets })},
}

var projectAccessGiven = doc.Attributes[teamProjectPatch, teamProjectPatch]{
	{Name: "settings", Allowed: []string{"read", "update", "delete"}, Write: doc.Nullable(func(p *teamProjectPatch) *patch.Field[string] { return &p.Project.Settings })},
	{Name: "teams", Allowed: []string{"none", "read", "manage"}, Write: doc.Nullable(func(p *teamProjectPatch) *patch.Field[string] { return &p.Project.Teams })},
	{Name: "variable-sets", Allowed: []string{"none", "read", "write"}, Write: doc.Nullable(func(p *teamProjectPatch) *patch.Field[string] { return &p.Project.VariableSets })},
}

var projectWorkspaceAccess = doc.Attributes[teamProjectDoc, teamProjectPatch]{
	{Name: "create", Show: doc.Value(func(g *teamProjectDoc) bool { return g.Access().Workspaces.Create })},
	{Name: "move", Show: doc.Value(func(g *teamProjectDoc) bool { return g.Access().Workspaces.Move })},
	{Name: "locking", Show: doc.Value(func(g *teamProjectDoc) bool { return g.Access().Workspaces.WorkspaceLocking })},
	{Name: "delete", Show: doc.Value(func(g *teamProjectDoc) bool { return g.Access().Workspaces.Delete })},
	{Name: "runs", Allowed: []string{"read", "plan", "apply"}, Show: doc.Value(func(g *teamProjectDoc) string { return g.Access().Workspaces.Runs })},
	{Name: "variables", Allowed: []string{"none", "read", "write"}, Show: doc.Value(func(g *teamProjectDoc) string { return g.Access().Workspaces.Variables })},
	{Name: "state-versions", Allowed: []string{"none", "read-outputs", "read", "write"}, Show: doc.Value(func(g *teamProjectDoc) string { return g.Access().Workspaces.StateVersions })},
	{Name: "sentinel-mocks", Allowed: []string{"none", "read"}, Show: doc.Value(func(g *teamProjectDoc) string { return g.Access().Workspaces.SentinelMocks })},
	{Name: "run-tasks", Show: doc.Value(func(g *teamProjectDoc) bool { return g.Access().Workspaces.RunTasks })},
	{Name: "policy-overrides", Show: doc.Value(func(g *teamProjectDoc) bool { return g.Access().Workspaces.PolicyOverrides })},
}

var projectWorkspaceGiven = doc.Attributes[teamProjectPatch, teamProjectPatch]{
	{Name: "create", Write: doc.Nullable(func(p *teamProjectPatch) *patch.Field[bool] { return &p.Workspaces.Create })},
	{Name: "move", Write: doc.Nullable(func(p *teamProjectPatch) *patch.Field[bool] { return &p.Workspaces.Move })},
	{Name: "locking", Write: doc.Nullable(func(p *teamProjectPatch) *patch.Field[bool] { return &p.Workspaces.WorkspaceLocking })},
	{Name: "delete", Write: doc.Nullable(func(p *teamProjectPatch) *patch.Field[bool] { return &p.Workspaces.Delete })},
	{Name: "runs", Allowed: []string{"read", "plan", "apply"}, Write: doc.Nullable(func(p *teamProjectPatch) *patch.Field[string] { return &p.Workspaces.Runs })},
	{Name: "variables", Allowed: []string{"none", "read", "write"}, Write: doc.Nullable(func(p *teamProjectPatch) *patch.Field[string] { return &p.Workspaces.Variables })},
	{Name: "state-versions", Allowed: []string{"none", "read-outputs", "read", "write"}, Write: doc.Nullable(func(p *teamProjectPatch) *patch.Field[string] { return &p.Workspaces.StateVersions })},
	{Name: "sentinel-mocks", Allowed: []string{"none", "read"}, Write: doc.Nullable(func(p *teamProjectPatch) *patch.Field[string] { return &p.Workspaces.SentinelMocks })},
	{Name: "run-tasks", Write: doc.Nullable(func(p *teamProjectPatch) *patch.Field[bool] { return &p.Workspaces.RunTasks })},
	{Name: "policy-overrides", Write: doc.Nullable(func(p *teamProjectPatch) *patch.Field[bool] { return &p.Workspaces.PolicyOverrides })},
}

var teamWorkspaces = &doc.Noun[teamWorkspaceDoc, teamWorkspacePatch]{
	Type:       "team-workspaces",
	ID:         func(g *teamWorkspaceDoc) string { return g.ID },
	Path:       func(g *teamWorkspaceDoc) string { return "/api/v2/team-workspaces/" + g.ID },
	Attributes: TeamWorkspaceAttributes,
	Relations: []doc.Relation[teamWorkspaceDoc, teamWorkspacePatch]{
		doc.To[teamWorkspaceDoc, teamWorkspacePatch]("team", "teams", func(g *teamWorkspaceDoc) string { return g.TeamID }),
		doc.ToAt[teamWorkspaceDoc, teamWorkspacePatch]("workspace", "workspaces", func(g *teamWorkspaceDoc) string { return g.WorkspaceID }, func(g *teamWorkspaceDoc) string {
			return paths.OrganizationAt(g.Workspace.Organization.Name) + "/workspaces/" + g.Workspace.Name
		}),
		doc.To[teamWorkspaceDoc, teamWorkspacePatch]("given-by", "users", func(g *teamWorkspaceDoc) string { return g.Given.By }),
	},
}

var teamProjects = &doc.Noun[teamProjectDoc, teamProjectPatch]{
	Type:       "team-projects",
	ID:         func(g *teamProjectDoc) string { return g.ID },
	Path:       func(g *teamProjectDoc) string { return "/api/v2/team-projects/" + g.ID },
	Attributes: TeamProjectAttributes,
	Relations: []doc.Relation[teamProjectDoc, teamProjectPatch]{
		doc.To[teamProjectDoc, teamProjectPatch]("team", "teams", func(g *teamProjectDoc) string { return g.TeamID }),
		doc.To[teamProjectDoc, teamProjectPatch]("project", "projects", func(g *teamProjectDoc) string { return g.ProjectID }),
		doc.To[teamProjectDoc, teamProjectPatch]("given-by", "users", func(g *teamProjectDoc) string { return g.Given.By }),
	},
}

// granting reads a body that gives a team access to something of a kind. rules is what may be
// said of the access where it is not known to what.
func granting[D, P any](n *doc.Noun[D, P], kind string, rules func(P) error, verb func(r *door.Request, team, id string, p P) (D, error)) door.Action {
	grant := door.Showing(n, func(r *door.Request) (none D, err error) {
		in, err := r.Resource(n.Type)
		if err != nil {
			return none, err
		}
		var p P
		if err := r.Later(n.Decode(r.Reading(), in, &p)); err != nil {
			return none, err
		}
		team, err := r.RelatedOne(in, "team")
		if err != nil {
			return none, err
		}
		id, err := r.RelatedOne(in, kind)
		if err != nil {
			return none, err
		}
		if team == "" || id == "" {
			return none, rules(p)
		}
		return verb(r, team, id, p)
	})
	grant.Takes = func(d *doc.Describer) *openapi.Schema { return grantBody(n, d, kind) }
	return grant
}

// grantBody is the schema of a body that gives access.
func grantBody[D, P any](n *doc.Noun[D, P], d *doc.Describer, kind string) *openapi.Schema {
	return d.Named("New"+n.Name()+"Body", func() *openapi.Schema {
		relations := &openapi.Schema{Type: openapi.Types{"object"}}
		for _, name := range []string{"team", kind} {
			relations.Add(name, doc.Document(doc.BodyRef(name+"s")), true)
		}
		is := &openapi.Schema{Type: openapi.Types{"object"}}
		is.Add("type", openapi.Of[string]().One(n.Type), false).Add("attributes", n.Attributes.Taken(d.Edition), true)
		return doc.Document(is.Add("relationships", relations, true))
	})
}

var _ = routes.Join(func(a *Verbs) []door.Route {
	return []door.Route{
		{Method: http.MethodGet, Path: paths.V2 + "/team-workspaces", Status: http.StatusOK, Do: door.ListingWhole(teamWorkspaces, a.listTeamWorkspaces), Filters: accessFilters, Needs: belay.ReadWorkspace, Does: "List the teams of a workspace (its own teams, who manages none)"},
		{Method: http.MethodPost, Path: paths.V2 + "/team-workspaces", Status: http.StatusCreated, Do: granting(teamWorkspaces, "workspace", teamWorkspaceRules, a.createTeamWorkspace), Needs: belay.ManageWorkspaceTeams, Does: "Give a team access to a workspace"},
		{Method: http.MethodGet, Path: paths.V2 + "/team-workspaces/{access_id}", Status: http.StatusOK, Do: door.Showing(teamWorkspaces, a.showTeamWorkspace), Needs: belay.ManageWorkspaceTeams, Does: "See the access of another team to a workspace"},
		{Method: http.MethodPatch, Path: paths.V2 + "/team-workspaces/{access_id}", Status: http.StatusOK, Do: door.Writing(teamWorkspaces, a.updateTeamWorkspace), Needs: belay.ManageWorkspaceTeams, Does: "Change the access of a team to a workspace"},
		{Method: http.MethodDelete, Path: paths.V2 + "/team-workspaces/{access_id}", Status: http.StatusNoContent, Do: door.Doing(a.deleteTeamWorkspace), Needs: belay.ManageWorkspaceTeams, Does: "Take the access of a team to a workspace away"},
		{Method: http.MethodGet, Path: paths.V2 + "/team-projects", Status: http.StatusOK, Do: door.ListingWhole(teamProjects, a.listTeamProjects), Filters: accessFilters, Needs: belay.ReadProject, Does: "List the teams of a project (its own teams, who manages none)"},
		{Method: http.MethodPost, Path: paths.V2 + "/team-projects", Status: http.StatusCreated, Do: granting(teamProjects, "project", teamProjectRules, a.createTeamProject), Needs: belay.ManageProjectTeams, Does: "Give a team access to a project"},
		{Method: http.MethodGet, Path: paths.V2 + "/team-projects/{access_id}", Status: http.StatusOK, Do: door.Showing(teamProjects, a.showTeamProject), Needs: belay.ManageProjectTeams, Does: "See the access of another team to a project"},
		{Method: http.MethodPatch, Path: paths.V2 + "/team-projects/{access_id}", Status: http.StatusOK, Do: door.Writing(teamProjects, a.updateTeamProject), Needs: belay.ManageProjectTeams, Does: "Change the access of a team to a project"},
		{Method: http.MethodDelete, Path: paths.V2 + "/team-projects/{access_id}", Status: http.StatusNoContent, Do: door.Doing(a.deleteTeamProject), Needs: belay.ManageProjectTeams, Does: "Take the access of a team to a project away"},
	}
})

func (a *Verbs) listTeamWorkspaces(r *door.Request) ([]teamWorkspaceDoc, int, error) {
	id, err := r.Required("filter[workspace][id]")
	if err != nil {
		return nil, 0, err
	}
	page, _ := r.WholePage()
	return a.App.TeamWorkspaces(r.Context(), r.Principal, id, page)
}

func teamWorkspaceRules(p teamWorkspacePatch) error { return new(belay.TeamWorkspace).Apply(p) }

func teamProjectRules(p teamProjectPatch) error { return new(belay.TeamProject).Apply(p) }

func (a *Verbs) createTeamWorkspace(r *door.Request, team, id string, p teamWorkspacePatch) (teamWorkspaceDoc, error) {
	return a.App.GiveWorkspace(r.Context(), r.Principal, team, id, p)
}

func (a *Verbs) showTeamWorkspace(r *door.Request) (teamWorkspaceDoc, error) {
	return a.App.TeamWorkspace(r.Context(), r.Principal, r.Param("access_id"))
}

func (a *Verbs) updateTeamWorkspace(r *door.Request, p teamWorkspacePatch) (teamWorkspaceDoc, error) {
	return a.App.ChangeTeamWorkspace(r.Context(), r.Principal, r.Param("access_id"), p)
}

func (a *Verbs) deleteTeamWorkspace(r *door.Request) error {
	return a.App.TakeTeamWorkspace(r.Context(), r.Principal, r.Param("access_id"))
}

func (a *Verbs) listTeamProjects(r *door.Request) ([]teamProjectDoc, int, error) {
	id, err := r.Required("filter[project][id]")
	if err != nil {
		return nil, 0, err
	}
	page, _ := r.WholePage()
	return a.App.TeamProjects(r.Context(), r.Principal, id, page)
}

func (a *Verbs) createTeamProject(r *door.Request, team, id string, p teamProjectPatch) (teamProjectDoc, error) {
	return a.App.GiveProject(r.Context(), r.Principal, team, id, p)
}

func (a *Verbs) showTeamProject(r *door.Request) (teamProjectDoc, error) {
	return a.App.TeamProject(r.Context(), r.Principal, r.Param("access_id"))
}

func (a *Verbs) updateTeamProject(r *door.Request, p teamProjectPatch) (teamProjectDoc, error) {
	return a.App.ChangeTeamProject(r.Context(), r.Principal, r.Param("access_id"), p)
}

func (a *Verbs) deleteTeamProject(r *door.Request) error {
	return a.App.TakeTeamProject(r.Context(), r.Principal, r.Param("access_id"))
}
