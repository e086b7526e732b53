package gate_test

import (
	"testing"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
)

// TestWhatIsNotWeighedDecidesNothing asks who may manage a team by all that it opens, and by what was weighed alone.
func TestWhatIsNotWeighedDecidesNothing(t *testing.T) {
	t.Parallel()
	user := func(a belay.OrganizationAccess, more ...belay.Grant) belay.Access {
		return belay.NewAccess(belay.Principal{Kind: belay.UserPrincipal}, append(more, belay.Grant{Scope: belay.OnOrganization, ScopeID: "team-1", Custom: a}))
	}
	who := map[string]belay.Access{
		"a site admin": belay.FullAccess(), "an organization token": belay.NewAccess(belay.Principal{Kind: belay.OrganizationPrincipal}, nil), "a member": user(belay.OrganizationAccess{}),
		"an owner":                          belay.NewAccess(belay.Principal{Kind: belay.UserPrincipal}, []belay.Grant{{Scope: belay.OnOrganization, Level: belay.OwnersLevel}}),
		"who manages teams":                 user(belay.OrganizationAccess{ManageTeams: true}),
		"who manages members":               user(belay.OrganizationAccess{ManageMembership: true}),
		"who manages teams and workspaces":  user(belay.OrganizationAccess{ManageTeams: true, ManageWorkspaces: true}),
		"who manages teams and projects":    user(belay.OrganizationAccess{ManageTeams: true, ManageProjects: true}),
		"who is admin of a project":         user(belay.OrganizationAccess{ManageTeams: true}, belay.Grant{Scope: belay.OnProjects, ScopeID: "prj-1", Level: "admin"}),
		"who writes a workspace":            user(belay.OrganizationAccess{ManageMembership: true}, belay.Grant{Scope: belay.OnWorkspaces, ScopeID: "ws-1", Level: "write"}),
		"who is admin of it, and no member": user(belay.OrganizationAccess{}, belay.Grant{Scope: belay.OnWorkspaces, ScopeID: "ws-1", Level: "admin"}),
	}
	alone := func(id, level string) belay.Grant {
		return belay.Grant{Scope: belay.OnWorkspaces, ScopeID: id, Level: level, ProjectID: "prj-1"}
	}
	opens := belay.Grant{Scope: belay.OnOrganization, ScopeID: "team-2"}
	decided := 0
	for name, access := range who {
		for _, levels := range [][]belay.Grant{nil, {alone("ws-1", "read")}, {alone("ws-1", "admin")}, {alone("ws-1", "read"), alone("ws-2", "admin")}} {
			bare, whole := belay.Team{ID: "team-2", Grants: []belay.Grant{opens}}, belay.Team{ID: "team-2", Grants: append([]belay.Grant{opens}, levels...)}
			weighed := bare
			if gate.Weighed(access).Everything {
				weighed = whole
			}
			for need, may := range map[string]gate.MayTeam{"the team": gate.MayManageTeam, "its members": gate.MayManageMembers} {
				if may(access, whole) != may(access, weighed) {
					t.Errorf("whether %s manages %s with %v is decided by what was not weighed", name, need, levels)
				}
				if !may(access, whole) && may(access, bare) {
					decided++
				}
			}
		}
	}
	if decided == 0 {
		t.Error("no level on a workspace decided anything: the test asks too little")
	}
}
