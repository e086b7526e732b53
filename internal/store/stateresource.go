package store

import (
	"context"
	"time"

	"github.com/belayhq/belay"
)

var stateResources = newTable(table[belay.StateResource]{
	name: "state_resources",
	from: "state_resources r",
	own: []column[belay.StateResource]{
		{"id", func(r *belay.StateResource) any { return &r.ID }},
		{"workspace_id", func(r *belay.StateResource) any { return &r.WorkspaceID }},
		{"organization_id", func(r *belay.StateResource) any { return &r.OrganizationID }},
		{"address", func(r *belay.StateResource) any { return &r.Address }},
		{"module", func(r *belay.StateResource) any { return &r.Module }},
		{"type", func(r *belay.StateResource) any { return &r.Type }},
		{"name", func(r *belay.StateResource) any { return &r.Name }},
		{"provider", func(r *belay.StateResource) any { return &r.Provider }},
		{"created_serial", func(r *belay.StateResource) any { return &r.CreatedSerial }},
		{"updated_serial", func(r *belay.StateResource) any { return &r.UpdatedSerial }},
		{"mark", func(r *belay.StateResource) any { return &r.Mark }},
	},
})

// ReadingWake tells that a state is to be read.
const ReadingWake Wake = "reading"

// StateReading is a workspace whose current state the explorer does not know yet.
type StateReading struct {
	WorkspaceID    string
	StateVersionID string
}

// AskReading notes that the current state of a workspace is to be read.
func (tx *Tx) AskReading(w *belay.Workspace) error {
	tx.Wake(ReadingWake)
	return tx.do(`INSERT INTO state_readings (workspace_id, state_version_id, at) VALUES (?, ?, ?)
		ON CONFLICT (workspace_id) DO UPDATE SET state_version_id = excluded.state_version_id, at = excluded.at`,
		w.ID, w.CurrentStateVersionID, unixMillis(tx.Now))
}

// NextReading is what is to be read, what waits longest first; found is false when nothing is.
func (v *View) NextReading(now time.Time) (next StateReading, found bool, err error) {
	list, err := collect(v, v.sql("SELECT workspace_id, state_version_id FROM state_readings WHERE at <= ? ORDER BY at, workspace_id LIMIT 1", unixMillis(now)),
		func(r *StateReading) []any { return []any{&r.WorkspaceID, &r.StateVersionID} })
	if err != nil || len(list) == 0 {
		return next, false, err
	}
	return list[0], true, nil
}

// KnownResources is what is known of the instances in a workspace's state, by id.
func (v *View) KnownResources(workspaceID string) (map[string]belay.StateResource, error) {
	q := v.sql("SELECT id, organization_id, created_serial, updated_serial, mark FROM state_resources WHERE workspace_id = ?", workspaceID)
	list, err := collect(v, q, func(r *belay.StateResource) []any {
		return []any{&r.ID, &r.OrganizationID, &r.CreatedSerial, &r.UpdatedSerial, &r.Mark}
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
	part := func(n int, write func(*Tx) error) error {
		if n == 0 {
			return nil
		}
		return db.Update(ctx, func(tx *Tx) (err error) {
			if held, err = hold(tx); err != nil || !held {
				return err
			}
			tx.moveFacts(organizationID)
			return write(tx)
		})
	}
	for held = true; held && err == nil && len(now)+len(gone) > 0; {
		n, m := min(len(now), RowsAtOnce), min(len(gone), RowsAtOnce)
		if err = part(n, func(tx *Tx) error { return tx.keepResources(now[:n]) }); err == nil && held {
			err = part(m, func(tx *Tx) error {
				_, err := tx.exec(tx.sql("DELETE FROM state_resources WHERE id").in("", gone[:m]))
				return err
			})
		}
		now, gone = now[n:], gone[m:]
	}
	return held, err
}

// keepResources writes some instances, new ones and those that are others now.
func (tx *Tx) keepResources(list []belay.StateResource) error {
	q, err := stateResources.insertingRows(tx, list)
	if err != nil {
		return err
	}
	q.add(` WHERE 1 = 1 ON CONFLICT (id) DO UPDATE SET organization_id = excluded.organization_id, provider = excluded.provider,
		updated_serial = excluded.updated_serial, mark = excluded.mark`)
	_, err = tx.exec(q)
	return err
}

// EndReading crosses off what was read, unless another state is to be read meanwhile.
func (tx *Tx) EndReading(r StateReading) error {
	return tx.do("DELETE FROM state_readings WHERE workspace_id = ? AND state_version_id = ?", r.WorkspaceID, r.StateVersionID)
}

// PutOffReading leaves what could not be read until later.
func (tx *Tx) PutOffReading(r StateReading, until time.Time) error {
	return tx.do("UPDATE state_readings SET at = ? WHERE workspace_id = ? AND state_version_id = ?", unixMillis(until), r.WorkspaceID, r.StateVersionID)
}
