package runs

import (
	"context"
	"slices"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/store"
)

// Confirmers is the names of the teams that may confirm runs of a workspace, the nearest to it first, as far as the
// caller sees the teams and what they are given.
func (m *Room) Confirmers(ctx context.Context, s belay.Principal, workspaceID string) (names []string, err error) {
	err = m.DB.View(ctx, func(v *store.View) error {
		w, access, err := gate.Workspace(v, s, belay.WorkspaceRef{ID: workspaceID}, belay.ReadRuns)
		if err != nil {
			return err
		}
		list, err := v.Comers(&w)
		on, onProject := access.OnWorkspace(w.ID, w.ProjectID), access.OnProject(w.ProjectID)
		sees := onProject.Has(belay.ReadProject) && onProject.HasAny(belay.ManageProjectTeams.And(belay.ReadProjectTeams))
		for _, may := range []func(*store.Comer) bool{
			func(c *store.Comer) bool {
				return c.Own.ID != "" && c.Own.Permissions().Has(belay.ApplyRuns) && (on.Has(belay.ManageWorkspaceTeams) || access.Teams[c.Team.ID])
			},
			func(c *store.Comer) bool {
				return c.Project.ID != "" && c.Project.Permissions().Has(belay.ApplyRuns) && (sees || access.Teams[c.Team.ID])
			},
			func(c *store.Comer) bool { return c.Team.Owners() || c.Team.Access.Permissions().Has(belay.ApplyRuns) },
		} {
			for i := range list {
				if c := &list[i]; access.OnTeam(c.Team) && may(c) && !slices.Contains(names, c.Team.Name) {
					names = append(names, c.Team.Name)
				}
			}
		}
		return err
	})
	return names, err
}
