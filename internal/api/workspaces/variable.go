package workspaces

import (
	"net/http"
	"strconv"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/inputs"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/paths"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/openapi"
	"github.com/belayhq/belay/internal/patch"
)

type variablePatch = inputs.VariablePatch

// VariableAttributes is the attributes of a variable. A sensitive value is never shown.
var VariableAttributes = doc.Attributes[inputs.Variable, variablePatch]{
	{Name: "key", Show: doc.Value(func(v *inputs.Variable) string { return v.Key }), Write: doc.Lenient(func(p *variablePatch) *patch.Field[string] { return &p.Key })},
	{Name: "value", Show: doc.Unless(func(v *inputs.Variable) bool { return v.Sensitive }, func(v *inputs.Variable) string { return v.Value }), Write: doc.Nullable(func(p *variablePatch) *patch.Field[string] { return &p.Value })},
	{Name: "sensitive", Show: doc.Value(func(v *inputs.Variable) bool { return v.Sensitive }), Write: doc.Lenient(func(p *variablePatch) *patch.Field[bool] { return &p.Sensitive })},
	{Name: "category", Allowed: []string{"terraform", "env"}, Show: doc.Value(func(v *inputs.Variable) string { return v.Category }), Write: doc.Lenient(func(p *variablePatch) *patch.Field[string] { return &p.Category })},
	{Name: "hcl", Show: doc.Value(func(v *inputs.Variable) bool { return v.HCL }), Write: doc.Lenient(func(p *variablePatch) *patch.Field[bool] { return &p.HCL })},
	{Name: "description", Show: doc.Maybe(func(v *inputs.Variable) string { return v.Description }), Write: doc.Nullable(func(p *variablePatch) *patch.Field[string] { return &p.Description })},
	{Name: "created-at", Show: doc.Value(func(v *inputs.Variable) time.Time { return v.CreatedAt })},
	{Name: "version-id", Show: doc.Value(func(v *inputs.Variable) string { return v.VersionID })},
}

// Variables is the variables of workspaces and of sets. Clients take only a workspace in
// the relationship configurable, so a set stands in one of its own.
var Variables = &doc.Noun[inputs.Variable, variablePatch]{
	Type:       "vars",
	Schema:     "Variable",
	ID:         func(v *inputs.Variable) string { return v.ID },
	Path:       variablePath,
	Attributes: VariableAttributes,
	Relations: []doc.Relation[inputs.Variable, variablePatch]{
		doc.To[inputs.Variable, variablePatch]("configurable", "workspaces", func(v *inputs.Variable) string { return v.OwnerID }).Unless(inSet),
		doc.To[inputs.Variable, variablePatch]("workspace", "workspaces", func(v *inputs.Variable) string { return v.OwnerID }).Unless(inSet),
		doc.To[inputs.Variable, variablePatch]("varset", "varsets", func(v *inputs.Variable) string { return v.OwnerID }).
			Unless(func(v *inputs.Variable) bool { return !inSet(v) }),
	},
}

func inSet(v *inputs.Variable) bool { return v.OwnerType == "varsets" }

func variablePath(v *inputs.Variable) string {
	if inSet(v) {
		return "/api/v2/varsets/" + v.OwnerID + "/relationships/vars/" + v.ID
	}
	return "/api/v2/workspaces/" + v.OwnerID + "/vars/" + v.ID
}

var _ = routes.Join(func(a *Verbs) []door.Route {
	return []door.Route{
		{Method: http.MethodGet, Path: paths.Workspace + "/vars", Status: http.StatusOK, Do: door.ListingAll(Variables, a.listVariables), Needs: belay.ReadVariables, Does: "List the variables"},
		{Method: http.MethodPost, Path: paths.Workspace + "/vars", Status: http.StatusCreated, Do: door.Writing(Variables, a.createVariable), Needs: belay.WriteVariables, Does: "Set a new variable"},
		{Method: http.MethodGet, Path: paths.Workspace + "/vars/{variable_id}", Status: http.StatusOK, Do: door.Showing(Variables, a.showVariable), Needs: belay.ReadVariables, Does: "See a variable"},
		{Method: http.MethodPatch, Path: paths.Workspace + "/vars/{variable_id}", Status: http.StatusOK, Do: door.Writing(Variables, a.updateVariable), Needs: belay.WriteVariables, Does: "Change a variable"},
		{Method: http.MethodDelete, Path: paths.Workspace + "/vars/{variable_id}", Status: http.StatusNoContent, Do: door.Doing(a.deleteVariable), Needs: belay.WriteVariables, Does: "Delete a variable"},
		{Method: http.MethodGet, Path: paths.Workspace + "/all-vars", Status: http.StatusOK, Do: door.ListingAll(Variables, a.listAllVariables), Needs: belay.ReadVariables, Does: "List the variables with those of its sets"},
		{Method: http.MethodGet, Path: paths.V2 + "/vars", Status: http.StatusOK, Do: door.ListingAll(Variables, a.listLooseVariables), Filters: NamedFilters, Needs: belay.ReadVariables, Does: "List the variables (older path)"},
		{Method: http.MethodPost, Path: paths.V2 + "/vars", Status: http.StatusCreated, Do: door.Writing(Variables, a.createLooseVariable), Needs: belay.WriteVariables, Does: "Set a new variable (older path)"},
		{Method: http.MethodGet, Path: paths.V2 + "/vars/{variable_id}", Status: http.StatusOK, Do: door.Showing(Variables, a.showVariable), Needs: belay.ReadVariables, Does: "See a variable (older path)"},
		{Method: http.MethodPatch, Path: paths.V2 + "/vars/{variable_id}", Status: http.StatusOK, Do: door.Writing(Variables, a.updateVariable), Needs: belay.WriteVariables, Does: "Change a variable (older path)"},
		{Method: http.MethodDelete, Path: paths.V2 + "/vars/{variable_id}", Status: http.StatusNoContent, Do: door.Doing(a.deleteVariable), Needs: belay.WriteVariables, Does: "Delete a variable (older path)"},
		{Method: http.MethodPatch, Path: paths.Workspace + "/relationships/vars", Status: http.StatusOK, Do: door.ListingAll(Variables, a.updateVariables).Reads(variablesBody), Needs: belay.WriteVariables, Does: "Set many variables of a workspace"},
	}
})

