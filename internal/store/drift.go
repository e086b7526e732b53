package store

import (
	"context"

	"github.com/belayhq/belay"
)

// AskDrift notes that the plan of an assessment is to be read for what has drifted of the
// current state of a workspace, whose row must be held: which instances it is, is not known
// until then. No run: the newest assessment tells nothing of that state.
func (tx *Tx) AskDrift(w *belay.Workspace, runID string) error {
	tx.moveFacts(w.OrganizationID)
	if err := tx.do("UPDATE workspaces SET drift_state_id = '' WHERE id = ?", w.ID); err != nil {
		return err
	}
	if runID == "" {
		return tx.do("DELETE FROM drift_readings WHERE workspace_id = ?", w.ID)
	}
	tx.Wake(ReadingWake)
	return tx.do("INSERT INTO drift_readings AS r (workspace_id, state_version_id, run_id, at) VALUES (?, ?, ?, ?)"+askedAgain+", run_id = excluded.run_id",
		w.ID, w.CurrentStateVersionID, runID, unixMillis(tx.Now))
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
			_, err := tx.exec(tx.sql("UPDATE state_resources SET drifted = ? WHERE id", half.are).in("", half.ids[from:to]))
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
	n, err := tx.exec(tx.sql("UPDATE workspaces SET drift_state_id = ? WHERE id = ? AND current_state_version_id = ? AND EXISTS (SELECT 1 FROM drift_readings WHERE ",
		r.StateVersionID, r.WorkspaceID, r.StateVersionID).add(theReading, r.args()...).add(")"))
	if err != nil || n == 0 {
		return err
	}
	tx.moveFacts(organizationID)
	return tx.EndReading(r)
}
