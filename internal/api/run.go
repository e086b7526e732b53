package api

import (
	"context"
	"strings"
	"time"

	"github.com/belayhq/belay"
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
var runAttributes = attributes[runDoc, runPatch]{
	{name: "actions", show: parts(runActions)},
	{name: "permissions", show: parts(runPermissions)},
	{name: "allow-config-generation", show: value(func(r *runDoc) bool { return r.AllowConfigGeneration }), write: nullable(func(p *runPatch) *patch.Field[bool] { return &p.AllowConfigGeneration })},
	{name: "allow-empty-apply", show: value(func(r *runDoc) bool { return r.AllowEmptyApply }), write: nullable(func(p *runPatch) *patch.Field[bool] { return &p.AllowEmptyApply })},
	{name: "auto-apply", show: value(func(r *runDoc) bool { return r.AutoApply }), write: nullable(func(p *runPatch) *patch.Field[bool] { return &p.AutoApply })},
	{name: "debugging-mode", show: value(func(r *runDoc) bool { return r.Debugging }), write: nullable(func(p *runPatch) *patch.Field[bool] { return &p.Debugging })},
	{name: "is-destroy", show: value(func(r *runDoc) bool { return r.IsDestroy }), write: nullable(func(p *runPatch) *patch.Field[bool] { return &p.IsDestroy })},
	{name: "plan-only", show: value(func(r *runDoc) bool { return r.PlanOnly }), write: nullable(func(p *runPatch) *patch.Field[bool] { return &p.PlanOnly })},
	{name: "refresh", show: value(func(r *runDoc) bool { return r.Refresh }), write: nullable(func(p *runPatch) *patch.Field[bool] { return &p.Refresh })},
	{name: "refresh-only", show: value(func(r *runDoc) bool { return r.RefreshOnly }), write: nullable(func(p *runPatch) *patch.Field[bool] { return &p.RefreshOnly })},
	{name: "save-plan", show: value(func(r *runDoc) bool { return r.SavePlan }), write: nullable(func(p *runPatch) *patch.Field[bool] { return &p.SavePlan })},
	{name: "message", show: value(func(r *runDoc) string { return r.Message }), write: nullable(func(p *runPatch) *patch.Field[string] { return &p.Message })},
	{name: "status", show: value(func(r *runDoc) string { return string(r.Status) })},
	{name: "status-timestamps", show: reader[runDoc]{func(r *runDoc) any { return runStamps(r) }, &openapi.Schema{Type: openapi.Types{"object"}}}},
	{name: "has-changes", show: value(func(r *runDoc) bool { return r.Plan.HasChanges })},
	{name: "created-at", show: value(func(r *runDoc) time.Time { return r.CreatedAt })},
	{name: "updated-at", show: value(func(r *runDoc) time.Time { return r.UpdatedAt })},
	{name: "canceled-at", show: maybe(func(r *runDoc) time.Time { return r.CanceledAt })},
	{name: "force-cancel-available-at", show: value(func(r *runDoc) time.Time { return r.ForceCancelAt }), absent: func(r *runDoc) bool { return r.ForceCancelAt.IsZero() }},
	{name: "replace-addrs", show: textsOrNull(func(r *runDoc) []string { return r.Replaces }), write: nullable(func(p *runPatch) *patch.Field[[]string] { return &p.Replaces })},
	{name: "target-addrs", show: textsOrNull(func(r *runDoc) []string { return r.Targets }), write: nullable(func(p *runPatch) *patch.Field[[]string] { return &p.Targets })},
	{name: "policy-paths", show: texts(func(r *runDoc) []string { return r.PolicyPaths }), absent: func(r *runDoc) bool { return r.PolicyPaths == nil }, write: nullable(func(p *runPatch) *patch.Field[[]string] { return &p.PolicyPaths })},
	{name: "invoke-action-addrs", show: texts(func(r *runDoc) []string { return r.InvokeActions }), absent: func(r *runDoc) bool { return r.InvokeActions == nil }, write: nullable(func(p *runPatch) *patch.Field[[]string] { return &p.InvokeActions })},
	{name: "variables", show: listed(runVariables, func(r *runDoc) []run.Variable { return r.Variables }), write: memberLists(wantedVariables, func(p *runPatch) *patch.Field[[]run.WantedVariable] { return &p.Variables })},
	{name: "archive-change-requests", show: value(func(r *runDoc) bool { return r.ArchiveChangeRequests }), write: nullable(func(p *runPatch) *patch.Field[bool] { return &p.ArchiveChangeRequests })},
	{name: "source", show: value(func(r *runDoc) string { return r.Source })},
	{name: "trigger-reason", show: value(func(r *runDoc) string { return r.Reason })},
	{name: "triggering-source-name", show: maybe(func(r *runDoc) string { return r.TriggeringSource })},
	{name: "terraform-version", show: value(func(r *runDoc) string { return r.EngineVersion }), write: nullable(func(p *runPatch) *patch.Field[string] { return &p.EngineVersion })},
	{name: "position-in-queue", show: value(func(r *runDoc) int { return r.Position })},
}

// runActions is exactly what the actions would do now, whoever asks.
var runActions = attributes[runDoc, struct{}]{
	{name: "is-cancelable", show: value(func(r *runDoc) bool { return r.Now.Cancelable })},
	{name: "is-confirmable", show: value(func(r *runDoc) bool { return r.Now.Confirmable })},
	{name: "is-discardable", show: value(func(r *runDoc) bool { return r.Now.Discardable })},
	{name: "is-force-cancelable", show: value(func(r *runDoc) bool { return r.Now.ForceCancelable })},
}

// runPermissions is what the caller may do with a run, whatever its status.
var runPermissions = attributes[runDoc, struct{}]{
	{name: "can-apply", show: value(func(r *runDoc) bool { return run.PermissionsOf(r.Can).Apply })},
	{name: "can-cancel", show: value(func(r *runDoc) bool { return run.PermissionsOf(r.Can).Cancel })},
	{name: "can-comment", show: value(func(r *runDoc) bool { return run.PermissionsOf(r.Can).Comment })},
	{name: "can-discard", show: value(func(r *runDoc) bool { return run.PermissionsOf(r.Can).Discard })},
	{name: "can-force-execute", show: value(func(r *runDoc) bool { return run.PermissionsOf(r.Can).ForceExecute })},
	{name: "can-force-cancel", show: value(func(r *runDoc) bool { return run.PermissionsOf(r.Can).ForceCancel })},
	{name: "can-override-policy-check", show: value(func(r *runDoc) bool { return run.PermissionsOf(r.Can).OverridePolicyCheck })},
}

var runVariables = attributes[run.Variable, struct{}]{
	{name: "key", show: value(func(v *run.Variable) string { return v.Key })},
	{name: "value", show: value(func(v *run.Variable) string { return v.Value })},
}

// wantedVariables is what variables holds in a body.
var wantedVariables = attributes[run.WantedVariable, run.WantedVariable]{
	{name: "key", write: field(func(v *run.WantedVariable) *patch.Field[string] { return &v.Key })},
	{name: "value", write: field(func(v *run.WantedVariable) *patch.Field[string] { return &v.Value })},
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

var runDocuments = &noun[runDoc, runPatch]{
	typ:        "runs",
	id:         func(r *runDoc) string { return r.ID },
	path:       runPath,
	attributes: runAttributes,
	relations: []relation[runDoc, runPatch]{
		to[runDoc, runPatch]("workspace", "workspaces", func(r *runDoc) string { return r.WorkspaceID }).taking(bodyRef("workspaces"), takeRunWorkspace),
		to[runDoc, runPatch]("configuration-version", "configuration-versions", func(r *runDoc) string { return r.ConfigurationVersionID }).taking(ref("configuration-versions"), takeRunConfiguration),
		toBelow[runDoc, runPatch]("plan", "plans", "/plan", func(r *runDoc) string { return r.Plan.ID }),
		toBelow[runDoc, runPatch]("apply", "applies", "/apply", func(r *runDoc) string { return r.Apply.ID }),
		to[runDoc, runPatch]("created-by", "users", func(r *runDoc) string { return orService(r.CreatedBy, r.ServiceUser) }),
		to[runDoc, runPatch]("confirmed-by", "users", func(r *runDoc) string { return r.ConfirmedBy }),
		to[runDoc, runPatch]("canceled-by", "users", func(r *runDoc) string { return r.CanceledBy }),
		to[runDoc, runPatch]("input-state-version", "state-versions", func(r *runDoc) string { return r.InputStateVersionID }),
		toMany[runDoc, runPatch]("run-events", "run-events", "/run-events", eventIDs),
		toMany[runDoc, runPatch]("comments", "comments", "/comments", commentIDs),
		toMany[runDoc, runPatch]("policy-checks", "policy-checks", "/policy-checks", nobody),
		toMany[runDoc, runPatch]("task-stages", "task-stages", "/task-stages", nobody),
		toMany[runDoc, runPatch]("tf-policy-evaluations", "tf-policy-evaluations", "/tf-policy-evaluations", nobody),
		toMany[runDoc, runPatch]("change-requests", requestTypes[0], "", requestsOfRun).taking(openapi.List(bodyRef(requestTypes...)), takeRunRequests),
		to[runDoc, runPatch]("triggering-run", "runs", func(r *runDoc) string { return r.TriggeringRunID }),
		to[runDoc, runPatch]("triggering-source", "workspaces", func(r *runDoc) string { return r.TriggeringSourceID }),
		toMany[runDoc, runPatch]("workspace-run-alerts", "workspace-run-alerts", "", nobody),
	},
	links: []link[runDoc]{{name: "self-html", to: func(r *runDoc) string {
		return "/app/" + r.Organization + "/" + r.Workspace + "/runs/" + r.ID
	}}},
}

func runPath(r *runDoc) string { return v2 + "/runs/" + r.ID }

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

func takeRunWorkspace(_ *request, in *jsonapi.Incoming, p *runPatch) error {
	workspace, _, err := relatedRef(in, "workspace", "workspaces")
	if err == nil && workspace.ID == "" {
		var problems belay.Problems
		problems.At("/data/relationships/workspace", "workspace must be given")
		return problems
	}
	p.WorkspaceID = workspace.ID
	return err
}

// requestTypes is what change requests may be called in a body.
var requestTypes = []string{"workspace_change_requests", "workspace-change-requests", "change_requests", "change-requests"}

// requestsOfRun is the change requests that a run is for, as far as the caller may read them.
func requestsOfRun(r *runDoc) []string {
	if !r.Can.Has(belay.ReadChangeRequests) {
		return nil
	}
	return r.ChangeRequests
}

func takeRunRequests(_ *request, in *jsonapi.Incoming, p *runPatch) error {
	var ids patch.Field[[]string]
	err := relatedIDs(in, &ids, "change-requests", requestTypes...)
	p.ChangeRequests = ids.Value
	return err
}

func takeRunConfiguration(_ *request, in *jsonapi.Incoming, p *runPatch) error {
	configuration, given, err := relatedRef(in, "configuration-version", "configuration-versions")
	if err == nil && given && configuration.ID != "" {
		p.ConfigurationVersionID = patch.Of(configuration.ID)
	}
	return err
}

func (a *API) createRun(r *request, p runPatch) (runDoc, error) {
	if p.WorkspaceID == "" { // its shape was wrong: nothing else can be said
		return runDoc{}, r.shape.Err()
	}
	p.Origin = run.Origin{Source: run.SourceAPI, Reason: run.ReasonManual}
	p.DefaultMessage = "Queued manually via the Terraform Enterprise API"
	if r.Header.Get("Terraform-Version") != "" {
		p.DefaultMessage = "Triggered via CLI"
	}
	return a.Runs.Create(r.Context(), r.subject, p)
}

func (a *API) showRun(r *request) (runDoc, error) {
	return a.Runs.Show(r.Context(), r.subject, r.param("run_id"))
}

// acting carries an action on a run out, with the comment that came with it.
func (a *API) acting(verb func(ctx context.Context, s belay.Principal, id, comment string) error) action {
	return doing(func(r *request) error {
		comment, err := r.words("comment")
		if err != nil {
			return err
		}
		return verb(r.Context(), r.subject, r.param("run_id"), comment)
	}).reads(commentBody)
}
