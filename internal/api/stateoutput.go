package api

import (
	"encoding/json"
	"slices"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/jsonapi"
)

var outputAttributes = attributes[app.OutputView, struct{}]{
	{name: "name", read: func(o *app.OutputView) any { return o.Name }},
	{name: "sensitive", read: func(o *app.OutputView) any { return o.Sensitive }},
	{name: "type", read: func(o *app.OutputView) any { return o.Kind }},
	{name: "value", read: func(o *app.OutputView) any { return known(o.Value) }},
	{name: "detailed-type", read: detailedType},
	{name: "detailed_type", read: detailedType},
}

func detailedType(o *app.OutputView) any {
	if o.DetailedType == "" {
		return nil
	}
	return json.RawMessage(o.DetailedType)
}

func (a *API) output(o app.OutputView) *jsonapi.Resource {
	return &jsonapi.Resource{
		Type: "state-version-outputs", ID: o.ID, Attributes: outputAttributes.object(&o, a.App.Edition()),
		Links: jsonapi.Object{{Name: "self", Value: "/api/v2/state-version-outputs/" + o.ID}},
	}
}

// workspaceOutput is the same output as documents of workspaces include it.
func workspaceOutput(o app.OutputView) *jsonapi.Resource {
	return &jsonapi.Resource{Type: "workspace-outputs", ID: o.ID, Attributes: jsonapi.Object{
		{Name: "name", Value: o.Name}, {Name: "sensitive", Value: o.Sensitive},
		{Name: "output-type", Value: o.Kind}, {Name: "value", Value: known(o.Value)},
		{Name: "detailed-type", Value: detailedType(&o)},
	}}
}

func (a *API) showOutput(r *request) (*jsonapi.Document, error) {
	o, err := a.App.StateOutput(r.Context(), r.subject, r.param("output_id"))
	if err != nil {
		return nil, err
	}
	return one(a.output(o)), nil
}

func (a *API) listOutputs(r *request) (*jsonapi.Document, error) {
	list, total, err := a.App.StateOutputs(r.Context(), r.subject, r.param("state_version_id"), r.page())
	if err != nil {
		return nil, err
	}
	return r.list(each(list, a.output), total), nil
}

// listCurrentOutputs gives all outputs at once: the command line reads no second page.
func (a *API) listCurrentOutputs(r *request) (*jsonapi.Document, error) {
	list, err := a.App.CurrentStateOutputs(r.Context(), r.subject, r.workspaceRef())
	if err != nil {
		return nil, err
	}
	return &jsonapi.Document{Data: each(list, a.output)}, nil
}

// stateIncludes is what a document of state versions can include.
var stateIncludes = []string{"created_by", "outputs", "run", "run.created_by", "run.configuration_version"}

// includeWithStates adds what include asks for to a document of state versions, each kind
// read at once for all of them.
func (r *request) includeWithStates(document *jsonapi.Document, list []app.StateView) error {
	wanted, err := r.includes(stateIncludes...)
	if err != nil {
		return err
	}
	if len(wanted) == 0 {
		return nil
	}
	document.Included = []*jsonapi.Resource{}
	if slices.Contains(wanted, "outputs") {
		if err := r.includeOutputs(document, list); err != nil {
			return err
		}
	}
	if slices.Contains(wanted, "created_by") {
		return r.includeCreators(document, list)
	}
	return nil
}

func (r *request) includeOutputs(document *jsonapi.Document, list []app.StateView) error {
	var ids []string
	for _, v := range list {
		if v.Can.Has(belay.ReadOutputs) {
			ids = append(ids, v.ID)
		}
	}
	outputs, err := r.api.App.StateOutputsOf(r.Context(), ids)
	document.Included = append(document.Included, each(outputs, r.api.output)...)
	return err
}

func (r *request) includeCreators(document *jsonapi.Document, list []app.StateView) error {
	var ids []string
	for _, v := range list {
		if v.CreatedBy != "" && !slices.Contains(ids, v.CreatedBy) {
			ids = append(ids, v.CreatedBy)
		}
	}
	users, err := r.api.App.UsersSeen(r.Context(), ids)
	document.Included = append(document.Included, each(users, r.api.publicUser)...)
	return err
}
