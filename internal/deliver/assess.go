package deliver

import (
	"net/url"
	"strconv"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/notices"
	"github.com/belayhq/belay/run"
)

// assessmentStory tells what is new of the health of a workspace.
type assessmentStory struct {
	d   *Deliverer
	n   *notices.Notification
	of  *belay.Workspace
	row *notices.Delivery
}

// assessmentDetails is what a generic webhook says of an assessment (docs/notifications.md).
type assessmentDetails struct {
	New          *assessmentFacts `json:"new_assessment_result"`
	Prior        *assessmentFacts `json:"prior_assessment_result"`
	WorkspaceID  string           `json:"workspace_id"`
	Workspace    string           `json:"workspace_name"`
	Organization string           `json:"organization_name"`
}

type assessmentFacts struct {
	ID            string `json:"id"`
	URL           string `json:"url"`
	Succeeded     bool   `json:"succeeded"`
	Drifted       bool   `json:"drifted"`
	AllChecks     bool   `json:"all_checks_succeeded"`
	Drifting      int    `json:"resources_drifted"`
	Undrifted     int    `json:"resources_undrifted"`
	ChecksPassed  int    `json:"checks_passed"`
	ChecksFailed  int    `json:"checks_failed"`
	ChecksErrored int    `json:"checks_errored"`
	ChecksUnknown int    `json:"checks_unknown"`
	CreatedAt     string `json:"created_at"`
}

func (s assessmentStory) facts(a *run.Assessment) *assessmentFacts {
	if a == nil {
		return nil
	}
	return &assessmentFacts{
		ID: a.ID, URL: s.d.links + "/api/v2/assessment-results/" + a.ID, Succeeded: a.Succeeded, Drifted: a.Drifted(), AllChecks: a.AllChecksSucceeded(),
		Drifting: a.ResourcesDrifted, Undrifted: a.ResourcesUndrifted, ChecksPassed: a.ChecksPassed, ChecksFailed: a.ChecksFailed,
		ChecksErrored: a.ChecksErrored, ChecksUnknown: a.ChecksUnknown, CreatedAt: a.CreatedAt.Format(stamp),
	}
}

func (s assessmentStory) headline() string {
	switch s.row.Trigger {
	case run.TriggerDrifted:
		return "Drift Detected"
	case run.TriggerCheckFailure:
		return "Check Failure Detected"
	default:
		return "Assessment Failed"
	}
}

func (s assessmentStory) generic() any {
	news := s.row.Assessment
	return s.d.detailed(s.n, "assessment", s.row.Trigger, s.headline(), assessmentDetails{
		New: s.facts(&news.New), Prior: s.facts(news.Prior),
		WorkspaceID: s.of.ID, Workspace: s.of.Name, Organization: s.of.Organization.Name,
	})
}

// url is the page of the workspace's health.
func (s assessmentStory) url() string {
	return s.d.links + "/app/" + url.PathEscape(s.of.Organization.Name) + "/workspaces/" + url.PathEscape(s.of.Name) + "/health"
}

func (s assessmentStory) lines() []cardFact {
	a := &s.row.Assessment.New
	list := []cardFact{{"Workspace", s.of.Name}, {"Organization", s.of.Organization.Name}}
	if !a.Succeeded {
		return append(list, cardFact{"Error", a.Problem})
	}
	broken := strconv.Itoa(a.ChecksFailed+a.ChecksErrored) + " of " + strconv.Itoa(a.ChecksPassed+a.ChecksFailed+a.ChecksErrored+a.ChecksUnknown)
	return append(list, cardFact{"Resources that drifted", strconv.Itoa(a.ResourcesDrifted)}, cardFact{"Checks that failed", broken})
}

func (s assessmentStory) notice() notice {
	return notice{headline: s.headline(), subject: s.of.Name, workspace: s.of.Name, url: s.url(), open: "Open it", facts: s.lines()}
}

func (s assessmentStory) letter() letter {
	fill := mailedRun{Headline: s.headline(), Subject: s.of.Name, URL: s.url(), Why: s.d.why(s.n), Facts: s.lines()}
	return write("["+s.of.Organization.Name+"] "+fill.Headline+" on "+s.of.Name, textRun, htmlRun, fill)
}
