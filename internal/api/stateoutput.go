package api

import (
	"encoding/json"
	"slices"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/state"
)

var outputAttributes = attributes[state.OutputView, struct{}]{
	{name: "name", show: value(func(o *state.OutputView) string { return o.Name })},
	{name: "sensitive", show: value(func(o *state.OutputView) bool { return o.Sensitive })},
	{name: "type", show: value(func(o *state.OutputView) string { return o.Kind })},
	{name: "value", show: raw(func(o *state.OutputView) json.RawMessage { return o.Value })},
	{name: "detailed-type", show: raw(detailedType)},
	{name: "detailed_type", show: raw(detailedType)},
}

func detailedType(o *state.OutputView) json.RawMessage {
	if o.DetailedType == "" {
		return nil
	}
	return json.RawMessage(o.DetailedType)
}

var outputs = &noun[state.OutputView, struct{}]{
	typ:        "state-version-outputs",
	id:         func(o *state.OutputView) string { return o.ID },
	path:       func(o *state.OutputView) string { return "/api/v2/state-version-outputs/" + o.ID },
	attributes: outputAttributes,
}

// workspaceOutputs is the same outputs as documents of workspaces include them.
var workspaceOutputs = &noun[state.OutputView, struct{}]{
	typ: "workspace-outputs",
	id:  func(o *state.OutputView) string { return o.ID },
	attributes: attributes[state.OutputView, struct{}]{
		{name: "name", show: value(func(o *state.OutputView) string { return o.Name })},
		{name: "sensitive", show: value(func(o *state.OutputView) bool { return o.Sensitive })},
		{name: "output-type", show: value(func(o *state.OutputView) string { return o.Kind })},
		{name: "value", show: raw(func(o *state.OutputView) json.RawMessage { return o.Value })},
		{name: "detailed-type", show: raw(detailedType)},
	},
}

func (a *API) showOutput(r *request) (state.OutputView, error) {
	return a.App.StateOutput(r.Context(), r.subject, r.param("output_id"))
}

func (a *API) listOutputs(r *request) ([]state.OutputView, int, error) {
	return a.App.StateOutputs(r.Context(), r.subject, r.param("state_version_id"), r.page())
}

// listCurrentOutputs gives all outputs at once: the command line reads no second page.
func (a *API) listCurrentOutputs(r *request) ([]state.OutputView, error) {
	return a.App.CurrentStateOutputs(r.Context(), r.subject, r.workspaceRef())
}

// stateIncludes is what a document of state versions can include.
var stateIncludes = []string{"created_by", "outputs", "run", "run.created_by", "run.configuration_version"}

// withStates is how each kind is read at once for all states of a document.
var withStates = &inclusion[stateDoc]{names: stateIncludes, add: includeWithStates}

func includeWithStates(r *request, document *jsonapi.Document, list []stateDoc, names []string) error {
	to := newIncluding()
	if slices.Contains(names, "outputs") {
		if err := r.includeOutputs(to, list); err != nil {
			return err
		}
	}
	if slices.Contains(names, "created_by") {
		if err := r.includeCreators(to, list); err != nil {
			return err
		}
	}
	var runs []string
	for _, v := range list {
		runs = append(runs, v.RunID)
	}
	if len(list) > 0 { // all of one workspace
		if err := r.includeRunsBeside(to, list[0].WorkspaceID, runs, names); err != nil {
			return err
		}
	}
	document.Included = to.list
	return nil
}

// includeOutputs adds the outputs that the document refers to.
func (r *request) includeOutputs(to *including, list []stateDoc) error {
	var ids []string
	for _, v := range list {
		if v.Can.Has(belay.ReadOutputs) && !v.ManyOutputs {
			ids = append(ids, v.ID)
		}
	}
	found, err := r.api.App.StateOutputsOf(r.Context(), ids)
	include(to, found, outputs.in(r))
	return err
}

func (r *request) includeCreators(to *including, list []stateDoc) error {
	var ids []string
	for _, v := range list {
		if v.CreatedBy != "" && !slices.Contains(ids, v.CreatedBy) {
			ids = append(ids, v.CreatedBy)
		}
	}
	found, err := r.api.App.UsersSeen(r.Context(), r.subject, ids)
	include(to, found, publicUsers.in(r))
	return err
}
