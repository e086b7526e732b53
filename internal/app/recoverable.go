package app

import (
	"context"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/background"
	"github.com/belayhq/belay/internal/fair"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/object"
	"github.com/belayhq/belay/internal/record"
	"github.com/belayhq/belay/internal/state"
	"github.com/belayhq/belay/internal/store"
)

// dropWorkspace deletes a workspace: for a time where its organization wants that, else for
// good. What much hangs on is hidden at once, and erased in parts.
func (a *App) dropWorkspace(tx *store.Tx, s belay.Principal, w *belay.Workspace) error {
	deleted := *w
	slight, err := tx.Slight(w.ID)
	switch {
	case err != nil:
		return err
	case w.Organization.RecoverableItems:
		_, by := s.Actor()
		item := belay.NewRecoverableItem(w, by, tx.Now, tx.Now.Add(a.recoverable))
		err = tx.Shelve(w, &item)
	case slight:
		err = tx.DropWorkspace(w)
	default:
		item := belay.NewRecoverableItem(w, "", tx.Now, time.Time{})
		err = tx.Shelve(w, &item)
	}
	if err != nil {
		return err
	}
	tx.CountWorkspace(&deleted, -1)
	if err := tx.LookAtHook(deleted.HookID); err != nil {
		return err
	}
	return record.EmitWorkspace(tx, s, "workspace.deleted", &deleted)
}

// deleting runs a transaction that may leave workspaces to the eraser, and tells it.
func (a *App) deleting(ctx context.Context, fn func(*store.Tx) error) error {
	err := a.db.Update(ctx, fn)
	if err == nil {
		a.expired.Now()
	}
	return err
}

// RecoverableItems is what can be brought back to an organization, to its owners.
func (a *App) RecoverableItems(ctx context.Context, s belay.Principal, organization string, page belay.Page) (list []belay.RecoverableItem, total int, err error) {
	err = a.db.View(ctx, func(v *store.View) error {
		o, _, err := gate.Organization(v, s, organization, belay.UpdateOrganization)
		if err != nil {
			return err
		}
		list, total, err = v.RecoverableItems(o, page)
		return err
	})
	return list, total, err
}

// recoverableItem hands out what can be brought back, to owners.
func (a *App) recoverableItem(tx *store.Tx, s belay.Principal, id string) (belay.RecoverableItem, error) {
	item, err := tx.RecoverableItem(id)
	if err == nil {
		err = gate.In(tx.Peek(), s, item.Organization, belay.UpdateOrganization)
	}
	if err == nil && !item.Recoverable(tx.Now) {
		err = belay.ErrNotFound
	}
	return item, err
}

// Recover brings a deleted workspace back as it was. Its project may be gone: then it comes to
// the organization's default one.
func (a *App) Recover(ctx context.Context, s belay.Principal, id string) error {
	return a.db.Update(ctx, func(tx *store.Tx) error {
		item, err := a.recoverableItem(tx, s, id)
		if err != nil {
			return err
		}
		w, err := tx.Workspace(belay.WorkspaceRef{ID: item.WorkspaceID})
		if err != nil {
			return err
		}
		if err := settlePlace(tx, &w, &item); err != nil {
			return err
		}
		current, err := state.Current(tx.Peek(), &w)
		if err != nil {
			return err
		}
		var contents belay.StateContents
		if current != nil {
			contents = current.Contents
		}
		w.UpdatedAt = tx.Now
		if err := tx.Unshelve(&w, &item, contents); err != nil {
			return err
		}
		tx.CountWorkspace(&w, 1)
		return record.EmitWorkspace(tx, s, "workspace.recovered", &w)
	})
}

// settlePlace finds where a workspace goes back to, without what was deleted meanwhile. Nothing
// is destroyed by a moment that passed while nobody could see the workspace.
func settlePlace(tx *store.Tx, w *belay.Workspace, item *belay.RecoverableItem) error {
	project, err := tx.Peek().Project(item.ProjectID)
	if belay.KindOf(err) == belay.NotFound {
		project, err = tx.Peek().Project(item.Organization.DefaultProjectID)
	}
	if err != nil {
		return err
	}
	w.Project, item.ProjectID = project, project.ID
	if at := w.DestroyAt(); !at.IsZero() && !at.After(tx.Now) {
		w.FireDestroy()
	}
	if w.OwnPoolID == "" {
		return nil
	}
	_, err = tx.BareAgentPool(w.OwnPoolID) // held: who deletes it finds the workspace, or is found
	if belay.KindOf(err) == belay.NotFound {
		w.OwnsExecution, w.OwnMode, w.OwnPoolID = false, "", ""
		err = nil
	}
	return err
}

// EraseItem gives a deleted workspace up for good.
func (a *App) EraseItem(ctx context.Context, s belay.Principal, id string) error {
	return a.deleting(ctx, func(tx *store.Tx) error {
		item, err := a.recoverableItem(tx, s, id)
		if err != nil {
			return err
		}
		if err := tx.ForsakeItem(&item); err != nil {
			return err
		}
		e := record.InOrganization(s, "workspace.permanently_deleted", item.OrganizationID, "workspaces", item.WorkspaceID, item.Name)
		e.WorkspaceID = item.WorkspaceID
		return tx.Emit(e)
	})
}

// eraseExpired erases the workspaces that can be brought back no longer.
func (a *App) eraseExpired(ctx context.Context) {
	background.InParts(ctx, a.log, "what can be recovered no longer", a.db.EraseExpired)
}

// owners is what the objects of each kind belong to.
var owners = map[object.Kind]store.Owner{
	object.State: store.OfState, object.JSONState: store.OfState, object.Configuration: store.OfConfiguration, object.Log: store.OfPhase,
	object.PlanJSON: store.OfRun, object.PlanRedacted: store.OfRun, object.PlanSchema: store.OfRun, object.ErroredState: store.OfRun,
}

// reached refuses an object whose workspace nobody reaches any more: its URL opens nothing. What comes by the URL is the
// work of the organization whose object it is, where it is not known who was given it.
func (a *App) reached(ctx context.Context, kind object.Kind, id string) error {
	return a.db.View(ctx, func(v *store.View) error {
		organization, found, err := v.Reaches(owners[kind], id)
		if err == nil && !found {
			err = belay.ErrNotFound
		}
		fair.WorkOf(ctx).Belongs(organization)
		return err
	})
}
