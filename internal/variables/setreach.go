package variables

import (
	"context"

	"github.com/belayhq/belay"
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
