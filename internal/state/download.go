package state

import (
	"context"
	"io"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/object"
	"github.com/belayhq/belay/internal/store"
)

// StateOfSerial opens the file of the newest state of a serial.
func (m *Room) StateOfSerial(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef, serial int64) (file belay.StateFile, rc io.ReadCloser, err error) {
	var id string
	err = m.db.View(ctx, func(v *store.View) error {
		w, err := gate.StateReader(v, s, ref, belay.ReadState)
		if err != nil {
			return err
		}
		of, err := v.StateOfSerial(w.ID, serial)
		if err == nil && of.Status != belay.StateFinalized {
			err = belay.ErrNotFound
		}
		id = of.ID
		return err
	})
	if err != nil {
		return file, nil, err
	}
	return m.DownloadState(ctx, m.PresignState(false, object.State, id))
}
