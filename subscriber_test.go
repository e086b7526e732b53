package belay_test

import (
	"testing"

	"github.com/belayhq/belay"
)

func TestWhoIsTold(t *testing.T) {
	t.Parallel()
	w := belay.Workspace{ID: "ws-1", ProjectID: "prj-1"}
	access := func(team string, place belay.GrantScope, id string) bool {
		return map[string]bool{"direct project": false, "direct workspace": id == "ws-1", "through project": id == "prj-1", "other workspace": id == "ws-2"}[team+" "+string(place)]
	}
	for name, c := range map[string]struct {
		n               belay.Notification
		request, drifts bool
	}{
		"its own":                         {belay.Notification{WorkspaceID: "ws-1"}, true, true},
		"another's":                       {belay.Notification{WorkspaceID: "ws-2"}, false, false},
		"its project's":                   {belay.Notification{ProjectID: "prj-1"}, true, true},
		"another project's":               {belay.Notification{ProjectID: "prj-2"}, false, false},
		"a team's with access":            {belay.Notification{TeamID: "direct"}, true, false},
		"a team's by the project":         {belay.Notification{TeamID: "through"}, true, false},
		"a team's with access to another": {belay.Notification{TeamID: "other"}, false, false},
		"a team's without access":         {belay.Notification{TeamID: "none"}, false, false},
	} {
		for trigger, want := range map[string]bool{belay.TriggerChangeRequest: c.request, belay.TriggerReminder: c.request, belay.TriggerDrifted: c.drifts} {
			if got := belay.Tells(trigger).Reaching(&c.n, &w, access); got != want {
				t.Errorf("%s is told of %s: %v", name, trigger, got)
			}
		}
	}
	off := belay.Notification{Triggers: []string{belay.TriggerChangeRequest}}
	on := off
	on.Enabled = true
	for trigger, want := range map[string]bool{belay.TriggerChangeRequest: true, belay.TriggerReminder: true, belay.TriggerDrifted: false, "run:created": false} {
		if rule := belay.Tells(trigger); rule.WantedBy(&on) != want || rule.WantedBy(&off) {
			t.Errorf("%s: wanted %v, while disabled %v", trigger, rule.WantedBy(&on), rule.WantedBy(&off))
		}
	}
}
