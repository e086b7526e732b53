package notices_test

import (
	"testing"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/notices"
	"github.com/belayhq/belay/run"
)

func TestWhoIsTold(t *testing.T) {
	t.Parallel()
	w := belay.Workspace{ID: "ws-1", ProjectID: "prj-1"}
	access := func(team string, place belay.GrantScope, id string) bool {
		return map[string]bool{"direct project": false, "direct workspace": id == "ws-1", "through project": id == "prj-1", "other workspace": id == "ws-2"}[team+" "+string(place)]
	}
	for name, c := range map[string]struct {
		n               notices.Notification
		request, drifts bool
	}{
		"its own":                         {notices.Notification{WorkspaceID: "ws-1"}, true, true},
		"another's":                       {notices.Notification{WorkspaceID: "ws-2"}, false, false},
		"its project's":                   {notices.Notification{ProjectID: "prj-1"}, true, true},
		"another project's":               {notices.Notification{ProjectID: "prj-2"}, false, false},
		"a team's with access":            {notices.Notification{TeamID: "direct"}, true, false},
		"a team's by the project":         {notices.Notification{TeamID: "through"}, true, false},
		"a team's with access to another": {notices.Notification{TeamID: "other"}, false, false},
		"a team's without access":         {notices.Notification{TeamID: "none"}, false, false},
	} {
		for trigger, want := range map[string]bool{notices.TriggerChangeRequest: c.request, notices.TriggerReminder: c.request, run.TriggerDrifted: c.drifts} {
			if got := notices.Tells(trigger).Reaching(&c.n, &w, access); got != want {
				t.Errorf("%s is told of %s: %v", name, trigger, got)
			}
		}
	}
	off := notices.Notification{Triggers: []string{notices.TriggerChangeRequest}}
	on := off
	on.Enabled = true
	for trigger, want := range map[string]bool{notices.TriggerChangeRequest: true, notices.TriggerReminder: true, run.TriggerDrifted: false, "run:created": false} {
		if rule := notices.Tells(trigger); rule.WantedBy(&on) != want || rule.WantedBy(&off) {
			t.Errorf("%s: wanted %v, while disabled %v", trigger, rule.WantedBy(&on), rule.WantedBy(&off))
		}
	}
}
