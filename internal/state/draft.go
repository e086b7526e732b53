package state

import (
	"context"
	"errors"
	"io"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/object"
	"github.com/belayhq/belay/internal/record"
	"github.com/belayhq/belay/internal/statefile"
	"github.com/belayhq/belay/internal/store"
)

// writeState is what it takes to give a workspace a state.
var writeState = belay.ReadState.And(belay.WriteState)

// Draft is a state version in the making: its files come as streams, before or after
// what is said about them. Commit makes it one, Abandon forgets it.
type Draft struct {
	room        *Room
	principal   belay.Principal
	workspaceID string
	id          string
	state, json belay.StateFile
	contents    *contents
	outputs     []belay.StateOutput
	hasOutputs  bool
	rollback    *belay.StateVersion
	once        bool // the very state that came last is not kept twice
}

// DraftState begins a state version, for whoever holds the lock of the workspace.
func (m *Room) DraftState(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef) (*Draft, error) {
	d := &Draft{room: m, principal: s, id: belay.NewID("sv")}
	return d, m.db.View(ctx, func(v *store.View) error {
		w, _, err := gate.Workspace(v, s, ref, writeState)
		if err != nil {
			return err
		}
		d.workspaceID = w.ID
		return w.MayWriteState(s.Holder())
	})
}

// State stores the state file itself, and looks into it.
func (d *Draft) State(ctx context.Context, r io.Reader) (err error) {
	from := d.room.comes(ctx, r)
	defer from.Free()
	if d.state, err = d.room.storeFile(ctx, object.State, d.workspaceID, d.id, from.Incoming); err != nil {
		return err
	}
	d.contents, err = d.room.look(ctx, d.state, from)
	return err
}

// JSON stores the file for people's programs.
func (d *Draft) JSON(ctx context.Context, r io.Reader) (err error) {
	d.json, err = d.room.storeFile(ctx, object.JSONState, d.workspaceID, d.id, object.Of(r))
	return err
}

// Announced is what the state file that was stored says of itself.
func (d *Draft) Announced() belay.NewState {
	n := belay.NewState{MD5: d.state.MD5}
	if d.contents != nil {
		n.Serial, n.Lineage = d.contents.serial, d.contents.lineage
	}
	return n
}

// Outputs takes the outputs as the client gives them, with their types.
func (d *Draft) Outputs(r io.Reader) error {
	list, err := statefile.ParseOutputs(r)
	var large *statefile.TooLargeError
	if errors.As(err, &large) {
		return belay.Refuse(belay.TooLarge, "the outputs are larger than 16 MiB")
	}
	if err != nil {
		return unreadable(err)
	}
	if err := keepableOutputs(list); err != nil {
		return err
	}
	d.outputs, d.hasOutputs = d.room.outputs(list), true
	return nil
}

// Abandon deletes what a draft has stored.
func (d *Draft) Abandon(ctx context.Context) { d.room.objects.Forget(ctx, d.state.Key, d.json.Key) }

// Commit makes the draft a state version: finalized when its state was given, else pending
// until it is uploaded.
func (d *Draft) Commit(ctx context.Context, n belay.NewState) (view View, err error) {
	defer func() {
		if err != nil {
			d.room.objects.ForgetAfter(ctx, err, d.state.Key, d.json.Key)
		}
	}()
	if err := d.check(&n); err != nil {
		return view, err
	}
	outputs, known := d.outputs, d.hasOutputs
	if !known && d.contents != nil {
		outputs, known = d.contents.outputs, true
	}
	brought, err := d.room.bring(ctx, d.id, outputs)
	if err != nil {
		return view, err
	}
	defer brought.free(ctx, d.room)
	err = d.room.db.Update(ctx, func(tx *store.Tx) error {
		w, access, err := gate.Workspace(&tx.Locked, d.principal, belay.WorkspaceRef{ID: d.workspaceID}, writeState)
		if err != nil {
			return err
		}
		if err := w.MayWriteState(d.principal.Holder()); err != nil {
			return err
		}
		at, err := d.place(tx, &n)
		if err != nil {
			return err
		}
		view = View{d.version(tx, &w, n), access.OnWorkspace(w.ID, w.ProjectID)}
		if known {
			if err := brought.hand(tx, &view.StateVersion); err != nil {
				return err
			}
		}
		if err := d.add(tx, &w, &view.StateVersion, &at); err != nil || !n.Current {
			return err
		}
		view.Intermediate = false
		return Finalize(tx, &w, true)
	})
	return view, err
}

