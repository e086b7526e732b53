package api

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/patch"
)

type variablePatch = belay.VariablePatch

// variableAttributes is the attributes of a variable. A sensitive value is never shown.
var variableAttributes = attributes[belay.Variable, variablePatch]{
	{name: "key", read: func(v *belay.Variable) any { return v.Key }, write: lenient(func(p *variablePatch) *patch.Field[string] { return &p.Key })},
	{name: "value", read: variableValue, write: nullable(func(p *variablePatch) *patch.Field[string] { return &p.Value })},
	{name: "sensitive", read: func(v *belay.Variable) any { return v.Sensitive }, write: lenient(func(p *variablePatch) *patch.Field[bool] { return &p.Sensitive })},
	{name: "category", read: func(v *belay.Variable) any { return v.Category }, write: lenient(func(p *variablePatch) *patch.Field[string] { return &p.Category })},
	{name: "hcl", read: func(v *belay.Variable) any { return v.HCL }, write: lenient(func(p *variablePatch) *patch.Field[bool] { return &p.HCL })},
	{name: "description", read: func(v *belay.Variable) any { return orNull(v.Description) }, write: nullable(func(p *variablePatch) *patch.Field[string] { return &p.Description })},
	{name: "created-at", read: func(v *belay.Variable) any { return v.CreatedAt }},
	{name: "version-id", read: func(v *belay.Variable) any { return v.VersionID }},
}

func variableValue(v *belay.Variable) any {
	if v.Sensitive {
		return nil
	}
	return v.Value
}

// variable is the resource of a variable. Clients take only a workspace in the
// relationship configurable, so a set stands in one of its own.
func (a *API) variable(v belay.Variable) *jsonapi.Resource {
	owner, below := "configurable", "/vars/"
	if v.OwnerType == "varsets" {
		owner, below = "varset", "/relationships/vars/"
	}
	related := "/api/v2/" + v.OwnerType + "/" + v.OwnerID
	return &jsonapi.Resource{
		Type: "vars", ID: v.ID,
		Attributes:    variableAttributes.object(&v, a.App.Edition()),
		Relationships: []jsonapi.Relation{{Name: owner, Data: jsonapi.Ref{Type: v.OwnerType, ID: v.OwnerID}, Related: related}},
		Links:         jsonapi.Object{{Name: "self", Value: related + below + v.ID}},
	}
}

func (r *request) variablePatch() (p variablePatch, err error) {
	in, err := r.resource("vars")
	if err != nil {
		return p, err
	}
	return p, variableAttributes.decode(in, &p, r.api.App.Edition())
}

func (a *API) createVariable(r *request) (*jsonapi.Document, error) {
	p, err := r.variablePatch()
	if err != nil {
		return nil, err
	}
	v, err := a.App.CreateVariable(r.Context(), r.subject, r.workspaceRef(), p)
	return a.variableAnswer(v, err)
}

// createLooseVariable is the older form of create: the workspace is a relationship.
func (a *API) createLooseVariable(r *request) (*jsonapi.Document, error) {
	p, err := r.variablePatch()
	if err != nil {
		return nil, err
	}
	in, err := r.resource("vars")
	if err != nil {
		return nil, err
	}
	workspace, _, err := relatedRef(in, "workspace", "workspaces")
	if err != nil {
		return nil, err
	}
	if workspace.ID == "" {
		var problems belay.Problems
		problems.At("/data/relationships/workspace", "workspace must be given")
		return nil, problems
	}
	v, err := a.App.CreateVariable(r.Context(), r.subject, belay.WorkspaceRef{ID: workspace.ID}, p)
	return a.variableAnswer(v, err)
}

func (a *API) listVariables(r *request) (*jsonapi.Document, error) {
	list, err := a.App.Variables(r.Context(), r.subject, r.workspaceRef(), false)
	return a.variablesAnswer(list, err)
}

func (a *API) listAllVariables(r *request) (*jsonapi.Document, error) {
	list, err := a.App.Variables(r.Context(), r.subject, r.workspaceRef(), true)
	return a.variablesAnswer(list, err)
}

// listLooseVariables is the older form of the list: two filters name the workspace.
func (a *API) listLooseVariables(r *request) (*jsonapi.Document, error) {
	q := r.URL.Query()
	ref := belay.WorkspaceRef{Organization: q.Get("filter[organization][name]"), Name: q.Get("filter[workspace][name]")}
	if ref.Organization == "" || ref.Name == "" {
		return nil, belay.Refuse(belay.BadRequest, "filter[organization][name] and filter[workspace][name] must both be given")
	}
	list, err := a.App.Variables(r.Context(), r.subject, ref, false)
	return a.variablesAnswer(list, err)
}

func (a *API) showVariable(r *request) (*jsonapi.Document, error) {
	v, err := a.App.Variable(r.Context(), r.subject, r.workspaceRef(), r.param("variable_id"))
	return a.variableAnswer(v, err)
}

func (a *API) updateVariable(r *request) (*jsonapi.Document, error) {
	p, err := r.variablePatch()
	if err != nil {
		return nil, err
	}
	v, err := a.App.UpdateVariable(r.Context(), r.subject, r.workspaceRef(), r.param("variable_id"), p)
	return a.variableAnswer(v, err)
}

func (a *API) deleteVariable(r *request) (*jsonapi.Document, error) {
	return nil, a.App.DeleteVariable(r.Context(), r.subject, r.workspaceRef(), r.param("variable_id"))
}

func (a *API) variableAnswer(v belay.Variable, err error) (*jsonapi.Document, error) {
	if err != nil {
		return nil, err
	}
	return one(a.variable(v)), nil
}

func (a *API) variablesAnswer(list []belay.Variable, err error) (*jsonapi.Document, error) {
	if err != nil {
		return nil, err
	}
	return whole(each(list, a.variable)), nil
}
