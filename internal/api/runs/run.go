package runs

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/paths"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/openapi"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/runs"
	"github.com/belayhq/belay/run"
)

type (
	runDoc   = runs.View
	runPatch = run.Wanted
)

// runAttributes is every attribute of a run.
var runAttributes = doc.Attributes[runDoc, runPatch]{
	{Name: "actions", Show: doc.Parts(runActions)},
	{Name: "permissions", Show: doc.Parts(runPermissions)},
	{Name: "allow-config-generation", Show: doc.Value(func(r *runDoc) bool { return r.AllowConfigGeneration }), Write: doc.Nullable(func(p *runPatch) *patch.Field[bool] { return &p.AllowConfigGeneration })},
	{Name: "allow-empty-apply", Show: doc.Value(func(r *runDoc) bool { return r.AllowEmptyApply }), Write: doc.Nullable(func(p *runPatch) *patch.Field[bool] { return &p.AllowEmptyApply })},
	{Name: "auto-apply", Show: doc.Value(func(r *runDoc) bool { return r.AutoApply }), Write: doc.Nullable(func(p *runPatch) *patch.Field[bool] { return &p.AutoApply })},
	{Name: "debugging-mode", Show: doc.Value(func(r *runDoc) bool { return r.Debugging }), Write: doc.Nullable(func(p *runPatch) *patch.Field[bool] { return &p.Debugging })},
	{Name: "is-destroy", Show: doc.Value(func(r *runDoc) bool { return r.IsDestroy }), Write: doc.Nullable(func(p *runPatch) *patch.Field[bool] { return &p.IsDestroy })},
	{Name: "plan-only", Show: doc.Value(func(r *runDoc) bool { return r.PlanOnly }), Write: doc.Nullable(func(p *runPatch) *patch.Field[bool] { return &p.PlanOnly })},
	{Name: "refresh", Show: doc.Value(func(r *runDoc) bool { return r.Refresh }), Write: doc.Nullable(func(p *runPatch) *patch.Field[bool] { return &p.Refresh })},
	{Name: "refresh-only", Show: doc.Value(func(r *runDoc) bool { return r.RefreshOnly }), Write: doc.Nullable(func(p *runPatch) *patch.Field[bool] { return &p.RefreshOnly })},
	{Name: "save-plan", Show: doc.Value(func(r *runDoc) bool { return r.SavePlan }), Write: doc.Nullable(func(p *runPatch) *patch.Field[bool] { return &p.SavePlan })},
	{Name: "message", Show: doc.Value(func(r *runDoc) string { return r.Message }), Write: doc.Nullable(func(p *runPatch) *patch.Field[string] { return &p.Message })},
	{Name: "status", Show: doc.Value(func(r *runDoc) string { return string(r.Status) })},
	{Name: "status-timestamps", Show: doc.Reader[runDoc]{Get: func(r *runDoc) any { return runStamps(r) }, Is: &openapi.Schema{Type: openapi.Types{"object"}}}},
	{Name: "has-changes", Show: doc.Value(func(r *runDoc) bool { return r.Plan.HasChanges })},
	{Name: "created-at", Show: doc.Value(func(r *runDoc) time.Time { return r.CreatedAt })},
	{Name: "updated-at", Show: doc.Value(func(r *runDoc) time.Time { return r.UpdatedAt })},
	{Name: "canceled-at", Show: doc.Maybe(func(r *runDoc) time.Time { return r.CanceledAt })},
	{Name: "force-cancel-available-at", Show: doc.Value(func(r *runDoc) time.Time { return r.ForceCancelAt }), Absent: func(r *runDoc) bool { return r.ForceCancelAt.IsZero() }},
	{Name: "replace-addrs", Show: doc.TextsOrNull(func(r *runDoc) []string { return r.Replaces }), Write: doc.Nullable(func(p *runPatch) *patch.Field[[]string] { return &p.Replaces })},
	{Name: "target-addrs", Show: doc.TextsOrNull(func(r *runDoc) []string { return r.Targets }), Write: doc.Nullable(func(p *runPatch) *patch.Field[[]string] { return &p.Targets })},
	{Name: "policy-paths", Show: doc.Texts(func(r *runDoc) []string { return r.PolicyPaths }), Absent: func(r *runDoc) bool { return r.PolicyPaths == nil }, Write: doc.Nullable(func(p *runPatch) *patch.Field[[]string] { return &p.PolicyPaths })},
	{Name: "invoke-action-addrs", Show: doc.Texts(func(r *runDoc) []string { return r.InvokeActions }), Absent: func(r *runDoc) bool { return r.InvokeActions == nil }, Write: doc.Nullable(func(p *runPatch) *patch.Field[[]string] { return &p.InvokeActions })},
	{Name: "variables", Show: doc.Listed(runVariables, func(r *runDoc) []run.Variable { return r.Variables }), Write: doc.MemberLists(wantedVariables, func(p *runPatch) *patch.Field[[]run.WantedVariable] { return &p.Variables })},
	{Name: "archive-change-requests", Show: doc.Value(func(r *runDoc) bool { return r.ArchiveChangeRequests }), Write: doc.Nullable(func(p *runPatch) *patch.Field[bool] { return &p.ArchiveChangeRequests })},
	{Name: "source", Show: doc.Value(func(r *runDoc) string { return r.Source })},
	{Name: "trigger-reason", Show: doc.Value(func(r *runDoc) string { return r.Reason })},
	{Name: "triggering-source-name", Show: doc.Maybe(func(r *runDoc) string { return r.TriggeringSource })},
	{Name: "terraform-version", Show: doc.Value(func(r *runDoc) string { return r.EngineVersion }), Write: doc.Nullable(func(p *runPatch) *patch.Field[string] { return &p.EngineVersion })},
	{Name: "position-in-queue", Show: doc.Value(func(r *runDoc) int { return r.Position })},
}

