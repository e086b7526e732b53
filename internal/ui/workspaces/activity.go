package workspaces

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/ui/frame"
)

// activityPage is what happened to a workspace.
type activityPage struct {
	Rows  []frame.HappenedRow
	Turns frame.Turns
}

// EventsPerPage is how many events a page shows.
const EventsPerPage = 50

// knots are the colours of what happened, by the last word of its kind.
var knots = map[string]string{
	"created": "ok", "deleted": "bad", "destroyed": "bad", "locked": "lock", "unlocked": "", "force_unlocked": "bad", "errored": "bad",
	"applied": "ok", "applying": "run", "planning": "run", "planned": "wait", "uploaded": "ok", "rolled_back": "wait",
}

// activity is the page of what the audit trail has on a workspace.
func (t *tabVisit) activity() (any, error) {
	at := t.Page(EventsPerPage)
	list, total, err := t.UI.App.AuditTrail(t.Context(), t.s, t.o.Name, belay.AuditQuery{WorkspaceID: t.w.ID, NewestFirst: true, Page: at})
	return &activityPage{HappenedRows(list, t.w.Name), t.Turns(t.path+"/activity", at, total)}, err
}

// HappenedRows is events as knots of a rope, on the page of a workspace or of none.
func HappenedRows(list []belay.Event, workspace string) (rows []frame.HappenedRow) {
	for i := range list {
		e := &list[i]
		rows = append(rows, frame.HappenedRow{What: KindText(e.Kind), By: e.ActorName, Knot: KnotOf(e.Kind), Facts: FactsText(e.Payload, workspace), At: e.At})
	}
	return rows
}

// KnotOf is the colour of an event, by the last word of its kind.
func KnotOf(kind string) string {
	_, last, _ := strings.Cut(kind, ".")
	return knots[last]
}

// KindText is a kind of event as people read it: "state-version.created" is "State version created".
func KindText(kind string) string {
	text := strings.NewReplacer(".", " ", "_", " ", "-", " ").Replace(kind)
	return strings.ToUpper(frame.FirstLetters(text, 1)) + text[len(frame.FirstLetters(text, 1)):]
}

// anID is what tells a reader nothing: the page of the event has it.
var anID = regexp.MustCompile(`^[a-z]+-[A-Za-z0-9]{16}$`)

// FactsText is the plain facts of an event, in order of name, without those that every event of
// the workspace has. No event holds a secret.
func FactsText(payload, workspace string) string {
	var facts map[string]any
	if json.Unmarshal([]byte(payload), &facts) != nil {
		return ""
	}
	var parts []string
	for name, fact := range facts {
		text := fmt.Sprint(fact)
		switch fact.(type) {
		case map[string]any:
			if name == "changed" {
				parts = append(parts, changedText(payload))
			}
		case string, float64, bool:
			if text != "" && text != workspace && name != "project" && !anID.MatchString(text) {
				parts = append(parts, name+" "+frame.Cut(text, frame.LongestValue))
			}
		}
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

// Change is one setting that an event changed, in words.
type Change struct{ Name, Was, Now string }

// Changes is what an event says that it changed, in order of name.
func Changes(payload string) (list []Change) {
	var told struct {
		Changed map[string]struct{ Was, Now json.RawMessage }
	}
	_ = json.Unmarshal([]byte(payload), &told) // what is no document says nothing
	for name, c := range told.Changed {
		list = append(list, Change{strings.ReplaceAll(name, "_", " "), settingText(c.Was), settingText(c.Now)})
	}
	slices.SortFunc(list, func(a, b Change) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// settingText is a setting as people read it.
func settingText(raw json.RawMessage) string {
	var value any
	_ = json.Unmarshal(raw, &value)
	switch v := value.(type) {
	case nil:
		return "nothing"
	case bool:
		return frame.YesNo(v)
	case string:
		return frame.OrNone(v)
	default:
		return string(raw)
	}
}

// changedText is what an event changed, in a line.
func changedText(payload string) string {
	var parts []string
	for _, c := range Changes(payload) {
		parts = append(parts, c.Name+" "+frame.Cut(c.Was, frame.LongestValue)+" → "+frame.Cut(c.Now, frame.LongestValue))
	}
	return strings.Join(parts, ", ")
}
