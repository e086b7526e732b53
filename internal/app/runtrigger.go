package app

import (
	"context"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/record"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// CreateRunTrigger lets runs of a source queue runs of a workspace. It takes an admin of
// the workspace who may read the source, and queue and apply runs itself.
func (a *App) CreateRunTrigger(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef, sourceID string) (t run.RunTrigger, err error) {
	err = a.db.Update(ctx, func(tx *store.Tx) error {
		w, _, err := gate.Workspace(&tx.Locked, s, ref, belay.UpdateWorkspace.And(belay.Steering))
		if err != nil {
			return err
		}
		source, _, err := gate.Workspace(tx.Peek(), s, belay.WorkspaceRef{ID: sourceID}, belay.ReadRuns)
		if err == nil && source.OrganizationID != w.OrganizationID {
			err = belay.ErrNotFound
		}
		if err != nil {
			return err
		}
		had, err := tx.CountRunTriggers(w.ID)
		if err != nil {
			return err
		}
		if err := run.CheckRunTrigger(&w, &source, had); err != nil {
			return err
		}
		t = run.RunTrigger{
			ID: belay.NewID("rt"), WorkspaceID: w.ID, SourceID: source.ID,
			WorkspaceName: w.Name, SourceName: source.Name, CreatedAt: tx.Now,
		}
		if err := tx.AddRunTrigger(&t); err != nil {
			return err
		}
		return emitTrigger(tx, s, "run_trigger.created", &w, &t)
	})
	return t, err
}

func emitTrigger(tx *store.Tx, s belay.Principal, kind string, w *belay.Workspace, t *run.RunTrigger) error {
	return record.EmitWithin(tx, s, kind, w, "run-triggers", t.ID, map[string]any{"workspace": t.WorkspaceName, "source": t.SourceName})
}

// RunTriggers is the triggers of a workspace, inbound or outbound, as far as the caller
// may read the workspaces at their other end.
func (a *App) RunTriggers(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef, inbound bool, page belay.Page) (list []run.RunTrigger, total int, err error) {
	err = a.db.View(ctx, func(v *store.View) error {
		w, access, err := gate.Workspace(v, s, ref, belay.ReadRuns)
		if err != nil {
			return err
		}
		list, total, err = v.RunTriggers(w.ID, inbound, access.Scope(belay.ReadWorkspace), page)
		return err
	})
	return list, total, err
}

// runTrigger hands out a trigger to those with the permission on its workspace.
func (a *App) runTrigger(v store.Reader, s belay.Principal, id string, need belay.Permission) (belay.Workspace, run.RunTrigger, error) {
	t, err := v.Peek().RunTrigger(id)
	if err != nil {
		return belay.Workspace{}, t, err
	}
	w, _, err := gate.Workspace(v, s, belay.WorkspaceRef{ID: t.WorkspaceID}, need)
	if err == nil && v.Holds() { // another may have deleted it, who held the workspace before
		t, err = v.RunTrigger(id)
	}
	return w, t, err
}

// RunTrigger is one run trigger, to those who see both of its workspaces: it names them.
func (a *App) RunTrigger(ctx context.Context, s belay.Principal, id string) (t run.RunTrigger, err error) {
	err = a.db.View(ctx, func(v *store.View) error {
		if _, t, err = a.runTrigger(v, s, id, belay.ReadRuns); err != nil {
			return err
		}
		_, _, err = gate.Workspace(v, s, belay.WorkspaceRef{ID: t.SourceID}, belay.ReadWorkspace)
		return err
	})
	return t, err
}

// DeleteRunTrigger deletes a run trigger.
func (a *App) DeleteRunTrigger(ctx context.Context, s belay.Principal, id string) error {
	return a.db.Update(ctx, func(tx *store.Tx) error {
		w, t, err := a.runTrigger(&tx.Locked, s, id, belay.UpdateWorkspace)
		if err != nil {
			return err
		}
		if err := tx.DropRunTrigger(&t); err != nil {
			return err
		}
		return emitTrigger(tx, s, "run_trigger.deleted", &w, &t)
	})
}
