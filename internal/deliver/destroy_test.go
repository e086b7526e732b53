package deliver

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/notices"
)

func TestWhatIsToldOfAutoDestroy(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 23, 14, 0, 0, 0, time.UTC)
	of := &belay.Workspace{Name: "network", Organization: belay.Organization{Name: "acme"}}
	n := &notices.Notification{ID: "nc-1", WorkspaceID: "ws-1"}
	begins := `{"payload_version":"2","notification_configuration_id":"nc-1","notification_configuration_url":"https://belay.example.com/api/v2/notification-configurations/nc-1","trigger_scope":"workspace",`
	for want, row := range map[string]notices.Delivery{
		begins + `"trigger":"workspace:auto_destroy_reminder","message":"Auto-Destroy Reminder","details":{"auto_destroy_at":"2026-11-23T14:00:00.000Z","run_created_at":null,"run_status":null,"run_external_id":null,"run_create_error_message":null,"trigger_type":"reminder","workspace_name":"network","organization_name":"acme"}}`:                  {Trigger: notices.TriggerDestroyReminder, Destroy: &belay.DestroyNews{At: at}},
		begins + `"trigger":"workspace:auto_destroy_run_results","message":"Auto-Destroy Results","details":{"auto_destroy_at":null,"run_created_at":"2026-11-23T14:00:00.000Z","run_status":"applied","run_external_id":"run-1","run_create_error_message":null,"trigger_type":"results","workspace_name":"network","organization_name":"acme"}}`:         {Trigger: notices.TriggerDestroyResults, Destroy: &belay.DestroyNews{RunID: "run-1", RunStatus: "applied", RunCreatedAt: at}},
		begins + `"trigger":"workspace:auto_destroy_run_results","message":"Auto-Destroy Failed","details":{"auto_destroy_at":"2026-11-23T14:00:00.000Z","run_created_at":null,"run_status":null,"run_external_id":null,"run_create_error_message":"Workspace is locked","trigger_type":"results","workspace_name":"network","organization_name":"acme"}}`: {Trigger: notices.TriggerDestroyResults, Destroy: &belay.DestroyNews{At: at, Problem: "Workspace is locked"}},
	} {
		story := destroyStory{&Deliverer{links: "https://belay.example.com"}, n, of, &row}
		got, err := json.Marshal(story.generic())
		if err != nil || string(got) != want {
			t.Errorf("%v\n got %s\nwant %s", err, got, want)
		}
	}
	failed := destroyStory{&Deliverer{links: "https://belay.example.com"}, n, of, &notices.Delivery{Trigger: notices.TriggerDestroyResults, Destroy: &belay.DestroyNews{RunID: "run-1", RunStatus: "errored"}}}
	if got := failed.notice().url; got != "https://belay.example.com/app/acme/network/runs/run-1" {
		t.Errorf("leads to %s", got)
	}
}
