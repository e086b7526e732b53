package deliver

import (
	"net/url"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/notices"
)

// destroyStory tells of a schedule that destroys what a workspace manages.
type destroyStory struct {
	d   *Deliverer
	n   *notices.Notification
	of  *belay.Workspace
	row *notices.Delivery
}

// destroyDetails is what a generic webhook says of a schedule
// (docs/notifications.md). What does not apply is null.
type destroyDetails struct {
	At           *string `json:"auto_destroy_at"`
	RunCreatedAt *string `json:"run_created_at"`
	RunStatus    *string `json:"run_status"`
	RunID        *string `json:"run_external_id"`
	Problem      *string `json:"run_create_error_message"`
	Kind         string  `json:"trigger_type"`
	Workspace    string  `json:"workspace_name"`
	Organization string  `json:"organization_name"`
}

func (s destroyStory) reminds() bool { return s.row.Trigger == notices.TriggerDestroyReminder }

func (s destroyStory) headline() string {
	switch {
	case s.reminds():
		return "Auto-Destroy Reminder"
	case s.row.Destroy.Problem != "":
		return "Auto-Destroy Failed"
	default:
		return "Auto-Destroy Results"
	}
}

func (s destroyStory) generic() any {
	news, kind := s.row.Destroy, "results"
	if s.reminds() {
		kind = "reminder"
	}
	return s.d.detailed(s.n, "workspace", s.row.Trigger, s.headline(), destroyDetails{
		At: moment(news.At), RunCreatedAt: moment(news.RunCreatedAt), RunStatus: named(news.RunStatus), RunID: named(news.RunID),
		Problem: named(news.Problem), Kind: kind, Workspace: s.of.Name, Organization: s.of.Organization.Name,
	})
}

// moment is how payloads write a moment, or null.
func moment(at time.Time) *string {
	if at.IsZero() {
		return nil
	}
	return named(at.Format(stamp))
}

// url is where to read on: the run, or the workspace where there is none.
func (s destroyStory) url() string {
	at := s.d.links + "/app/" + url.PathEscape(s.of.Organization.Name)
	if s.row.Destroy.RunID != "" {
		return at + "/" + url.PathEscape(s.of.Name) + "/runs/" + s.row.Destroy.RunID
	}
	return at + "/workspaces/" + url.PathEscape(s.of.Name)
}

func (s destroyStory) facts() []cardFact {
	list := []cardFact{{"Workspace", s.of.Name}, {"Organization", s.of.Organization.Name}}
	news := s.row.Destroy
	for _, fact := range []cardFact{{"Run", news.RunID}, {"Status", news.RunStatus}, {"Error", news.Problem}} {
		if fact.Value != "" {
			list = append(list, fact)
		}
	}
	if !news.At.IsZero() {
		list = append(list, cardFact{"Destroyed at", news.At.Format(stamp)})
	}
	return list
}

func (s destroyStory) notice() notice {
	return notice{
		headline: s.headline(), subject: s.of.Name, workspace: s.of.Name,
		url: s.url(), open: "Open it", facts: s.facts(),
	}
}

func (s destroyStory) letter() letter {
	fill := mailedRun{Headline: s.headline(), Subject: s.of.Name, URL: s.url(), Why: s.d.why(s.n), Facts: s.facts()}
	return write("["+s.of.Organization.Name+"] "+fill.Headline+" on "+s.of.Name, textRun, htmlRun, fill)
}
