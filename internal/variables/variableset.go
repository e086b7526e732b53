package variables

import (
	"context"
	"slices"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/inputs"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/record"
	"github.com/belayhq/belay/internal/store"
)

// variableSet hands out a set to those who may read sets in its owner, or where it is
// applied.
func (m *Room) variableSet(v *store.View, s belay.Principal, id string) (inputs.VariableSet, belay.Access, error) {
	set, err := v.VariableSet(id)
	if err != nil {
		return set, belay.Access{}, err
	}
	access, err := v.Access(s, set.Organization)
	if err == nil && !mayOnSet(access, &set, belay.ReadVariableSets) {
		err = belay.ErrNotFound
	}
	return set, access, err
}

// managedSet hands out a set, to be changed, to those who manage sets in its owner. What it
// applies to and its variables are not read: they may be many.
func (m *Room) managedSet(tx *store.Tx, s belay.Principal, id string) (inputs.VariableSet, error) {
	set, err := tx.BareVariableSet(id)
	if err != nil {
		return set, err
	}
	access, err := tx.Access(s, set.Organization)
	if err == nil && !mayOnSet(access, &set, belay.ManageVariableSets) {
		err = belay.ErrNotFound
	}
	return set, err
}

func mayOnSet(access belay.Access, set *inputs.VariableSet, need belay.Permission) bool {
	if access.Everywhere.Has(need) || set.ProjectID != "" && access.OnProject(set.ProjectID).Has(need) {
		return true
	}
	if need != belay.ReadVariableSets {
		return false
	}
	if set.Global && set.ProjectID == "" {
		return len(access.Scope(need).Projects) > 0
	}
	return slices.ContainsFunc(set.ProjectIDs, func(id string) bool { return access.OnProject(id).Has(need) })
}

// onlySeen leaves out of the sets the workspaces and projects that the caller may not read.
func onlySeen(v *store.View, access belay.Access, organizationID string, sets []inputs.VariableSet) error {
	for i := range sets {
		sets[i].Manageable = mayOnSet(access, &sets[i], belay.ManageVariableSets)
	}
	if access.Everywhere.Has(belay.ReadWorkspace.And(belay.ReadProject)) {
		return nil
	}
	var ids []string
	for _, set := range sets {
		ids = append(ids, set.WorkspaceIDs...)
	}
	projectOf, err := v.ProjectsOfWorkspaces(organizationID, ids)
	for i := range sets {
		set := &sets[i]
		set.WorkspaceIDs = slices.DeleteFunc(set.WorkspaceIDs, func(id string) bool {
			return !access.OnWorkspace(id, projectOf[id]).Has(belay.ReadWorkspace)
		})
		set.ProjectIDs = slices.DeleteFunc(set.ProjectIDs, func(id string) bool { return !access.OnProject(id).Has(belay.ReadProject) })
	}
	return err
}

// CreateVariableSet makes a set with its first variables.
func (m *Room) CreateVariableSet(ctx context.Context, s belay.Principal, organization string, p inputs.VariableSetPatch) (set inputs.VariableSet, err error) {
	id := belay.NewID("varset")
	first, refused := m.firstVariables(id, p.Variables) // sealed before anybody waits
	err = m.db.Update(ctx, func(tx *store.Tx) error {
		o, access, err := gate.Organization(tx.Peek(), s, organization, belay.Traverse)
		if err != nil {
			return err
		}
		set = inputs.VariableSet{
			ID: id, OrganizationID: o.ID, ProjectID: p.ParentProject.Value, Organization: o,
			CreatedAt: tx.Now, UpdatedAt: tx.Now,
		}
		if set.Manageable = mayOnSet(access, &set, belay.ManageVariableSets); !set.Manageable {
			return belay.ErrNotFound
		}
		if err := holdSetOwner(tx, &set); err != nil {
			return err
		}
		if err := refused.With(applySet(tx, &set, p)); err != nil {
			return err
		}
		if err := tx.AddVariableSet(&set); err != nil {
			return err
		}
		for i := range first {
			first[i].CreatedAt = tx.Now
			set.VariableIDs = append(set.VariableIDs, first[i].ID)
		}
		if err := tx.AddSetVariables(first); err != nil {
			return err
		}
		return record.EmitOrganization(tx, s, "variable_set.created", o.ID, "varsets", set.ID, set.Name)
	})
	return set, err
}

// holdSetOwner holds the project that a new set belongs to, which goes with its sets.
func holdSetOwner(tx *store.Tx, set *inputs.VariableSet) error {
	if set.ProjectID == "" {
		return nil
	}
	owner, err := tx.Project(set.ProjectID)
	if err == nil && owner.OrganizationID != set.OrganizationID {
		err = belay.ErrNotFound
	}
	return err
}

