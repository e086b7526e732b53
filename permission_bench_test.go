package belay_test

import (
	"fmt"
	"testing"

	"github.com/belayhq/belay"
)

// BenchmarkCheck is what every request asks of the rights of who asks: may they do that here, and
// what a page of a hundred workspaces lets them do.
func BenchmarkCheck(b *testing.B) {
	access := manyTeams()
	need := belay.UpdateWorkspace
	b.Run("one", func(b *testing.B) {
		for b.Loop() {
			if !access.OnWorkspace("ws-7", "prj-7").Has(need) {
				b.Fatal("refused")
			}
		}
	})
	b.Run("hundred", func(b *testing.B) {
		ids := make([]string, 100)
		for i := range ids {
			ids[i] = fmt.Sprint("ws-", i)
		}
		for b.Loop() {
			n := 0
			for _, id := range ids {
				if access.OnWorkspace(id, "prj-1").Has(need) {
					n++
				}
			}
			if n != 40 {
				b.Fatal(n)
			}
		}
	})
	b.Run("sum", func(b *testing.B) {
		for b.Loop() {
			manyTeams()
		}
	})
	b.Run("scope", func(b *testing.B) {
		for b.Loop() {
			if scope := access.Scope(need); len(scope.Workspaces) != 40 {
				b.Fatal(len(scope.Workspaces))
			}
		}
	})
}

var manyGrants = func() (list []belay.Grant) {
	for i := range 40 {
		list = append(list, belay.Grant{Scope: belay.OnOrganization, ScopeID: fmt.Sprint("team-", i), Custom: belay.OrganizationAccess{ReadProjects: i == 0}},
			belay.Grant{Scope: belay.OnWorkspaces, ScopeID: fmt.Sprint("ws-", i), Level: "admin"},
			belay.Grant{Scope: belay.OnProjects, ScopeID: fmt.Sprint("prj-", i), Level: "custom", Custom: belay.ProjectAccess{Settings: "update"}})
	}
	return list
}()

func manyTeams() belay.Access {
	return belay.NewAccess(belay.Principal{Kind: belay.UserPrincipal, ID: "user-1"}, manyGrants)
}
