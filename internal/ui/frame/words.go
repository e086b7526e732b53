package frame

import (
	"cmp"
	"html/template"
	"maps"
	"regexp"
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/forge"
	"github.com/belayhq/belay/inputs"
	"github.com/belayhq/belay/notices"
	"github.com/belayhq/belay/run"
)

// Setting is a name and its value.
type Setting struct{ Name, Value, Path string }

// Minute is a time to the minute.
func Minute(at time.Time) string { return at.Format("2006-01-02 15:04") + " UTC" }

// LinkRow is a link with a note.
type LinkRow struct{ Name, Note, Path string }

// Many is a number with its noun.
func Many(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return Count(n) + " " + more
}

// OrNone is a text, or that there is none.
func OrNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

// Cut is the first letters of a text, and a sign that there are more.
func Cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	if letters := []rune(text); len(letters) > most {
		return string(letters[:most]) + "…"
	}
	return text
}

// TabLink is a tab over a page.
type TabLink struct {
	Name, Path, Count string
	Here              bool
}

// DueWord is how long a campaign has still.
type DueWord struct{ Class, Icon, Text string }

// VariableKinds is the words for categories of variables.
var VariableKinds = map[string]string{inputs.EngineVariable: "Input", inputs.EnvironmentVariable: "Environment"}

// Destinations are the kinds of destinations of notifications, each with its word.
var Destinations = []string{
	string(notices.GenericDestination), "Webhook", string(notices.SlackDestination), "Slack", string(notices.TeamsDestination), "Microsoft Teams", string(notices.EmailDestination), "E-mail",
}

// DestinationWord is a kind of destination in a word.
func DestinationWord(d notices.Destination) string { return WordOf(string(d), Destinations...) }

// WordOf is the word of a value among pairs of both, as Options takes them, or the value itself.
func WordOf(value string, pairs ...string) string {
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i] == value {
			return pairs[i+1]
		}
	}
	return value
}

// RunSources is what runs began through, in words, the first for whatever that was.
var RunSources = []string{
	"", "began anyhow", run.SourceUI, "on a page", run.SourceAPI, "by the API", run.SourceConfiguration, "with a configuration",
	run.SourceRunTrigger, "after another run", run.SourceLifecycle, "by a schedule",
}

// runReasons is why runs began, in words.
var runReasons = map[string]string{
	run.ReasonManual: "somebody asked for it", run.ReasonAutoQueue: "a new configuration", run.ReasonRunTrigger: "an apply of another workspace",
	run.ReasonAutoDestroy: "the day to destroy it came", run.ReasonAssessment: "its health is looked at", run.ReasonGitTag: "a new tag", run.ReasonPullRequest: "a pull request",
	forge.TriggerDisabled: "a new commit", forge.TriggerMatched: "a new commit that changes files of it", forge.TriggerInconclusive: "a new commit; what it changes is not known",
}

// ReasonWord is why a run began, in words.
func ReasonWord(reason string) string { return cmp.Or(runReasons[reason], reason) }

// triggerWords is what notifications tell of, as people say it.
var triggerWords = map[string]string{
	"run:created": "a run is queued", "run:planning": "a plan begins", "run:needs_attention": "a run needs somebody", "run:applying": "an apply begins",
	"run:completed": "a run is done", "run:errored": "a run fails",
	run.TriggerDrifted: "resources have drifted", run.TriggerCheckFailure: "a check fails", run.TriggerAssessmentFailed: "an assessment fails",
	notices.TriggerDestroyReminder: "it will soon be destroyed by itself", notices.TriggerDestroyResults: "it was to be destroyed by itself",
	notices.TriggerChangeRequest: "a change request is filed", notices.TriggerReminder: "somebody reminds of a change request", notices.TriggerVerification: "the destination is tried",
}

// TriggerWord is what notifications tell of, as people say it.
func TriggerWord(trigger string) string { return cmp.Or(triggerWords[trigger], trigger) }

