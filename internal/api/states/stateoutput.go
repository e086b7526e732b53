package states

import (
	"encoding/json"
	"net/http"
	"slices"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/paths"
	"github.com/belayhq/belay/internal/api/people"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/state"
)

var outputAttributes = doc.Attributes[state.OutputView, struct{}]{
	{Name: "name", Show: doc.Value(func(o *state.OutputView) string { return o.Name })},
	{Name: "sensitive", Show: doc.Value(func(o *state.OutputView) bool { return o.Sensitive })},
	{Name: "type", Show: doc.Value(func(o *state.OutputView) string { return o.Kind })},
	{Name: "value", Show: doc.Raw(func(o *state.OutputView) json.RawMessage { return o.Value })},
	{Name: "detailed-type", Show: doc.Raw(detailedType)},
	{Name: "detailed_type", Show: doc.Raw(detailedType)},
}

func detailedType(o *state.OutputView) json.RawMessage {
	if o.DetailedType == "" {
		return nil
	}
	return json.RawMessage(o.DetailedType)
}

// Outputs is the outputs of states.
var Outputs = &doc.Noun[state.OutputView, struct{}]{
	Type:       "state-version-outputs",
	ID:         func(o *state.OutputView) string { return o.ID },
	Path:       func(o *state.OutputView) string { return "/api/v2/state-version-outputs/" + o.ID },
	Attributes: outputAttributes,
}

// WorkspaceOutputs is the same outputs as documents of workspaces include them.
var WorkspaceOutputs = &doc.Noun[state.OutputView, struct{}]{
	Type: "workspace-outputs",
	ID:   func(o *state.OutputView) string { return o.ID },
	Attributes: doc.Attributes[state.OutputView, struct{}]{
		{Name: "name", Show: doc.Value(func(o *state.OutputView) string { return o.Name })},
		{Name: "sensitive", Show: doc.Value(func(o *state.OutputView) bool { return o.Sensitive })},
		{Name: "output-type", Show: doc.Value(func(o *state.OutputView) string { return o.Kind })},
		{Name: "value", Show: doc.Raw(func(o *state.OutputView) json.RawMessage { return o.Value })},
		{Name: "detailed-type", Show: doc.Raw(detailedType)},
	},
}

var _ = routes.Join(func(a *Verbs) []door.Route {
	return []door.Route{
		{Method: http.MethodGet, Path: paths.Workspace + "/current-state-version-outputs", Status: http.StatusOK, Do: door.ListingAll(Outputs, a.listCurrentOutputs), Runs: true, Needs: belay.ReadOutputs, Does: "See the outputs of the current state"},
		{Method: http.MethodGet, Path: paths.StateVersion + "/outputs", Status: http.StatusOK, Do: door.Listing(Outputs, a.listOutputs), Runs: true, Needs: belay.ReadOutputs, Does: "See the outputs of a state"},
		{Method: http.MethodGet, Path: paths.V2 + "/state-version-outputs/{output_id}", Status: http.StatusOK, Do: door.Showing(Outputs, a.showOutput), Runs: true, Needs: belay.ReadOutputs, Does: "See an output, with its value"},
	}
})

func (a *Verbs) showOutput(r *door.Request) (state.OutputView, error) {
	return a.App.StateOutput(r.Context(), r.Principal, r.Param("output_id"))
}

func (a *Verbs) listOutputs(r *door.Request) ([]state.OutputView, int, error) {
	return a.App.StateOutputs(r.Context(), r.Principal, r.Param("state_version_id"), r.Page())
}

// listCurrentOutputs gives all outputs at once: the command line reads no second page.
func (a *Verbs) listCurrentOutputs(r *door.Request) ([]state.OutputView, error) {
	return a.App.CurrentStateOutputs(r.Context(), r.Principal, paths.WorkspaceRef(r))
}

// stateIncludes is what a document of state versions can include.
var stateIncludes = []string{"created_by", "outputs", "run", "run.created_by", "run.configuration_version"}

// withStates is how each kind is read at once for all states of a document.
func (a *Verbs) withStates() *door.Inclusion[stateDoc] {
	return &door.Inclusion[stateDoc]{Names: stateIncludes, Add: a.includeWithStates}
}

func (a *Verbs) includeWithStates(r *door.Request, document *jsonapi.Document, list []stateDoc, names []string) error {
	to := door.NewIncluding()
	if slices.Contains(names, "outputs") {
		if err := a.includeOutputs(r, to, list); err != nil {
			return err
		}
	}
	if slices.Contains(names, "created_by") {
		if err := a.includeCreators(r, to, list); err != nil {
			return err
		}
	}
	var runs []string
	for _, v := range list {
		runs = append(runs, v.RunID)
	}
	if len(list) > 0 { // all of one workspace
		if err := a.Runs.IncludeRunsBeside(r, to, list[0].WorkspaceID, runs, names); err != nil {
			return err
		}
	}
	document.Included = to.List
	return nil
}

// includeOutputs adds the outputs that the document refers to.
func (a *Verbs) includeOutputs(r *door.Request, to *door.Including, list []stateDoc) error {
	var ids []string
	for _, v := range list {
		if v.Can.Has(belay.ReadOutputs) && !v.ManyOutputs {
			ids = append(ids, v.ID)
		}
	}
	found, err := a.App.StateOutputsOf(r.Context(), ids)
	door.Include(to, found, Outputs.In(r.Edition))
	return err
}

func (a *Verbs) includeCreators(r *door.Request, to *door.Including, list []stateDoc) error {
	var ids []string
	for _, v := range list {
		if v.CreatedBy != "" && !slices.Contains(ids, v.CreatedBy) {
			ids = append(ids, v.CreatedBy)
		}
	}
	found, err := a.App.UsersSeen(r.Context(), r.Principal, ids)
	door.Include(to, found, people.PublicUsers.In(r.Edition))
	return err
}
