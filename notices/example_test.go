package notices_test

import (
	"fmt"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/notices"
)

// A team hears of the change requests of what it has access to, and of nothing else that happens there.
func ExampleReach_Leads() {
	w := belay.Workspace{ID: "ws-1", ProjectID: "prj-1"}
	ops := notices.Notification{TeamID: "team-ops"}
	reads := func(team string, place belay.GrantScope, id string) bool {
		return team == "team-ops" && place == belay.OnProjects && id == "prj-1"
	}
	for _, trigger := range []string{notices.TriggerChangeRequest, "run:errored"} {
		hears := false
		for _, reach := range notices.Tells(trigger).Reaches {
			hears = hears || reach.Leads(&ops, &w, reads)
		}
		fmt.Println(trigger, hears)
	}
	// Output:
	// change_request:created true
	// run:errored false
}
