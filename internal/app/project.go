package app

import (
	"context"
	"slices"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/store"
)

// ProjectView is a project as a subject sees it.
type ProjectView struct {
	belay.Project
	Can belay.Permission
}

func seenProject(p belay.Project, access belay.Access) ProjectView {
	can := access.OnProject(p.ID)
	if p.ID == p.Organization.DefaultProjectID {
		can &^= belay.DeleteProject // nobody deletes the default project
	}
	return ProjectView{p, can}
}

// CreateProject makes a project in an organization.
func (a *App) CreateProject(ctx context.Context, s belay.Subject, organization string, p belay.ProjectPatch) (view ProjectView, err error) {
	err = a.db.Update(ctx, func(tx *store.Tx) error {
		o, access, err := a.organization(tx.Peek(), s, organization, belay.CreateProject)
		if err != nil {
			return err
		}
		project := belay.Project{ID: belay.NewID("prj"), OrganizationID: o.ID, CreatedAt: tx.Now, Organization: o}
		bindings, err := applyProject(tx, &project, p)
		if err != nil {
			return err
		}
		if err := tx.AddProject(&project); err != nil {
			return err
		}
		if err := replaceBindings(tx, &project, bindings.Before, p); err != nil {
			return err
		}
		view = seenProject(project, access)
		return emitOrganization(tx, s, "project.created", o.ID, "projects", project.ID, project.Name)
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
	if err := checkDefaultPool(&tx.View, &problems, project.OrganizationID, p.DefaultAgentPoolID.Value, func(pool *belay.AgentPool) bool {
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
func (a *App) Project(ctx context.Context, s belay.Subject, id string) (view ProjectView, err error) {
	err = a.db.View(ctx, func(v *store.View) error {
		p, access, err := a.project(v, s, id, belay.ReadProject)
		view = seenProject(p, access)
		return err
	})
	return view, err
}

// Projects is the projects of an organization that the caller may read.
func (a *App) Projects(ctx context.Context, s belay.Subject, organization string, want belay.ProjectQuery) (list []ProjectView, total int, err error) {
	if err := want.Check(); err != nil {
		return nil, 0, err
	}
	err = a.db.View(ctx, func(v *store.View) error {
		o, access, err := a.organization(v, s, organization, belay.Traverse)
		if err != nil {
			return err
		}
		want.Scope = access.Scope(belay.ReadProject | want.Need)
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
func (a *App) UpdateProject(ctx context.Context, s belay.Subject, id string, p belay.ProjectPatch) (view ProjectView, err error) {
	err = a.db.Update(ctx, func(tx *store.Tx) error {
		project, access, err := a.project(&tx.View, s, id, belay.UpdateProject)
		if err != nil {
			return err
		}
		bindings, err := applyProject(tx, &project, p)
		if err != nil {
			return err
		}
		if err := tx.SaveProject(&project); err != nil {
			return err
		}
		if err := replaceBindings(tx, &project, bindings.Before, p); err != nil {
			return err
		}
		view = seenProject(project, access)
		return emitOrganization(tx, s, "project.updated", project.OrganizationID, "projects", project.ID, project.Name)
	})
	return view, err
}

// DeleteProject deletes an empty project that is not its organization's default.
func (a *App) DeleteProject(ctx context.Context, s belay.Subject, id string) error {
	return a.db.Update(ctx, func(tx *store.Tx) error {
		p, _, err := a.project(&tx.View, s, id, belay.DeleteProject)
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
		return emitOrganization(tx, s, "project.deleted", p.OrganizationID, "projects", p.ID, p.Name)
	})
}

// MoveWorkspaces puts workspaces into a project: all of them or none. The caller must be
// an admin of the project and of those that they come from.
func (a *App) MoveWorkspaces(ctx context.Context, s belay.Subject, projectID string, ids []string) error {
	return a.db.Update(ctx, func(tx *store.Tx) error {
		if _, _, err := a.project(tx.Peek(), s, projectID, belay.ReadProject); err != nil {
			return err
		}
		slices.Sort(ids) // everybody holds the rows in the same order
		for _, id := range slices.Compact(ids) {
			w, access, err := a.workspace(&tx.View, s, belay.WorkspaceRef{ID: id}, belay.ReadWorkspace)
			if err != nil {
				return err
			}
			before := w
			if err := a.move(tx.Peek(), &w, access, patch.Of(projectID)); err != nil {
				return err
			}
			if w.ProjectID == before.ProjectID {
				continue
			}
			w.UpdatedAt = tx.Now
			if err := tx.SaveWorkspace(&w, &before); err != nil {
				return err
			}
			if err := tx.MoveWorkspace(&w, before.ProjectID); err != nil {
				return err
			}
			if err := emitWorkspace(tx, s, "workspace.updated", &w); err != nil {
				return err
			}
		}
		return nil
	})
}
