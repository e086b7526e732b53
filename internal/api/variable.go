package api

import (
	"strconv"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/openapi"
	"github.com/belayhq/belay/internal/patch"
)

type variablePatch = belay.VariablePatch

// variableAttributes is the attributes of a variable. A sensitive value is never shown.
var variableAttributes = attributes[belay.Variable, variablePatch]{
	{name: "key", show: value(func(v *belay.Variable) string { return v.Key }), write: lenient(func(p *variablePatch) *patch.Field[string] { return &p.Key })},
	{name: "value", show: unless(func(v *belay.Variable) bool { return v.Sensitive }, func(v *belay.Variable) string { return v.Value }), write: nullable(func(p *variablePatch) *patch.Field[string] { return &p.Value })},
	{name: "sensitive", show: value(func(v *belay.Variable) bool { return v.Sensitive }), write: lenient(func(p *variablePatch) *patch.Field[bool] { return &p.Sensitive })},
	{name: "category", allowed: []string{"terraform", "env"}, show: value(func(v *belay.Variable) string { return v.Category }), write: lenient(func(p *variablePatch) *patch.Field[string] { return &p.Category })},
	{name: "hcl", show: value(func(v *belay.Variable) bool { return v.HCL }), write: lenient(func(p *variablePatch) *patch.Field[bool] { return &p.HCL })},
	{name: "description", show: maybe(func(v *belay.Variable) string { return v.Description }), write: nullable(func(p *variablePatch) *patch.Field[string] { return &p.Description })},
	{name: "created-at", show: value(func(v *belay.Variable) time.Time { return v.CreatedAt })},
	{name: "version-id", show: value(func(v *belay.Variable) string { return v.VersionID })},
}

// variables is the variables of workspaces and of sets. Clients take only a workspace in
// the relationship configurable, so a set stands in one of its own.
var variables = &noun[belay.Variable, variablePatch]{
	typ:        "vars",
	schema:     "Variable",
	id:         func(v *belay.Variable) string { return v.ID },
	path:       variablePath,
	attributes: variableAttributes,
	relations: []relation[belay.Variable, variablePatch]{
		to[belay.Variable, variablePatch]("configurable", "workspaces", func(v *belay.Variable) string { return v.OwnerID }).unless(inSet),
		to[belay.Variable, variablePatch]("workspace", "workspaces", func(v *belay.Variable) string { return v.OwnerID }).unless(inSet),
		to[belay.Variable, variablePatch]("varset", "varsets", func(v *belay.Variable) string { return v.OwnerID }).
			unless(func(v *belay.Variable) bool { return !inSet(v) }),
	},
}

func inSet(v *belay.Variable) bool { return v.OwnerType == "varsets" }

func variablePath(v *belay.Variable) string {
	if inSet(v) {
		return "/api/v2/varsets/" + v.OwnerID + "/relationships/vars/" + v.ID
	}
	return "/api/v2/workspaces/" + v.OwnerID + "/vars/" + v.ID
}

func (a *API) createVariable(r *request, p variablePatch) (belay.Variable, error) {
	return a.App.CreateVariable(r.Context(), r.subject, r.workspaceRef(), p)
}

// createLooseVariable is the older form of create: the workspace is a relationship.
func (a *API) createLooseVariable(r *request, p variablePatch) (belay.Variable, error) {
	in, err := r.resource("vars")
	if err != nil {
		return belay.Variable{}, err
	}
	workspace, err := r.relatedOne(in, "workspace")
	if err != nil {
		return belay.Variable{}, err
	}
	if workspace == "" {
		return belay.Variable{}, new(belay.Variable).Apply(p)
	}
	return a.App.CreateVariable(r.Context(), r.subject, belay.WorkspaceRef{ID: workspace}, p)
}

func (a *API) listVariables(r *request) ([]belay.Variable, error) {
	return a.App.Variables(r.Context(), r.subject, r.workspaceRef(), false)
}

func (a *API) listAllVariables(r *request) ([]belay.Variable, error) {
	return a.App.Variables(r.Context(), r.subject, r.workspaceRef(), true)
}

// listLooseVariables is the older form of the list: two filters name the workspace.
func (a *API) listLooseVariables(r *request) ([]belay.Variable, error) {
	q := r.query()
	ref := belay.WorkspaceRef{Organization: q.Get("filter[organization][name]"), Name: q.Get("filter[workspace][name]")}
	if ref.Organization == "" || ref.Name == "" {
		return nil, belay.Refuse(belay.BadRequest, "filter[organization][name] and filter[workspace][name] must both be given")
	}
	return a.App.Variables(r.Context(), r.subject, ref, false)
}

func (a *API) showVariable(r *request) (belay.Variable, error) {
	return a.App.Variable(r.Context(), r.subject, r.workspaceRef(), r.param("variable_id"))
}

func (a *API) updateVariable(r *request, p variablePatch) (belay.Variable, error) {
	return a.App.UpdateVariable(r.Context(), r.subject, r.workspaceRef(), r.param("variable_id"), p)
}

// updateVariables changes many variables of a workspace at once, and makes those that come
// without an id: all of them or none. What the body does not name stays.
func (a *API) updateVariables(r *request) ([]belay.Variable, error) {
	items, err := jsonapi.DecodeMany(r.body)
	if err := r.later(shapeRefusal(err)); err != nil {
		return nil, err
	}
	var problems belay.Problems
	changes := make([]app.VariableChange, len(items))
	for i, in := range items {
		at := "/data/" + strconv.Itoa(i)
		changes[i].ID = in.ID
		for _, err := range []error{
			checkType(&in.Type, at+"/type", "vars"),
			underItem(i, variableAttributes.decode(in, &changes[i].VariablePatch, a.App.Edition())),
		} {
			if err := problems.Add(err); err != nil {
				return nil, err
			}
		}
	}
	if err := r.later(problems.Err()); err != nil {
		return nil, err
	}
	return a.App.ChangeVariables(r.Context(), r.subject, r.workspaceRef(), changes)
}

// variablesBody is the schema of a list of variables to change or to make.
func variablesBody(d *describer) *openapi.Schema {
	return document(openapi.List(variables.given(d)))
}

func (a *API) deleteVariable(r *request) error {
	return a.App.DeleteVariable(r.Context(), r.subject, r.workspaceRef(), r.param("variable_id"))
}
