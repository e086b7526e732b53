package state

import (
	"context"
	"crypto/md5" //nolint:gosec // the checksum that the API speaks of, no protection
	"encoding/hex"
	"errors"
	"io"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/object"
	"github.com/belayhq/belay/internal/store"
)

// PresignState signs the permission to upload or download one file of a state version.
func (m *Room) PresignState(upload bool, kind object.Kind, stateID string) object.Presigned {
	return m.objects.Presign(upload, kind, stateID, object.StateLife)
}

// DownloadState opens the file that a presigned URL names.
func (m *Room) DownloadState(ctx context.Context, p object.Presigned) (file belay.StateFile, rc io.ReadCloser, err error) {
	p.Upload = false // whatever its bearer says of it
	if err := m.objects.Check(ctx, p); err != nil {
		return file, nil, err
	}
	err = m.db.View(ctx, func(v *store.View) error {
		state, err := v.StateVersion(p.ID)
		if err != nil {
			return err
		}
		file = state.State
		if p.Kind == object.JSONState {
			file = state.JSON
		}
		if state.Status != belay.StateFinalized || !file.There() {
			return belay.ErrNotFound
		}
		return nil
	})
	if err != nil {
		return file, nil, err
	}
	rc, err = m.OpenFile(ctx, file)
	return file, rc, err
}

// UploadState takes the file that a presigned URL names. Sending the same bytes once more is
// fine.
func (m *Room) UploadState(ctx context.Context, p object.Presigned, r io.Reader) error {
	p.Upload = true
	if err := m.objects.Check(ctx, p); err != nil {
		return err
	}
	var state belay.StateVersion
	err := m.db.View(ctx, func(v *store.View) (err error) {
		state, err = v.StateVersion(p.ID)
		return err
	})
	if err != nil {
		return err
	}
	if fileOf(&state, p.Kind).There() || takesFiles(&state) != nil {
		return again(&state, p.Kind, r)
	}
	from := &coming{Incoming: object.Of(r)}
	if p.Kind == object.State {
		from = m.comes(ctx, r)
	}
	defer from.Free()
	file, err := m.storeFile(ctx, p.Kind, state.WorkspaceID, state.ID, from.Incoming)
	if err != nil {
		return err
	}
	if p.Kind == object.JSONState {
		err = m.attachJSON(ctx, state, file)
	} else {
		err = m.finalize(ctx, state, file, from)
	}
	if errors.Is(err, errSameFile) { // the same upload came twice at once
		m.objects.Forget(ctx, file.Key)
		return nil
	}
	if err != nil {
		m.objects.ForgetAfter(ctx, err, file.Key)
	}
	return err
}

func fileOf(v *belay.StateVersion, kind object.Kind) *belay.StateFile {
	if kind == object.JSONState {
		return &v.JSON
	}
	return &v.State
}

// again takes a file that has been uploaded before, and refuses other bytes for it.
func again(v *belay.StateVersion, kind object.Kind, r io.Reader) error {
	if err := takesFiles(v); err != nil {
		return err
	}
	sum := md5.New() //nolint:gosec // see the import
	from := object.Of(r)
	if _, err := io.Copy(sum, from); err != nil {
		return from.Refusal()
	}
	if err := arrives(v, kind, hex.EncodeToString(sum.Sum(nil))); !errors.Is(err, errSameFile) {
		return err
	}
	return nil
}

// errSameFile says that nothing is left to do for an upload: its file is there already.
var errSameFile = errors.New("the file is there already, with the same contents")

// arrives refuses a file that the state version does not take, or not any more.
func arrives(v *belay.StateVersion, kind object.Kind, sum string) error {
	known := fileOf(v, kind)
	switch err := takesFiles(v); {
	case err != nil:
		return err
	case !known.There():
		return nil
	case known.MD5 == sum:
		return errSameFile
	default:
		return belay.Refuse(belay.Conflict, "this file of the state version was uploaded before, with other contents")
	}
}

