package workspaces

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/belayhq/belay/internal/ui/frame"
)

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
