package deliver

import (
	"encoding/json"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/belayhq/belay/backlog"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/notices"
)

// stamp is how payloads write a moment.
const stamp = "2006-01-02T15:04:05.000Z"

// generic is the payload of a generic webhook about a change request
// (docs/notifications.md).
type generic struct {
	Version          int    `json:"payload_version"`
	ConfigurationID  string `json:"notification_configuration_id"`
	ConfigurationURL string `json:"notification_configuration_url"`
	Scope            string `json:"trigger_scope"`
	Trigger          string `json:"trigger"`
	Message          string `json:"message"`
	ID               string `json:"change_request_id"`
	URL              string `json:"change_request_url"`
	Subject          string `json:"change_request_subject"`
	Text             string `json:"change_request_message"`
	CreatedAt        string `json:"change_request_created_at"`
	CreatedBy        string `json:"change_request_created_by"`
	WorkspaceID      string `json:"workspace_id"`
	WorkspaceName    string `json:"workspace_name"`
	Organization     string `json:"organization_name"`
}

// aboutRun is what payloads say of a run, and the members that receivers know of runs: all
// null where nothing has happened to one.
type aboutRun struct {
	URL           *string `json:"run_url"`
	ID            *string `json:"run_id"`
	Message       *string `json:"run_message"`
	CreatedAt     *string `json:"run_created_at"`
	CreatedBy     *string `json:"run_created_by"`
	WorkspaceID   *string `json:"workspace_id"`
	WorkspaceName *string `json:"workspace_name"`
	Organization  *string `json:"organization_name"`
	Notifications []told  `json:"notifications"`
}

type told struct {
	Message      string  `json:"message"`
	Trigger      string  `json:"trigger"`
	RunStatus    *string `json:"run_status"`
	RunUpdatedAt *string `json:"run_updated_at"`
	RunUpdatedBy *string `json:"run_updated_by"`
}

// detailedPayload is the payload of a generic webhook about what is no run and no change
// request: what is particular to it stands below details.
type detailedPayload struct {
	Version          string `json:"payload_version"`
	ConfigurationID  string `json:"notification_configuration_id"`
	ConfigurationURL string `json:"notification_configuration_url"`
	Scope            string `json:"trigger_scope"`
	Trigger          string `json:"trigger"`
	Message          string `json:"message"`
	Details          any    `json:"details"`
}

func (d *Deliverer) detailed(n *notices.Notification, scope, trigger, message string, details any) detailedPayload {
	return detailedPayload{
		Version: "2", ConfigurationID: n.ID, ConfigurationURL: d.configurationURL(n), Scope: scope,
		Trigger: trigger, Message: message, Details: details,
	}
}

// verifying is the payload that verifies a generic webhook.
type verifying struct {
	Version          int    `json:"payload_version"`
	ConfigurationID  string `json:"notification_configuration_id"`
	ConfigurationURL string `json:"notification_configuration_url"`
	Scope            string `json:"trigger_scope"`
	Trigger          string `json:"trigger"`
	Message          string `json:"message"`
	aboutRun
}

// story is what one delivery tells of, in the forms of the destinations.
type story interface {
	generic() any   // the payload of a generic webhook
	notice() notice // what people read in a chat
	letter() letter // and in a mail
}

// notice is what people read of a story in a chat.
type notice struct {
	headline, subject, text string // text has many lines, and may be empty
	workspace               string
	url, open               string // where to read on, and what the way there is called
	facts                   []cardFact
}

// requestStory tells of new change requests, or again of open ones: a mail of all of a bulk
// action, a webhook of one.
type requestStory struct {
	d       *Deliverer
	n       *notices.Notification
	trigger string
	news    []store.News
	total   int
}

// headline is what every kind of message about a change request begins with.
func (s requestStory) headline() string {
	if s.trigger == notices.TriggerReminder {
		return "Change request still open"
	}
	return "Change request created"
}

func (d *Deliverer) configurationURL(n *notices.Notification) string {
	return d.links + "/api/v2/notification-configurations/" + n.ID
}

