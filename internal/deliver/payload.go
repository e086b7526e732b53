package deliver

import (
	"encoding/json"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
)

// stamp is how payloads write a moment.
const stamp = "2006-01-02T15:04:05.000Z"

// generic is the payload of a generic webhook about a change request ("Notifications"
// in the rulings).
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

// verifying is the payload that verifies a generic webhook: nothing has happened, so the
// members that receivers know of runs are null.
type verifying struct {
	Version          int     `json:"payload_version"`
	ConfigurationID  string  `json:"notification_configuration_id"`
	ConfigurationURL string  `json:"notification_configuration_url"`
	Scope            string  `json:"trigger_scope"`
	Trigger          string  `json:"trigger"`
	Message          string  `json:"message"`
	RunURL           *string `json:"run_url"`
	RunID            *string `json:"run_id"`
	RunMessage       *string `json:"run_message"`
	RunCreatedAt     *string `json:"run_created_at"`
	RunCreatedBy     *string `json:"run_created_by"`
	WorkspaceID      *string `json:"workspace_id"`
	WorkspaceName    *string `json:"workspace_name"`
	Organization     *string `json:"organization_name"`
	Notifications    []told  `json:"notifications"`
}

type told struct {
	Message      string  `json:"message"`
	Trigger      string  `json:"trigger"`
	RunStatus    *string `json:"run_status"`
	RunUpdatedAt *string `json:"run_updated_at"`
	RunUpdatedBy *string `json:"run_updated_by"`
}

// headline is what every kind of message about a new change request begins with.
const headline = "Change request created"

func (d *Deliverer) configurationURL(n *belay.Notification) string {
	return d.links + "/api/v2/notification-configurations/" + n.ID
}

// changeRequestURL is the page of a change request.
func (d *Deliverer) changeRequestURL(news *store.News) string {
	return d.links + "/app/change-requests/" + news.ChangeRequestID
}

// payload is the body that tells a webhook of a change request.
func (d *Deliverer) payload(n *belay.Notification, news *store.News) ([]byte, error) {
	switch n.Destination {
	case belay.SlackDestination:
		return json.Marshal(d.slack(news))
	case belay.TeamsDestination:
		return json.Marshal(d.teams(news))
	default:
		return json.Marshal(generic{
			Version: 1, ConfigurationID: n.ID, ConfigurationURL: d.configurationURL(n), Scope: n.Scope(),
			Trigger: belay.TriggerChangeRequest, Message: headline,
			ID: news.ChangeRequestID, URL: d.changeRequestURL(news), Subject: news.Subject, Text: news.Message,
			CreatedAt: news.CreatedAt.Format(stamp), CreatedBy: news.CreatedBy,
			WorkspaceID: news.WorkspaceID, WorkspaceName: news.WorkspaceName, Organization: news.Organization,
		})
	}
}

// verification is the body that verifies a webhook.
func (d *Deliverer) verification(n *belay.Notification) ([]byte, error) {
	message := "Verification of " + belay.OneLine(n.Name)
	switch n.Destination {
	case belay.SlackDestination:
		return json.Marshal(slackMessage{Text: slackText(message)})
	case belay.TeamsDestination:
		return json.Marshal(card(cardLine(message)))
	default:
		return json.Marshal(verifying{
			Version: 1, ConfigurationID: n.ID, ConfigurationURL: d.configurationURL(n), Scope: n.Scope(),
			Trigger: belay.TriggerVerification, Message: message,
			Notifications: []told{{Message: message, Trigger: belay.TriggerVerification}},
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

func (d *Deliverer) slack(news *store.News) slackMessage {
	words := func(text string) *slackWords { return &slackWords{Type: "mrkdwn", Text: text} }
	link := func(to, text string) string { return "<" + to + "|" + slackText(text) + ">" }
	subject := belay.OneLine(news.Subject)
	return slackMessage{
		Text: slackText(headline + " on " + news.WorkspaceName + ": " + subject),
		Blocks: []slackBlock{
			{Type: "section", Text: words("*" + headline + "*: " + link(d.changeRequestURL(news), subject))},
			{Type: "section", Text: words(slackText(cut(readable(news.Message), slackSection, slackSize)))},
			{Type: "context", Elements: []any{
				words("Workspace: " + slackText(news.WorkspaceName)),
				words("Organization: " + slackText(news.Organization)),
				words("By: " + slackText(news.CreatedBy)),
				words("At: " + news.CreatedAt.Format(stamp)),
			}},
		},
	}
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

func (d *Deliverer) teams(news *store.News) teamsMessage {
	message := card(
		cardText{Type: "TextBlock", Text: headline, Weight: "Bolder", Size: "Medium", Wrap: true},
		cardLine(belay.OneLine(news.Subject)),
		cardText{Type: "TextBlock", Text: cut(readable(news.Message), cardLimit, cardSize), Wrap: true},
		cardFacts{Type: "FactSet", Facts: []cardFact{
			{"Workspace", news.WorkspaceName},
			{"Organization", news.Organization},
			{"Created by", news.CreatedBy},
			{"Created at", news.CreatedAt.Format(stamp)},
		}},
	)
	message.Attachments[0].Content.Actions = []cardAction{{Type: "Action.OpenUrl", Title: "Open the change request", URL: d.changeRequestURL(news)}}
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
