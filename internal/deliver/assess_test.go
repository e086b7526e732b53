package deliver

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/notices"
	"github.com/belayhq/belay/run"
)

func TestWhatIsToldOfAssessments(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 23, 14, 0, 0, 0, time.UTC)
	n := &notices.Notification{ID: "nc-1", WorkspaceID: "ws-1", Destination: notices.GenericDestination}
	of := &belay.Workspace{ID: "ws-1", Name: "network", Organization: belay.Organization{Name: "acme"}}
	good := run.Assessment{ID: "asmtres-1", Succeeded: true, CreatedAt: at, Findings: run.Findings{ResourcesUndrifted: 2, ChecksPassed: 1}}
	bad := run.Assessment{ID: "asmtres-2", Succeeded: true, CreatedAt: at, Findings: run.Findings{ResourcesDrifted: 1, ResourcesUndrifted: 1, ChecksFailed: 1}}
	const prior = `{"id":"asmtres-1","url":"https://belay.example.com/api/v2/assessment-results/asmtres-1","succeeded":true,"drifted":false,"all_checks_succeeded":true,"resources_drifted":0,"resources_undrifted":2,"checks_passed":1,"checks_failed":0,"checks_errored":0,"checks_unknown":0,"created_at":"2026-11-23T14:00:00.000Z"}`
	for _, c := range []struct {
		news          run.AssessmentNews
		trigger, want string
	}{
		{run.AssessmentNews{New: bad, Prior: &good}, run.TriggerDrifted, `"trigger":"assessment:drifted","message":"Drift Detected","details":{"new_assessment_result":{"id":"asmtres-2","url":"https://belay.example.com/api/v2/assessment-results/asmtres-2","succeeded":true,"drifted":true,"all_checks_succeeded":false,"resources_drifted":1,"resources_undrifted":1,"checks_passed":0,"checks_failed":1,"checks_errored":0,"checks_unknown":0,"created_at":"2026-11-23T14:00:00.000Z"},"prior_assessment_result":` + prior},
		{run.AssessmentNews{New: bad}, run.TriggerCheckFailure, `"message":"Check Failure Detected"`},
		{run.AssessmentNews{New: run.Assessment{Problem: "it broke"}}, run.TriggerAssessmentFailed, `"prior_assessment_result":null,"workspace_id":"ws-1","workspace_name":"network","organization_name":"acme"}}`},
	} {
		s := assessmentStory{&Deliverer{links: "https://belay.example.com"}, n, of, &notices.Delivery{Trigger: c.trigger, Assessment: &c.news}}
		raw, err := json.Marshal(s.generic())
		const begins = `{"payload_version":"2","notification_configuration_id":"nc-1","notification_configuration_url":"https://belay.example.com/api/v2/notification-configurations/nc-1","trigger_scope":"assessment",`
		if err != nil || !strings.HasPrefix(string(raw), begins) || !strings.Contains(string(raw), c.want) {
			t.Errorf("%s %v\nwants %s", raw, err, c.want)
		}
		if text := s.notice(); !strings.HasSuffix(text.url, "/app/acme/workspaces/network/health") || len(text.facts) < 3 {
			t.Errorf("%+v", text)
		}
	}
}
