package app

import (
	"cmp"
	"context"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/record"
	"github.com/belayhq/belay/internal/state"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/tags"
	"github.com/belayhq/belay/run"
)

// WorkspaceView is a workspace as a principal sees it.
type WorkspaceView struct {
	gate.Seen
	Address string // of the server; empty: that of the request
}

func (a *App) seenWorkspace(w belay.Workspace, access belay.Access) WorkspaceView {
	w.Lock.Holder.Hidden = !access.OnHolder(w.Lock.Holder)
	return WorkspaceView{Seen: gate.See(w, access), Address: a.address}
}

// CreateWorkspace makes a workspace, in the organization's default project unless the
// patch names another.
func (a *App) CreateWorkspace(ctx context.Context, s belay.Principal, organization string, p belay.WorkspacePatch) (view WorkspaceView, err error) {
	err = a.db.Update(ctx, func(tx *store.Tx) error {
		o, access, err := gate.Organization(tx.Peek(), s, organization, belay.Traverse)
		if err != nil {
			return err
		}
		project, err := a.projectFor(tx.Peek(), o, access, p.ProjectID)
		if err != nil {
			return err
		}
		w := belay.NewWorkspace(o, project, tx.Now)
		facts, err := a.facts(&tx.Locked, &w, p)
		if err != nil {
			return err
		}
		if err := w.Apply(p, facts, true); err != nil {
			return err
		}
		bare := belay.Workspace{ProjectID: w.ProjectID, Project: w.Project, Organization: o, InheritsProjectAutoDestroy: true}
		if err := mayChange(access, &w, &bare); err != nil {
			return err
		}
		if err := a.connect(tx, &w, &belay.Workspace{}); err != nil {
			return err
		}
		if err := tx.AddWorkspace(&w); err != nil {
			return err
		}
		if err := tx.SaveWorkspaceBindings(&w, nil, facts.Bindings.Before.Replaced(p.TagBindings.Value, tx.Now)); err != nil {
			return err
		}
		view = a.seenWorkspace(w, access)
		tx.CountWorkspace(&w, 1)
		return record.EmitWorkspace(tx, s, "workspace.created", &w)
	})
	return view, err
}

// projectFor is the project that a new workspace goes to, if the caller may create there.
func (a *App) projectFor(v *store.View, o belay.Organization, access belay.Access, id patch.Field[string]) (belay.Project, error) {
	want := o.DefaultProjectID
	if id.Given() && id.Value != "" {
		want = id.Value
	}
	project, err := v.Project(want)
	if err == nil && (project.OrganizationID != o.ID || !access.OnProject(want).Has(belay.CreateWorkspace)) {
		err = belay.ErrNotFound
	}
	return project, err
}

// mayChange refuses what makes or applies runs of a workspace to those who may not do that
// themselves.
func mayChange(access belay.Access, w, before *belay.Workspace) error {
	can := access.OnWorkspace(w.ID, w.ProjectID)
	if err := w.CheckSchedule(can, before); err != nil {
		return err
	}
	return w.CheckSteering(can, before)
}

// facts looks up what the patch leans on, and holds it until the commit.
func (a *App) facts(v *store.Locked, w *belay.Workspace, p belay.WorkspacePatch) (belay.Facts, error) {
	var facts belay.Facts
	var err error
	if p.EngineVersion.Set || p.TerraformVersion.Set || w.EngineUnnamed && w.EngineVersion == belay.LatestEngine {
		if err := a.engineFacts(v.Peek(), cmp.Or(p.AgentPoolID.Value, w.PoolID()), &facts); err != nil {
			return facts, err
		}
	}
	if p.AgentPoolID.Given() && p.AgentPoolID.Value != "" {
		pool, err := gate.UsablePool(v, w.OrganizationID, p.AgentPoolID.Value, w.ID, w.ProjectID)
		if err != nil {
			return facts, err
		}
		facts.PoolUsable = pool != nil && pool.Serves(w.ID, w.ProjectID)
	}
	if facts.VCS, err = repositoryFacts(v, w, p.VCSRepo); err != nil {
		return facts, err
	}
	return facts, tagFacts(v.Peek(), w, p, &facts)
}

// engineFacts looks up the engine versions that there are, and those that the runners of a
// pool have.
func (a *App) engineFacts(v *store.View, poolID string, facts *belay.Facts) (err error) {
	if facts.Engines, err = a.knownEngines(v); err != nil {
		return err
	}
	engines, err := v.EnginesAtHand(poolID)
	for _, e := range engines {
		facts.AtHand = append(facts.AtHand, e.Version)
	}
	if len(engines) > 0 {
		facts.Default = run.ChooseEngine(belay.LatestEngine, "", run.Given{Engines: facts.Engines, AtHand: engines, DefaultEngine: a.defaultEngine}).Version
	}
	return err
}

