package state

import (
	"context"
	"io"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
)

// BringState makes what a run's engine left on disk a state version of its workspace: one
// that becomes the current state with the end of the run's lock. Only the holder of the
// lock may. The very state that came last is not kept twice.
func (m *Room) BringState(ctx context.Context, s belay.Principal, r io.Reader) (id string, err error) {
	d, err := m.DraftState(ctx, s, belay.WorkspaceRef{ID: s.WorkspaceID})
	if err != nil {
		return "", err
	}
	if err := d.State(ctx, r); err != nil {
		d.Abandon(ctx)
		return "", err
	}
	same, err := m.sameState(ctx, d)
	if err != nil || same != "" {
		d.Abandon(ctx)
		return same, err
	}
	view, err := d.Commit(ctx, belay.NewState{Serial: d.contents.serial, MD5: d.state.MD5, RunID: s.ID})
	return view.ID, err
}

// sameState is the newest state of the workspace, if the draft is just that.
func (m *Room) sameState(ctx context.Context, d *Draft) (id string, err error) {
	err = m.db.View(ctx, func(v *store.View) error {
		newest, err := v.NewestState(d.workspaceID)
		if err == nil && newest != nil && newest.State.MD5 == d.state.MD5 && newest.Serial == d.contents.serial {
			id = newest.ID
		}
		return err
	})
	return id, err
}

// OpenState opens the file of a state version, for whoever was asked before.
func (m *Room) OpenState(ctx context.Context, id string) (io.ReadCloser, belay.StateFile, error) {
	var file belay.StateFile
	err := m.db.View(ctx, func(v *store.View) error {
		s, err := v.StateVersion(id)
		file = s.State
		return err
	})
	if err == nil && !file.There() {
		err = belay.ErrNotFound
	}
	if err != nil {
		return nil, file, err
	}
	rc, err := m.OpenFile(ctx, file)
	return rc, file, err
}