// takesFiles refuses a file for a state version that was given up or deleted.
func takesFiles(state *belay.StateVersion) error {
	switch state.Status {
	case belay.StatePending, belay.StateFinalized:
		return nil
	case belay.StateDiscarded:
		return belay.Refuse(belay.Conflict, "the state version was discarded: a newer one took its place, or the lock was taken away")
	default:
		return belay.ErrNotFound
	}
}

// attachJSON adds the file for people's programs to a state version.
func (m *Room) attachJSON(ctx context.Context, state belay.StateVersion, file belay.StateFile) error {
	return m.changeState(ctx, state, func(_ *store.Tx, _ *belay.Workspace, v *belay.StateVersion) error {
		if err := arrives(v, object.JSONState, file.MD5); err != nil {
			return err
		}
		v.JSON = file
		return nil
	})
}

// finalize makes a pending state version a state that is there.
func (m *Room) finalize(ctx context.Context, state belay.StateVersion, file belay.StateFile, from *coming) error {
	if file.MD5 != state.State.MD5 {
		return wrongMD5(state.State.MD5, file.MD5)
	}
	found, err := m.look(ctx, file, from)
	if err != nil {
		return err
	}
	if state.OutputsKnown {
		found.outputs = nil // the client has given them
	}
	outputs, err := m.bring(ctx, state.ID, found.outputs)
	if err != nil {
		return err
	}
	defer outputs.free(ctx, m)
	return m.changeState(ctx, state, func(tx *store.Tx, w *belay.Workspace, v *belay.StateVersion) error {
		if err := arrives(v, object.State, file.MD5); err != nil {
			return err
		}
		if err := takeLineage(tx, v, found); err != nil {
			return err
		}
		v.State, v.Status = file, belay.StateFinalized
		found.know(v)
		if !v.OutputsKnown {
			if err := outputs.hand(tx, v); err != nil {
				return err
			}
		}
		w.Change(v.CreatedAt)
		if err := tx.TouchLatestChange(w); err != nil {
			return err
		}
		by, err := announcer(tx, v)
		if err != nil {
			return err
		}
		return emitState(tx, by, "state_version.finalized", w, v)
	})
}

// announcer is who announced a state: of one from before that was written down, the user.
func announcer(tx *store.Tx, v *belay.StateVersion) (belay.Principal, error) {
	if v.By.ID != "" {
		return v.By.Principal(), nil
	}
	u, err := tx.Peek().User(v.CreatedBy)
	if belay.KindOf(err) == belay.NotFound {
		err = nil
	}
	return belay.Principal{Kind: belay.UserPrincipal, ID: v.CreatedBy, Name: u.Username}, err
}

// takeLineage gives a state version that was announced without a lineage the one inside its
// file, unless the newest state has another.
func takeLineage(tx *store.Tx, v *belay.StateVersion, found *contents) (err error) {
	if v.Lineage != "" {
		return nil
	}
	if v.Lineage, err = found.decides(""); err != nil {
		return err
	}
	newest, err := tx.Peek().NewestState(v.WorkspaceID)
	if err == nil && !v.Forced && newest.OtherLineage(v.Lineage) {
		err = belay.ErrOtherLineage
	}
	return err
}

// changeState changes a state version in a transaction that holds its workspace. It is for
// what was permitted before, by a presigned URL.
func (m *Room) changeState(ctx context.Context, state belay.StateVersion, change func(*store.Tx, *belay.Workspace, *belay.StateVersion) error) error {
	return m.db.Update(ctx, func(tx *store.Tx) error {
		w, err := tx.Workspace(belay.WorkspaceRef{ID: state.WorkspaceID})
		if err != nil {
			return err
		}
		v, err := tx.StateVersion(state.ID)
		if err != nil {
			return err
		}
		if err := change(tx, &w, &v); err != nil {
			return err
		}
		return tx.SaveStateVersion(&v)
	})
}