// runActions is exactly what the actions would do now, whoever asks.
var runActions = doc.Attributes[runDoc, struct{}]{
	{Name: "is-cancelable", Show: doc.Value(func(r *runDoc) bool { return r.Now.Cancelable })},
	{Name: "is-confirmable", Show: doc.Value(func(r *runDoc) bool { return r.Now.Confirmable })},
	{Name: "is-discardable", Show: doc.Value(func(r *runDoc) bool { return r.Now.Discardable })},
	{Name: "is-force-cancelable", Show: doc.Value(func(r *runDoc) bool { return r.Now.ForceCancelable })},
}

// runPermissions is what the caller may do with a run, whatever its status.
var runPermissions = doc.Attributes[runDoc, struct{}]{
	{Name: "can-apply", Show: doc.Value(func(r *runDoc) bool { return run.PermissionsOf(r.Can).Apply })},
	{Name: "can-cancel", Show: doc.Value(func(r *runDoc) bool { return run.PermissionsOf(r.Can).Cancel })},
	{Name: "can-comment", Show: doc.Value(func(r *runDoc) bool { return run.PermissionsOf(r.Can).Comment })},
	{Name: "can-discard", Show: doc.Value(func(r *runDoc) bool { return run.PermissionsOf(r.Can).Discard })},
	{Name: "can-force-execute", Show: doc.Value(func(r *runDoc) bool { return run.PermissionsOf(r.Can).ForceExecute })},
	{Name: "can-force-cancel", Show: doc.Value(func(r *runDoc) bool { return run.PermissionsOf(r.Can).ForceCancel })},
	{Name: "can-override-policy-check", Show: doc.Value(func(r *runDoc) bool { return run.PermissionsOf(r.Can).OverridePolicyCheck })},
}

var runVariables = doc.Attributes[run.Variable, struct{}]{
	{Name: "key", Show: doc.Value(func(v *run.Variable) string { return v.Key })},
	{Name: "value", Show: doc.Value(func(v *run.Variable) string { return v.Value })},
}

// wantedVariables is what variables holds in a body.
var wantedVariables = doc.Attributes[run.WantedVariable, run.WantedVariable]{
	{Name: "key", Write: doc.Field(func(v *run.WantedVariable) *patch.Field[string] { return &v.Key })},
	{Name: "value", Write: doc.Field(func(v *run.WantedVariable) *patch.Field[string] { return &v.Value })},
}

// stampedAlso is what is stamped beside the statuses.
var stampedAlso = []run.Status{run.Fetched, run.ForceCanceled}

// runStamps is when a run reached which status, in the order of a run's life.
func runStamps(r *runDoc) jsonapi.Object {
	object := jsonapi.Object{{Name: "plan-queueable-at", Value: r.CreatedAt}}
	for _, list := range [][]run.Status{run.Statuses, stampedAlso} {
		for _, status := range list {
			if at := r.Stamps.At(status); !at.IsZero() {
				object = append(object, jsonapi.Member{Name: strings.ReplaceAll(string(status), "_", "-") + "-at", Value: at})
			}
		}
	}
	return object
}

