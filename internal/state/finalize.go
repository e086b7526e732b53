package state

import (
	"context"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/store"
)

// Finalize makes the newest state that came under a lock the current one, and removes
// those it has overtaken. One that is still to come stops it, unless it is given up.
func Finalize(tx *store.Tx, w *belay.Workspace, giveUp bool) error {
	before := w.CurrentStateVersionID
	if _, err := finalizeNewest(tx, w, giveUp); err != nil || w.CurrentStateVersionID == before {
		return err
	}
	return tx.NoteStateMoved(w)
}

// finalizeNewest says what it read of the workspace; nil when nothing was.
func finalizeNewest(tx *store.Tx, w *belay.Workspace, giveUp bool) (*store.After, error) {
	latest, err := tx.Peek().LatestState(w)
	switch {
	case err != nil || latest == nil:
		return nil, err
	case latest.Status == belay.StateFinalized:
		if !latest.Intermediate {
			return &latest.After, nil
		}
		return &latest.After, promote(tx, w, &latest.StateVersion, latest.Overtakes, &latest.After)
	case latest.Status == belay.StatePending && !giveUp:
		return nil, belay.ErrStatePending
	case latest.Status == belay.StatePending:
		if err := tx.DiscardPendingStates(w.ID); err != nil {
			return nil, err
		}
	}
	newest, err := tx.Peek().NewestState(w.ID)
	if err != nil || newest == nil || !newest.Intermediate {
		return &latest.After, err
	}
	v, err := tx.StateVersion(newest.ID)
	if err != nil {
		return nil, err
	}
	return &latest.After, promote(tx, w, &v, true, &latest.After)
}

// FinalizeOrGiveUp does what unlocking does with the states that came under a lock, and gives
// up one that is still to come. Whoever asks for it looks at the saved plans that began with
// another state; what was read of the workspace says whether there are any.
func FinalizeOrGiveUp(tx *store.Tx, w *belay.Workspace) (*store.After, error) {
	return finalizeNewest(tx, w, true)
}

// promote makes a state the current one of its workspace. overtakes says that there may be others
// which that makes needless.
func promote(tx *store.Tx, w *belay.Workspace, v *belay.StateVersion, overtakes bool, after *store.After) error {
	news := takes(w, v)
	if err := tx.EndIntermediate(v); err != nil {
		return err
	}
	return settle(tx, w, v, overtakes, news, after)
}

// takes makes a workspace take a state, and says whether that tells anything new of it.
func takes(w *belay.Workspace, v *belay.StateVersion) (news bool) {
	news = w.ResourceCount != v.Contents.ManagedCount || w.StateEngineVersion != v.Contents.EngineVersion
	w.TakeState(v)
	return news
}

// settle writes what a workspace knows of the state that it took.
func settle(tx *store.Tx, w *belay.Workspace, v *belay.StateVersion, overtakes, news bool, after *store.After) error {
	if overtakes {
		if err := tx.DropIntermediateStates(w.ID); err != nil {
			return err
		}
	}
	return tx.SaveState(w, v, news, after)
}

// Current is the current state of a workspace; nil when it has none.
func Current(v *store.View, w *belay.Workspace) (*belay.StateVersion, error) {
	if w.CurrentStateVersionID == "" {
		return nil, nil //nolint:nilnil // no state is no error
	}
	current, err := v.StateVersion(w.CurrentStateVersionID)
	return &current, err
}

// SoftDeleteState marks the files of a state version for deletion.
func (m *Room) SoftDeleteState(ctx context.Context, s belay.Principal, id string) (View, error) {
	return m.moveFiles(ctx, s, id, belay.StateSoftDeleted, "state_version.soft_deleted")
}

// RestoreState takes the mark back.
func (m *Room) RestoreState(ctx context.Context, s belay.Principal, id string) (View, error) {
	return m.moveFiles(ctx, s, id, belay.StateFinalized, "state_version.restored")
}

// DeleteStateForGood deletes the files of a state version that is marked.
func (m *Room) DeleteStateForGood(ctx context.Context, s belay.Principal, id string) (View, error) {
	return m.moveFiles(ctx, s, id, belay.StatePermanentlyDeleted, "state_version.permanently_deleted")
}

// moveFiles changes what is to become of the files of a state version. That is left to the
// organization's owners.
func (m *Room) moveFiles(ctx context.Context, s belay.Principal, id string, to belay.StateStatus, event string) (view View, err error) {
	var gone []string
	err = m.db.Update(ctx, func(tx *store.Tx) error {
		v, err := tx.StateVersion(id)
		if err != nil {
			return err
		}
		w, access, err := gate.Workspace(&tx.Locked, s, belay.WorkspaceRef{ID: v.WorkspaceID}, belay.ReadState)
		if err != nil {
			return err
		}
		if !access.Everywhere.Has(belay.DeleteOrganization) {
			return belay.ErrNotFound
		}
		if v, err = tx.StateVersion(id); err != nil { // again, now that its workspace is held
			return err
		}
		gone = []string{v.State.Key, v.JSON.Key}
		if err := v.Transition(to, w.CurrentStateVersionID == v.ID, tx.Now); err != nil {
			return err
		}
		view = View{v, access.OnWorkspace(w.ID, w.ProjectID)}
		return dropOrSave(tx, s, event, &w, &view.StateVersion)
	})
	if err == nil && to == belay.StatePermanentlyDeleted {
		m.objects.Forget(ctx, gone...)
	}
	return view, err
}

func dropOrSave(tx *store.Tx, s belay.Principal, event string, w *belay.Workspace, v *belay.StateVersion) error {
	if v.Status == belay.StatePermanentlyDeleted {
		if err := tx.LoosenOutputs(v); err != nil {
			return err
		}
	}
	if err := tx.SaveStateVersion(v); err != nil {
		return err
	}
	return emitState(tx, s, event, w, v)
}
