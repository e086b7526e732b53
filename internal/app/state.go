package app

import (
	"context"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/store"
)

// StateView is a state version as a principal sees it.
type StateView struct {
	belay.StateVersion
	Can belay.Permission // on its workspace
}

// OutputView is an output as a principal sees it: the value of a sensitive one may be hidden.
type OutputView = belay.StateOutput

// stateVersion hands out a state version to those who may read what need says of it.
func (a *App) stateVersion(v *store.View, s belay.Principal, id string, need belay.Permission) (StateView, error) {
	state, err := v.StateVersion(id)
	if err != nil {
		return StateView{}, err
	}
	w, err := gate.StateReader(v, s, belay.WorkspaceRef{ID: state.WorkspaceID}, need)
	return StateView{state, w.Can}, err
}

// StateVersion is one state version, to those who may read the state of its workspace.
func (a *App) StateVersion(ctx context.Context, s belay.Principal, id string) (view StateView, err error) {
	err = a.db.View(ctx, func(v *store.View) error {
		view, err = a.stateVersion(v, s, id, belay.ReadState)
		return err
	})
	a.noteRead(s, view.WorkspaceID, belay.WholeState, err)
	return view, err
}

// CurrentStateVersion is the current state of a workspace.
func (a *App) CurrentStateVersion(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef) (view StateView, err error) {
	err = a.db.View(ctx, func(v *store.View) error {
		w, err := gate.StateReader(v, s, ref, belay.ReadState)
		if err != nil {
			return err
		}
		view.Can = w.Can
		view.StateVersion, err = v.StateVersion(w.CurrentStateVersionID)
		return err
	})
	a.noteRead(s, view.WorkspaceID, belay.WholeState, err)
	return view, err
}

// StateVersions is one page of the state versions of a workspace, the newest first.
func (a *App) StateVersions(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef, statuses []string, page belay.Page) (list []StateView, total int, err error) {
	of := ""
	err = a.db.View(ctx, func(v *store.View) error {
		w, err := gate.StateReader(v, s, ref, belay.ReadState)
		if err != nil {
			return err
		}
		found, n, err := v.StateVersions(w.ID, statuses, page)
		list, total = make([]StateView, len(found)), n
		for i, state := range found {
			list[i] = StateView{state, w.Can}
			of = w.ID
		}
		return err
	})
	a.noteRead(s, of, belay.WholeState, err)
	return list, total, err
}

// StateOutputs is one page of the outputs of a state version with their values, the sensitive
// ones too, as StateOutput shows each.
func (a *App) StateOutputs(ctx context.Context, s belay.Principal, id string, page belay.Page) (list []OutputView, total int, err error) {
	of := ""
	err = a.db.View(ctx, func(v *store.View) error {
		state, err := a.stateVersion(v, s, id, belay.ReadOutputs)
		if err != nil {
			return err
		}
		if list, total, err = v.StateOutputs(state.ID, page); err != nil {
			return err
		}
		of = state.WorkspaceID
		return a.reveal(list, true)
	})
	a.noteRead(s, of, belay.StateOutputs, err)
	return list, total, err
}

// CurrentStateOutputs is all outputs of the current state of a workspace, the sensitive
// ones hidden.
func (a *App) CurrentStateOutputs(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef) (list []OutputView, err error) {
	of := ""
	err = a.db.View(ctx, func(v *store.View) error {
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
		return a.reveal(list, false)
	})
	a.noteRead(s, of, belay.StateOutputs, err)
	return list, err
}

// StateOutput is one output with its value, sensitive or not.
func (a *App) StateOutput(ctx context.Context, s belay.Principal, id string) (output OutputView, err error) {
	of := ""
	err = a.db.View(ctx, func(v *store.View) error {
		if output, err = v.StateOutput(id); err != nil {
			return err
		}
		state, err := a.stateVersion(v, s, output.StateVersionID, belay.ReadOutputs)
		if err != nil {
			return err
		}
		of = state.WorkspaceID
		list := []OutputView{output}
		err = a.reveal(list, true)
		output = list[0]
		return err
	})
	a.noteRead(s, of, belay.StateOutputs, err)
	return output, err
}

// StateOutputsOf is the outputs of the current states of some workspaces that were read
// for the caller before, the sensitive ones hidden. It is for documents that include them.
func (a *App) StateOutputsOf(ctx context.Context, stateVersionIDs []string) (list []OutputView, err error) {
	err = a.db.View(ctx, func(v *store.View) error {
		if list, err = v.StateOutputsOf(stateVersionIDs...); err != nil {
			return err
		}
		return a.reveal(list, false)
	})
	return list, err
}

// reveal opens the sealed values, those of sensitive outputs only when they are asked for.
func (a *App) reveal(list []OutputView, sensitive bool) error {
	for i := range list {
		output := &list[i]
		if output.Sensitive && !sensitive {
			continue
		}
		value, err := a.ring.Unseal(output.SealedValue, output.ID)
		if err != nil {
			return err
		}
		output.Value = value
	}
	return nil
}
