package workspaces

import (
	"bytes"
	"encoding/json"

	"github.com/belayhq/belay/internal/state"
	"github.com/belayhq/belay/internal/ui/frame"
)

type outputRow struct {
	Name, Kind, Value string
	Sensitive         bool
}

// The most that a page shows of outputs or of one value.
const (
	mostOutputs     = 200
	longestOutput   = 4000
	RequestsPerPage = 20
)

// outputRows is the first outputs of a state.
func outputRows(list []state.OutputView) (rows []outputRow) {
	for _, o := range list[:min(len(list), mostOutputs)] {
		row := outputRow{Name: o.Name, Kind: o.Kind, Sensitive: o.Sensitive}
		if !o.Sensitive {
			row.Value = valueText(o.Value)
		}
		rows = append(rows, row)
	}
	return rows
}

// valueText is a value of JSON as people read it; a very long one is cut.
func valueText(raw json.RawMessage) (shown string) {
	var text string
	var indented bytes.Buffer
	switch {
	case json.Unmarshal(raw, &text) == nil:
		shown = text
	case json.Indent(&indented, raw, "", "  ") == nil:
		shown = indented.String()
	}
	return frame.Cut(shown, longestOutput)
}