// tagFacts looks up what the tags and tag bindings of a patch lean on.
func tagFacts(v *store.View, w *belay.Workspace, p belay.WorkspacePatch, facts *belay.Facts) (err error) {
	if facts.TagNames, err = tags.Names(v, w.OrganizationID, p.Tags); err != nil || !p.TagBindings.Given() {
		return err
	}
	facts.Bindings, err = tags.Facts(v, w.ID, w.ProjectID)
	return err
}

// Workspace is one workspace, to those who may read it.
func (a *App) Workspace(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef) (view WorkspaceView, err error) {
	err = a.db.View(ctx, func(v *store.View) error {
		view.Seen, err = gate.StateReader(v, s, ref, belay.ReadWorkspace)
		view.Address = a.address
		return err
	})
	return view, err
}

// UpdateWorkspace changes a workspace, and moves it when the patch names another project: where
// it asks for that alone, it takes the right to move and no other, as MoveWorkspaces does. A patch
// that says nothing changes nothing, not even the time of the last change.
func (a *App) UpdateWorkspace(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef, p belay.WorkspacePatch) (view WorkspaceView, err error) {
	err = a.db.Update(ctx, func(tx *store.Tx) error {
		w, access, err := changeable(tx, s, ref, p)
		if err != nil {
			return err
		}
		if p.Empty() {
			view = a.seenWorkspace(w, access)
			return nil
		}
		before := w
		if moves(&w, p) {
			if err := a.move(tx.Peek(), &w, access, p.ProjectID.Value); err != nil {
				return err
			}
		}
		facts, err := a.facts(&tx.Locked, &w, p)
		if err != nil {
			return err
		}
		if err := w.Apply(p, facts, false); err != nil {
			return err
		}
		if err := mayChange(access, &w, &before); err != nil {
			return err
		}
		if err := a.connect(tx, &w, &before); err != nil {
			return err
		}
		if err := saveWorkspace(tx, &w, &before, p, facts); err != nil {
			return err
		}
		view = a.seenWorkspace(w, access)
		told := record.OfWorkspaces(s, "workspace.updated", []belay.Workspace{w})[0]
		return tx.Emit(record.Changing(told, store.WorkspaceChanges(&before, &w)))
	})
	return view, err
}

// changeable hands out a workspace to those who may do to it what a patch asks for.
func changeable(tx *store.Tx, s belay.Principal, ref belay.WorkspaceRef, p belay.WorkspacePatch) (w belay.Workspace, access belay.Access, err error) {
	need := belay.UpdateWorkspace
	if p.OnlyProject() {
		need = belay.ReadWorkspace
	}
	if w, access, err = gate.Workspace(&tx.Locked, s, ref, need); err != nil {
		return w, access, err
	}
	if !moves(&w, p) && !access.OnWorkspace(w.ID, w.ProjectID).Has(belay.UpdateWorkspace) {
		return w, access, belay.ErrNotFound
	}
	return w, access, nil
}

// moves says whether a patch names another project than the workspace is in.
func moves(w *belay.Workspace, p belay.WorkspacePatch) bool {
	return p.ProjectID.Given() && p.ProjectID.Value != "" && p.ProjectID.Value != w.ProjectID
}

// saveWorkspace writes what a patch has changed, and lets go on what waited for that. Tag bindings
// are no part of the row, and changing them alone is no update of the workspace.
func saveWorkspace(tx *store.Tx, w, before *belay.Workspace, p belay.WorkspacePatch, facts belay.Facts) error {
	if !p.OnlyBindings() {
		w.UpdatedAt = tx.Now
		if err := tx.SaveWorkspace(w, before); err != nil {
			return err
		}
	}
	if p.TagBindings.Given() {
		bound := facts.Bindings.Before
		if err := tx.SaveWorkspaceBindings(w, bound, bound.Replaced(p.TagBindings.Value, tx.Now)); err != nil {
			return err
		}
	}
	if w.ProjectID != before.ProjectID {
		tx.MoveWorkspace(w, before.ProjectID)
	}
	if w.Mode() != before.Mode() {
		return noteTurn(tx, w)
	}
	return nil
}

// move puts the workspace into another project of its organization. The caller must have
// the right to move on both ("move a workspace between projects").
func (a *App) move(v *store.View, w *belay.Workspace, access belay.Access, id string) error {
	target, err := v.Project(id)
	if err != nil {
		return err
	}
	if !mayMove(access, w, &target) {
		return belay.ErrNotFound
	}
	w.ProjectID, w.Project = target.ID, target
	return nil
}

// mayMove says whether a workspace may be put into another project.
func mayMove(access belay.Access, w *belay.Workspace, target *belay.Project) bool {
	to, from := access.OnProject(target.ID), access.OnProject(w.ProjectID)
	return target.OrganizationID == w.OrganizationID && to.Has(belay.ReadProject.And(belay.MoveWorkspace)) && from.Has(belay.MoveWorkspace)
}

// LockWorkspace locks a workspace for the caller.
func (a *App) LockWorkspace(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef, reason string) (WorkspaceView, error) {
	return a.changeLock(ctx, s, ref, belay.LockWorkspace, "workspace.locked", func(tx *store.Tx, w *belay.Workspace) error {
		return w.TakeLock(s.Holder(), reason, tx.Now)
	})
}

