package runs

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/paths"
	"github.com/belayhq/belay/internal/api/workspaces"
	"github.com/belayhq/belay/internal/object"
	"github.com/belayhq/belay/internal/runs"
	"github.com/belayhq/belay/run"
	"github.com/belayhq/belay/site"
)

type assessmentDoc = runs.AssessmentView

// Assessments is how healthy workspaces were found.
var Assessments = &doc.Noun[assessmentDoc, struct{}]{
	Type: "assessment-results",
	ID:   func(a *assessmentDoc) string { return a.ID },
	Path: assessmentPath,
	Attributes: doc.Attributes[assessmentDoc, struct{}]{
		{Name: "drifted", Show: doc.Value(func(a *assessmentDoc) bool { return a.Drifted() })},
		{Name: "succeeded", Show: doc.Value(func(a *assessmentDoc) bool { return a.Succeeded })},
		{Name: "error-msg", Show: doc.Maybe(func(a *assessmentDoc) string { return a.Problem })},
		{Name: "error-message", Show: doc.Maybe(func(a *assessmentDoc) string { return a.Problem })},
		{Name: "all-checks-succeeded", Show: doc.Value(func(a *assessmentDoc) bool { return a.AllChecksSucceeded() })},
		{Name: "checks-passed", Show: doc.Value(func(a *assessmentDoc) int { return a.ChecksPassed })},
		{Name: "checks-failed", Show: doc.Value(func(a *assessmentDoc) int { return a.ChecksFailed })},
		{Name: "checks-errored", Show: doc.Value(func(a *assessmentDoc) int { return a.ChecksErrored })},
		{Name: "checks-unknown", Show: doc.Value(func(a *assessmentDoc) int { return a.ChecksUnknown })},
		{Name: "resources-drifted", Show: doc.Value(func(a *assessmentDoc) int { return a.ResourcesDrifted })},
		{Name: "resources-undrifted", Show: doc.Value(func(a *assessmentDoc) int { return a.ResourcesUndrifted })},
		{Name: "created-at", Show: doc.Value(func(a *assessmentDoc) time.Time { return a.CreatedAt })},
	},
	Relations: []doc.Relation[assessmentDoc, struct{}]{
		doc.To[assessmentDoc, struct{}]("workspace", "workspaces", func(a *assessmentDoc) string { return a.WorkspaceID }),
		doc.ToNone[assessmentDoc, struct{}]("source", "runs"), // what planned it is no run for anybody
	},
	Links: assessmentLinks(),
}

func assessmentPath(a *assessmentDoc) string { return paths.V2 + "/assessment-results/" + a.ID }

// assessmentLinks lead to what an assessment was made of.
func assessmentLinks() (list []doc.Link[assessmentDoc]) {
	for _, name := range []string{"json-output", "json-schema", "log-output", "sanitized-plan"} {
		list = append(list, doc.Link[assessmentDoc]{Name: name, To: func(a *assessmentDoc) string { return assessmentPath(a) + "/" + name }})
	}
	return list
}

var _ = routes.Join(func(a *Verbs) []door.Route {
	return []door.Route{
		{Method: http.MethodGet, Path: paths.Workspace + "/current-assessment-result", Status: http.StatusOK, Do: door.Showing(Assessments, a.showCurrentAssessment), Feature: site.Assessments, Needs: belay.ReadAssessments, Does: "See its newest health assessment"},
		{Method: http.MethodPost, Path: paths.Workspace + "/actions/assess", Status: http.StatusOK, Do: door.Showing(workspaces.Workspaces, a.assessWorkspace), Feature: site.Assessments, Refuses: []belay.Kind{belay.Conflict}, Needs: belay.ManageAssessments, Does: "Have it assessed now"},
		{Method: http.MethodGet, Path: paths.Assessment, Status: http.StatusOK, Do: door.Showing(Assessments, a.showAssessment), Feature: site.Assessments, Needs: belay.ReadAssessments, Does: "See a health assessment"},
		{Method: http.MethodGet, Path: paths.Assessment + "/sanitized-plan", Status: http.StatusOK, Raw: a.sendSanitized, Feature: site.Assessments, Media: "application/json", Needs: belay.ReadAssessments, Does: "Download the plan of an assessment, without what is sensitive"},
		{Method: http.MethodGet, Path: paths.Assessment + "/json-output", Status: http.StatusOK, Raw: a.sendAssessed(run.PlanJSONFile), Feature: site.Assessments, Media: "application/json", Needs: belay.AdministerRuns, Does: "Download the plan of an assessment, with what is sensitive"},
		{Method: http.MethodGet, Path: paths.Assessment + "/json-schema", Status: http.StatusOK, Raw: a.sendAssessed(run.SchemasFile), Feature: site.Assessments, Media: "application/json", Needs: belay.AdministerRuns, Does: "Download the schemas of its providers"},
		{Method: http.MethodGet, Path: paths.Assessment + "/log-output", Status: http.StatusOK, Raw: a.sendAssessmentLog, Feature: site.Assessments, Media: jsonLines, Needs: belay.AdministerRuns, Does: "Download the log of an assessment as JSON lines"},
	}
})

