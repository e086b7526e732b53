package variables

import (
	"context"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/inputs"
	"github.com/belayhq/belay/internal/store"
)

// WorkspacesOfSet is so many of the workspaces that a variable set names and the caller reads.
func (m *Room) WorkspacesOfSet(ctx context.Context, s belay.Principal, id string, most int) (list []belay.Workspace, err error) {
	err = m.db.View(ctx, func(v *store.View) error {
		set, access, err := m.variableSet(v, s, id)
		if err != nil {
			return err
		}
		found, err := v.WorkspacesByID(set.WorkspaceIDs[:min(most, len(set.WorkspaceIDs))])
		for _, w := range found {
			if access.OnWorkspace(w.ID, w.ProjectID).Has(belay.ReadWorkspace) {
				list = append(list, w)
			}
		}
		return err
	})
	return list, err
}

// SetsReach is how many workspaces get sets of an organization that the caller has read, by id: those for all of the
// organization aside.
func (m *Room) SetsReach(ctx context.Context, list []inputs.VariableSet) (reach map[string]int, err error) {
	var ids []string
	for i := range list {
		if !list[i].Global || list[i].ProjectID != "" {
			ids = append(ids, list[i].ID)
		}
	}
	err = m.db.View(ctx, func(v *store.View) error {
		reach, err = v.SetsReach(ids)
		return err
	})
	return reach, err
}

// overridesLooked is how many overrides of a set are looked through for those that the caller may see.
const overridesLooked = 500

// SetOverrides is which variables of a set workspaces have themselves, those whose variables the caller reads, and
// whether there may be more.
func (m *Room) SetOverrides(ctx context.Context, s belay.Principal, id string) (list []inputs.SetOverride, more bool, err error) {
	err = m.db.View(ctx, func(v *store.View) error {
		set, access, err := m.variableSet(v, s, id)
		if err != nil {
			return err
		}
		found, err := v.SetOverrides(&set, overridesLooked)
		more = len(found) == overridesLooked
		for _, o := range found {
			if access.OnWorkspace(o.WorkspaceID, o.ProjectID).Has(belay.ReadVariables) {
				list = append(list, o)
			}
		}
		return err
	})
	return list, more, err
}
