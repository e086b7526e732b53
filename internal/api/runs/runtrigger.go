package runs

import (
	"net/http"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/paths"
	"github.com/belayhq/belay/internal/api/workspaces"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/run"
)

type runTriggerPatch struct{ SourceID string }

var runTriggers = &doc.Noun[run.RunTrigger, runTriggerPatch]{
	Type: "run-triggers",
	ID:   func(t *run.RunTrigger) string { return t.ID },
	Path: func(t *run.RunTrigger) string { return "/api/v2/run-triggers/" + t.ID },
	Attributes: doc.Attributes[run.RunTrigger, runTriggerPatch]{
		{Name: "workspace-name", Show: doc.Value(func(t *run.RunTrigger) string { return t.WorkspaceName })},
		{Name: "sourceable-name", Show: doc.Value(func(t *run.RunTrigger) string { return t.SourceName })},
		{Name: "created-at", Show: doc.Value(func(t *run.RunTrigger) time.Time { return t.CreatedAt })},
	},
	Relations: []doc.Relation[run.RunTrigger, runTriggerPatch]{
		doc.To[run.RunTrigger, runTriggerPatch]("workspace", "workspaces", func(t *run.RunTrigger) string { return t.WorkspaceID }),
		doc.To[run.RunTrigger, runTriggerPatch]("sourceable", "workspaces", func(t *run.RunTrigger) string { return t.SourceID }).
			Taking(doc.BodyRef("workspaces"), takeSource),
	},
}

func takeSource(_ doc.Reading, in *jsonapi.Incoming, p *runTriggerPatch) error {
	source, _, err := doc.RelatedRef(in, "sourceable", "workspaces")
	p.SourceID = source.ID
	return err
}

var _ = routes.Join(func(a *Verbs) []door.Route {
	return []door.Route{
		{Method: http.MethodGet, Path: paths.Workspace + "/run-triggers", Status: http.StatusOK, Do: door.Listing(runTriggers, a.listRunTriggers, a.withTriggers()), Filters: triggerFilters, Needs: belay.ReadRuns, Does: "List the workspaces that trigger runs"},
		{Method: http.MethodPost, Path: paths.Workspace + "/run-triggers", Status: http.StatusCreated, Do: door.Writing(runTriggers, a.createRunTrigger, a.withTriggers()), Needs: belay.UpdateWorkspace.And(belay.Steering), Does: "Let a workspace that one reads trigger runs"},
		{Method: http.MethodGet, Path: paths.V2 + "/run-triggers/{run_trigger_id}", Status: http.StatusOK, Do: door.Showing(runTriggers, a.showRunTrigger, a.withTriggers()), Needs: belay.ReadRuns, Does: "See a run trigger"},
		{Method: http.MethodDelete, Path: paths.V2 + "/run-triggers/{run_trigger_id}", Status: http.StatusNoContent, Do: door.Doing(a.deleteRunTrigger), Needs: belay.UpdateWorkspace, Does: "Delete a run trigger"},
	}
})

func (a *Verbs) createRunTrigger(r *door.Request, p runTriggerPatch) (run.RunTrigger, error) {
	if p.SourceID == "" {
		var problems belay.Problems
		problems.At("/data/relationships/sourceable", "sourceable must be given")
		return run.RunTrigger{}, problems
	}
	return a.App.CreateRunTrigger(r.Context(), r.Principal, paths.WorkspaceRef(r), p.SourceID)
}

func (a *Verbs) listRunTriggers(r *door.Request) ([]run.RunTrigger, int, error) {
	direction := r.Query().Get("filter[run-trigger][type]")
	if direction != "inbound" && direction != "outbound" {
		return nil, 0, belay.Refuse(belay.BadRequest, "filter[run-trigger][type] must be inbound or outbound")
	}
	return a.App.RunTriggers(r.Context(), r.Principal, paths.WorkspaceRef(r), direction == "inbound", r.Page())
}

func (a *Verbs) showRunTrigger(r *door.Request) (run.RunTrigger, error) {
	return a.App.RunTrigger(r.Context(), r.Principal, r.Param("run_trigger_id"))
}

func (a *Verbs) deleteRunTrigger(r *door.Request) error {
	return a.App.DeleteRunTrigger(r.Context(), r.Principal, r.Param("run_trigger_id"))
}

func (a *Verbs) withTriggers() *door.Inclusion[run.RunTrigger] {
	return workspaces.WithNouns(a.App, []string{"workspace", "sourceable"}, func(d *run.RunTrigger, has func(string) bool, ids *app.NounIDs) {
		if has("workspace") {
			ids.Workspaces = append(ids.Workspaces, d.WorkspaceID)
		}
		if has("sourceable") {
			ids.Workspaces = append(ids.Workspaces, d.SourceID)
		}
	})
}
