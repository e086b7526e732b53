package core

import (
	"context"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
)

// AskDrift notes that the plan of an assessment is to be read for what has drifted of the
// current state of a workspace, whose row must be held: which instances it is, is not known
// until then.
func (tx *Tx) AskDrift(w *belay.Workspace, runID string) error {
	if err := tx.ForgetDrift(w); err != nil {
		return err
	}
	tx.Wake(ReadingWake)
	return tx.Do("INSERT INTO drift_readings (workspace_id, state_version_id, run_id, at) VALUES (?, ?, ?, ?)",
		w.ID, w.CurrentStateVersionID, runID, sqldb.UnixMillis(tx.Now))
}

// ForgetDrift notes that nobody knows what has drifted of the current state of a workspace.
func (tx *Tx) ForgetDrift(w *belay.Workspace) error {
	n, err := tx.Exec(tx.SQL("UPDATE workspaces SET drift_state_id = '' WHERE id = ? AND drift_state_id <> ''", w.ID))
	if err != nil {
		return err
	}
	if n > 0 {
		tx.MoveFacts(w.OrganizationID)
	}
	return tx.Do("DELETE FROM drift_readings WHERE workspace_id = ?", w.ID)
}

// SaveDrift writes which instances of a workspace have drifted and which no longer have, by
// id, in parts that nobody sees before EndDrift. Each calls hold first: when that gives
// false, nothing more is written.
func (db *DB) SaveDrift(ctx context.Context, drifted, restored []string, hold func(*Tx) (bool, error)) (held bool, err error) {
	for _, half := range []struct {
		ids []string
		are bool
	}{{drifted, true}, {restored, false}} {
		held, err = db.inParts(ctx, len(half.ids), hold, func(tx *Tx, from, to int) error {
			_, err := tx.Exec(tx.SQL("UPDATE state_resources SET drifted = ? WHERE id", half.are).In("", half.ids[from:to]))
			return err
		})
		if err != nil || !held {
			break
		}
	}
	return held, err
}

// EndDrift shows what was read of an assessment's plan, all of it at once, and crosses it
// off: unless another assessment or state has come meanwhile.
func (tx *Tx) EndDrift(r StateReading, organizationID string) error {
	n, err := tx.Exec(tx.SQL("UPDATE workspaces SET drift_state_id = ? WHERE id = ? AND current_state_version_id = ? AND EXISTS (SELECT 1 FROM drift_readings WHERE ",
		r.StateVersionID, r.WorkspaceID, r.StateVersionID).Add(r.condition(), r.args()...).Add(")"))
	if err != nil || n == 0 {
		return err
	}
	tx.MoveFacts(organizationID)
	return tx.EndReading(r)
}