func (a *Verbs) showCurrentAssessment(r *door.Request) (assessmentDoc, error) {
	return a.Runs.CurrentAssessment(r.Context(), r.Principal, paths.WorkspaceRef(r))
}

func (a *Verbs) showAssessment(r *door.Request) (assessmentDoc, error) {
	return a.Runs.Assessment(r.Context(), r.Principal, r.Param("assessment_result_id"), belay.ReadAssessments)
}

func (a *Verbs) assessWorkspace(r *door.Request) (workspaces.WorkspaceDoc, error) {
	if err := a.Runs.Assess(r.Context(), r.Principal, paths.WorkspaceRef(r)); err != nil {
		return workspaces.WorkspaceDoc{}, err
	}
	return a.App.Workspace(r.Context(), r.Principal, paths.WorkspaceRef(r))
}

// IncludeAssessments adds the newest results of workspaces.
func (a *Verbs) IncludeAssessments(r *door.Request, to *door.Including, list []workspaces.WorkspaceDoc) error {
	var ids []string
	for i := range list {
		ids = append(ids, list[i].AssessmentID)
	}
	if len(list) == 0 {
		return nil
	}
	found, err := a.Runs.AssessmentsByID(r.Context(), r.Principal, list[0].Organization.Name, ids)
	door.Include(to, found, Assessments.In(r.Edition))
	return err
}

// sendAssessed answers a file that an assessment made.
func (a *Verbs) sendAssessed(kind run.FileKind) func(*door.Request) error {
	return func(r *door.Request) error {
		of, err := a.Runs.AssessmentRun(r.Context(), r.Principal, r.Param("assessment_result_id"), belay.AdministerRuns)
		if err != nil {
			return err
		}
		rc, file, err := a.Files.Open(r.Context(), &of, kind)
		if err != nil {
			return err
		}
		return r.Stream(rc, file.Size, "application/json")
	}
}

// sendSanitized answers the plan of an assessment without what is sensitive.
func (a *Verbs) sendSanitized(r *door.Request) error {
	of, err := a.Runs.AssessmentRun(r.Context(), r.Principal, r.Param("assessment_result_id"), belay.ReadAssessments)
	if err != nil {
		return err
	}
	rc, file, err := a.Files.Redacted(r.Context(), &of)
	if err != nil {
		return err
	}
	return r.Stream(rc, file.Size, "application/json")
}

// jsonLines is what a log in JSON lines is.
const jsonLines = "application/jsonl"

// sendAssessmentLog answers the log of an assessment as JSON lines: the engine's own where it
// wrote them, else each line of its text as one.
func (a *Verbs) sendAssessmentLog(r *door.Request) error {
	of, err := a.Runs.AssessmentRun(r.Context(), r.Principal, r.Param("assessment_result_id"), belay.AdministerRuns)
	if err != nil {
		return err
	}
	rc, file, err := a.Files.Open(r.Context(), &of, run.EventsFile)
	if err == nil {
		return r.Stream(rc, file.Size, jsonLines)
	}
	if belay.KindOf(err) != belay.NotFound {
		return err
	}
	plan, _ := a.Logs.URLs(&of)
	first, err := a.Logs.Read(r.Context(), plan, 0, 0, 0)
	if err != nil || len(first) == 0 {
		return orNotFound(err)
	}
	r.Wrote = true
	r.Writer.Header().Set("Content-Type", jsonLines)
	r.Writer.Header().Set("Cache-Control", "no-store")
	r.Writer.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return nil
	}
	return asJSONLines(r, &logReader{verbs: a, r: r, of: plan})
}

// orNotFound is an error, or that there is nothing.
func orNotFound(err error) error {
	if err == nil {
		return belay.ErrNotFound
	}
	return err
}

// logReader reads a log from its beginning.
type logReader struct {
	verbs *Verbs
	r     *door.Request
	of    object.Presigned
	at    int64
	had   []byte
}

func (l *logReader) Read(into []byte) (int, error) {
	if len(l.had) == 0 {
		piece, err := l.verbs.Logs.Read(l.r.Context(), l.of, l.at, 0, 0)
		if err != nil {
			return 0, err
		}
		if len(piece) == 0 {
			return 0, io.EOF
		}
		l.at, l.had = l.at+int64(len(piece)), piece
	}
	n := copy(into, l.had)
	l.had = l.had[n:]
	return n, nil
}

// jsonPiece is how many bytes of lines are made in one turn at the processors.
const jsonPiece = 64 << 10

// asJSONLines answers each line of a text as a message of an engine. They are made in turns, of which none is held for the client.
func asJSONLines(r *door.Request, text io.Reader) error {
	var made bytes.Buffer
	lines, out := bufio.NewReader(text), json.NewEncoder(&made)
	for {
		if err := r.Turn(); err != nil {
			return err
		}
		line, err := lines.ReadString('\n')
		if line = strings.Trim(line, "\x02\x03\r\n"); line != "" {
			if err := out.Encode(map[string]string{"@level": "info", "@message": line, "type": "log"}); err != nil {
				return err
			}
		}
		if err != nil || made.Len() >= jsonPiece {
			r.Yield()
			if _, failed := made.WriteTo(r.Writer); failed != nil {
				return failed
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
