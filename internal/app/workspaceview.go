package app

import (
	"context"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/backlog"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/record"
	"github.com/belayhq/belay/internal/store"
)

// mostWorkspaceViews is how many views somebody may have in an organization, and how many it may share.
const mostWorkspaceViews = 50

// viewer is the user whose own views a principal sees; empty: it has none.
func viewer(s belay.Principal) string {
	if s.Kind == belay.UserPrincipal {
		return s.ID
	}
	return ""
}

// WorkspaceViews is the views of the list of workspaces: those that an organization shares, and
// the principal's own.
func (a *App) WorkspaceViews(ctx context.Context, s belay.Principal, organization string, page belay.Page) (list []backlog.WorkspaceView, total int, err error) {
	err = a.db.View(ctx, func(v *store.View) error {
		o, _, err := gate.Organization(v, s, organization, belay.Traverse)
		if err != nil {
			return err
		}
		list, total, err = v.WorkspaceViews(o, viewer(s), page)
		return err
	})
	return list, total, err
}

// workspaceView hands out a view: a shared one to members, one's own to oneself. Who changes
// what is shared sees all workspaces, as whoever keeps the explorer's questions does.
func (a *App) workspaceView(v store.Reader, s belay.Principal, id string, shared belay.Permission) (backlog.WorkspaceView, error) {
	w, err := v.WorkspaceView(id)
	if err != nil {
		return w, err
	}
	need := belay.Traverse
	if w.Shared() {
		need = need.And(shared)
	} else if w.UserID != viewer(s) {
		return w, belay.ErrNotFound
	}
	return w, gate.In(v.Peek(), s, w.Organization, need)
}

// WorkspaceView is one view.
func (a *App) WorkspaceView(ctx context.Context, s belay.Principal, id string) (w backlog.WorkspaceView, err error) {
	err = a.db.View(ctx, func(v *store.View) error { w, err = a.workspaceView(v, s, id, belay.Traverse); return err })
	return w, err
}

// CreateWorkspaceView keeps what a list is asked for.
func (a *App) CreateWorkspaceView(ctx context.Context, s belay.Principal, organization string, p backlog.WorkspaceViewPatch) (w backlog.WorkspaceView, err error) {
	err = a.db.Update(ctx, func(tx *store.Tx) error {
		o, access, err := gate.Organization(tx.Peek(), s, organization, belay.Traverse)
		if err != nil {
			return err
		}
		actor, _ := s.Actor()
		w = backlog.WorkspaceView{ID: belay.NewID("wv"), OrganizationID: o.ID, UserID: viewer(s), CreatedBy: actor, CreatedAt: tx.Now, UpdatedAt: tx.Now, Organization: o}
		if err := a.applyView(tx, s, access, &w, p, true); err != nil {
			return err
		}
		if err := tx.AddWorkspaceView(&w); err != nil {
			return err
		}
		return record.EmitOrganization(tx, s, "workspace_view.created", o.ID, "workspace-views", w.ID, w.Name)
	})
	return w, err
}

// applyView changes a view, and whose it is. Nobody shares one who does not see all workspaces.
func (a *App) applyView(tx *store.Tx, s belay.Principal, access belay.Access, w *backlog.WorkspaceView, p backlog.WorkspaceViewPatch, fresh bool) error {
	was := w.UserID
	if p.Shared.Set {
		if w.UserID = viewer(s); p.Shared.Value {
			w.UserID = ""
		}
	}
	if w.Shared() && !access.Everywhere.Has(belay.ReadExplorer) {
		return belay.ErrNotFound
	}
	var problems belay.Problems
	if err := problems.Add(w.Apply(p)); err != nil {
		return err
	}
	if w.Shared() && !p.Shared.Value && (fresh || p.Shared.Set) {
		problems.Attribute("shared", "Shared must be true: only people have views of their own")
	}
	if fresh || was != w.UserID {
		if err := tx.HoldOrganizations("id = ?", w.OrganizationID); err != nil { // two can't both be the last
			return err
		}
		n, err := tx.CountWorkspaceViews(w.Organization, w.UserID)
		if err != nil {
			return err
		}
		if n >= mostWorkspaceViews {
			problems.Attribute("name", "There are %d views already: delete one first", n)
		}
	}
	return problems.Err()
}

// UpdateWorkspaceView changes a view.
func (a *App) UpdateWorkspaceView(ctx context.Context, s belay.Principal, id string, p backlog.WorkspaceViewPatch) (w backlog.WorkspaceView, err error) {
	err = a.db.Update(ctx, func(tx *store.Tx) error {
		w, err = a.workspaceView(&tx.Locked, s, id, belay.ReadExplorer)
		if err != nil {
			return err
		}
		_, access, err := gate.Organization(tx.Peek(), s, w.Organization.Name, belay.Traverse)
		if err != nil {
			return err
		}
		if err := a.applyView(tx, s, access, &w, p, false); err != nil {
			return err
		}
		w.UpdatedAt = tx.Now
		if err := tx.SaveWorkspaceView(&w); err != nil {
			return err
		}
		return record.EmitOrganization(tx, s, "workspace_view.updated", w.OrganizationID, "workspace-views", w.ID, w.Name)
	})
	return w, err
}

// DeleteWorkspaceView forgets a view.
func (a *App) DeleteWorkspaceView(ctx context.Context, s belay.Principal, id string) error {
	return a.db.Update(ctx, func(tx *store.Tx) error {
		w, err := a.workspaceView(&tx.Locked, s, id, belay.ReadExplorer)
		if err != nil {
			return err
		}
		if err := tx.DropWorkspaceView(&w); err != nil {
			return err
		}
		return record.EmitOrganization(tx, s, "workspace_view.deleted", w.OrganizationID, "workspace-views", w.ID, w.Name)
	})
}