// TriggersText is some of what notifications tell of.
func TriggersText(triggers []string) string {
	words := make([]string, len(triggers))
	for i, trigger := range triggers {
		words[i] = TriggerWord(trigger)
	}
	return strings.Join(words, ", ")
}

// OrSecret is a name, or that it is not for the visitor.
func OrSecret(name string) string {
	if name == "" {
		return "a secret team"
	}
	return name
}

// LongestValue is how many letters of a value a row shows.
const LongestValue = 300

// HappenedRow is one event of the audit trail.
type HappenedRow struct {
	What, By, Knot, Facts string
	Thing, Path           string // what it was done to, and where that is
	At                    time.Time
}

// HolderName is what people call the holder of a lock.
func HolderName(h belay.Holder) string {
	switch h.Type {
	case "teams":
		if h.Hidden {
			return "a team"
		}
		return "the team " + h.Name
	case "runs":
		return "the run " + h.ID
	default:
		return h.Name
	}
}

// LongestAsk is how long the words of a search may be.
const LongestAsk = 200

// calledHere is what pages call fields that the API has another name for, by how what is wrong with one begins.
var calledHere = map[string]string{
	"Body": "Comment", "Url": "Address", "Destination type": "Kind", "Email": "E-mail address", "Email addresses": "E-mail addresses",
	"Http url": "Address", "Api url": "Address of its API", "Delete older than n days": "Days after which they are old", "Identifier": "Repository",
	"Working directory": "Folder", "Trigger patterns": "Patterns", "Trigger prefixes": "Folders", "Tags regex": "Tags",
	"Hcl": "HCL", "Execution mode": "Execution", "Agent pool": "Pool of agents",
	"Sso team": "Group of the identity provider", "Sourceable": "Workspace", "Sourceable has already been taken": "Its applies queue runs here already",
}

// Calls says what the page alone calls fields, by how what is wrong with one begins.
func (v *Visit) Calls(names map[string]string) { v.called = names }

// saidHere is what is wrong with a field, with the name that the field has on pages.
func (v *Visit) saidHere(e *belay.Error) string {
	detail := strings.TrimPrefix(e.Detail, "Validation failed: ") // for clients that look for it
	if e.Place == "" {
		return detail
	}
	names := maps.Clone(calledHere)
	maps.Copy(names, v.called)
	best := ""
	for called := range names {
		if rest, is := strings.CutPrefix(detail, called); is && len(called) > len(best) && (rest == "" || strings.HasPrefix(rest, " ") || strings.HasPrefix(rest, ":")) {
			best = called
		}
	}
	if best == "" {
		return detail
	}
	return names[best] + detail[len(best):]
}

// wholeUpTo is how many bytes a text has that no line of a telephone is too short for.
const wholeUpTo = 18

// aName is what has parts that lines may end behind; aWordy one is of words, none of which is too long for a line.
var (
	aName  = regexp.MustCompile(`^[A-Za-z0-9@_./:-]+$`)
	aWordy = regexp.MustCompile(`^[A-Za-z]{2,14}([@_./:-][A-Za-z0-9]{1,14})+$`)
)

var softly = strings.NewReplacer("@", "@<wbr>", "_", "_<wbr>", ".", ".<wbr>", "/", "/<wbr>", ":", ":<wbr>")

// soft is a text that lines may end in, behind what parts an address or the name of an event: else they would end
// within its words. Of one whose words are short they end nowhere else.
func soft(text string) template.HTML {
	switch {
	case aWordy.MatchString(text):
		return template.HTML(`<span class="wordy">` + softly.Replace(text) + "</span>") //nolint:gosec // there is nothing to escape in a name
	case len(text) > wholeUpTo && aName.MatchString(text):
		return template.HTML(softly.Replace(text)) //nolint:gosec // there is nothing to escape in a name
	default:
		return template.HTML(template.HTMLEscapeString(text)) //nolint:gosec // it is escaped
	}
}
