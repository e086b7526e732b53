package state

import (
	"context"
	"errors"
	"io"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
)

// BringState makes what a run's engine left on disk a state version of its workspace: one
// that becomes the current state with the end of the run's lock. Only the holder of the
// lock may. The very state that came last is not kept twice.
func (m *Room) BringState(ctx context.Context, s belay.Principal, r io.Reader) (id string, err error) {
	d := &Draft{room: m, principal: s, id: belay.NewID("sv"), workspaceID: s.WorkspaceID, once: true}
	if err := d.State(ctx, r); err != nil {
		d.Abandon(ctx)
		return "", err
	}
	view, err := d.Commit(ctx, belay.NewState{Serial: d.contents.serial, MD5: d.state.MD5, RunID: s.ID})
	var same sameState
	if errors.As(err, &same) {
		d.Abandon(ctx)
		return string(same), nil
	}
	return view.ID, err
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
