package belay_test

import (
	"fmt"
	"time"

	"github.com/belayhq/belay"
)

// Rights of several teams add up, each where its grant reaches.
func ExampleNewAccess() {
	ann := belay.Principal{Kind: belay.UserPrincipal, ID: "user-ann"}
	access := belay.NewAccess(ann, []belay.Grant{
		{Scope: belay.OnProjects, ScopeID: "prj-net", Level: "read"},
		{Scope: belay.OnWorkspaces, ScopeID: "ws-edge", Level: "plan"},
	})
	for _, workspace := range []string{"ws-edge", "ws-core"} {
		may := access.OnWorkspace(workspace, "prj-net")
		fmt.Println(workspace, may.Has(belay.ReadState), may.Has(belay.QueueRuns))
	}
	// Output:
	// ws-edge true true
	// ws-core true false
}

// A workspace has one holder of its lock, and whoever comes second is told who that is.
func ExampleWorkspace_TakeLock() {
	var w belay.Workspace
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	fmt.Println(w.TakeLock(belay.Holder{Type: "users", ID: "user-ann", Name: "ann"}, "maintenance", now))
	fmt.Println(w.TakeLock(belay.Holder{Type: "teams", ID: "team-ops", Name: "ops"}, "", now))
	fmt.Println(w.Lock.Holder, "–", w.Lock.Reason)
	// Output:
	// <nil>
	// conflict: Unable to lock workspace. The workspace is already locked.
	// User ann – maintenance
}
