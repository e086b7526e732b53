package store

import (
	"cmp"
	"time"

	"github.com/belayhq/belay"
)

// What other rooms note about runs.
const (
	TurnDue  = "turn"  // a workspace: its lock opened, or it may run something again
	SavedDue = "saved" // a workspace: another state is current than its saved plans began with
)

// Due is something that is to be looked at, and when.
type Due struct {
	Kind    string
	Subject string // its id
	At      time.Time
}

// SetDue notes that something is to be looked at; noting it again moves it.
func (tx *Tx) SetDue(kind, subject string, at time.Time) error {
	if !at.After(tx.Now) {
		tx.Wake(DueWake)
	}
	return tx.do(`INSERT INTO due (kind, subject_id, at) VALUES (?, ?, ?)
		ON CONFLICT (kind, subject_id) DO UPDATE SET at = excluded.at`, kind, subject, unixMillis(at))
}

// NoteStateMoved notes that the saved plans of a workspace are to be looked at, if it has any.
func (tx *Tx) NoteStateMoved(w *belay.Workspace) error {
	n, err := tx.exec(tx.sql(`INSERT INTO due (kind, subject_id, at) SELECT CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS BIGINT)
		WHERE EXISTS (SELECT 1 FROM runs WHERE workspace_id = ? AND status = 'planned_and_saved')
		ON CONFLICT (kind, subject_id) DO UPDATE SET at = excluded.at`, SavedDue, w.ID, unixMillis(tx.Now), w.ID))
	if n > 0 {
		tx.Wake(DueWake)
	}
	return err
}

// NoteTurns notes that runs that wait in a project, or in all of an organization when the
// project is empty, may have their turn: what is in force there changed.
func (tx *Tx) NoteTurns(organizationID, projectID string) error {
	if err := tx.SetDue(AssessAllDue, cmp.Or(projectID, organizationID), tx.Now); err != nil {
		return err
	}
	q := tx.sql(`INSERT INTO due (kind, subject_id, at) SELECT CAST(? AS TEXT), id, CAST(? AS BIGINT)
		FROM workspaces WHERE organization_id = ? AND current_run_status = 'pending'`, TurnDue, unixMillis(tx.Now), organizationID)
	if projectID != "" {
		q.add(" AND project_id = ?", projectID)
	}
	n, err := tx.exec(q.add(" ORDER BY id ON CONFLICT (kind, subject_id) DO UPDATE SET at = excluded.at"))
	if n > 0 {
		tx.Wake(DueWake)
	}
	return err
}

// DueNow is what is to be looked at, the oldest first.
func (v *View) DueNow(now time.Time, atMost int) ([]Due, error) {
	return collect(v, v.sql("SELECT kind, subject_id, at FROM due WHERE at <= ? ORDER BY at, kind, subject_id", unixMillis(now)).first(atMost),
		func(d *Due) []any { return []any{&d.Kind, &d.Subject, millis{&d.At}} })
}

// NextDue is when the next thing is to be looked at; zero when there is none.
func (v *View) NextDue() (time.Time, error) {
	ms, _, err := value[int64](v, v.sql("SELECT COALESCE(min(at), 0) FROM due"))
	if err != nil || ms == 0 {
		return time.Time{}, err
	}
	return time.UnixMilli(ms).UTC(), nil
}

// TakeDue crosses something off, if it is still to be looked at and was not moved. It
// comes after the row that it is about is held, so that two who look at it take turns.
func (tx *Tx) TakeDue(d Due) (bool, error) {
	n, err := tx.exec(tx.sql("DELETE FROM due WHERE kind = ? AND subject_id = ? AND at = ?", d.Kind, d.Subject, unixMillis(d.At)))
	return n == 1, err
}

// DropDue forgets something that was to be looked at.
func (tx *Tx) DropDue(kind, subject string) error {
	return tx.do("DELETE FROM due WHERE kind = ? AND subject_id = ?", kind, subject)
}
