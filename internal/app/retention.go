package app

import (
	"context"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/record"
	"github.com/belayhq/belay/internal/store"
)

// RetentionTarget is whose policy is meant: a workspace's, an organization's, or when it
// names neither, the site's.
type RetentionTarget struct {
	Workspace    belay.WorkspaceRef
	Organization string
}

// RetentionView is a policy and what it is set on.
type RetentionView struct {
	belay.RetentionPolicy
	TargetType, TargetID string // empty: the site
}

// retained is something that a policy can be set on.
type retained struct {
	RetentionView
	workspace    *belay.Workspace
	organization *belay.Organization
}

// retained hands out what a policy is set on: to read it, to whoever may see it; to
// change it, to admins of the workspace, to owners, to site admins.
func (a *App) retained(v store.Reader, s belay.Principal, t RetentionTarget, change bool) (r retained, err error) {
	switch {
	case t.Workspace.ID != "":
		need := belay.ReadWorkspace
		if change {
			need = belay.UpdateWorkspace
		}
		w, _, err := gate.Workspace(v, s, t.Workspace, need)
		r.RetentionView = RetentionView{w.Retention, "workspaces", w.ID}
		r.workspace = &w
		return r, err
	case t.Organization != "":
		need := belay.Traverse
		if change {
			need = belay.UpdateOrganization
		}
		o, _, err := gate.Organization(v, s, t.Organization, need)
		r.RetentionView = RetentionView{o.Retention, "organizations", o.Name}
		r.organization = &o
		return r, err
	default:
		if err := gate.SiteAdmin(s); err != nil {
			return r, err
		}
		r.RetentionPolicy, err = v.Peek().SiteRetention()
		return r, err
	}
}

// Retention is the policy in force: its own, else the organization's, else the site's.
// With none anywhere there is nothing to show.
func (a *App) Retention(ctx context.Context, s belay.Principal, t RetentionTarget) (view RetentionView, err error) {
	err = a.db.View(ctx, func(v *store.View) error {
		r, err := a.retained(v, s, t, false)
		if err != nil {
			return err
		}
		view = r.RetentionView
		if !view.Given() && r.workspace != nil {
			o, err := v.Organization(r.workspace.OrganizationID)
			if err != nil {
				return err
			}
			view = RetentionView{o.Retention, "organizations", o.Name}
		}
		if !view.Given() {
			view = RetentionView{}
			if view.RetentionPolicy, err = v.SiteRetention(); err != nil {
				return err
			}
		}
		if !view.Given() {
			return belay.ErrNotFound
		}
		return nil
	})
	return view, err
}

// SetRetention sets a policy, or changes the one that is there.
func (a *App) SetRetention(ctx context.Context, s belay.Principal, t RetentionTarget, want belay.RetentionPatch) (view RetentionView, err error) {
	err = a.db.Update(ctx, func(tx *store.Tx) error {
		if t == (RetentionTarget{}) { // no row of the site stands for it
			if err := tx.TakeTurn("retention of the site"); err != nil {
				return err
			}
		}
		r, err := a.retained(&tx.Locked, s, t, true)
		if err != nil {
			return err
		}
		if r.RetentionPolicy, err = r.Become(want); err != nil {
			return err
		}
		view = r.RetentionView
		return saveRetention(tx, s, r, "retention_set")
	})
	return view, err
}

// DropRetention takes away a policy that was set there; inherited ones are not touched.
func (a *App) DropRetention(ctx context.Context, s belay.Principal, t RetentionTarget) error {
	return a.db.Update(ctx, func(tx *store.Tx) error {
		r, err := a.retained(&tx.Locked, s, t, true)
		if err != nil {
			return err
		}
		if !r.Given() {
			return belay.ErrNotFound
		}
		r.RetentionPolicy = belay.RetentionPolicy{}
		return saveRetention(tx, s, r, "retention_removed")
	})
}

func saveRetention(tx *store.Tx, s belay.Principal, r retained, verb string) error {
	switch {
	case r.workspace != nil:
		if err := tx.SaveWorkspaceRetention(r.workspace.ID, r.RetentionPolicy); err != nil {
			return err
		}
		return record.EmitWorkspace(tx, s, "workspace."+verb, r.workspace)
	case r.organization != nil:
		if err := tx.SaveOrganizationRetention(r.organization.ID, r.RetentionPolicy); err != nil {
			return err
		}
		o := r.organization
		return record.EmitOrganization(tx, s, "organization."+verb, o.ID, "organizations", o.Name, o.Name)
	default:
		if err := tx.SaveSiteRetention(r.RetentionPolicy); err != nil {
			return err
		}
		return tx.Emit(record.About(s, "site."+verb))
	}
}
