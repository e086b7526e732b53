package runs

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/paths"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/object"
	"github.com/belayhq/belay/internal/openapi"
	"github.com/belayhq/belay/internal/runs"
	"github.com/belayhq/belay/run"
	"github.com/belayhq/belay/site"
)

// phaseDoc is the run that a plan or an apply is of, on the way into the document of either.
type phaseDoc struct {
	runs.PhaseView
	planLog, applyLog string // where their logs are read
}

var _ = routes.Join(func(a *Verbs) []door.Route {
	return []door.Route{
		{Method: http.MethodGet, Path: paths.Run + "/plan", Status: http.StatusOK, Do: door.Showing(PlanDocuments, a.showPhase), Needs: belay.ReadRuns, Does: "See the plan of a run"},
		{Method: http.MethodGet, Path: paths.Plan, Status: http.StatusOK, Do: door.Showing(PlanDocuments, a.showPhase), Needs: belay.ReadRuns, Does: "See a plan"},
		{Method: http.MethodGet, Path: paths.Run + "/plan/json-output", Status: http.StatusTemporaryRedirect, Raw: a.sendFile(object.PlanJSON, belay.AdministerRuns), Needs: belay.AdministerRuns, Does: "Download the plan of a run as JSON, with what is sensitive"},
		{Method: http.MethodGet, Path: paths.Plan + "/json-output", Status: http.StatusTemporaryRedirect, Raw: a.sendFile(object.PlanJSON, belay.AdministerRuns), Needs: belay.AdministerRuns, Does: "Download a plan as JSON, with what is sensitive"},
		{Method: http.MethodGet, Path: paths.Plan + "/json-output-redacted", Status: http.StatusTemporaryRedirect, Raw: a.sendFile(object.PlanRedacted, belay.ReadRuns), Needs: belay.ReadRuns, Does: "Download a plan as JSON, without what is sensitive"},
		{Method: http.MethodGet, Path: paths.Run + "/plan/json-schema", Status: http.StatusTemporaryRedirect, Raw: a.sendFile(object.PlanSchema, belay.AdministerRuns), Needs: belay.AdministerRuns, Does: "Download the schemas of the providers of a run"},
		{Method: http.MethodGet, Path: paths.Plan + "/json-schema", Status: http.StatusTemporaryRedirect, Raw: a.sendFile(object.PlanSchema, belay.AdministerRuns), Needs: belay.AdministerRuns, Does: "Download the schemas of a plan's providers"},
		{Method: http.MethodGet, Path: paths.Run + "/apply", Status: http.StatusOK, Do: door.Showing(ApplyDocuments, a.showPhase), Needs: belay.ReadRuns, Does: "See the apply of a run"},
		{Method: http.MethodGet, Path: paths.Apply, Status: http.StatusOK, Do: door.Showing(ApplyDocuments, a.showPhase), Needs: belay.ReadRuns, Does: "See an apply"},
		{Method: http.MethodGet, Path: paths.Apply + "/errored-state", Status: http.StatusTemporaryRedirect, Raw: a.sendFile(object.ErroredState, belay.ReadState), Needs: belay.ReadState, Does: "Download the state that an apply could not store"},
		{Method: http.MethodPost, Path: paths.Plan + "/actions/soft-delete-backing-data", Status: http.StatusNoContent, Do: a.movingBacking(run.BackingAside), Feature: site.DataRetention, Needs: belay.DeleteOrganization, Does: "Put the log and files of an ended plan aside"},
		{Method: http.MethodPost, Path: paths.Plan + "/actions/restore-backing-data", Status: http.StatusNoContent, Do: a.movingBacking(run.BackingThere), Feature: site.DataRetention, Needs: belay.DeleteOrganization, Does: "Take the log and files of an ended plan back"},
		{Method: http.MethodPost, Path: paths.Plan + "/actions/permanently-delete-backing-data", Status: http.StatusNoContent, Do: a.movingBacking(run.BackingGone), Feature: site.DataRetention, Needs: belay.DeleteOrganization, Does: "Delete the log and files of an ended plan for good"},
		{Method: http.MethodPost, Path: paths.Apply + "/actions/soft-delete-backing-data", Status: http.StatusNoContent, Do: a.movingBacking(run.BackingAside), Feature: site.DataRetention, Needs: belay.DeleteOrganization, Does: "Put the log of an ended apply aside"},
		{Method: http.MethodPost, Path: paths.Apply + "/actions/restore-backing-data", Status: http.StatusNoContent, Do: a.movingBacking(run.BackingThere), Feature: site.DataRetention, Needs: belay.DeleteOrganization, Does: "Take the log of an ended apply back"},
		{Method: http.MethodPost, Path: paths.Apply + "/actions/permanently-delete-backing-data", Status: http.StatusNoContent, Do: a.movingBacking(run.BackingGone), Feature: site.DataRetention, Needs: belay.DeleteOrganization, Does: "Delete the log of an ended apply for good"},
	}
})