func (a *Verbs) createVariable(r *door.Request, p variablePatch) (inputs.Variable, error) {
	return a.App.CreateVariable(r.Context(), r.Principal, paths.WorkspaceRef(r), p)
}

// createLooseVariable is the older form of create: the workspace is a relationship.
func (a *Verbs) createLooseVariable(r *door.Request, p variablePatch) (inputs.Variable, error) {
	in, err := r.Resource("vars")
	if err != nil {
		return inputs.Variable{}, err
	}
	workspace, err := r.RelatedOne(in, "workspace")
	if err != nil {
		return inputs.Variable{}, err
	}
	if workspace == "" {
		return inputs.Variable{}, new(inputs.Variable).Apply(p)
	}
	return a.App.CreateVariable(r.Context(), r.Principal, belay.WorkspaceRef{ID: workspace}, p)
}

func (a *Verbs) listVariables(r *door.Request) ([]inputs.Variable, error) {
	return a.App.Variables(r.Context(), r.Principal, paths.WorkspaceRef(r), false)
}

func (a *Verbs) listAllVariables(r *door.Request) ([]inputs.Variable, error) {
	return a.App.Variables(r.Context(), r.Principal, paths.WorkspaceRef(r), true)
}

// listLooseVariables is the older form of the list: two filters name the workspace.
func (a *Verbs) listLooseVariables(r *door.Request) ([]inputs.Variable, error) {
	q := r.Query()
	ref := belay.WorkspaceRef{Organization: q.Get("filter[organization][name]"), Name: q.Get("filter[workspace][name]")}
	if ref.Organization == "" || ref.Name == "" {
		return nil, belay.Refuse(belay.BadRequest, "filter[organization][name] and filter[workspace][name] must both be given")
	}
	return a.App.Variables(r.Context(), r.Principal, ref, false)
}

func (a *Verbs) showVariable(r *door.Request) (inputs.Variable, error) {
	return a.App.Variable(r.Context(), r.Principal, paths.WorkspaceRef(r), r.Param("variable_id"))
}

func (a *Verbs) updateVariable(r *door.Request, p variablePatch) (inputs.Variable, error) {
	return a.App.UpdateVariable(r.Context(), r.Principal, paths.WorkspaceRef(r), r.Param("variable_id"), p)
}

// updateVariables changes many variables of a workspace at once, and makes those that come
// without an id: all of them or none. What the body does not name stays.
func (a *Verbs) updateVariables(r *door.Request) ([]inputs.Variable, error) {
	items, err := jsonapi.DecodeMany(r.Document)
	if err := r.Later(doc.ShapeRefusal(err)); err != nil {
		return nil, err
	}
	var problems belay.Problems
	changes := make([]inputs.VariableChange, len(items))
	for i, in := range items {
		at := "/data/" + strconv.Itoa(i)
		changes[i].ID = in.ID
		for _, err := range []error{
			doc.CheckType(&in.Type, at+"/type", "vars"),
			doc.UnderItem(i, VariableAttributes.Decode(in, &changes[i].VariablePatch, a.App.Edition())),
		} {
			if err := problems.Add(err); err != nil {
				return nil, err
			}
		}
	}
	if err := r.Later(problems.Err()); err != nil {
		return nil, err
	}
	return a.App.ChangeVariables(r.Context(), r.Principal, paths.WorkspaceRef(r), changes)
}

// variablesBody is the schema of a list of variables to change or to make.
func variablesBody(d *doc.Describer) *openapi.Schema {
	return doc.Document(openapi.List(Variables.Given(d)))
}

func (a *Verbs) deleteVariable(r *door.Request) error {
	return a.App.DeleteVariable(r.Context(), r.Principal, paths.WorkspaceRef(r), r.Param("variable_id"))
}