// place is where the draft comes among the states of its workspace, which is held, if it may.
func (d *Draft) place(tx *store.Tx, n *belay.NewState) (at store.StatePlace, err error) {
	if at, err = tx.Peek().StatePlace(d.workspaceID); err != nil {
		return at, err
	}
	return at, d.follows(&at, n)
}

// follows refuses a draft that can't come there.
func (d *Draft) follows(at *store.StatePlace, n *belay.NewState) error {
	var newest *belay.StateVersion
	if at.Newest.ID != "" {
		newest = &at.Newest
	}
	switch {
	case d.once && newest != nil && newest.State.MD5 == n.MD5 && newest.Serial == n.Serial:
		return sameState(newest.ID)
	case d.rollback != nil && newest != nil && n.Serial != newest.Serial+1:
		return belay.Refuse(belay.Conflict, "the workspace was given another state meanwhile, try again")
	default:
		return n.Follows(newest)
	}
}

// sameState is the id of the state that a draft is once more.
type sameState string

func (sameState) Error() string { return "the state is there already" }

// check refuses a draft whose parts do not belong together.
func (d *Draft) check(n *belay.NewState) error {
	var problems belay.Problems
	n.Check(&problems)
	if err := problems.Err(); err != nil {
		return err
	}
	if n.Current && !d.state.There() {
		problems.Attribute("intermediate", "intermediate can be false only when the state comes with the document")
		return problems.Err()
	}
	if d.state.There() && d.state.MD5 != n.MD5 {
		return wrongMD5(n.MD5, d.state.MD5)
	}
	if d.contents == nil {
		return nil
	}
	lineage, err := d.contents.decides(n.Lineage)
	n.Lineage = lineage
	return err
}

func wrongMD5(announced, got string) error {
	return belay.Refuse(belay.Precondition, "the MD5 hash of the state is %s, but %s was announced", got, announced)
}

func (d *Draft) version(tx *store.Tx, w *belay.Workspace, n belay.NewState) belay.StateVersion {
	actor, _ := d.principal.Actor()
	if d.principal.Kind == belay.RunPrincipal {
		n.RunID = d.principal.ID
	}
	v := belay.StateVersion{
		ID: d.id, WorkspaceID: w.ID, Serial: n.Serial, Lineage: n.Lineage, Status: belay.StatePending,
		Intermediate: true, ByUpload: !d.state.There(), Forced: n.Force, RunID: n.RunID, CreatedBy: actor, By: d.principal.By(), CreatedAt: tx.Now,
		State: d.state, JSON: d.json,
	}
	if d.rollback != nil {
		v.RollbackID = d.rollback.ID
	}
	if v.State.There() {
		v.Status = belay.StateFinalized
	} else {
		v.State.MD5 = n.MD5
	}
	return v
}

func (d *Draft) add(tx *store.Tx, w *belay.Workspace, v *belay.StateVersion, at *store.StatePlace) error {
	if d.contents != nil {
		d.contents.know(v)
	}
	if err := tx.AddStateVersionAt(v, at); err != nil {
		return err
	}
	if v.Status == belay.StateFinalized {
		w.Change(v.CreatedAt)
		if err := tx.TouchLatestChange(w); err != nil {
			return err
		}
	}
	return emitState(tx, d.principal, "state_version.created", w, v)
}

// emitState records what a principal did to a state version.
func emitState(tx *store.Tx, s belay.Principal, kind string, w *belay.Workspace, v *belay.StateVersion) error {
	e := record.About(s, kind)
	e.OrganizationID, e.WorkspaceID = w.OrganizationID, w.ID
	e.ResourceType, e.ResourceID = "state-versions", v.ID
	e.Payload = record.Payload(map[string]any{"workspace": w.Name, "serial": v.Serial, "status": string(v.Status)})
	return tx.Emit(e)
}
