package api

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/object"
	"github.com/belayhq/belay/internal/openapi"
	"github.com/belayhq/belay/internal/runs"
	"github.com/belayhq/belay/run"
)

// phaseDoc is the run that a plan or an apply is of, on the way into the document of either.
type phaseDoc struct {
	runs.PhaseView
	planLog, applyLog string // where their logs are read
}

// phased is the plan or the apply of a run.
func (r *request) phased(of runs.PhaseView) phaseDoc {
	plan, apply := r.api.Logs.URLs(&of.Run)
	return phaseDoc{of, r.presignedURL(plan), r.presignedURL(apply)}
}

func planOf(d *phaseDoc) *run.Phase  { return &d.Plan.Phase }
func applyOf(d *phaseDoc) *run.Phase { return &d.Apply.Phase }

// phaseAttributes is what plans and applies have in common.
func phaseAttributes(of func(*phaseDoc) *run.Phase, log func(*phaseDoc) string) attributes[phaseDoc, struct{}] {
	return attributes[phaseDoc, struct{}]{
		{name: "status", show: value(func(d *phaseDoc) string { return string(of(d).Status) })},
		{name: "status-timestamps", show: reader[phaseDoc]{func(d *phaseDoc) any { return phaseStamps(of(d)) }, &openapi.Schema{Type: openapi.Types{"object"}}}},
		{name: "log-read-url", show: value(log)},
		{name: "resource-additions", show: value(func(d *phaseDoc) int { return of(d).Counts.Additions })},
		{name: "resource-changes", show: value(func(d *phaseDoc) int { return of(d).Counts.Changes })},
		{name: "resource-destructions", show: value(func(d *phaseDoc) int { return of(d).Counts.Destructions })},
		{name: "resource-imports", show: value(func(d *phaseDoc) int { return of(d).Counts.Imports })},
		{name: "execution-details", show: reader[phaseDoc]{func(d *phaseDoc) any { return executionDetails(of(d)) }, executionSchema()}},
		{name: "structured-run-output-enabled", show: fixed[phaseDoc](false)},
	}
}

// phaseStatuses is what may be stamped in a phase, in its order.
var phaseStatuses = []run.PhaseStatus{
	run.PhasePending, run.PhaseQueued, run.PhaseRunning, run.PhaseFinished, run.PhaseErrored, run.PhaseCanceled, run.PhaseForceCanceled,
}

func phaseStamps(p *run.Phase) jsonapi.Object {
	object := jsonapi.Object{}
	for _, status := range phaseStatuses {
		at, reached := p.Stamps[status]
		if !reached {
			continue
		}
		name := strings.ReplaceAll(string(status), "_", "-")
		if status == run.PhaseRunning { // as clients know it
			name = "started"
		}
		object = append(object, jsonapi.Member{Name: name + "-at", Value: at})
	}
	return object
}

// executionDetails is who carried a phase out.
func executionDetails(p *run.Phase) jsonapi.Object {
	if p.Runner.PoolID == "" {
		return jsonapi.Object{{Name: "mode", Value: string(belay.RemoteExecution)}}
	}
	return jsonapi.Object{
		{Name: "mode", Value: string(belay.AgentExecution)},
		{Name: "agent-id", Value: p.Runner.ID}, {Name: "agent-name", Value: p.Runner.Name},
		{Name: "agent-pool-id", Value: p.Runner.PoolID}, {Name: "agent-pool-name", Value: p.Runner.PoolName},
	}
}

func executionSchema() *openapi.Schema {
	is := openapi.Object().Add("mode", openapi.Of[string]().One(string(belay.RemoteExecution), string(belay.AgentExecution)), true)
	for _, name := range []string{"agent-id", "agent-name", "agent-pool-id", "agent-pool-name"} {
		is.Add(name, openapi.Of[string](), false)
	}
	return is
}