// firstVariables makes the variables of a new set, so many as there may be.
func (m *Room) firstVariables(setID string, patches []inputs.SetVariablePatch) ([]inputs.Variable, belay.Problems) {
	if len(patches) > belay.MaxListed {
		return nil, nil // the set is refused
	}
	var problems belay.Problems
	list, keys := make([]inputs.Variable, len(patches)), map[string]bool{}
	for i, p := range patches {
		list[i] = inputs.NewVariable(setID, "varsets", m.now())
		if err := m.applyVariable(&list[i], p.VariablePatch); err != nil {
			_ = problems.Add(belay.Under(p.At(), err)) // it refuses the body, or nothing
		}
		key := list[i].Category + " " + list[i].Key
		if keys[key] && list[i].Key != "" {
			problems.At(p.At().Field("key"), "Key has already been taken")
		}
		keys[key] = true
	}
	return list, problems
}

// applySet changes the set, if all that it is applied to is there, and within its owner.
func applySet(tx *store.Tx, set *inputs.VariableSet, p inputs.VariableSetPatch) error {
	var problems belay.Problems
	if err := problems.Add(set.Apply(p)); err != nil {
		return err
	}
	if err := checkReach(tx, &problems, set, belay.RelatedList("workspaces"), belay.RelatedList("projects"), p.Workspaces.Value, p.Projects.Value); err != nil {
		return err
	}
	return problems.Err()
}

// checkReach adds a problem for each id that is not in the owner of the set.
func checkReach(tx *store.Tx, problems *belay.Problems, set *inputs.VariableSet, atWorkspaces, atProjects belay.Place, workspaces, projects []string) error {
	if len(workspaces) > 0 {
		var v store.Reader = &tx.Locked // a workspace that is moved meanwhile leaves the set
		if set.ProjectID == "" {
			v = tx.Peek()
		}
		projectOf, err := v.ProjectsOfWorkspaces(set.OrganizationID, workspaces)
		if err != nil {
			return err
		}
		for _, id := range workspaces {
			if project := projectOf[id]; project == "" || set.ProjectID != "" && project != set.ProjectID {
				problems.At(atWorkspaces, "%s does not exist where the variable set may be applied", id)
			}
		}
	}
	if set.ProjectID != "" && slices.ContainsFunc(projects, func(id string) bool { return id != set.ProjectID }) {
		problems.At(atProjects, "the variable set may be applied to its own project only")
		return nil
	}
	return gate.AllThere(problems, atProjects, set.OrganizationID, projects, tx.ProjectsIn)
}

// VariableSets is the sets of an organization that the caller may read.
func (m *Room) VariableSets(ctx context.Context, s belay.Principal, organization string, want inputs.VariableSetQuery) (list []inputs.VariableSet, total int, err error) {
	err = m.db.View(ctx, func(v *store.View) error {
		o, access, err := gate.Organization(v, s, organization, belay.Traverse)
		if err != nil {
			return err
		}
		want.Scope = access.Scope(belay.ReadVariableSets)
		list, total, err = seenSets(v, o, access, want)
		return err
	})
	return list, total, err
}

func seenSets(v *store.View, o belay.Organization, access belay.Access, want inputs.VariableSetQuery) ([]inputs.VariableSet, int, error) {
	list, total, err := v.VariableSets(o, want)
	if err != nil {
		return nil, 0, err
	}
	return list, total, onlySeen(v, access, o.ID, list)
}

// WorkspaceVariableSets is the sets that apply to a workspace, to those who may read its variables.
func (m *Room) WorkspaceVariableSets(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef, want inputs.VariableSetQuery) (list []inputs.VariableSet, total int, err error) {
	err = m.db.View(ctx, func(v *store.View) error {
		w, access, err := gate.Workspace(v, s, ref, belay.ReadVariables)
		if err != nil {
			return err
		}
		want.ForProject, want.Workspace, want.Scope.Everything = w.ProjectID, w.ID, true
		list, total, err = seenSets(v, w.Organization, access, want)
		return err
	})
	return list, total, err
}

// ApplicableVariableSets is the sets that a workspace may be given, or has: those of its
// organization and of its project.
func (m *Room) ApplicableVariableSets(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef, want inputs.VariableSetQuery) (list []inputs.VariableSet, total int, err error) {
	err = m.db.View(ctx, func(v *store.View) error {
		w, access, err := gate.Workspace(v, s, ref, belay.ReadVariables)
		if err != nil {
			return err
		}
		want.OwnedFor, want.Scope = w.ProjectID, access.Scope(belay.ReadVariableSets)
		list, total, err = seenSets(v, w.Organization, access, want)
		return err
	})
	return list, total, err
}

