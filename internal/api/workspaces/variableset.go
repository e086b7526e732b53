package workspaces

import (
	"net/http"
	"slices"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/inputs"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/paths"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/openapi"
	"github.com/belayhq/belay/internal/patch"
)

type setPatch = inputs.VariableSetPatch

// SetAttributes is every attribute of a set of variables.
var SetAttributes = doc.Attributes[inputs.VariableSet, setPatch]{
	{Name: "name", Show: doc.Value(func(s *inputs.VariableSet) string { return s.Name }), Write: doc.Lenient(func(p *setPatch) *patch.Field[string] { return &p.Name })},
	{Name: "description", Show: doc.Maybe(func(s *inputs.VariableSet) string { return s.Description }), Write: doc.Nullable(func(p *setPatch) *patch.Field[string] { return &p.Description })},
	{Name: "global", Show: doc.Value(func(s *inputs.VariableSet) bool { return s.Global }), Write: doc.Lenient(func(p *setPatch) *patch.Field[bool] { return &p.Global })},
	{Name: "priority", Show: doc.Value(func(s *inputs.VariableSet) bool { return s.Priority }), Write: doc.Lenient(func(p *setPatch) *patch.Field[bool] { return &p.Priority })},
	{Name: "created-at", Show: doc.Value(func(s *inputs.VariableSet) time.Time { return s.CreatedAt })},
	{Name: "updated-at", Show: doc.Value(func(s *inputs.VariableSet) time.Time { return s.UpdatedAt })},
	{Name: "permissions", Show: doc.Parts(setCan)},
	{Name: "var-count", Show: doc.Value(func(s *inputs.VariableSet) int { return len(s.VariableIDs) })},
	{Name: "workspace-count", Show: doc.Value(func(s *inputs.VariableSet) int { return len(s.WorkspaceIDs) })},
	{Name: "project-count", Show: doc.Value(func(s *inputs.VariableSet) int { return len(s.ProjectIDs) })},
}

var variableSets = &doc.Noun[inputs.VariableSet, setPatch]{
	Type:       "varsets",
	Schema:     "VariableSet",
	ID:         func(s *inputs.VariableSet) string { return s.ID },
	Path:       func(s *inputs.VariableSet) string { return "/api/v2/varsets/" + s.ID },
	Attributes: SetAttributes,
	Relations: []doc.Relation[inputs.VariableSet, setPatch]{
		paths.OfOrganization[inputs.VariableSet, setPatch](func(s *inputs.VariableSet) string { return s.Organization.Name }),
		{Name: "parent", Is: doc.Linkage(doc.RefTo("organizations", "projects"), true), Show: setOwner, Takes: doc.BodyRef("organizations", "projects"), Take: takeParent},
		doc.ToMany[inputs.VariableSet, setPatch]("vars", "vars", "/relationships/vars", func(s *inputs.VariableSet) []string { return s.VariableIDs }).
			Taking(openapi.List(&openapi.Schema{Type: openapi.Types{"object"}}), takeVariables),
		doc.ToMany[inputs.VariableSet, setPatch]("workspaces", "workspaces", "", func(s *inputs.VariableSet) []string { return s.WorkspaceIDs }).
			Taking(openapi.List(doc.BodyRef("workspaces")), func(_ doc.Reading, in *jsonapi.Incoming, p *setPatch) error {
				return doc.RelatedIDs(in, &p.Workspaces, "workspaces", "workspaces")
			}),
		doc.ToMany[inputs.VariableSet, setPatch]("projects", "projects", "", func(s *inputs.VariableSet) []string { return s.ProjectIDs }).
			Taking(openapi.List(doc.BodyRef("projects")), func(_ doc.Reading, in *jsonapi.Incoming, p *setPatch) error {
				return doc.RelatedIDs(in, &p.Projects, "projects", "projects")
			}),
	},
}

// setOwner is the project or the organization that a set belongs to.
func setOwner(s *inputs.VariableSet, _ string) jsonapi.Relation {
	if s.ProjectID != "" {
		return doc.Linked("", "projects", s.ProjectID)
	}
	return jsonapi.Relation{Data: jsonapi.Ref{Type: "organizations", ID: s.Organization.Name}, Related: paths.OrganizationAt(s.Organization.Name)}
}

