package app

import (
	"context"
	"slices"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/record"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// ProjectView is a project as a principal sees it.
type ProjectView struct {
	belay.Project
	Can belay.Permission
}

func seenProject(p belay.Project, access belay.Access) ProjectView {
	can := access.OnProject(p.ID)
	if p.ID == p.Organization.DefaultProjectID {
		can = can.Without(belay.DeleteProject) // nobody deletes the default project
	}
	return ProjectView{p, can}
}

// CreateProject makes a project in an organization.
func (a *App) CreateProject(ctx context.Context, s belay.Principal, organization string, p belay.ProjectPatch) (view ProjectView, err error) {
	err = a.db.Update(ctx, func(tx *store.Tx) error {
		o, access, err := gate.Organization(tx.Peek(), s, organization, belay.CreateProject)
		if err != nil {
			return err
		}
		project := belay.Project{ID: belay.NewID("prj"), OrganizationID: o.ID, CreatedAt: tx.Now, Organization: o}
		mode, pool := project.Execution()
		bindings, err := applyProject(tx, &project, p)
		if err != nil {
			return err
		}
		can := access.OnProject(project.ID)
		if err := project.CheckSchedule(can, ""); err != nil {
			return err
		}
		if err := project.CheckSteering(can, mode, pool, false); err != nil {
			return err
		}
		if err := tx.AddProject(&project); err != nil {
			return err
		}
		if err := replaceBindings(tx, &project, bindings.Before, p); err != nil {
			return err
		}
		view = seenProject(project, access)
		return record.EmitOrganization(tx, s, "project.created", o.ID, "projects", project.ID, project.Name)
	})
	return view, err
}

// applyProject changes the project, if a default pool that it names serves it.
func applyProject(tx *store.Tx, project *belay.Project, p belay.ProjectPatch) (bindings belay.BindingFacts, err error) {
	var problems belay.Problems
	if p.TagBindings.Given() {
		if bindings.Before, err = tx.ProjectBindings(project.ID); err != nil {
			return bindings, err
		}
	}
	if err := problems.Add(project.Apply(p, bindings)); err != nil {
		return bindings, err
	}
	if err := checkDefaultPool(&tx.Locked, &problems, project.OrganizationID, project.ID, p.DefaultAgentPoolID.Value, func(pool *run.AgentPool) bool {
		return pool.ServesProject(project.ID)
	}); err != nil {
		return bindings, err
	}
	return bindings, problems.Err()
}

// replaceBindings gives the project the tag bindings that the patch has, if it has any.
func replaceBindings(tx *store.Tx, project *belay.Project, before belay.TagBindings, p belay.ProjectPatch) error {
	if !p.TagBindings.Given() {
		return nil
	}
	return tx.SaveProjectBindings(project, before, before.Replaced(p.TagBindings.Value, tx.Now))
}

// Project is one project, to those who may read it.
func (a *App) Project(ctx context.Context, s belay.Principal, id string) (view ProjectView, err error) {
	err = a.db.View(ctx, func(v *store.View) error {
		p, access, err := gate.Project(v, s, id, belay.ReadProject)
		view = seenProject(p, access)
		return err
	})
	return view, err
}

// Projects is the projects of an organization that the caller may read.
func (a *App) Projects(ctx context.Context, s belay.Principal, organization string, want belay.ProjectQuery) (list []ProjectView, total int, err error) {
	if err := want.Check(); err != nil {
		return nil, 0, err
	}
	err = a.db.View(ctx, func(v *store.View) error {
		o, access, err := gate.Organization(v, s, organization, belay.Traverse)
		if err != nil {
			return err
		}
		want.Scope = access.Scope(belay.ReadProject.And(want.Need))
		found, n, err := v.Projects(o, want)
		for _, p := range found {
			list = append(list, seenProject(p, access))
		}
		total = n
		return err
	})
	return list, total, err
}

// UpdateProject changes a project.
func (a *App) UpdateProject(ctx context.Context, s belay.Principal, id string, p belay.ProjectPatch) (view ProjectView, err error) {
	err = a.db.Update(ctx, func(tx *store.Tx) error {
		project, access, err := gate.Project(&tx.Locked, s, id, belay.UpdateProject)
		if err != nil {
			return err
		}
		was := project
		before, pool := project.Execution()
		schedule := project.AutoDestroyActivityDuration
		bindings, err := applyProject(tx, &project, p)
		if err != nil {
			return err
		}
		can := access.OnProject(project.ID)
		if err := project.CheckSchedule(can, schedule); err != nil {
			return err
		}
		connected := false
		if mode, _ := project.Execution(); mode != before && !can.Has(belay.Steering) {
			if connected, err = tx.GivesConnected(project.ID); err != nil {
				return err
			}
		}
		if err := project.CheckSteering(can, before, pool, connected); err != nil {
			return err
		}
		if err := tx.SaveProject(&project); err != nil {
			return err
		}
		if mode, _ := project.Execution(); mode != before {
			if err := tx.SetDue(store.InForceDue, project.ID, tx.Now); err != nil {
				return err
			}
		}
		if project.AutoDestroyActivityDuration != schedule {
			if err := tx.SetDue(store.ProjectDestroyDue, project.ID, tx.Now); err != nil {
				return err
			}
		}
		if err := replaceBindings(tx, &project, bindings.Before, p); err != nil {
			return err
		}
		view = seenProject(project, access)
		told := record.InOrganization(s, "project.updated", project.OrganizationID, "projects", project.ID, project.Name)
		return tx.Emit(record.Changing(told, store.ProjectChanges(&was, &project)))
	})
	return view, err
}

// DeleteProject deletes an empty project that is not its organization's default.
func (a *App) DeleteProject(ctx context.Context, s belay.Principal, id string) error {
	return a.db.Update(ctx, func(tx *store.Tx) error {
		if err := tx.SeizeSetsOf(id); err != nil {
			return err
		}
		p, _, err := gate.Project(tx.Seizing(), s, id, belay.DeleteProject)
		if err != nil {
			return err
		}
		var problems belay.Problems
		switch {
		case p.ID == p.Organization.DefaultProjectID:
			problems.At("", "The default project can't be deleted")
		case p.WorkspaceCount > 0:
			problems.At("", "Project can't be deleted while it holds workspaces")
		}
		if err := problems.Err(); err != nil {
			return err
		}
		if err := tx.DropProject(&p); err != nil {
			return err
		}
		return record.EmitOrganization(tx, s, "project.deleted", p.OrganizationID, "projects", p.ID, p.Name)
	})
}

// errMove does not tell a workspace that is not there from one that may not be moved.
var errMove = belay.Refuse(belay.Forbidden, "Workspace(s) not found, or user is not authorized to move workspaces to project")

// MoveWorkspaces puts workspaces into a project, if the caller may do so with all of them:
// it must have the right to move on the project and on those that they come from.
func (a *App) MoveWorkspaces(ctx context.Context, s belay.Principal, projectID string, ids []string) error {
	line, err := a.lineOfMoves(ctx, s, projectID)
	if err != nil {
		return err
	}
	return record.OnMany(ctx, a.db, a.log, line, func(tx *store.Tx) ([]belay.Event, error) {
		target, access, err := gate.Project(tx.Peek(), s, projectID, belay.ReadProject)
		if err != nil {
			return nil, err
		}
		moved, err := movable(&tx.Locked, access, &target, ids)
		if err != nil {
			return nil, err
		}
		if err := tx.MoveWorkspaces(moved, &target); err != nil {
			return nil, err
		}
		if err := tx.SetDue(store.InForceDue, target.ID, tx.Now); err != nil { // another mode may be in force
			return nil, err
		}
		return record.OfWorkspaces(s, "workspace.updated", moved), nil
	})
}

// lineOfMoves is the organization of a project, whose moves go one after another where transactions run beside one another: who waits for a row
// that another moves looks at it again then, joined with others, and at each of the next as well.
func (a *App) lineOfMoves(ctx context.Context, s belay.Principal, projectID string) (organizationID string, err error) {
	if a.db.OneWriter() {
		return "", nil
	}
	err = a.db.View(ctx, func(v *store.View) error {
		target, _, err := gate.Project(v, s, projectID, belay.ReadProject)
		organizationID = target.OrganizationID
		return err
	})
	return organizationID, err
}

// movable is those of some workspaces that are not in a project yet, if all of them may go there.
func movable(v *store.Locked, access belay.Access, target *belay.Project, ids []string) (moved []belay.Workspace, err error) {
	list, err := v.HeldWorkspaces(ids)
	if err != nil {
		return nil, err
	}
	there := make(map[string]bool, len(list))
	for _, w := range list {
		there[w.ID] = true
		if w.OrganizationID != target.OrganizationID || !access.OnWorkspace(w.ID, w.ProjectID).Has(belay.ReadWorkspace) {
			return nil, errMove
		}
		if w.ProjectID == target.ID {
			continue
		}
		arrived := w
		arrived.ProjectID, arrived.Project = target.ID, *target
		if !mayMove(access, &w, target) || mayChange(access, &arrived, &w) != nil {
			return nil, errMove
		}
		moved = append(moved, w)
	}
	if slices.ContainsFunc(ids, func(id string) bool { return !there[id] }) {
		return nil, errMove
	}
	return moved, nil
}
