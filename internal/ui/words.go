package ui

import (
	"time"

	"github.com/belayhq/belay"
)

type setting struct{ Name, Value string }

func minute(at time.Time) string { return at.Format("2006-01-02 15:04") + " UTC" }

type seg struct {
	Name, Path string
	Here       bool
}

type linkRow struct{ Name, Note, Path string }

// many is a number with its noun.
func many(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return count(n) + " " + more
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

// cut is the first letters of a text, and a sign that there are more.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	if letters := []rune(text); len(letters) > most {
		return string(letters[:most]) + "…"
	}
	return text
}

type tabLink struct {
	Name, Path, Count string
	Here              bool
}

// dueWord is how long a campaign has still.
type dueWord struct{ Class, Icon, Text string }

func orSecret(name string) string {
	if name == "" {
		return "a secret team"
	}
	return name
}

// longestValue is how many letters of a value a row shows.
const longestValue = 300

// happenedRow is one event of the audit trail.
type happenedRow struct {
	What, By, Knot, Facts string
	At                    time.Time
}

// holderName is what people call the holder of a lock.
func holderName(h belay.Holder) string {
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

// longestAsk is how long the words of a search may be.
const longestAsk = 200
