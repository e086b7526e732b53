package frame

import (
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/inputs"
)

// Setting is a name and its value.
type Setting struct{ Name, Value, Path string }

// Minute is a time to the minute.
func Minute(at time.Time) string { return at.Format("2006-01-02 15:04") + " UTC" }

// Seg is one of a few pages that are one.
type Seg struct {
	Name, Path string
	Here       bool
}

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
	"Http url": "Address", "Api url": "Address of its API", "Delete older than n days": "Days", "Identifier": "Repository",
	"Working directory": "Folder", "Trigger patterns": "Patterns", "Trigger prefixes": "Folders", "Tags regex": "Tags",
	"Hcl": "HCL", "Execution mode": "Execution", "Agent pool": "Pool of agents",
}

// saidHere is what is wrong with a field, with the name that the field has on pages.
func saidHere(e *belay.Error) string {
	if e.Place == "" {
		return e.Detail
	}
	best := ""
	for called := range calledHere {
		if rest, is := strings.CutPrefix(e.Detail, called); is && len(called) > len(best) && (strings.HasPrefix(rest, " ") || strings.HasPrefix(rest, ":")) {
			best = called
		}
	}
	if best == "" {
		return e.Detail
	}
	return calledHere[best] + e.Detail[len(best):]
}