// changeRequestURL is the page of a change request.
func (d *Deliverer) changeRequestURL(news *store.News) string {
	return d.links + "/app/change-requests/" + news.ChangeRequestID
}

// payload is the body that tells a webhook of something.
func payload(n *notices.Notification, of story) ([]byte, error) {
	switch n.Destination {
	case notices.SlackDestination:
		return json.Marshal(slack(of.notice()))
	case notices.TeamsDestination:
		return json.Marshal(teams(of.notice()))
	default:
		return json.Marshal(of.generic())
	}
}

func (s requestStory) generic() any {
	news := &s.news[0]
	return generic{
		Version: 1, ConfigurationID: s.n.ID, ConfigurationURL: s.d.configurationURL(s.n), Scope: s.n.Scope(),
		Trigger: s.trigger, Message: s.headline(),
		ID: news.ChangeRequestID, URL: s.d.changeRequestURL(news), Subject: news.Subject, Text: news.Message,
		CreatedAt: news.CreatedAt.Format(stamp), CreatedBy: news.CreatedBy,
		WorkspaceID: news.WorkspaceID, WorkspaceName: news.WorkspaceName, Organization: news.Organization,
	}
}

func (s requestStory) notice() notice {
	news := &s.news[0]
	return notice{
		headline: s.headline(), subject: backlog.OneLine(news.Subject), text: readable(news.Message), workspace: news.WorkspaceName,
		url: s.d.changeRequestURL(news), open: "Open the change request",
		facts: []cardFact{
			{"Workspace", news.WorkspaceName},
			{"Organization", news.Organization},
			{"Created by", news.CreatedBy},
			{"Created at", news.CreatedAt.Format(stamp)},
		},
	}
}

func (s requestStory) letter() letter { return s.d.mailAbout(s.n, s.trigger, s.news, s.total) }

// verification is the body that verifies a webhook.
func (d *Deliverer) verification(n *notices.Notification) ([]byte, error) {
	message := "Verification of " + backlog.OneLine(n.Name)
	switch n.Destination {
	case notices.SlackDestination:
		return json.Marshal(slackMessage{Text: slackText(message)})
	case notices.TeamsDestination:
		return json.Marshal(card(cardLine(message)))
	default:
		return json.Marshal(verifying{
			Version: 1, ConfigurationID: n.ID, ConfigurationURL: d.configurationURL(n), Scope: n.Scope(),
			Trigger: notices.TriggerVerification, Message: message,
			aboutRun: aboutRun{Notifications: []told{{Message: message, Trigger: notices.TriggerVerification}}},
		})
	}
}

// slackMessage is what Slack's incoming webhooks take: a plain text for notices, and
// blocks for the channel.
type slackMessage struct {
	Text   string       `json:"text"`
	Blocks []slackBlock `json:"blocks,omitempty"`
}

type slackBlock struct {
	Type     string      `json:"type"`
	Text     *slackWords `json:"text,omitempty"`
	Elements []any       `json:"elements,omitempty"`
}

type slackWords struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// slackSection is how many characters a block takes, and a little less.
const slackSection = 2900

func slack(of notice) slackMessage {
	words := func(text string) *slackWords { return &slackWords{Type: "mrkdwn", Text: text} }
	message := slackMessage{
		Text:   slackText(of.headline + " on " + of.workspace + ": " + of.subject),
		Blocks: []slackBlock{{Type: "section", Text: words("*" + of.headline + "*: <" + of.url + "|" + slackText(of.subject) + ">")}},
	}
	if of.text != "" {
		message.Blocks = append(message.Blocks, slackBlock{Type: "section", Text: words(slackText(cut(of.text, slackSection, slackSize)))})
	}
	facts := make([]any, len(of.facts))
	for i, f := range of.facts {
		facts[i] = words(f.Title + ": " + slackText(f.Value))
	}
	message.Blocks = append(message.Blocks, slackBlock{Type: "context", Elements: facts})
	return message
}

var slackEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// slackText takes the three characters out of a text that Slack reads as control.
func slackText(text string) string { return slackEscapes.Replace(text) }

// slackSize is how many characters Slack counts for one.
func slackSize(r rune) int {
	switch r {
	case '&', '<', '>':
		return len("&amp;")
	default:
		return utf16.RuneLen(r)
	}
}

// teamsMessage carries an adaptive card, which is what a workflow of Microsoft Teams
// takes from a webhook.
type teamsMessage struct {
	Type        string            `json:"type"`
	Attachments []teamsAttachment `json:"attachments"`
}

type teamsAttachment struct {
	ContentType string    `json:"contentType"`
	Content     teamsCard `json:"content"`
}

type teamsCard struct {
	Schema  string       `json:"$schema"`
	Type    string       `json:"type"`
	Version string       `json:"version"`
	Body    []any        `json:"body"`
	Actions []cardAction `json:"actions,omitempty"`
}

type cardText struct {
	Type   string `json:"type"`
	Text   string `json:"text"`
	Weight string `json:"weight,omitempty"`
	Size   string `json:"size,omitempty"`
	Wrap   bool   `json:"wrap"`
}

// cardRuns is text that is shown as it is: a TextBlock reads markdown, and its links.
type cardRuns struct {
	Type    string    `json:"type"`
	Inlines []cardRun `json:"inlines"`
}

type cardRun struct {
	Type   string `json:"type"`
	Text   string `json:"text"`
	Weight string `json:"weight"`
}

// cardLine is a line of plain text.
func cardLine(text string) cardRuns {
	return cardRuns{Type: "RichTextBlock", Inlines: []cardRun{{Type: "TextRun", Text: text, Weight: "Bolder"}}}
}

type cardFacts struct {
	Type  string     `json:"type"`
	Facts []cardFact `json:"facts"`
}

type cardFact struct {
	Title string `json:"title"`
	Value string `json:"value"`
}

type cardAction struct {
	Type  string `json:"type"`
	Title string `json:"title"`
	URL   string `json:"url"`
}

// cardLimit keeps a card well below what Microsoft Teams takes: 28 KB.
const cardLimit = 20000

// cardSize is how many bytes a character takes in a card, which is JSON.
func cardSize(r rune) int {
	switch r {
	case '"', '\\', '\n', '\t':
		return 2
	case '&', '<', '>', '\u2028', '\u2029':
		return len(`\u0026`)
	default:
		return utf8.RuneLen(r)
	}
}

func card(body ...any) teamsMessage {
	return teamsMessage{Type: "message", Attachments: []teamsAttachment{{
		ContentType: "application/vnd.microsoft.card.adaptive",
		Content: teamsCard{
			Schema: "http://adaptivecards.io/schemas/adaptive-card.json", Type: "AdaptiveCard", Version: "1.4", Body: body,
		},
	}}}
}

func teams(of notice) teamsMessage {
	message := card(
		cardText{Type: "TextBlock", Text: of.headline, Weight: "Bolder", Size: "Medium", Wrap: true},
		cardLine(of.subject),
	)
	content := &message.Attachments[0].Content
	if of.text != "" {
		content.Body = append(content.Body, cardText{Type: "TextBlock", Text: cut(of.text, cardLimit, cardSize), Wrap: true})
	}
	content.Body = append(content.Body, cardFacts{Type: "FactSet", Facts: of.facts})
	content.Actions = []cardAction{{Type: "Action.OpenUrl", Title: of.open, URL: of.url}}
	return message
}

// readable is a text of many lines with blanks for the control characters that no message
// is taken with any more.
func readable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return ' '
		}
		return r
	}, strings.ReplaceAll(text, "\r\n", "\n"))
}

// cut is as much of a text as its receiver takes, and says where it ends early.
func cut(text string, most int, size func(rune) int) string {
	for i, r := range text {
		if most -= size(r); most < 0 {
			return text[:i] + " …"
		}
	}
	return text
}

// since writes a moment for people.
func since(at time.Time) string { return at.UTC().Format("2006-01-02 15:04 UTC") }
