package api_test

import (
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

var assessmentArea = area{"HEALTH ASSESSMENTS", []row{
	{route: "GET /workspaces/{workspace_id}/current-assessment-result", uses: assessed},
	{route: "POST /workspaces/{workspace_id}/actions/assess", uses: assessable},
	{route: "GET /assessment-results/{assessment_result_id}", uses: assessed},
	{route: "GET /assessment-results/{assessment_result_id}/sanitized-plan", uses: assessed},
	{route: "GET /assessment-results/{assessment_result_id}/json-output", uses: assessed},
	{route: "GET /assessment-results/{assessment_result_id}/json-schema", uses: assessed},
	{route: "GET /assessment-results/{assessment_result_id}/log-output", uses: assessed},
}}

// assessable is a workspace whose health may be assessed: a run was applied there.
func assessable(w *world, r *role) things {
	made := finished(w, r)
	err := w.db.Update(w.t.Context(), func(tx *store.Tx) error {
		of, err := tx.Workspace(belay.WorkspaceRef{ID: made["workspace_id"]})
		if err != nil {
			return err
		}
		before := of
		of.AssessmentsEnabled, of.ResourceCount, of.CurrentRunStatus = true, 1, string(run.Applied)
		return tx.SaveWorkspace(&of, &before)
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return made
}

// assessed is a workspace with a result and all that it was made of.
func assessed(w *world, r *role) things {
	return assessedBy(w, r, run.PlanJSONFile, run.SchemasFile, run.EventsFile)
}

// assessedBy is that with some files alone.
func assessedBy(w *world, r *role, files ...run.FileKind) things {
	made := finished(w, r)
	a := run.Assessment{
		ID: belay.NewID("asmtres"), WorkspaceID: made["workspace_id"], OrganizationID: w.shared["organization_id"],
		RunID: made["run_id"], Succeeded: true, CreatedAt: time.Now(),
	}
	err := w.db.Update(w.t.Context(), func(tx *store.Tx) error {
		of, err := tx.Workspace(belay.WorkspaceRef{ID: made["workspace_id"]})
		if err != nil {
			return err
		}
		of.AssessmentID, of.AssessedAt = a.ID, a.CreatedAt
		a.OrganizationID = of.OrganizationID
		return tx.AddAssessment(&a, &of)
	})
	if err != nil {
		w.t.Fatal(err)
	}
	of := run.Run{ID: made["run_id"]}
	for _, kind := range files {
		if _, _, err := w.files.Put(w.t.Context(), &of, kind, "", strings.NewReader("{}")); err != nil {
			w.t.Fatal(err)
		}
	}
	return made.with(things{"assessment_result_id": a.ID})
}