// takeParent reads which project owns a new set; an organization is the default.
func takeParent(_ doc.Reading, in *jsonapi.Incoming, p *setPatch) error {
	parent, _, err := doc.RelatedRef(in, "parent", "organizations", "projects")
	if err == nil && parent.Type == "projects" {
		p.ParentProject = patch.Of(parent.ID)
	}
	return err
}

// takeVariables reads the first variables of a new set.
func takeVariables(how doc.Reading, in *jsonapi.Incoming, p *setPatch) error {
	vars := doc.RelationOf(in, "vars")
	if !vars.Listed() {
		return nil
	}
	items, err := jsonapi.DecodeList(vars.Data, "/data/relationships/vars/data")
	if items == nil && err != nil {
		return doc.ShapeRefusal(err)
	}
	if err := belay.CheckListed(len(items), belay.RelatedList("vars")); err != nil {
		return err
	}
	var problems belay.Problems
	for i, item := range items {
		if item.Attributes == nil {
			continue // a reference to a variable that is there
		}
		v := inputs.SetVariablePatch{Nth: i}
		if err := problems.Add(belay.Under(v.At(), VariableAttributes.Decode(item, &v.VariablePatch, how.Edition))); err != nil {
			return err
		}
		p.Variables = append(p.Variables, v)
	}
	return doc.Together(doc.ShapeRefusal(err), problems.Err())
}

var setCan = doc.Attributes[inputs.VariableSet, setPatch]{
	{Name: "can-update", Show: doc.Value(func(s *inputs.VariableSet) bool { return s.Manageable })},
	{Name: "can-destroy", Show: doc.Value(func(s *inputs.VariableSet) bool { return s.Manageable })},
}

func setQuery(r *door.Request) inputs.VariableSetQuery {
	return inputs.VariableSetQuery{Search: r.Query().Get("q"), Page: r.Page()}
}