// orService is a user, or the one that stands for the server's own acts.
func orService(id, service string) string {
	if id == "" {
		return service
	}
	return id
}

// RunDocuments is runs.
var RunDocuments = &doc.Noun[runDoc, runPatch]{
	Type:       "runs",
	ID:         func(r *runDoc) string { return r.ID },
	Path:       runPath,
	Attributes: runAttributes,
	Relations: []doc.Relation[runDoc, runPatch]{
		doc.To[runDoc, runPatch]("workspace", "workspaces", func(r *runDoc) string { return r.WorkspaceID }).Taking(doc.BodyRef("workspaces"), takeRunWorkspace),
		doc.To[runDoc, runPatch]("configuration-version", "configuration-versions", func(r *runDoc) string { return r.ConfigurationVersionID }).Taking(doc.Ref("configuration-versions"), takeRunConfiguration),
		doc.ToBelow[runDoc, runPatch]("plan", "plans", "/plan", func(r *runDoc) string { return r.Plan.ID }),
		doc.ToBelow[runDoc, runPatch]("apply", "applies", "/apply", func(r *runDoc) string { return r.Apply.ID }),
		doc.To[runDoc, runPatch]("created-by", "users", func(r *runDoc) string { return orService(r.CreatedBy, r.ServiceUser) }),
		doc.To[runDoc, runPatch]("confirmed-by", "users", func(r *runDoc) string { return r.ConfirmedBy }),
		doc.To[runDoc, runPatch]("canceled-by", "users", func(r *runDoc) string { return r.CanceledBy }),
		doc.To[runDoc, runPatch]("input-state-version", "state-versions", func(r *runDoc) string { return r.InputStateVersionID }),
		doc.ToMany[runDoc, runPatch]("run-events", "run-events", "/run-events", eventIDs),
		doc.ToMany[runDoc, runPatch]("comments", "comments", "/comments", commentIDs),
		doc.ToMany[runDoc, runPatch]("policy-checks", "policy-checks", "/policy-checks", nobody),
		doc.ToMany[runDoc, runPatch]("task-stages", "task-stages", "/task-stages", nobody),
		doc.ToMany[runDoc, runPatch]("tf-policy-evaluations", "tf-policy-evaluations", "/tf-policy-evaluations", nobody),
		doc.ToMany[runDoc, runPatch]("change-requests", RequestTypes[0], "", requestsOfRun).Taking(openapi.List(doc.BodyRef(RequestTypes...)), takeRunRequests),
		doc.To[runDoc, runPatch]("triggering-run", "runs", func(r *runDoc) string { return r.TriggeringRunID }),
		doc.To[runDoc, runPatch]("triggering-source", "workspaces", func(r *runDoc) string { return r.TriggeringSourceID }),
		doc.ToMany[runDoc, runPatch]("workspace-run-alerts", "workspace-run-alerts", "", nobody),
	},
	Links: []doc.Link[runDoc]{{Name: "self-html", To: func(r *runDoc) string {
		return "/app/" + r.Organization + "/" + r.Workspace + "/runs/" + r.ID
	}}},
}

func runPath(r *runDoc) string { return paths.V2 + "/runs/" + r.ID }

func nobody(*runDoc) []string { return nil }

func eventIDs(r *runDoc) (ids []string) {
	for _, e := range r.Events {
		ids = append(ids, e.ID)
	}
	return ids
}

func commentIDs(r *runDoc) (ids []string) {
	for _, e := range r.Events {
		if e.CommentID != "" {
			ids = append(ids, e.CommentID)
		}
	}
	return ids
}

func takeRunWorkspace(_ doc.Reading, in *jsonapi.Incoming, p *runPatch) error {
	workspace, _, err := doc.RelatedRef(in, "workspace", "workspaces")
	if err == nil && workspace.ID == "" {
		var problems belay.Problems
		problems.At("/data/relationships/workspace", "workspace must be given")
		return problems
	}
	p.WorkspaceID = workspace.ID
	return err
}

// RequestTypes is what change requests may be called in a body.
var RequestTypes = []string{"workspace_change_requests", "workspace-change-requests", "change_requests", "change-requests"}

