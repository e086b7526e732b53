package inventory

import (
	"context"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/fair"
	"github.com/belayhq/belay/internal/object"
	"github.com/belayhq/belay/internal/planjson"
	"github.com/belayhq/belay/internal/statefile"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// drift reads the plan of an assessment, and writes which instances of the state have drifted
// that it was made of.
func (r *Room) drift(ctx context.Context, next store.StateReading) (mine bool, err error) {
	var w belay.Workspace
	var known map[string]belay.StateResource
	var plan store.RunFile
	err = r.DB.View(ctx, func(v *store.View) (err error) {
		if w, err = v.Workspace(belay.WorkspaceRef{ID: next.WorkspaceID}); err != nil {
			return err
		}
		if w.CurrentStateVersionID != next.StateVersionID {
			return belay.ErrNotFound
		}
		if plan, err = v.RunFile(next.RunID, run.PlanJSONFile); err != nil {
			return err
		}
		known, err = v.KnownResources(w.ID)
		return err
	})
	fair.WorkOf(ctx).For(w.OrganizationID)
	if err != nil {
		return true, err
	}
	sides, err := r.sides(ctx, &plan, w.ID, known)
	if err != nil {
		return true, unreadError{err}
	}
	var drifted, restored []string
	for id, before := range known {
		switch now := sides[id] == planjson.Drifted; {
		case now && !before.Drifted:
			drifted = append(drifted, id)
		case before.Drifted && !now:
			restored = append(restored, id)
		}
	}
	if mine, err = r.DB.SaveDrift(ctx, drifted, restored, r.goesOn(next)); err != nil || !mine {
		return mine, err
	}
	return true, r.DB.Update(ctx, func(tx *store.Tx) error { return tx.EndDrift(next, w.OrganizationID) })
}

// sides is what a plan says of the instances that are known, by id: of no others, however
// many it names.
func (r *Room) sides(ctx context.Context, plan *store.RunFile, workspaceID string, known map[string]belay.StateResource) (map[string]planjson.Side, error) {
	file, err := r.Objects.OpenKept(ctx, object.Kept{
		Key: plan.Key, Sealed: plan.Sealed, Context: plan.SealContext(), SHA256: plan.SHA256, Size: plan.Size,
	})
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	sides := map[string]planjson.Side{}
	err = planjson.Drift(file, func(address string, of planjson.Side) {
		if at, ok := statefile.ListedAt(address); ok {
			id := belay.ResourceID(workspaceID, at.Module, at.Address)
			if _, there := known[id]; there {
				sides[id] |= of
			}
		}
	})
	return sides, err
}