// UnlockWorkspace gives the caller's lock back: the newest state that came under it becomes
// the workspace's. While one is on its way the lock stays.
func (a *App) UnlockWorkspace(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef) (WorkspaceView, error) {
	return a.changeLock(ctx, s, ref, belay.LockWorkspace, "workspace.unlocked", func(tx *store.Tx, w *belay.Workspace) error {
		if err := w.ReleaseLock(s.Holder(), tx.Now); err != nil {
			return err
		}
		return state.Finalize(tx, w, false)
	})
}

// ForceUnlockWorkspace takes anybody's lock away. A state that is still on its way is given up.
func (a *App) ForceUnlockWorkspace(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef) (WorkspaceView, error) {
	return a.changeLock(ctx, s, ref, belay.ForceUnlockWorkspace, "workspace.force_unlocked", func(tx *store.Tx, w *belay.Workspace) error {
		if err := w.BreakLock(tx.Now); err != nil {
			return err
		}
		return state.Finalize(tx, w, true)
	})
}

// AskHolder keeps what the caller asks whoever holds the lock, for them to see.
func (a *App) AskHolder(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef, question string) (WorkspaceView, error) {
	return a.changeLock(ctx, s, ref, belay.LockWorkspace, "workspace.lock_asked", func(tx *store.Tx, w *belay.Workspace) error {
		return w.AskHolder(s.Holder(), question, tx.Now)
	})
}

func (a *App) changeLock(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef, need belay.Permission, event string,
	change func(*store.Tx, *belay.Workspace) error,
) (view WorkspaceView, err error) {
	err = a.db.Update(ctx, func(tx *store.Tx) error {
		w, access, err := gate.Workspace(&tx.Locked, s, ref, need)
		if err != nil {
			return err
		}
		if err := change(tx, &w); err != nil {
			return err
		}
		if err := tx.SaveLock(&w); err != nil {
			return err
		}
		if err := noteTurn(tx, &w); err != nil {
			return err
		}
		view = a.seenWorkspace(w, access)
		return record.EmitWorkspace(tx, s, event, &w)
	})
	return view, err
}

// noteTurn notes that a run that waits for the workspace may go on.
func noteTurn(tx *store.Tx, w *belay.Workspace) error {
	if w.Lock.Held() || !w.RunWaits() {
		return nil
	}
	return tx.SetDue(store.TurnDue, w.ID, tx.Now)
}

// SafeDeleteWorkspace deletes a workspace that is not locked and manages nothing.
func (a *App) SafeDeleteWorkspace(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef) error {
	return a.deleting(ctx, func(tx *store.Tx) error {
		w, _, err := gate.Workspace(tx.Seizing(), s, ref, belay.DeleteWorkspace)
		if err != nil {
			return err
		}
		current, err := state.Current(tx.Peek(), &w)
		if err != nil {
			return err
		}
		if err := w.CheckSafeDelete(current); err != nil {
			return err
		}
		return a.dropWorkspace(tx, s, &w)
	})
}

// ForceDeleteWorkspace deletes a workspace whatever it manages. Whoever could delete it
// safely is told that this is forbidden; from others the workspace stays hidden.
func (a *App) ForceDeleteWorkspace(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef) error {
	return a.deleting(ctx, func(tx *store.Tx) error {
		w, access, err := gate.Workspace(tx.Seizing(), s, ref, belay.ReadWorkspace)
		if err != nil {
			return err
		}
		can := access.OnWorkspace(w.ID, w.ProjectID)
		switch {
		case w.MayForceDelete(can):
			return a.dropWorkspace(tx, s, &w)
		case can.Has(belay.DeleteWorkspace):
			return belay.Refuse(belay.Forbidden, "force deleting workspaces is left to the organization's owners")
		default:
			return belay.ErrNotFound
		}
	})
}

// AssignSSHKey gives a workspace an SSH key of its organization; an empty id takes the
// key away.
func (a *App) AssignSSHKey(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef, keyID string) (view WorkspaceView, err error) {
	err = a.db.Update(ctx, func(tx *store.Tx) error {
		if err := gate.SSHKeys(s); err != nil {
			return err
		}
		w, access, err := gate.Workspace(&tx.Locked, s, ref, belay.UpdateWorkspace)
		if err != nil {
			return err
		}
		if keyID != "" {
			// Held, so that the key is not deleted between this look and the commit.
			k, err := tx.SSHKey(keyID)
			if err != nil {
				return err
			}
			if k.OrganizationID != w.OrganizationID {
				return belay.ErrNotFound
			}
		}
		before := w
		w.SSHKeyID, w.UpdatedAt = keyID, tx.Now
		if err := tx.SaveWorkspace(&w, &before); err != nil {
			return err
		}
		view = a.seenWorkspace(w, access)
		return record.EmitWorkspace(tx, s, "workspace.ssh_key_assigned", &w)
	})
	return view, err
}
