package core

import (
	"context"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
)

var stateResources = sqldb.NewTable(sqldb.Table[belay.StateResource]{
	Name: "state_resources",
	From: "state_resources r",
	Own: []sqldb.Column[belay.StateResource]{
		{Name: "id", At: func(r *belay.StateResource) any { return &r.ID }},
		{Name: "workspace_id", At: func(r *belay.StateResource) any { return &r.WorkspaceID }},
		{Name: "organization_id", At: func(r *belay.StateResource) any { return &r.OrganizationID }},
		{Name: "address", At: func(r *belay.StateResource) any { return &r.Address }},
		{Name: "module", At: func(r *belay.StateResource) any { return &r.Module }},
		{Name: "type", At: func(r *belay.StateResource) any { return &r.Type }},
		{Name: "name", At: func(r *belay.StateResource) any { return &r.Name }},
		{Name: "provider", At: func(r *belay.StateResource) any { return &r.Provider }},
		{Name: "created_serial", At: func(r *belay.StateResource) any { return &r.CreatedSerial }},
		{Name: "updated_serial", At: func(r *belay.StateResource) any { return &r.UpdatedSerial }},
		{Name: "mark", At: func(r *belay.StateResource) any { return &r.Mark }},
		{Name: "drifted", At: func(r *belay.StateResource) any { return &r.Drifted }},
	},
})

// ReadingWake tells that a state is to be read.
const ReadingWake sqldb.Wake = "reading"

// StateReading is something that the explorer does not know yet of a workspace's current
// state: what it holds, or which of that has drifted.
type StateReading struct {
	WorkspaceID    string
	StateVersionID string
	RunID          string    // of the assessment whose plan tells what has drifted; empty: the state itself is read
	At             time.Time // when it was asked for, or put off until; another time is another reading
}

// kept is the table of the readings of this kind.
func (r StateReading) kept() sqldb.Text {
	if r.RunID != "" {
		return "drift_readings"
	}
	return "state_readings"
}

// AskReading notes that the current state of a workspace is to be read. The same state asked
// for again in the same millisecond is another reading all the same.
func (tx *Tx) AskReading(w *belay.Workspace) error {
	tx.Wake(ReadingWake)
	return tx.Do(`INSERT INTO state_readings AS r (workspace_id, state_version_id, at) VALUES (?, ?, ?)
		ON CONFLICT (workspace_id) DO UPDATE SET state_version_id = excluded.state_version_id,
		at = excluded.at - CASE WHEN r.at = excluded.at THEN 1 ELSE 0 END`, w.ID, w.CurrentStateVersionID, sqldb.UnixMillis(tx.Now))
}

// NextReading is what is to be read, what waits longest first; found is false when nothing is.
// Of a workspace the state is read before what has drifted of it.
func (v *View) NextReading(now time.Time) (next StateReading, found bool, err error) {
	for _, q := range []sqldb.Text{
		"SELECT workspace_id, state_version_id, '', at FROM state_readings WHERE at <= ? ORDER BY at, workspace_id LIMIT 1",
		`SELECT d.workspace_id, d.state_version_id, d.run_id, d.at FROM drift_readings d WHERE d.at <= ?
			AND NOT EXISTS (SELECT 1 FROM state_readings r WHERE r.workspace_id = d.workspace_id) ORDER BY d.at, d.workspace_id LIMIT 1`,
	} {
		list, err := sqldb.Collect(v, v.SQL(q, sqldb.UnixMillis(now)),
			func(r *StateReading) []any {
				return []any{&r.WorkspaceID, &r.StateVersionID, &r.RunID, sqldb.Millis(&r.At)}
			})
		switch {
		case err != nil:
			return next, false, err
		case len(list) > 0:
			return list[0], true, nil
		}
	}
	return next, false, nil
}

