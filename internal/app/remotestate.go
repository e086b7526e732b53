package app

import (
	"context"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/record"
	"github.com/belayhq/belay/internal/store"
)

// RemoteStateConsumers is the workspaces that may read the state of one during their
// runs: every other one of the organization or of the project when it shares with all of
// them, unless only the configured ones are asked for. Those that the caller can't read are left out.
func (a *App) RemoteStateConsumers(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef, configured bool, want belay.WorkspaceQuery) (list []WorkspaceView, total int, err error) {
	err = a.db.View(ctx, func(v *store.View) error {
		w, access, err := gate.Workspace(v, s, ref, belay.ReadWorkspace)
		if err != nil {
			return err
		}
		o, err := v.Organization(w.OrganizationID)
		if err != nil {
			return err
		}
		want.Scope = access.Scope(belay.ReadWorkspace)
		switch {
		case w.SharesByList() || configured:
			want.ConsumersOf = w.ID
		case w.ProjectRemoteState:
			want.Projects = []string{w.ProjectID}
			fallthrough
		default:
			want.WithoutWorkspace = w.ID
		}
		found, n, err := v.Workspaces(o, want)
		list = make([]WorkspaceView, len(found))
		for i, consumer := range found {
			list[i] = a.seenWorkspace(consumer, access)
		}
		total = n
		return err
	})
	return list, total, err
}

// ChangeConsumers adds, removes or replaces the consumers of a workspace. All of them
// must be workspaces of its organization that the caller can read; else none changes.
func (a *App) ChangeConsumers(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef, change belay.ConsumersChange, named []string) error {
	if err := belay.CheckConsumerCount(len(named)); err != nil {
		return err
	}
	return a.db.Update(ctx, func(tx *store.Tx) error {
		w, access, err := gate.Workspace(&tx.Locked, s, ref, change.Need())
		if err != nil {
			return err
		}
		readable, err := readableAmong(tx.Peek(), access, w.OrganizationID, named)
		if err != nil {
			return err
		}
		ids, err := w.CheckConsumers(change, named, readable)
		if err != nil {
			return err
		}
		if err := saveConsumers(tx, &w, change, ids); err != nil {
			return err
		}
		return record.EmitWithin(tx, s, "workspace.consumers_"+string(change), &w, "workspaces", w.ID, map[string]any{"name": w.Name, "consumers": ids})
	})
}

func saveConsumers(tx *store.Tx, w *belay.Workspace, change belay.ConsumersChange, ids []string) error {
	switch change {
	case belay.RemoveConsumers:
		return tx.DropConsumers(w, ids)
	case belay.SetConsumers:
		if err := tx.DropEveryConsumer(w); err != nil {
			return err
		}
	}
	return tx.AddConsumers(w, ids)
}

// readableAmong is which of some workspaces are in the organization and the caller can
// read, with the organization of each.
func readableAmong(v *store.View, access belay.Access, organizationID string, ids []string) (map[string]string, error) {
	places, err := v.WorkspacePlaces(ids)
	if err != nil {
		return nil, err
	}
	readable := make(map[string]string, len(places))
	for _, p := range places {
		if p.OrganizationID == organizationID && access.OnWorkspace(p.ID, p.ProjectID).Has(belay.ReadWorkspace) {
			readable[p.ID] = p.OrganizationID
		}
	}
	return readable, nil
}