// WorkspaceSetVariables is the variables of a set that applies to a workspace, to those who
// may read the variables of the workspace.
func (m *Room) WorkspaceSetVariables(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef, setID string) (list []inputs.Variable, err error) {
	err = m.db.View(ctx, func(v *store.View) error {
		w, _, err := gate.Workspace(v, s, ref, belay.ReadVariables)
		if err != nil {
			return err
		}
		sets, err := v.VariableSetsFor(&w)
		if err == nil && !slices.ContainsFunc(sets, func(set inputs.VariableSet) bool { return set.ID == setID }) {
			err = belay.ErrNotFound
		}
		if err != nil {
			return err
		}
		list, err = v.SetVariables(setID)
		return err
	})
	return list, err
}

// ProjectVariableSets is the sets that apply to a project.
func (m *Room) ProjectVariableSets(ctx context.Context, s belay.Principal, projectID string, want inputs.VariableSetQuery) (list []inputs.VariableSet, total int, err error) {
	err = m.db.View(ctx, func(v *store.View) error {
		p, access, err := gate.Project(v, s, projectID, belay.ReadVariableSets)
		if err != nil {
			return err
		}
		want.ForProject, want.Scope.Everything = p.ID, true
		list, total, err = seenSets(v, p.Organization, access, want)
		return err
	})
	return list, total, err
}

// VariableSet is one set, to those who may read it.
func (m *Room) VariableSet(ctx context.Context, s belay.Principal, id string) (set inputs.VariableSet, err error) {
	err = m.db.View(ctx, func(v *store.View) error {
		found, access, err := m.variableSet(v, s, id)
		if err != nil {
			return err
		}
		list := []inputs.VariableSet{found}
		err = onlySeen(v, access, found.OrganizationID, list)
		set = list[0]
		return err
	})
	return set, err
}

// UpdateVariableSet changes a set.
func (m *Room) UpdateVariableSet(ctx context.Context, s belay.Principal, id string, p inputs.VariableSetPatch) (set inputs.VariableSet, err error) {
	err = m.changeSet(ctx, s, id, "variable_set.updated", func(tx *store.Tx, found *inputs.VariableSet) error {
		if err := applySet(tx, found, p); err != nil {
			return err
		}
		return tx.ReachVariableSet(found, p)
	})
	if err != nil {
		return set, err
	}
	return m.VariableSet(ctx, s, id) // what it applies to may be much: it is read when nobody waits
}

// changeSet hands a set that may be managed to change, and notes that it was changed.
func (m *Room) changeSet(ctx context.Context, s belay.Principal, id, event string, change func(*store.Tx, *inputs.VariableSet) error) error {
	return m.db.Update(ctx, func(tx *store.Tx) error {
		set, err := m.managedSet(tx, s, id)
		if err != nil {
			return err
		}
		set.UpdatedAt = tx.Now
		if err := change(tx, &set); err != nil {
			return err
		}
		if err := tx.SaveVariableSet(&set); err != nil {
			return err
		}
		return record.EmitOrganization(tx, s, event, set.OrganizationID, "varsets", set.ID, set.Name)
	})
}

// ApplyVariableSet lets more workspaces or projects have a set.
func (m *Room) ApplyVariableSet(ctx context.Context, s belay.Principal, id string, workspaces, projects []string) error {
	return m.changeSet(ctx, s, id, "variable_set.applied", func(tx *store.Tx, set *inputs.VariableSet) error {
		if err := set.CheckApplied(); err != nil {
			return err
		}
		var problems belay.Problems
		if err := checkReach(tx, &problems, set, belay.Whole, belay.Whole, workspaces, projects); err != nil {
			return err
		}
		if err := problems.Err(); err != nil {
			return err
		}
		return tx.ApplyVariableSet(set, workspaces, projects)
	})
}

// WithdrawVariableSet takes a set from workspaces or projects; where it is not, nothing happens.
func (m *Room) WithdrawVariableSet(ctx context.Context, s belay.Principal, id string, workspaces, projects []string) error {
	return m.changeSet(ctx, s, id, "variable_set.withdrawn", func(tx *store.Tx, set *inputs.VariableSet) error {
		return tx.WithdrawVariableSet(set, workspaces, projects)
	})
}

// DeleteVariableSet deletes a set with its variables.
func (m *Room) DeleteVariableSet(ctx context.Context, s belay.Principal, id string) error {
	return m.db.Update(ctx, func(tx *store.Tx) error {
		set, err := m.managedSet(tx, s, id)
		if err != nil {
			return err
		}
		if err := tx.DropVariableSet(&set); err != nil {
			return err
		}
		return record.EmitOrganization(tx, s, "variable_set.deleted", set.OrganizationID, "varsets", set.ID, set.Name)
	})
}