// StillAsked says whether a reading is still to be done: nothing else was asked for meanwhile.
func (tx *Tx) StillAsked(r StateReading) (bool, error) {
	_, found, err := sqldb.Value[string](tx.Peek(), tx.SQL("SELECT workspace_id FROM "+r.kept()+" WHERE ").Add(r.condition(), r.args()...))
	return found, err
}

// condition finds the row of the reading by args, unless another has taken its place.
func (r StateReading) condition() sqldb.Text {
	if r.RunID != "" {
		return "workspace_id = ? AND state_version_id = ? AND at = ? AND run_id = ?"
	}
	return "workspace_id = ? AND state_version_id = ? AND at = ?"
}

func (r StateReading) args() []any {
	args := []any{r.WorkspaceID, r.StateVersionID, sqldb.UnixMillis(r.At)}
	if r.RunID != "" {
		args = append(args, r.RunID)
	}
	return args
}

// KnownResources is what is known of the instances in a workspace's state, by id.
func (v *View) KnownResources(workspaceID string) (map[string]belay.StateResource, error) {
	q := v.SQL("SELECT id, organization_id, created_serial, updated_serial, mark, drifted FROM state_resources WHERE workspace_id = ?", workspaceID)
	list, err := sqldb.Collect(v, q, func(r *belay.StateResource) []any {
		return []any{&r.ID, &r.OrganizationID, &r.CreatedSerial, &r.UpdatedSerial, &r.Mark, &r.Drifted}
	})
	known := make(map[string]belay.StateResource, len(list))
	for _, r := range list {
		known[r.ID] = r
	}
	return known, err
}

// SaveResources writes what a state was read to hold and no longer holds, in parts. Each
// calls hold first: when that gives false, another reads, and nothing more is written.
func (db *DB) SaveResources(ctx context.Context, organizationID string, now []belay.StateResource, gone []string, hold func(*Tx) (bool, error)) (held bool, err error) {
	held, err = db.inParts(ctx, len(now), hold, func(tx *Tx, from, to int) error {
		tx.MoveFacts(organizationID)
		return tx.keepResources(now[from:to])
	})
	if err != nil || !held {
		return held, err
	}
	return db.inParts(ctx, len(gone), hold, func(tx *Tx, from, to int) error {
		tx.MoveFacts(organizationID)
		_, err := tx.Exec(tx.SQL("DELETE FROM state_resources WHERE id").In("", gone[from:to]))
		return err
	})
}

// inParts writes n things, as many in each transaction as may be when its turn comes, which asks hold first:
// when that gives false, nothing more is written.
func (db *DB) inParts(ctx context.Context, n int, hold func(*Tx) (bool, error), write func(tx *Tx, from, to int) error) (held bool, err error) {
	held = true
	for from, to := 0, 0; to < n && held && err == nil; from = to {
		err = db.Update(ctx, func(tx *Tx) (err error) {
			if held, err = hold(tx); err != nil || !held {
				return err
			}
			to = min(n, from+db.RowsNow(ctx))
			return write(tx, from, to)
		})
	}
	return held, err
}

// keepResources writes some instances, new ones and those that are others now.
func (tx *Tx) keepResources(list []belay.StateResource) error {
	q, err := stateResources.InsertingRows(tx, list)
	if err != nil {
		return err
	}
	q.Add(` WHERE 1 = 1 ON CONFLICT (id) DO UPDATE SET organization_id = excluded.organization_id, provider = excluded.provider,
		updated_serial = excluded.updated_serial, mark = excluded.mark`)
	_, err = tx.Exec(q)
	return err
}

// EndReading crosses off what was read, unless something else is to be read meanwhile.
func (tx *Tx) EndReading(r StateReading) error {
	return tx.Do("DELETE FROM "+r.kept()+" WHERE "+r.condition(), r.args()...)
}

// PutOffReading leaves what could not be read until later.
func (tx *Tx) PutOffReading(r StateReading, until time.Time) error {
	return tx.Do("UPDATE "+r.kept()+" SET at = ? WHERE "+r.condition(), append([]any{sqldb.UnixMillis(until)}, r.args()...)...)
}
