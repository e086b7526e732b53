package api

import (
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/jsonapi"
)

type runTriggerPatch struct{ SourceID string }

var runTriggers = &noun[belay.RunTrigger, runTriggerPatch]{
	typ:  "run-triggers",
	id:   func(t *belay.RunTrigger) string { return t.ID },
	path: func(t *belay.RunTrigger) string { return "/api/v2/run-triggers/" + t.ID },
	attributes: attributes[belay.RunTrigger, runTriggerPatch]{
		{name: "workspace-name", show: value(func(t *belay.RunTrigger) string { return t.WorkspaceName })},
		{name: "sourceable-name", show: value(func(t *belay.RunTrigger) string { return t.SourceName })},
		{name: "created-at", show: value(func(t *belay.RunTrigger) time.Time { return t.CreatedAt })},
	},
	relations: []relation[belay.RunTrigger, runTriggerPatch]{
		to[belay.RunTrigger, runTriggerPatch]("workspace", "workspaces", func(t *belay.RunTrigger) string { return t.WorkspaceID }),
		to[belay.RunTrigger, runTriggerPatch]("sourceable", "workspaces", func(t *belay.RunTrigger) string { return t.SourceID }).
			taking(bodyRef("workspaces"), takeSource),
	},
}

func takeSource(_ *request, in *jsonapi.Incoming, p *runTriggerPatch) error {
	source, _, err := relatedRef(in, "sourceable", "workspaces")
	p.SourceID = source.ID
	return err
}

func (a *API) createRunTrigger(r *request, p runTriggerPatch) (belay.RunTrigger, error) {
	if p.SourceID == "" {
		var problems belay.Problems
		problems.At("/data/relationships/sourceable", "sourceable must be given")
		return belay.RunTrigger{}, problems
	}
	return a.App.CreateRunTrigger(r.Context(), r.subject, r.workspaceRef(), p.SourceID)
}

func (a *API) listRunTriggers(r *request) ([]belay.RunTrigger, int, error) {
	direction := r.query().Get("filter[run-trigger][type]")
	if direction != "inbound" && direction != "outbound" {
		return nil, 0, belay.Refuse(belay.BadRequest, "filter[run-trigger][type] must be inbound or outbound")
	}
	return a.App.RunTriggers(r.Context(), r.subject, r.workspaceRef(), direction == "inbound", r.page())
}

func (a *API) showRunTrigger(r *request) (belay.RunTrigger, error) {
	return a.App.RunTrigger(r.Context(), r.subject, r.param("run_trigger_id"))
}

func (a *API) deleteRunTrigger(r *request) error {
	return a.App.DeleteRunTrigger(r.Context(), r.subject, r.param("run_trigger_id"))
}
