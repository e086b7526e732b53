package core

import (
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/base"
	"github.com/belayhq/belay/notices"
	"github.com/belayhq/belay/run"
)

// AssessDue is what is due of health assessments.
const AssessDue = "assess" // a workspace: it may be assessed

var assessments = sqldb.NewTable(sqldb.Table[run.Assessment]{
	Name: "assessments",
	Own: []sqldb.Column[run.Assessment]{
		{Name: "id", At: func(a *run.Assessment) any { return &a.ID }},
		{Name: "workspace_id", At: func(a *run.Assessment) any { return &a.WorkspaceID }},
		{Name: "organization_id", At: func(a *run.Assessment) any { return &a.OrganizationID }},
		{Name: "run_id", At: func(a *run.Assessment) any { return &a.RunID }},
		{Name: "succeeded", At: func(a *run.Assessment) any { return &a.Succeeded }},
		{Name: "problem", At: func(a *run.Assessment) any { return &a.Problem }},
		{Name: "created_at", At: func(a *run.Assessment) any { return sqldb.Millis(&a.CreatedAt) }},
		{Name: "resources_drifted", At: func(a *run.Assessment) any { return &a.ResourcesDrifted }},
		{Name: "resources_undrifted", At: func(a *run.Assessment) any { return &a.ResourcesUndrifted }},
		{Name: "checks_passed", At: func(a *run.Assessment) any { return &a.ChecksPassed }},
		{Name: "checks_failed", At: func(a *run.Assessment) any { return &a.ChecksFailed }},
		{Name: "checks_errored", At: func(a *run.Assessment) any { return &a.ChecksErrored }},
		{Name: "checks_unknown", At: func(a *run.Assessment) any { return &a.ChecksUnknown }},
	},
})

// Assessment is one result.
func (v *View) Assessment(id string) (run.Assessment, error) {
	return assessments.One(v, "assessments.id = ?", id)
}

// AssessmentsByID is many results.
func (v *View) AssessmentsByID(ids []string) ([]run.Assessment, error) {
	return assessments.Many(v, v.SQL(assessments.Selected+"WHERE assessments.id").In("", ids).Add(" ORDER BY created_at DESC, id DESC"))
}

// Assessments is the results of a workspace, the newest first.
func (v *View) Assessments(workspaceID string) ([]run.Assessment, error) {
	return assessments.Many(v, v.SQL(assessments.Selected+"WHERE workspace_id = ? ORDER BY created_at DESC, id DESC", workspaceID))
}

// AddAssessment writes a result of a workspace, whose row must be held, and forgets those that
// are too many with what they were made of. The workspace knows it already.
func (tx *Tx) AddAssessment(a *run.Assessment, w *belay.Workspace) error {
	if err := assessments.Insert(tx, a, nil); err != nil {
		return err
	}
	q := tx.SQL(`DELETE FROM assessments WHERE workspace_id = ? AND id NOT IN (
		SELECT id FROM assessments WHERE workspace_id = ? ORDER BY created_at DESC, id DESC LIMIT ? + 0)`, w.ID, w.ID, belay.KeptAssessments)
	if _, err := tx.Exec(q); err != nil {
		return err
	}
	tx.MoveFacts(w.OrganizationID)
	return tx.SaveHealth(w)
}

// unneeded is the runs of assessments that no result is of any more, and no runner.
const unneeded sqldb.Text = `SELECT r.id FROM runs r WHERE r.workspace_id = ? AND r.operation = 'assessment' AND NOT r.unfinished AND r.id <> ?
	AND NOT EXISTS (SELECT 1 FROM assessments a WHERE a.workspace_id = r.workspace_id AND a.run_id = r.id)
	AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.run_id = r.id AND j.state <> 'ended')`

