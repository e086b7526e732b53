package base

import (
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
)

// DueWake wakes those who look at what is due.
const DueWake sqldb.Wake = "due"

// What other rooms note about runs.
const (
	TurnDue  = "turn"  // a workspace: its lock opened, or it may run something again
	SavedDue = "saved" // a workspace: another state is current than its saved plans began with

	// InForceDue: an organization or a project: what is in force in its workspaces is another, so
	// that runs may have their turn and assessments may be made.
	InForceDue = "assess_all"
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
	return tx.Do(`INSERT INTO due (kind, subject_id, at) VALUES (?, ?, ?)
		ON CONFLICT (kind, subject_id) DO UPDATE SET at = excluded.at`, kind, subject, sqldb.UnixMillis(at))
}

// NoteStateMoved notes that the saved plans of a workspace are to be looked at, if it has any.
func (tx *Tx) NoteStateMoved(w *belay.Workspace) error {
	n, err := tx.Exec(tx.SQL(`INSERT INTO due (kind, subject_id, at) SELECT CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS BIGINT)
		WHERE EXISTS (SELECT 1 FROM runs WHERE workspace_id = ? AND status = 'planned_and_saved')
		ON CONFLICT (kind, subject_id) DO UPDATE SET at = excluded.at`, SavedDue, w.ID, sqldb.UnixMillis(tx.Now), w.ID))
	if n > 0 {
		tx.Wake(DueWake)
	}
	return err
}

// WaitingIn is some of the workspaces of an organization or a project in which a run waits for
// its turn: of those after an id, in order.
func (v *View) WaitingIn(subject, after string, atMost int) ([]string, error) {
	q := v.SQL("SELECT id FROM workspaces WHERE (organization_id = ? OR project_id = ?) AND current_run_status = 'pending' AND id > ? ORDER BY id", subject, subject, after)
	return sqldb.Values[string](v, q.First(atMost))
}

// NoteTurns notes that runs that wait in some workspaces may have their turn.
func (tx *Tx) NoteTurns(workspaceIDs []string) error {
	tx.Wake(DueWake)
	q := tx.SQL("INSERT INTO due (kind, subject_id, at) SELECT CAST(? AS TEXT), id, CAST(? AS BIGINT) FROM workspaces WHERE ", TurnDue, sqldb.UnixMillis(tx.Now))
	_, err := tx.Exec(q.In("id", workspaceIDs).Add(" ORDER BY id ON CONFLICT (kind, subject_id) DO UPDATE SET at = excluded.at"))
	return err
}

// DueNow is what is to be looked at, the oldest first.
func (v *View) DueNow(now time.Time, atMost int) ([]Due, error) {
	return sqldb.Collect(v, v.SQL("SELECT kind, subject_id, at FROM due WHERE at <= ? ORDER BY at, kind, subject_id", sqldb.UnixMillis(now)).First(atMost),
		func(d *Due) []any { return []any{&d.Kind, &d.Subject, sqldb.Millis(&d.At)} })
}

// NextDue is when the next thing is to be looked at; zero when there is none.
func (v *View) NextDue() (time.Time, error) {
	ms, _, err := sqldb.Value[int64](v, v.SQL("SELECT COALESCE(min(at), 0) FROM due"))
	if err != nil || ms == 0 {
		return time.Time{}, err
	}
	return time.UnixMilli(ms).UTC(), nil
}

// TakeDue crosses something off, if it is still to be looked at and was not moved. It
// comes after the row that it is about is held, so that two who look at it take turns.
func (tx *Tx) TakeDue(d Due) (bool, error) {
	n, err := tx.Exec(tx.SQL("DELETE FROM due WHERE kind = ? AND subject_id = ? AND at = ?", d.Kind, d.Subject, sqldb.UnixMillis(d.At)))
	return n == 1, err
}

// DropDue forgets something that was to be looked at.
func (tx *Tx) DropDue(kind, subject string) error {
	return tx.Do("DELETE FROM due WHERE kind = ? AND subject_id = ?", kind, subject)
}
