package api

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/jsonapi"
)

func (a *API) runTrigger(t belay.RunTrigger) *jsonapi.Resource {
	return &jsonapi.Resource{
		Type: "run-triggers", ID: t.ID,
		Attributes: jsonapi.Object{
			{Name: "workspace-name", Value: t.WorkspaceName},
			{Name: "sourceable-name", Value: t.SourceName},
			{Name: "created-at", Value: t.CreatedAt},
		},
		Relationships: []jsonapi.Relation{
			linked("workspace", "workspaces", t.WorkspaceID),
			linked("sourceable", "workspaces", t.SourceID),
		},
		Links: jsonapi.Object{{Name: "self", Value: "/api/v2/run-triggers/" + t.ID}},
	}
}

func (a *API) createRunTrigger(r *request) (*jsonapi.Document, error) {
	in, err := r.resource("run-triggers")
	if err != nil {
		return nil, err
	}
	source, _, err := relatedRef(in, "sourceable", "workspaces")
	if err != nil {
		return nil, err
	}
	if source.ID == "" {
		var problems belay.Problems
		problems.At("/data/relationships/sourceable", "sourceable must be given")
		return nil, problems
	}
	t, err := a.App.CreateRunTrigger(r.Context(), r.subject, r.workspaceRef(), source.ID)
	return a.runTriggerAnswer(r, t, err)
}

func (a *API) listRunTriggers(r *request) (*jsonapi.Document, error) {
	direction := r.URL.Query().Get("filter[run-trigger][type]")
	if direction != "inbound" && direction != "outbound" {
		return nil, belay.Refuse(belay.BadRequest, "filter[run-trigger][type] must be inbound or outbound")
	}
	list, total, err := a.App.RunTriggers(r.Context(), r.subject, r.workspaceRef(), direction == "inbound", r.page())
	if err != nil {
		return nil, err
	}
	return r.withTriggers(r.list(each(list, a.runTrigger), total), list...)
}

func (a *API) showRunTrigger(r *request) (*jsonapi.Document, error) {
	t, err := a.App.RunTrigger(r.Context(), r.subject, r.param("run_trigger_id"))
	return a.runTriggerAnswer(r, t, err)
}

func (a *API) deleteRunTrigger(r *request) (*jsonapi.Document, error) {
	return nil, a.App.DeleteRunTrigger(r.Context(), r.subject, r.param("run_trigger_id"))
}

func (a *API) runTriggerAnswer(r *request, t belay.RunTrigger, err error) (*jsonapi.Document, error) {
	if err != nil {
		return nil, err
	}
	return r.withTriggers(one(a.runTrigger(t)), t)
}