// phased is the plan or the apply of a run.
func (a *Verbs) phased(r *door.Request, of runs.PhaseView) phaseDoc {
	plan, apply := a.Logs.URLs(&of.Run)
	return phaseDoc{of, r.PresignedURL(plan), r.PresignedURL(apply)}
}

func planOf(d *phaseDoc) *run.Phase  { return &d.Plan.Phase }
func applyOf(d *phaseDoc) *run.Phase { return &d.Apply.Phase }

// phaseAttributes is what plans and applies have in common.
func phaseAttributes(of func(*phaseDoc) *run.Phase, log func(*phaseDoc) string) doc.Attributes[phaseDoc, struct{}] {
	return doc.Attributes[phaseDoc, struct{}]{
		{Name: "status", Show: doc.Value(func(d *phaseDoc) string { return string(of(d).Status) })},
		{Name: "status-timestamps", Show: doc.Reader[phaseDoc]{Get: func(d *phaseDoc) any { return phaseStamps(of(d)) }, Is: &openapi.Schema{Type: openapi.Types{"object"}}}},
		{Name: "log-read-url", Show: doc.Value(log)},
		{Name: "resource-additions", Show: doc.Value(func(d *phaseDoc) int { return of(d).Counts.Additions })},
		{Name: "resource-changes", Show: doc.Value(func(d *phaseDoc) int { return of(d).Counts.Changes })},
		{Name: "resource-destructions", Show: doc.Value(func(d *phaseDoc) int { return of(d).Counts.Destructions })},
		{Name: "resource-imports", Show: doc.Value(func(d *phaseDoc) int { return of(d).Counts.Imports })},
		{Name: "execution-details", Show: doc.Reader[phaseDoc]{Get: func(d *phaseDoc) any { return executionDetails(of(d)) }, Is: executionSchema()}},
		{Name: "structured-run-output-enabled", Show: doc.Fixed[phaseDoc](false)},
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

// PlanDocuments is the plans of runs.
var PlanDocuments = &doc.Noun[phaseDoc, struct{}]{
	Type: "plans",
	ID:   func(d *phaseDoc) string { return d.Plan.ID },
	Path: planPath,
	Attributes: append(phaseAttributes(planOf, func(d *phaseDoc) string { return d.planLog }), doc.Attributes[phaseDoc, struct{}]{
		{Name: "has-changes", Show: doc.Value(func(d *phaseDoc) bool { return d.Plan.HasChanges })},
		{Name: "generated-configuration", Show: doc.Value(func(d *phaseDoc) bool { return d.Plan.GeneratedConfig })},
		{Name: "actions", Show: doc.Parts(doc.Attributes[phaseDoc, struct{}]{{Name: "is-exportable", Show: doc.Fixed[phaseDoc](false)}})},
		{Name: "permissions", Show: doc.Parts(doc.Attributes[phaseDoc, struct{}]{{Name: "can-export", Show: doc.Fixed[phaseDoc](false)}})},
	}...),
	Relations: []doc.Relation[phaseDoc, struct{}]{
		doc.ToMany[phaseDoc, struct{}]("state-versions", "state-versions", "", func(*phaseDoc) []string { return nil }),
		doc.ToMany[phaseDoc, struct{}]("exports", "plan-exports", "", func(*phaseDoc) []string { return nil }),
	},
	Links: []doc.Link[phaseDoc]{
		{Name: "json-output", To: func(d *phaseDoc) string { return planPath(d) + "/json-output" }},
		{Name: "json-output-redacted", To: func(d *phaseDoc) string { return planPath(d) + "/json-output-redacted" }},
		{Name: "json-schema", To: func(d *phaseDoc) string { return planPath(d) + "/json-schema" }},
	},
}

func planPath(d *phaseDoc) string { return paths.V2 + "/plans/" + d.Plan.ID }

// ApplyDocuments is the applies of runs.
var ApplyDocuments = &doc.Noun[phaseDoc, struct{}]{
	Type:       "applies",
	Schema:     "Apply",
	ID:         func(d *phaseDoc) string { return d.Apply.ID },
	Path:       func(d *phaseDoc) string { return paths.V2 + "/applies/" + d.Apply.ID },
	Attributes: phaseAttributes(applyOf, func(d *phaseDoc) string { return d.applyLog }),
	Relations: []doc.Relation[phaseDoc, struct{}]{
		doc.ToMany[phaseDoc, struct{}]("state-versions", "state-versions", "", func(d *phaseDoc) []string { return d.StateIDs }),
	},
}

// phaseID is the id that the path names: of a run, a plan or an apply, but of no other kind
// than the path says.
func phaseID(r *door.Request) string {
	for name, prefix := range map[string]string{"run_id": "run-", "plan_id": "plan-", "apply_id": "apply-"} {
		if id := r.Param(name); strings.HasPrefix(id, prefix) {
			return id
		}
	}
	return ""
}

func (a *Verbs) showPhase(r *door.Request) (phaseDoc, error) {
	view, err := a.Runs.Phase(r.Context(), r.Principal, phaseID(r), belay.ReadRuns)
	if err != nil {
		return phaseDoc{}, err
	}
	return a.phased(r, view), nil
}

// sendFile answers where a file of a run is, to those who may read it: nothing while it may
// still come, and that it is not there once it won't.
func (a *Verbs) sendFile(kind object.Kind, need belay.Permission) func(*door.Request) error {
	return func(r *door.Request) error {
		of, err := a.Runs.Phase(r.Context(), r.Principal, phaseID(r), need)
		if err != nil {
			return err
		}
		p, err := a.Files.Presign(r.Context(), &of.Run, kind)
		switch {
		case belay.KindOf(err) == belay.NotFound && kind != object.ErroredState && !of.Plan.Status.Final():
			r.Wrote, r.Status = true, http.StatusNoContent
			r.Writer.WriteHeader(r.Status)
			return nil
		case err != nil:
			return err
		}
		return r.Redirect(r.PresignedURL(p), http.StatusTemporaryRedirect)
	}
}

// movingBacking puts the files behind a plan or an apply aside, takes them back, or deletes
// them for good.
func (a *Verbs) movingBacking(to run.Backing) door.Action {
	return door.Doing(func(r *door.Request) error { return a.Runs.MoveBacking(r.Context(), r.Principal, phaseID(r), to) })
}

// ReadLog answers a piece of a log. Its bytes are those of the engine: none is changed on
// the way, and no reader keeps them.
func (a *Verbs) ReadLog(r *door.Request, p object.Presigned) error {
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
	head := r.Writer.Header()
	head.Set("Content-Type", "text/plain; charset=utf-8")
	head.Set("Content-Length", strconv.Itoa(len(data)))
	head.Set("Cache-Control", "no-store")
	r.Wrote = true
	r.Writer.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return nil
	}
	_, err = r.Writer.Write(data)
	return err
}

// FileTypes is what the files of runs are.
var FileTypes = map[object.Kind]string{
	object.PlanJSON: "application/json", object.PlanRedacted: "application/json", object.PlanSchema: "application/json",
	object.ErroredState: "application/octet-stream",
}
