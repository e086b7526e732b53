package api

import (
	"encoding/json"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/patch"
)

type (
	teamWorkspaceDoc   = belay.TeamWorkspace
	teamWorkspacePatch = belay.TeamWorkspacePatch
	teamProjectDoc     = belay.TeamProject
	teamProjectPatch   = belay.TeamProjectPatch
)

var teamWorkspaceAttributes = attributes[teamWorkspaceDoc, teamWorkspacePatch]{
	{name: "access", read: func(g *teamWorkspaceDoc) any { return g.Level }, write: field(func(p *teamWorkspacePatch) *patch.Field[string] { return &p.Level })},
	{name: "runs", read: func(g *teamWorkspaceDoc) any { return g.Access().Runs }, write: lenient(func(p *teamWorkspacePatch) *patch.Field[string] { return &p.Custom.Runs })},
	{name: "variables", read: func(g *teamWorkspaceDoc) any { return g.Access().Variables }, write: lenient(func(p *teamWorkspacePatch) *patch.Field[string] { return &p.Custom.Variables })},
	{name: "state-versions", read: func(g *teamWorkspaceDoc) any { return g.Access().StateVersions }, write: lenient(func(p *teamWorkspacePatch) *patch.Field[string] { return &p.Custom.StateVersions })},
	{name: "sentinel-mocks", read: func(g *teamWorkspaceDoc) any { return g.Access().SentinelMocks }, write: lenient(func(p *teamWorkspacePatch) *patch.Field[string] { return &p.Custom.SentinelMocks })},
	{name: "workspace-locking", read: func(g *teamWorkspaceDoc) any { return g.Access().WorkspaceLocking }, write: lenient(func(p *teamWorkspacePatch) *patch.Field[bool] { return &p.Custom.WorkspaceLocking })},
	{name: "run-tasks", read: func(g *teamWorkspaceDoc) any { return g.Access().RunTasks }, write: lenient(func(p *teamWorkspacePatch) *patch.Field[bool] { return &p.Custom.RunTasks })},
	{name: "policy-overrides", read: func(g *teamWorkspaceDoc) any { return g.Access().PolicyOverrides }, write: lenient(func(p *teamWorkspacePatch) *patch.Field[bool] { return &p.Custom.PolicyOverrides })},
}

var teamProjectAttributes = attributes[teamProjectDoc, teamProjectPatch]{
	{name: "access", read: func(g *teamProjectDoc) any { return g.Level }, write: field(func(p *teamProjectPatch) *patch.Field[string] { return &p.Level })},
	{name: "project-access", read: projectAccess, write: func(p *teamProjectPatch, raw json.RawMessage) error { return json.Unmarshal(raw, &p.Project) }},
	{name: "workspace-access", read: projectWorkspaceAccess, write: func(p *teamProjectPatch, raw json.RawMessage) error { return json.Unmarshal(raw, &p.Workspaces) }},
}

func projectAccess(g *teamProjectDoc) any {
	access := g.Access()
	return jsonapi.Object{
		{Name: "settings", Value: access.Settings}, {Name: "teams", Value: access.Teams}, {Name: "variable-sets", Value: access.VariableSets},
	}
}

func projectWorkspaceAccess(g *teamProjectDoc) any {
	access := g.Access().Workspaces
	return jsonapi.Object{
		{Name: "create", Value: access.Create},
		{Name: "move", Value: access.Move},
		{Name: "locking", Value: access.WorkspaceLocking},
		{Name: "delete", Value: access.Delete},
		{Name: "runs", Value: access.Runs},
		{Name: "variables", Value: access.Variables},
		{Name: "state-versions", Value: access.StateVersions},
		{Name: "sentinel-mocks", Value: access.SentinelMocks},
		{Name: "run-tasks", Value: access.RunTasks},
		{Name: "policy-overrides", Value: access.PolicyOverrides},
	}
}

func (a *API) teamWorkspace(g teamWorkspaceDoc) *jsonapi.Resource {
	return &jsonapi.Resource{
		Type: "team-workspaces", ID: g.ID, Attributes: teamWorkspaceAttributes.object(&g, a.App.Edition()),
		Relationships: []jsonapi.Relation{
			linked("team", "teams", g.TeamID),
			{Name: "workspace", Data: jsonapi.Ref{Type: "workspaces", ID: g.WorkspaceID}, Related: organizationPath(g.Workspace.Organization.Name) + "/workspaces/" + g.Workspace.Name},
		},
		Links: jsonapi.Object{{Name: "self", Value: "/api/v2/team-workspaces/" + g.ID}},
	}
}

func (a *API) teamProject(g teamProjectDoc) *jsonapi.Resource {
	return &jsonapi.Resource{
		Type: "team-projects", ID: g.ID, Attributes: teamProjectAttributes.object(&g, a.App.Edition()),
		Relationships: []jsonapi.Relation{linked("team", "teams", g.TeamID), linked("project", "projects", g.ProjectID)},
		Links:         jsonapi.Object{{Name: "self", Value: "/api/v2/team-projects/" + g.ID}},
	}
}

func (a *API) teamWorkspaceAnswer(g teamWorkspaceDoc, err error) (*jsonapi.Document, error) {
	if err != nil {
		return nil, err
	}
	return one(a.teamWorkspace(g)), nil
}

