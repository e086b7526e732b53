package deliver

import (
	"html/template"
	texttemplate "text/template"

	"github.com/belayhq/belay/backlog"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/notices"
	"github.com/belayhq/belay/run"
)

// runStory tells what happened to a run.
type runStory struct {
	d    *Deliverer
	n    *notices.Notification
	news store.RunNews
	row  *notices.Delivery
}

// runPayload is the payload of a generic webhook about a run (docs/notifications.md).
type runPayload struct {
	Version         int    `json:"payload_version"`
	ConfigurationID string `json:"notification_configuration_id"`
	aboutRun
}

// url is the page of the run.
func (s runStory) url() string {
	return s.d.links + "/app/" + s.news.Organization + "/" + s.news.WorkspaceName + "/runs/" + s.news.RunID
}

func (s runStory) headline() string {
	return run.Headline(s.row.Trigger, run.Status(s.row.RunStatus))
}

func (s runStory) generic() any {
	url, created, happened := s.url(), s.news.CreatedAt.Format(stamp), s.row.CreatedAt.Format(stamp)
	return runPayload{Version: 1, ConfigurationID: s.n.ID, aboutRun: aboutRun{
		URL: &url, ID: &s.news.RunID, Message: &s.news.Message, CreatedAt: &created, CreatedBy: named(s.news.CreatedBy),
		WorkspaceID: &s.news.WorkspaceID, WorkspaceName: &s.news.WorkspaceName, Organization: &s.news.Organization,
		Notifications: []told{{
			Message: s.headline(), Trigger: s.row.Trigger, RunStatus: &s.row.RunStatus, RunUpdatedAt: &happened, RunUpdatedBy: named(s.row.ActedBy),
		}},
	}}
}

// named is a name, or null where the server acted.
func named(who string) *string {
	if who == "" {
		return nil
	}
	return &who
}

// subjectMost is how many characters of a run's message stand in a line.
const subjectMost = 200

// subject is the run in one line: its message, or itself when it has none.
func (s runStory) subject() string {
	message := cut(backlog.OneLine(s.news.Message), subjectMost, slackSize)
	if message == "" {
		return s.news.RunID
	}
	return message
}

// facts is what people want to know of what happened.
func (s runStory) facts() []cardFact {
	list := []cardFact{
		{"Workspace", s.news.WorkspaceName},
		{"Organization", s.news.Organization},
		{"Run", s.news.RunID},
		{"Status", s.row.RunStatus},
		{"Created by", s.news.CreatedBy},
	}
	if s.row.ActedBy != "" {
		list = append(list, cardFact{"Updated by", s.row.ActedBy})
	}
	return append(list, cardFact{"Updated at", since(s.row.CreatedAt)})
}

func (s runStory) notice() notice {
	return notice{
		headline: s.headline(), subject: s.subject(), workspace: s.news.WorkspaceName,
		url: s.url(), open: "Open the run", facts: s.facts(),
	}
}

// mailedRun is what the templates of a letter about a run are filled with.
type mailedRun struct {
	Headline, Subject, URL, Why string
	Facts                       []cardFact
}

var (
	textRun = texttemplate.Must(texttemplate.New("text").Parse(`{{.Headline}}: {{.Subject}}

{{range .Facts}}{{.Title}}: {{.Value}}
{{end}}
{{.URL}}

{{.Why}}
`))
	// The words of people are escaped by the template.
	htmlRun = template.Must(template.New("html").Parse(`<!DOCTYPE html>
<html><body style="font-family: sans-serif">
<h2>{{.Headline}}</h2>
<p><a href="{{.URL}}">{{.Subject}}</a></p>
<ul>{{range .Facts}}<li>{{.Title}}: {{.Value}}</li>{{end}}</ul>
<p style="color: #666">{{.Why}}</p>
</body></html>
`))
)

func (s runStory) letter() letter {
	fill := mailedRun{Headline: s.headline(), Subject: s.subject(), URL: s.url(), Why: s.d.why(s.n), Facts: s.facts()}
	return write("["+s.news.Organization+"] "+fill.Headline+" on "+s.news.WorkspaceName+": "+fill.Subject, textRun, htmlRun, fill)
}