// DropAssessing deletes the runs of assessments of a workspace that nobody needs any more, but
// for one; their files are swept later.
func (tx *Tx) DropAssessing(workspaceID, except string) error {
	ids, err := sqldb.Values[string](&tx.View, tx.SQL(unneeded, workspaceID, except).First(sqldb.RowsAtOnce))
	if err != nil || len(ids) == 0 {
		return err
	}
	if err := tx.KeepVirtualTime("run_id", ids); err != nil {
		return err
	}
	if _, err := tx.Exec(tx.SQL("DELETE FROM jobs WHERE run_id").In("", ids)); err != nil {
		return err
	}
	_, err = tx.Exec(tx.SQL("DELETE FROM runs WHERE id").In("", ids))
	return err
}

// SaveHealth writes what a workspace knows of its assessments.
func (tx *Tx) SaveHealth(w *belay.Workspace) error {
	return tx.Do("UPDATE workspaces SET assessing_id = ?, assessment_id = ?, assessed_at = ? WHERE id = ?",
		w.AssessingID, w.AssessmentID, sqldb.UnixMillis(w.AssessedAt), w.ID)
}

// RunsSoFar says whether a run of a workspace was ever applied, and which status its newest has.
func (v *View) RunsSoFar(workspaceID string) (applied bool, newest run.Status, err error) {
	_, applied, err = sqldb.Value[string](v, v.SQL("SELECT id FROM runs WHERE workspace_id = ? AND status = 'applied' LIMIT 1", workspaceID))
	if err != nil || !applied {
		return applied, "", err
	}
	newest, _, err = sqldb.Value[run.Status](v, v.SQL("SELECT status FROM runs WHERE workspace_id = ? AND operation <> 'assessment' ORDER BY created_at DESC, id DESC LIMIT 1", workspaceID))
	return applied, newest, err
}

// NoteAssessed notes that a workspace may be assessed soon, unless that is noted.
func (tx *Tx) NoteAssessed(w *belay.Workspace) error {
	return tx.Do("INSERT INTO due (kind, subject_id, at) VALUES (?, ?, ?) ON CONFLICT (kind, subject_id) DO NOTHING",
		AssessDue, w.ID, sqldb.UnixMillis(tx.Now.Add(belay.FirstAssessment)))
}

// assessedApart is how far from each other workspaces are looked at that came to be assessed
// together.
const assessedApart = 250 * time.Millisecond

// NoteAssessedIn notes that some workspaces of an organization or a project may be assessed:
// of those after a name, in its order. It returns the name of the last, and nothing when there
// were none.
func (tx *Tx) NoteAssessedIn(subject, after string, place, atMost int) (last string, n int, err error) {
	// One of both finds none: PostgreSQL reads all that are left for a condition of either.
	q := tx.SQL("SELECT id, name FROM (SELECT id, name FROM workspaces WHERE organization_id = ? AND name > ? ORDER BY name", subject, after).First(atMost)
	q.Add(") of_all UNION ALL SELECT id, name FROM (SELECT id, name FROM workspaces WHERE project_id = ? AND name > ? ORDER BY name", subject, after).First(atMost)
	q.Add(") of_project ORDER BY name")
	list, err := sqldb.Collect(&tx.View, q, func(w *belay.Workspace) []any { return []any{&w.ID, &w.Name} })
	if err != nil || len(list) == 0 {
		return "", 0, err
	}
	from := tx.Now.Add(belay.FirstAssessment + time.Duration(place)*assessedApart)
	q = tx.SQL(`INSERT INTO due (kind, subject_id, at) SELECT CAST(? AS TEXT), id, CAST(? AS BIGINT) + (row_number() OVER (ORDER BY id)) * CAST(? AS BIGINT) FROM workspaces WHERE `,
		AssessDue, sqldb.UnixMillis(from), assessedApart.Milliseconds())
	q.In("id", base.IDsOf(list, func(w *belay.Workspace) string { return w.ID }))
	_, err = tx.Exec(q.Add(" ORDER BY id ON CONFLICT (kind, subject_id) DO NOTHING"))
	return list[len(list)-1].Name, len(list), err
}

// TellOfAssessment writes the deliveries of what is new of the health of a workspace.
func (tx *Tx) TellOfAssessment(d notices.Delivery, w *belay.Workspace) error {
	return tx.Tell(d.EventID+".", d, w)
}