var _ = routes.Join(func(a *Verbs) []door.Route {
	return []door.Route{
		{Method: http.MethodGet, Path: paths.Organization + "/varsets", Status: http.StatusOK, Do: door.Listing(variableSets, a.listVariableSets, a.withSets()), Query: []string{"q"}, Needs: belay.Traverse, Does: "List the sets of the organization that one sees"},
		{Method: http.MethodPost, Path: paths.Organization + "/varsets", Status: http.StatusCreated, Do: door.Writing(variableSets, a.createVariableSet, a.withSets()), Needs: belay.ManageVariableSets, Does: "Make a set"},
		{Method: http.MethodGet, Path: paths.Workspace + "/varsets", Status: http.StatusOK, Do: door.Listing(variableSets, a.listWorkspaceVariableSets, a.withSets()), Query: []string{"q"}, Needs: belay.ReadVariables, Does: "List the sets that a workspace has"},
		{Method: http.MethodGet, Path: paths.Workspace + "/applicable-varsets", Status: http.StatusOK, Do: door.Listing(variableSets, a.listApplicableVariableSets, a.withSets()), Query: []string{"q"}, Needs: belay.ReadVariables, Does: "List the sets that a workspace may be given"},
		{Method: http.MethodGet, Path: paths.Workspace + "/varsets/{varset_id}/relationships/vars", Status: http.StatusOK, Do: door.ListingAll(Variables, a.listWorkspaceSetVariables), Needs: belay.ReadVariables, Does: "List the variables of a set that a workspace has"},
		{Method: http.MethodGet, Path: paths.Workspace + "/varsets/{varset_id}/relationships/vars/{variable_id}", Status: http.StatusOK, Do: door.Showing(Variables, a.showWorkspaceSetVariable), Needs: belay.ReadVariables, Does: "See a variable of a set that a workspace has"},
		{Method: http.MethodGet, Path: paths.Project + "/varsets", Status: http.StatusOK, Do: door.Listing(variableSets, a.listProjectVariableSets, a.withSets()), Query: []string{"q"}, Needs: belay.ReadVariableSets, Does: "List the sets that a project has"},
		{Method: http.MethodGet, Path: paths.VariableSet, Status: http.StatusOK, Do: door.Showing(variableSets, a.showVariableSet, a.withSets()), Needs: belay.ReadVariableSets, Does: "See a set that the workspace and the project have"},
		{Method: http.MethodPatch, Path: paths.VariableSet, Status: http.StatusOK, Do: door.Writing(variableSets, a.updateVariableSet, a.withSets()), Needs: belay.ManageVariableSets, Does: "Change a set"},
		{Method: http.MethodPost, Path: paths.VariableSet, Status: http.StatusOK, Do: door.Writing(variableSets, a.updateVariableSet, a.withSets()), Needs: belay.ManageVariableSets, Does: "Change a set (published form)"},
		{Method: http.MethodPut, Path: paths.VariableSet, Status: http.StatusOK, Do: door.Writing(variableSets, a.updateVariableSet, a.withSets()), Needs: belay.ManageVariableSets, Does: "Change a set (older form)"},
		{Method: http.MethodDelete, Path: paths.VariableSet, Status: http.StatusNoContent, Do: door.Doing(a.deleteVariableSet), Needs: belay.ManageVariableSets, Does: "Delete a set"},
		{Method: http.MethodPost, Path: paths.VariableSet + "/relationships/workspaces", Status: http.StatusNoContent, Do: door.Naming("workspaces", a.applySetToWorkspaces), Needs: belay.ManageVariableSets, Does: "Give a set to a workspace"},
		{Method: http.MethodDelete, Path: paths.VariableSet + "/relationships/workspaces", Status: http.StatusNoContent, Do: door.Naming("workspaces", a.withdrawSetFromWorkspaces), Needs: belay.ManageVariableSets, Does: "Take a set from a workspace"},
		{Method: http.MethodPost, Path: paths.VariableSet + "/relationships/projects", Status: http.StatusNoContent, Do: door.Naming("projects", a.applySetToProjects), Needs: belay.ManageVariableSets, Does: "Give a set to a project"},
		{Method: http.MethodDelete, Path: paths.VariableSet + "/relationships/projects", Status: http.StatusNoContent, Do: door.Naming("projects", a.withdrawSetFromProjects), Needs: belay.ManageVariableSets, Does: "Take a set from a project"},
		{Method: http.MethodGet, Path: paths.VariableSet + "/relationships/vars", Status: http.StatusOK, Do: door.ListingAll(Variables, a.listSetVariables), Needs: belay.ReadVariableSets, Does: "List the variables of a set"},
		{Method: http.MethodPost, Path: paths.VariableSet + "/relationships/vars", Status: http.StatusCreated, Do: door.Writing(Variables, a.createSetVariable), Needs: belay.ManageVariableSets, Does: "Set a new variable of a set"},
		{Method: http.MethodGet, Path: paths.VariableSet + "/relationships/vars/{variable_id}", Status: http.StatusOK, Do: door.Showing(Variables, a.showSetVariable), Needs: belay.ReadVariableSets, Does: "See a variable of a set"},
		{Method: http.MethodPatch, Path: paths.VariableSet + "/relationships/vars/{variable_id}", Status: http.StatusOK, Do: door.Writing(Variables, a.updateSetVariable), Needs: belay.ManageVariableSets, Does: "Change a variable of a set"},
		{Method: http.MethodDelete, Path: paths.VariableSet + "/relationships/vars/{variable_id}", Status: http.StatusNoContent, Do: door.Doing(a.deleteSetVariable), Needs: belay.ManageVariableSets, Does: "Delete a variable of a set"},
	}
})

func (a *Verbs) createVariableSet(r *door.Request, p setPatch) (inputs.VariableSet, error) {
	return a.App.CreateVariableSet(r.Context(), r.Principal, r.Param("organization_name"), p)
}

func (a *Verbs) listVariableSets(r *door.Request) ([]inputs.VariableSet, int, error) {
	return a.App.VariableSets(r.Context(), r.Principal, r.Param("organization_name"), setQuery(r))
}

func (a *Verbs) listWorkspaceVariableSets(r *door.Request) ([]inputs.VariableSet, int, error) {
	return a.App.WorkspaceVariableSets(r.Context(), r.Principal, paths.WorkspaceRef(r), setQuery(r))
}

