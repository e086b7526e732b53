package gate

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
)

// Comers is the teams of the organization of a workspace, the nearest to it first, with the ways by which they come to it:
// each team and each way that the principal sees. A team that it sees only by a way is without its name.
func Comers(v *store.View, access belay.Access, w *belay.Workspace) ([]store.Comer, error) {
	list, err := v.Comers(w)
	on, onProject := access.OnWorkspace(w.ID, w.ProjectID), access.OnProject(w.ProjectID)
	reads, manages := onProject.Has(belay.ReadProject), onProject.Has(belay.ManageProjectTeams)
	seen := list[:0]
	for i := range list {
		c, mine, sees := &list[i], access.Teams[list[i].Team.ID], access.OnTeam(list[i].Team)
		if !mine && !on.Has(belay.ManageWorkspaceTeams) {
			c.Own = belay.TeamWorkspace{}
		}
		if !reads || !mine && !manages && !(sees && onProject.Has(belay.ReadProjectTeams)) {
			c.Project = belay.TeamProject{}
		}
		if !sees {
			c.Team = belay.Team{}
		}
		if sees || c.Own.ID != "" || c.Project.ID != "" {
			seen = append(seen, *c)
		}
	}
	return seen, err
}
