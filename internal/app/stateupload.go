package app

import (
	"context"
	"crypto/md5" //nolint:gosec // the checksum that the API speaks of, no protection
	"encoding/hex"
	"errors"
	"io"
	"strconv"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
)

// ticketLife is how long a URL to a file of a state version works.
const ticketLife = 25 * time.Hour

// Ticket names a file of a state version and what its bearer may do with it, without a
// token: the URL that carries it is the secret.
type Ticket struct {
	Upload  bool
	StateID string
	Object  string // StateObject or JSONObject
	Expires string // seconds since 1970
	MAC     string
}

func (t Ticket) signed() (purpose, message string) {
	purpose = "state download"
	if t.Upload {
		purpose = "state upload"
	}
	return purpose, t.StateID + "|" + t.Object + "|" + t.Expires
}

// Ticket signs the permission to upload or download one file of a state version.
func (a *App) Ticket(upload bool, stateID, object string) Ticket {
	t := Ticket{Upload: upload, StateID: stateID, Object: object, Expires: strconv.FormatInt(a.now().Add(ticketLife).Unix(), 10)}
	t.MAC = a.ring.MAC(t.signed())
	return t
}

// checkTicket refuses a ticket that is forged or has expired.
func (a *App) checkTicket(t Ticket) error {
	purpose, message := t.signed()
	expires, err := strconv.ParseInt(t.Expires, 10, 64)
	if err != nil || !a.ring.VerifyMAC(purpose, message, t.MAC) || a.now().Unix() > expires {
		return belay.ErrNotFound
	}
	return nil
}

// Download opens the file that a ticket names.
func (a *App) Download(ctx context.Context, t Ticket) (file belay.StateFile, rc io.ReadCloser, err error) {
	t.Upload = false // whatever its bearer says of it
	if err := a.checkTicket(t); err != nil {
		return file, nil, err
	}
	err = a.db.View(ctx, func(v *store.View) error {
		state, err := v.StateVersion(t.StateID)
		if err != nil {
			return err
		}
		file = state.State
		if t.Object == JSONObject {
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
	rc, err = a.open(ctx, file)
	return file, rc, err
}

// Upload takes the file that a ticket names. Sending the same bytes once more is fine.
func (a *App) Upload(ctx context.Context, t Ticket, r io.Reader) error {
	t.Upload = true
	if err := a.checkTicket(t); err != nil {
		return err
	}
	var state belay.StateVersion
	err := a.db.View(ctx, func(v *store.View) (err error) {
		state, err = v.StateVersion(t.StateID)
		return err
	})
	if err != nil {
		return err
	}
	if fileOf(&state, t.Object).There() || takesFiles(&state) != nil {
		return again(&state, t.Object, r)
	}
	from := &incoming{from: r}
	if t.Object == StateObject {
		from.keep = smallState
	}
	file, err := a.store(ctx, newStateKey(state.WorkspaceID, state.ID, t.Object), from)
	if err != nil {
		return err
	}
	if t.Object == JSONObject {
		err = a.attachJSON(ctx, state, file)
	} else {
		err = a.finalize(ctx, state, file, from)
	}
	if errors.Is(err, errSameFile) { // the same upload came twice at once
		a.forget(ctx, file.Key)
		return nil
	}
	if err != nil {
		a.forgetAfter(ctx, err, file.Key)
	}
	return err
}

func fileOf(v *belay.StateVersion, object string) *belay.StateFile {
	if object == JSONObject {
		return &v.JSON
	}
	return &v.State
}

// again takes a file that has been uploaded before, and refuses other bytes for it.
func again(v *belay.StateVersion, object string, r io.Reader) error {
	if err := takesFiles(v); err != nil {
		return err
	}
	sum := md5.New() //nolint:gosec // see the import
	from := &incoming{from: r}
	if _, err := io.Copy(sum, from); err != nil {
		return from.refusal()
	}
	if err := arrives(v, object, hex.EncodeToString(sum.Sum(nil))); !errors.Is(err, errSameFile) {
		return err
	}
	return nil
}

// errSameFile says that nothing is left to do for an upload: its file is there already.
var errSameFile = errors.New("the file is there already, with the same contents")

// arrives refuses a file that the state version does not take, or not any more.
func arrives(v *belay.StateVersion, object, sum string) error {
	known := fileOf(v, object)
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
func (a *App) attachJSON(ctx context.Context, state belay.StateVersion, file belay.StateFile) error {
	return a.changeState(ctx, state, func(_ *store.Tx, _ *belay.Workspace, v *belay.StateVersion) error {
		if err := arrives(v, JSONObject, file.MD5); err != nil {
			return err
		}
		v.JSON = file
		return nil
	})
}

// finalize makes a pending state version a state that is there.
func (a *App) finalize(ctx context.Context, state belay.StateVersion, file belay.StateFile, from *incoming) error {
	if file.MD5 != state.State.MD5 {
		return wrongMD5(state.State.MD5, file.MD5)
	}
	found, err := a.look(ctx, file, from)
	if err != nil {
		return err
	}
	return a.changeState(ctx, state, func(tx *store.Tx, w *belay.Workspace, v *belay.StateVersion) error {
		if err := arrives(v, StateObject, file.MD5); err != nil {
			return err
		}
		if err := takeLineage(tx, v, found); err != nil {
			return err
		}
		v.State, v.Status = file, belay.StateFinalized
		if outputs, learned := found.know(v); learned {
			if err := tx.ReplaceStateOutputs(v.ID, outputs); err != nil {
				return err
			}
		}
		w.LatestChangeAt = v.CreatedAt
		if err := tx.TouchLatestChange(w); err != nil {
			return err
		}
		return emitState(tx, belay.Subject{Kind: belay.UserSubject, ID: v.CreatedBy}, "state_version.finalized", w, v)
	})
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
// what was permitted before, by a ticket.
func (a *App) changeState(ctx context.Context, state belay.StateVersion, change func(*store.Tx, *belay.Workspace, *belay.StateVersion) error) error {
	return a.db.Update(ctx, func(tx *store.Tx) error {
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
