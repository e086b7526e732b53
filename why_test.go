package belay_test

import (
	"math/rand/v2"
	"testing"

	"github.com/belayhq/belay"
)

// TestWaysAddUpToTheRight draws rights of many teams: what the door says of their sum, some
// way says alone, and no way says more.
func TestWaysAddUpToTheRight(t *testing.T) {
	t.Parallel()
	draw := rand.New(rand.NewPCG(1, 2))
	levels := []string{"read", "plan", "write", "maintain", "admin", "custom", "nonsense"}
	customs := []belay.Opener{
		nil, belay.WorkspaceAccess{Runs: "apply"}, belay.WorkspaceAccess{StateVersions: "read"},
		belay.ProjectAccess{Workspaces: belay.ProjectWorkspaceAccess{WorkspaceAccess: belay.WorkspaceAccess{Runs: "plan"}, Create: true}},
		belay.OrganizationAccess{ManageWorkspaces: true}, belay.OrganizationAccess{ReadProjects: true},
	}
	places := []string{"here", "elsewhere"}
	w := &belay.Workspace{ID: "here", ProjectID: "here"}
	for range 20000 {
		var grants []belay.Grant
		for range draw.IntN(4) {
			grants = append(grants, belay.Grant{
				Scope:   []belay.GrantScope{belay.OnOrganization, belay.OnProjects, belay.OnWorkspaces}[draw.IntN(3)],
				ScopeID: places[draw.IntN(2)], Level: levels[draw.IntN(len(levels))], Custom: customs[draw.IntN(len(customs))],
			})
		}
		door := belay.NewAccess(belay.Principal{Kind: belay.UserPrincipal}, grants).OnWorkspace(w.ID, w.ProjectID)
		for _, right := range belay.Rights {
			ways := 0
			for _, g := range grants {
				if g.Opens(right.Need, w) {
					ways++
				}
			}
			if door.Has(right.Need) != (ways > 0) {
				t.Fatalf("%s: the door says %t, and %d ways lead there: %+v", right.Name, door.Has(right.Need), ways, grants)
			}
		}
	}
}
