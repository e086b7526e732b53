package api

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/object"
	"github.com/belayhq/belay/internal/runs"
	"github.com/belayhq/belay/run"
)

type assessmentDoc = runs.AssessmentView

var assessments = &noun[assessmentDoc, struct{}]{
	typ:  "assessment-results",
	id:   func(a *assessmentDoc) string { return a.ID },
	path: assessmentPath,
	attributes: attributes[assessmentDoc, struct{}]{
		{name: "drifted", show: value(func(a *assessmentDoc) bool { return a.Drifted() })},
		{name: "succeeded", show: value(func(a *assessmentDoc) bool { return a.Succeeded })},
		{name: "error-msg", show: maybe(func(a *assessmentDoc) string { return a.Problem })},
		{name: "error-message", show: maybe(func(a *assessmentDoc) string { return a.Problem })},
		{name: "all-checks-succeeded", show: value(func(a *assessmentDoc) bool { return a.AllChecksSucceeded() })},
		{name: "checks-passed", show: value(func(a *assessmentDoc) int { return a.ChecksPassed })},
		{name: "checks-failed", show: value(func(a *assessmentDoc) int { return a.ChecksFailed })},
		{name: "checks-errored", show: value(func(a *assessmentDoc) int { return a.ChecksErrored })},
		{name: "checks-unknown", show: value(func(a *assessmentDoc) int { return a.ChecksUnknown })},
		{name: "resources-drifted", show: value(func(a *assessmentDoc) int { return a.ResourcesDrifted })},
		{name: "resources-undrifted", show: value(func(a *assessmentDoc) int { return a.ResourcesUndrifted })},
		{name: "created-at", show: value(func(a *assessmentDoc) time.Time { return a.CreatedAt })},
	},
	relations: []relation[assessmentDoc, struct{}]{
		to[assessmentDoc, struct{}]("workspace", "workspaces", func(a *assessmentDoc) string { return a.WorkspaceID }),
		toNone[assessmentDoc, struct{}]("source", "runs"), // what planned it is no run for anybody
	},
	links: assessmentLinks(),
}

func assessmentPath(a *assessmentDoc) string { return v2 + "/assessment-results/" + a.ID }

// assessmentLinks lead to what an assessment was made of.
func assessmentLinks() (list []link[assessmentDoc]) {
	for _, name := range []string{"json-output", "json-schema", "log-output", "sanitized-plan"} {
		list = append(list, link[assessmentDoc]{name: name, to: func(a *assessmentDoc) string { return assessmentPath(a) + "/" + name }})
	}
	return list
}

func (a *API) showCurrentAssessment(r *request) (assessmentDoc, error) {
	return a.Runs.CurrentAssessment(r.Context(), r.subject, r.workspaceRef())
}

func (a *API) showAssessment(r *request) (assessmentDoc, error) {
	return a.Runs.Assessment(r.Context(), r.subject, r.param("assessment_result_id"), belay.ReadAssessments)
}

func (a *API) assessWorkspace(r *request) (workspaceDoc, error) {
	if err := a.Runs.Assess(r.Context(), r.subject, r.workspaceRef()); err != nil {
		return workspaceDoc{}, err
	}
	return a.App.Workspace(r.Context(), r.subject, r.workspaceRef())
}

// includeAssessments adds the newest results of workspaces.
func (r *request) includeAssessments(to *including, list []workspaceDoc) error {
	var ids []string
	for i := range list {
		ids = append(ids, list[i].AssessmentID)
	}
	if len(list) == 0 {
		return nil
	}
	found, err := r.api.Runs.AssessmentsByID(r.Context(), r.subject, list[0].Organization.Name, ids)
	include(to, found, assessments.in(r))
	return err
}

// sendAssessed answers a file that an assessment made.
func (a *API) sendAssessed(kind run.FileKind) func(*request) error {
	return func(r *request) error {
		of, err := a.Runs.AssessmentRun(r.Context(), r.subject, r.param("assessment_result_id"), belay.AdministerRuns)
		if err != nil {
			return err
		}
		rc, file, err := a.Files.Open(r.Context(), &of, kind)
		if err != nil {
			return err
		}
		return r.stream(rc, file.Size, "application/json")
	}
}

// sendSanitized answers the plan of an assessment without what is sensitive.
func (a *API) sendSanitized(r *request) error {
	of, err := a.Runs.AssessmentRun(r.Context(), r.subject, r.param("assessment_result_id"), belay.ReadAssessments)
	if err != nil {
		return err
	}
	rc, file, err := a.Files.Redacted(r.Context(), &of)
	if err != nil {
		return err
	}
	return r.stream(rc, file.Size, "application/json")
}

// jsonLines is what a log in JSON lines is.
const jsonLines = "application/jsonl"

// sendAssessmentLog answers the log of an assessment as JSON lines: the engine's own where it
// wrote them, else each line of its text as one.
func (a *API) sendAssessmentLog(r *request) error {
	of, err := a.Runs.AssessmentRun(r.Context(), r.subject, r.param("assessment_result_id"), belay.AdministerRuns)
	if err != nil {
		return err
	}
	rc, file, err := a.Files.Open(r.Context(), &of, run.EventsFile)
	if err == nil {
		return r.stream(rc, file.Size, jsonLines)
	}
	if belay.KindOf(err) != belay.NotFound {
		return err
	}
	plan, _ := a.Logs.URLs(&of)
	first, err := a.Logs.Read(r.Context(), plan, 0, 0, 0)
	if err != nil || len(first) == 0 {
		return orNotFound(err)
	}
	r.wrote = true
	r.w.Header().Set("Content-Type", jsonLines)
	r.w.Header().Set("Cache-Control", "no-store")
	r.w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return nil
	}
	return asJSONLines(r.w, &logReader{api: a, r: r, of: plan})
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
	api *API
	r   *request
	of  object.Presigned
	at  int64
	had []byte
}

func (l *logReader) Read(into []byte) (int, error) {
	if len(l.had) == 0 {
		piece, err := l.api.Logs.Read(l.r.Context(), l.of, l.at, 0, 0)
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

// asJSONLines writes each line of a text as a message of an engine.
func asJSONLines(to io.Writer, text io.Reader) error {
	lines, out := bufio.NewReader(text), json.NewEncoder(to)
	for {
		line, err := lines.ReadString('\n')
		if line = strings.Trim(line, "\x02\x03\r\n"); line != "" {
			if err := out.Encode(map[string]string{"@level": "info", "@message": line, "type": "log"}); err != nil {
				return err
			}
		}
		if err == io.EOF { //nolint:errorlint // bufio answers it bare
			return nil
		}
		if err != nil {
			return err
		}
	}
}