var planDocuments = &noun[phaseDoc, struct{}]{
	typ:  "plans",
	id:   func(d *phaseDoc) string { return d.Plan.ID },
	path: planPath,
	attributes: append(phaseAttributes(planOf, func(d *phaseDoc) string { return d.planLog }), attributes[phaseDoc, struct{}]{
		{name: "has-changes", show: value(func(d *phaseDoc) bool { return d.Plan.HasChanges })},
		{name: "generated-configuration", show: value(func(d *phaseDoc) bool { return d.Plan.GeneratedConfig })},
		{name: "actions", show: parts(attributes[phaseDoc, struct{}]{{name: "is-exportable", show: fixed[phaseDoc](false)}})},
		{name: "permissions", show: parts(attributes[phaseDoc, struct{}]{{name: "can-export", show: fixed[phaseDoc](false)}})},
	}...),
	relations: []relation[phaseDoc, struct{}]{
		toMany[phaseDoc, struct{}]("state-versions", "state-versions", "", func(*phaseDoc) []string { return nil }),
		toMany[phaseDoc, struct{}]("exports", "plan-exports", "", func(*phaseDoc) []string { return nil }),
	},
	links: []link[phaseDoc]{
		{name: "json-output", to: func(d *phaseDoc) string { return planPath(d) + "/json-output" }},
		{name: "json-output-redacted", to: func(d *phaseDoc) string { return planPath(d) + "/json-output-redacted" }},
		{name: "json-schema", to: func(d *phaseDoc) string { return planPath(d) + "/json-schema" }},
	},
}

func planPath(d *phaseDoc) string { return v2 + "/plans/" + d.Plan.ID }

var applyDocuments = &noun[phaseDoc, struct{}]{
	typ:        "applies",
	schema:     "Apply",
	id:         func(d *phaseDoc) string { return d.Apply.ID },
	path:       func(d *phaseDoc) string { return v2 + "/applies/" + d.Apply.ID },
	attributes: phaseAttributes(applyOf, func(d *phaseDoc) string { return d.applyLog }),
	relations: []relation[phaseDoc, struct{}]{
		toMany[phaseDoc, struct{}]("state-versions", "state-versions", "", func(d *phaseDoc) []string { return d.StateIDs }),
	},
}

// phaseID is the id that the path names: of a run, a plan or an apply, but of no other kind
// than the path says.
func (r *request) phaseID() string {
	for name, prefix := range map[string]string{"run_id": "run-", "plan_id": "plan-", "apply_id": "apply-"} {
		if id := r.param(name); strings.HasPrefix(id, prefix) {
			return id
		}
	}
	return ""
}

func (a *API) showPhase(r *request) (phaseDoc, error) {
	view, err := a.Runs.Phase(r.Context(), r.subject, r.phaseID(), belay.ReadRuns)
	if err != nil {
		return phaseDoc{}, err
	}
	return r.phased(view), nil
}

// sendFile answers where a file of a run is, to those who may read it: nothing while it may
// still come, and that it is not there once it won't.
func (a *API) sendFile(kind object.Kind, need belay.Permission) func(*request) error {
	return func(r *request) error {
		of, err := a.Runs.Phase(r.Context(), r.subject, r.phaseID(), need)
		if err != nil {
			return err
		}
		p, err := a.Files.Presign(r.Context(), &of.Run, kind)
		switch {
		case belay.KindOf(err) == belay.NotFound && kind != object.ErroredState && !of.Plan.Status.Final():
			r.wrote, r.status = true, http.StatusNoContent
			r.w.WriteHeader(r.status)
			return nil
		case err != nil:
			return err
		}
		return r.redirect(r.presignedURL(p), http.StatusTemporaryRedirect)
	}
}

// movingBacking puts the files behind a plan or an apply aside, takes them back, or deletes
// them for good.
func (a *API) movingBacking(to run.Backing) action {
	return doing(func(r *request) error { return a.Runs.MoveBacking(r.Context(), r.subject, r.phaseID(), to) })
}

// readLog answers a piece of a log. Its bytes are those of the engine: none is changed on
// the way, and no reader keeps them.
func (a *API) readLog(r *request, p object.Presigned) error {
	q := r.URL.Query()
	offset, err := strconv.ParseInt(q.Get("offset"), 10, 64)
	if q.Get("offset") != "" && (err != nil || offset < 0) {
		return belay.Refuse(belay.BadRequest, "offset must be a number of bytes")
	}
	limit, _ := strconv.ParseInt(q.Get("limit"), 10, 64) // what is no number is the default
	data, err := a.Logs.Read(r.Context(), p, offset, limit, 0)
	if err != nil {
		return err
	}
	head := r.w.Header()
	head.Set("Content-Type", "text/plain; charset=utf-8")
	head.Set("Content-Length", strconv.Itoa(len(data)))
	head.Set("Cache-Control", "no-store")
	r.wrote = true
	r.w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return nil
	}
	_, err = r.w.Write(data)
	return err
}

// fileTypes is what the files of runs are.
var fileTypes = map[object.Kind]string{
	object.PlanJSON: "application/json", object.PlanRedacted: "application/json", object.PlanSchema: "application/json",
	object.ErroredState: "application/octet-stream",
}
