package state

import (
	"context"
	"io"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/statefile"
	"github.com/belayhq/belay/internal/store"
)

// ResourceView is one instance of a resource in the current state of a workspace.
type ResourceView struct {
	statefile.Listed
	ID    string
	State belay.StateVersion // the state that it was read from
}

// StateResources is one page of the instances in the current state of a workspace, in the
// order of the state. They are read from the state itself: no copy of them is kept.
func (m *Room) StateResources(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef, page belay.Page) (list []ResourceView, total int, err error) {
	var current *belay.StateVersion
	err = m.db.View(ctx, func(v *store.View) error {
		w, err := gate.StateReader(v, s, ref, belay.ReadState)
		if err != nil {
			return err
		}
		current, err = Current(v, &w.Workspace)
		return err
	})
	if err != nil || current == nil || current.Problem != "" {
		return nil, 0, err
	}
	err = m.reading(ctx, current.State, func(r io.Reader) error {
		state, err := statefile.Parse(r)
		if err != nil {
			return damaged(current.State.Key, err)
		}
		rows := state.List()
		total = len(rows)
		for _, row := range belay.PageOf(rows, page) {
			list = append(list, ResourceView{row, belay.ResourceID(current.WorkspaceID, row.Module, row.Address), *current})
		}
		return nil
	})
	return list, total, err
}