func (a *API) teamProjectAnswer(g teamProjectDoc, err error) (*jsonapi.Document, error) {
	if err != nil {
		return nil, err
	}
	return one(a.teamProject(g)), nil
}

// required reads a query parameter that a list can't do without.
func (r *request) required(name string) (string, error) {
	value := r.URL.Query().Get(name)
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
func (r *request) listWhole(data []*jsonapi.Resource, total int, whole bool) *jsonapi.Document {
	if !whole {
		return r.list(data, total)
	}
	if data == nil {
		data = []*jsonapi.Resource{}
	}
	page := jsonapi.Page{Number: 1, Size: max(total, jsonapi.DefaultPageSize)}
	_, meta := page.Envelope("", nil, total)
	return &jsonapi.Document{Data: data, Meta: meta}
}

// relatedOne reads the one resource that a relationship of the body names.
func relatedOne(in *jsonapi.Incoming, problems *belay.Problems, name string) (string, error) {
	ref, _, err := relatedRef(in, name, name+"s")
	if err != nil {
		return "", problems.Add(err)
	}
	if ref.ID == "" {
		problems.At("/data/relationships/"+name, "%s can't be blank", name)
	}
	return ref.ID, nil
}

// grantBody reads a body that gives a team access to something of a kind.
func grantBody[D, P any](r *request, rows attributes[D, P], typ, kind string, p *P) (team, id string, err error) {
	in, err := r.resource(typ)
	if err != nil {
		return "", "", err
	}
	var problems belay.Problems
	if err := problems.Add(rows.decode(in, p, r.api.App.Edition())); err != nil {
		return "", "", err
	}
	if team, err = relatedOne(in, &problems, "team"); err != nil {
		return "", "", err
	}
	if id, err = relatedOne(in, &problems, kind); err != nil {
		return "", "", err
	}
	return team, id, problems.Err()
}

func (a *API) listTeamWorkspaces(r *request) (*jsonapi.Document, error) {
	id, err := r.required("filter[workspace][id]")
	if err != nil {
		return nil, err
	}
	page, whole := r.wholePage()
	list, total, err := a.App.TeamWorkspaces(r.Context(), r.subject, id, page)
	if err != nil {
		return nil, err
	}
	return r.listWhole(each(list, a.teamWorkspace), total, whole), nil
}

func (a *API) createTeamWorkspace(r *request) (*jsonapi.Document, error) {
	var p teamWorkspacePatch
	team, workspace, err := grantBody(r, teamWorkspaceAttributes, "team-workspaces", "workspace", &p)
	if err != nil {
		return nil, err
	}
	g, err := a.App.GiveWorkspace(r.Context(), r.subject, team, workspace, p)
	return a.teamWorkspaceAnswer(g, err)
}

func (a *API) showTeamWorkspace(r *request) (*jsonapi.Document, error) {
	g, err := a.App.TeamWorkspace(r.Context(), r.subject, r.param("access_id"))
	return a.teamWorkspaceAnswer(g, err)
}

func (a *API) updateTeamWorkspace(r *request) (*jsonapi.Document, error) {
	in, err := r.resource("team-workspaces")
	if err != nil {
		return nil, err
	}
	var p teamWorkspacePatch
	if err := teamWorkspaceAttributes.decode(in, &p, a.App.Edition()); err != nil {
		return nil, err
	}
	g, err := a.App.ChangeTeamWorkspace(r.Context(), r.subject, r.param("access_id"), p)
	return a.teamWorkspaceAnswer(g, err)
}

func (a *API) deleteTeamWorkspace(r *request) (*jsonapi.Document, error) {
	return nil, a.App.TakeTeamWorkspace(r.Context(), r.subject, r.param("access_id"))
}

func (a *API) listTeamProjects(r *request) (*jsonapi.Document, error) {
	id, err := r.required("filter[project][id]")
	if err != nil {
		return nil, err
	}
	page, whole := r.wholePage()
	list, total, err := a.App.TeamProjects(r.Context(), r.subject, id, page)
	if err != nil {
		return nil, err
	}
	return r.listWhole(each(list, a.teamProject), total, whole), nil
}

func (a *API) createTeamProject(r *request) (*jsonapi.Document, error) {
	var p teamProjectPatch
	team, project, err := grantBody(r, teamProjectAttributes, "team-projects", "project", &p)
	if err != nil {
		return nil, err
	}
	g, err := a.App.GiveProject(r.Context(), r.subject, team, project, p)
	return a.teamProjectAnswer(g, err)
}

func (a *API) showTeamProject(r *request) (*jsonapi.Document, error) {
	g, err := a.App.TeamProject(r.Context(), r.subject, r.param("access_id"))
	return a.teamProjectAnswer(g, err)
}

func (a *API) updateTeamProject(r *request) (*jsonapi.Document, error) {
	in, err := r.resource("team-projects")
	if err != nil {
		return nil, err
	}
	var p teamProjectPatch
	if err := teamProjectAttributes.decode(in, &p, a.App.Edition()); err != nil {
		return nil, err
	}
	g, err := a.App.ChangeTeamProject(r.Context(), r.subject, r.param("access_id"), p)
	return a.teamProjectAnswer(g, err)
}

func (a *API) deleteTeamProject(r *request) (*jsonapi.Document, error) {
	return nil, a.App.TakeTeamProject(r.Context(), r.subject, r.param("access_id"))
}
