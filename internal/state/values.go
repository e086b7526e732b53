package state

import (
	"context"
	"io"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/record"
	"github.com/belayhq/belay/internal/statefile"
	"github.com/belayhq/belay/internal/store"
)

// ShowValue is a value that is hidden elsewhere, of what an instance holds in a state of a workspace, for
// those who may read the whole state. That it was shown is an event, which says where it stands and
// not what it is.
func (m *Room) ShowValue(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef, serial int64, address, path string) (value string, err error) {
	o, err := m.StateOutline(ctx, s, ref, serial)
	if err != nil {
		return "", err
	}
	row, there := o.Row(address)
	if !there || !o.Readable() {
		return "", belay.ErrNotFound
	}
	err = m.reading(ctx, o.State, func(r io.Reader) error {
		found, err := statefile.Find(r, row)
		value, there = found.Shown(path)
		return damaged(o.State.Key, err)
	})
	if err != nil {
		return "", err
	}
	if !there {
		return "", belay.ErrNotFound
	}
	err = m.db.Update(ctx, func(tx *store.Tx) error {
		w, _, err := gate.Workspace(&tx.Locked, s, belay.WorkspaceRef{ID: o.WorkspaceID}, belay.ReadState)
		if err != nil {
			return err
		}
		return tx.Emit(record.Within(s, "state_version.value_shown", &w, "state-versions", o.ID,
			map[string]any{"workspace": w.Name, "serial": o.Serial, "address": address, "attribute": path}))
	})
	if err != nil {
		return "", err
	}
	return value, nil
}