// requestsOfRun is the change requests that a run is for, as far as the caller may read them.
func requestsOfRun(r *runDoc) []string {
	if !r.Can.Has(belay.ReadChangeRequests) {
		return nil
	}
	return r.ChangeRequests
}

func takeRunRequests(_ doc.Reading, in *jsonapi.Incoming, p *runPatch) error {
	var ids patch.Field[[]string]
	err := doc.RelatedIDs(in, &ids, "change-requests", RequestTypes...)
	p.ChangeRequests = ids.Value
	return err
}

func takeRunConfiguration(_ doc.Reading, in *jsonapi.Incoming, p *runPatch) error {
	configuration, given, err := doc.RelatedRef(in, "configuration-version", "configuration-versions")
	if err == nil && given && configuration.ID != "" {
		p.ConfigurationVersionID = patch.Of(configuration.ID)
	}
	return err
}

var _ = routes.Join(func(a *Verbs) []door.Route {
	return []door.Route{
		{Method: http.MethodPost, Path: paths.V2 + "/runs", Status: http.StatusCreated, Do: door.Writing(RunDocuments, a.createRun, a.withRuns()), Needs: belay.QueueRuns, Does: "Begin a run in a workspace"},
		{Method: http.MethodGet, Path: paths.Run, Status: http.StatusOK, Do: door.Showing(RunDocuments, a.showRun, a.withRuns()), Needs: belay.ReadRuns, Does: "See a run"},
		{Method: http.MethodPost, Path: paths.Run + "/actions/apply", Status: http.StatusAccepted, Do: a.acting(a.Runs.Apply), Refuses: []belay.Kind{belay.Conflict}, Needs: belay.ApplyRuns, Does: "Confirm a plan"},
		{Method: http.MethodPost, Path: paths.Run + "/actions/discard", Status: http.StatusAccepted, Do: a.acting(a.Runs.Discard), Refuses: []belay.Kind{belay.Conflict}, Needs: belay.ApplyRuns, Does: "Give up a plan"},
		{Method: http.MethodPost, Path: paths.Run + "/actions/cancel", Status: http.StatusAccepted, Do: a.acting(a.Runs.Cancel), Refuses: []belay.Kind{belay.Conflict}, Needs: belay.ApplyRuns, Does: "Cancel a run"},
		{Method: http.MethodPost, Path: paths.Run + "/actions/force-cancel", Status: http.StatusAccepted, Do: a.acting(a.Runs.ForceCancel), Refuses: []belay.Kind{belay.Conflict}, Needs: belay.AdministerRuns, Does: "End a run that does not heed a cancel"},
		{Method: http.MethodPost, Path: paths.Run + "/actions/force-execute", Status: http.StatusAccepted, Do: a.acting(a.Runs.ForceExecute), Refuses: []belay.Kind{belay.Conflict, belay.Forbidden}, Needs: belay.ApplyRuns, Does: "Let a waiting run go before those in its way, which are discarded"},
		{Method: http.MethodPost, Path: paths.V2 + "/admin/runs/{run_id}/actions/force-cancel", Status: http.StatusAccepted, Do: a.acting(a.Runs.AdminCancel), Refuses: []belay.Kind{belay.Conflict}, By: door.SiteAdmins, Does: "End any run at once"},
	}
})

func (a *Verbs) createRun(r *door.Request, p runPatch) (runDoc, error) {
	if p.WorkspaceID == "" { // its shape was wrong: nothing else can be said
		return runDoc{}, r.Shape.Err()
	}
	p.Origin = run.Origin{Source: run.SourceAPI, Reason: run.ReasonManual}
	p.DefaultMessage = "Queued manually via the Terraform Enterprise API"
	if r.Header.Get("Terraform-Version") != "" {
		p.DefaultMessage = "Triggered via CLI"
	}
	return a.Runs.Create(r.Context(), r.Principal, p)
}

func (a *Verbs) showRun(r *door.Request) (runDoc, error) {
	return a.Runs.Show(r.Context(), r.Principal, r.Param("run_id"))
}

// acting carries an action on a run out, with the comment that came with it.
func (a *Verbs) acting(verb func(ctx context.Context, s belay.Principal, id, comment string) error) door.Action {
	return door.Doing(func(r *door.Request) error {
		comment, err := r.Words("comment")
		if err != nil {
			return err
		}
		return verb(r.Context(), r.Principal, r.Param("run_id"), comment)
	}).Reads(commentBody)
}
