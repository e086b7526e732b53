package state

import (
	"context"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/store"
)

// View is a state version as a principal sees it.
type View struct {
	belay.StateVersion
	Can belay.Permission // on its workspace
}

// OutputView is an output as a principal sees it: the value of a sensitive one may be hidden.
type OutputView = belay.StateOutput

// stateVersion hands out a state version to those who may read what need says of it.
func (m *Room) stateVersion(v *store.View, s belay.Principal, id string, need belay.Permission) (View, error) {
	state, err := v.StateVersion(id)
	if err != nil {
		return View{}, err
	}
	w, err := gate.StateReader(v, s, belay.WorkspaceRef{ID: state.WorkspaceID}, need)
	return View{state, w.Can}, err
}

// StateVersion is one state version, to those who may read the state of its workspace.
func (m *Room) StateVersion(ctx context.Context, s belay.Principal, id string) (view View, err error) {
	err = m.db.View(ctx, func(v *store.View) error {
		view, err = m.stateVersion(v, s, id, belay.ReadState)
		return err
	})
	m.NoteRead(s, view.WorkspaceID, belay.WholeState, err)
	return view, err
}

// CurrentStateVersion is the current state of a workspace.
func (m *Room) CurrentStateVersion(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef) (view View, err error) {
	err = m.db.View(ctx, func(v *store.View) error {
		w, err := gate.StateReader(v, s, ref, belay.ReadState)
		if err != nil {
			return err
		}
		view.Can = w.Can
		view.StateVersion, err = v.StateVersion(w.CurrentStateVersionID)
		return err
	})
	m.NoteRead(s, view.WorkspaceID, belay.WholeState, err)
	return view, err
}

// StateVersions is one page of the state versions of a workspace, the newest first.
func (m *Room) StateVersions(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef, statuses []string, page belay.Page) (list []View, total int, err error) {
	of := ""
	err = m.db.View(ctx, func(v *store.View) error {
		w, err := gate.StateReader(v, s, ref, belay.ReadState)
		if err != nil {
			return err
		}
		found, n, err := v.StateVersions(w.ID, statuses, page)
		list, total = make([]View, len(found)), n
		for i, state := range found {
			list[i] = View{state, w.Can}
			of = w.ID
		}
		return err
	})
	m.NoteRead(s, of, belay.WholeState, err)
	return list, total, err
}

// StateOutputs is one page of the outputs of a state version with their values, the sensitive
// ones too, as StateOutput shows each.
func (m *Room) StateOutputs(ctx context.Context, s belay.Principal, id string, page belay.Page) (list []OutputView, total int, err error) {
	of := ""
	err = m.db.View(ctx, func(v *store.View) error {
		state, err := m.stateVersion(v, s, id, belay.ReadOutputs)
		if err != nil {
			return err
		}
		if list, total, err = v.StateOutputs(state.ID, page); err != nil {
			return err
		}
		of = state.WorkspaceID
		return m.Reveal(list, true)
	})
	m.NoteRead(s, of, belay.StateOutputs, err)
	return list, total, err
}

// CurrentStateOutputs is all outputs of the current state of a workspace, the sensitive
// ones hidden.
func (m *Room) CurrentStateOutputs(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef) (list []OutputView, err error) {
	of := ""
	err = m.db.View(ctx, func(v *store.View) error {
		w, err := gate.StateReader(v, s, ref, belay.ReadOutputs)
		if err != nil {
			return err
		}
		current, err := v.StateVersion(w.CurrentStateVersionID)
		if err != nil {
			return err
		}
		if list, err = v.StateOutputsOf(current.ID); err != nil {
			return err
		}
		of = w.ID
		return m.Reveal(list, false)
	})
	m.NoteRead(s, of, belay.StateOutputs, err)
	return list, err
}

// StateOutput is one output with its value, sensitive or not.
func (m *Room) StateOutput(ctx context.Context, s belay.Principal, id string) (output OutputView, err error) {
	of := ""
	err = m.db.View(ctx, func(v *store.View) error {
		if output, err = v.StateOutput(id); err != nil {
			return err
		}
		state, err := m.stateVersion(v, s, output.StateVersionID, belay.ReadOutputs)
		if err != nil {
			return err
		}
		of = state.WorkspaceID
		list := []OutputView{output}
		err = m.Reveal(list, true)
		output = list[0]
		return err
	})
	m.NoteRead(s, of, belay.StateOutputs, err)
	return output, err
}

// StateOutputsOf is the outputs of the current states of some workspaces that were read
// for the caller before, the sensitive ones hidden. It is for documents that include them.
func (m *Room) StateOutputsOf(ctx context.Context, stateVersionIDs []string) (list []OutputView, err error) {
	err = m.db.View(ctx, func(v *store.View) error {
		if list, err = v.StateOutputsOf(stateVersionIDs...); err != nil {
			return err
		}
		return m.Reveal(list, false)
	})
	return list, err
}

// Reveal opens the sealed values, those of sensitive outputs only when they are asked for.
func (m *Room) Reveal(list []OutputView, sensitive bool) error {
	for i := range list {
		output := &list[i]
		if output.Sensitive && !sensitive {
			continue
		}
		value, err := m.ring.Unseal(output.SealedValue, output.ID)
		if err != nil {
			return err
		}
		output.Value = value
	}
	return nil
}