// listApplicableVariableSets is every set that the workspace may be given, or has.
func (a *Verbs) listApplicableVariableSets(r *door.Request) ([]inputs.VariableSet, int, error) {
	return a.App.ApplicableVariableSets(r.Context(), r.Principal, paths.WorkspaceRef(r), setQuery(r))
}

func (a *Verbs) listWorkspaceSetVariables(r *door.Request) ([]inputs.Variable, error) {
	return a.App.WorkspaceSetVariables(r.Context(), r.Principal, paths.WorkspaceRef(r), r.Param("varset_id"))
}

func (a *Verbs) showWorkspaceSetVariable(r *door.Request) (inputs.Variable, error) {
	list, err := a.listWorkspaceSetVariables(r)
	if err != nil {
		return inputs.Variable{}, err
	}
	at := slices.IndexFunc(list, func(v inputs.Variable) bool { return v.ID == r.Param("variable_id") })
	if at < 0 {
		return inputs.Variable{}, belay.ErrNotFound
	}
	return list[at], nil
}

func (a *Verbs) listProjectVariableSets(r *door.Request) ([]inputs.VariableSet, int, error) {
	return a.App.ProjectVariableSets(r.Context(), r.Principal, r.Param("project_id"), setQuery(r))
}

func (a *Verbs) showVariableSet(r *door.Request) (inputs.VariableSet, error) {
	return a.App.VariableSet(r.Context(), r.Principal, r.Param("varset_id"))
}

func (a *Verbs) updateVariableSet(r *door.Request, p setPatch) (inputs.VariableSet, error) {
	return a.App.UpdateVariableSet(r.Context(), r.Principal, r.Param("varset_id"), p)
}

func (a *Verbs) deleteVariableSet(r *door.Request) error {
	return a.App.DeleteVariableSet(r.Context(), r.Principal, r.Param("varset_id"))
}

func (a *Verbs) applySetToWorkspaces(r *door.Request, ids []string) error {
	return a.App.ApplyVariableSet(r.Context(), r.Principal, r.Param("varset_id"), ids, nil)
}

func (a *Verbs) withdrawSetFromWorkspaces(r *door.Request, ids []string) error {
	return a.App.WithdrawVariableSet(r.Context(), r.Principal, r.Param("varset_id"), ids, nil)
}

func (a *Verbs) applySetToProjects(r *door.Request, ids []string) error {
	return a.App.ApplyVariableSet(r.Context(), r.Principal, r.Param("varset_id"), nil, ids)
}

func (a *Verbs) withdrawSetFromProjects(r *door.Request, ids []string) error {
	return a.App.WithdrawVariableSet(r.Context(), r.Principal, r.Param("varset_id"), nil, ids)
}

func (a *Verbs) listSetVariables(r *door.Request) ([]inputs.Variable, error) {
	return a.App.SetVariables(r.Context(), r.Principal, r.Param("varset_id"))
}

func (a *Verbs) createSetVariable(r *door.Request, p variablePatch) (inputs.Variable, error) {
	return a.App.CreateSetVariable(r.Context(), r.Principal, r.Param("varset_id"), p)
}

func (a *Verbs) showSetVariable(r *door.Request) (inputs.Variable, error) {
	return a.App.SetVariable(r.Context(), r.Principal, r.Param("varset_id"), r.Param("variable_id"))
}

func (a *Verbs) updateSetVariable(r *door.Request, p variablePatch) (inputs.Variable, error) {
	return a.App.UpdateSetVariable(r.Context(), r.Principal, r.Param("varset_id"), r.Param("variable_id"), p)
}

func (a *Verbs) deleteSetVariable(r *door.Request) error {
	return a.App.DeleteSetVariable(r.Context(), r.Principal, r.Param("varset_id"), r.Param("variable_id"))
}

func (a *Verbs) withSets() *door.Inclusion[inputs.VariableSet] {
	return WithNouns(a.App, []string{"workspaces", "projects", "vars", "stacks"}, func(d *inputs.VariableSet, has func(string) bool, ids *app.NounIDs) {
		if has("workspaces") {
			ids.Workspaces = append(ids.Workspaces, d.WorkspaceIDs...)
		}
		if has("projects") {
			ids.Projects = append(ids.Projects, d.ProjectIDs...)
		}
		if has("vars") {
			ids.VariableSets = append(ids.VariableSets, d.ID)
		}
	})
}
