package workspaces

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/belayhq/belay/internal/state"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/run"
)

type outputRow struct {
	Name, Kind, Value  string
	Sensitive          bool
	Reference, Command string // how another configuration, and a command line, reads it; empty: no configuration can have called it so
}

// The most that a page shows of outputs or of one value.
const (
	mostOutputs     = 200
	longestOutput   = 4000
	RequestsPerPage = 20
)

// outputRows is the first outputs of a state.
func (t *tabVisit) outputRows(list []state.OutputView) (rows []outputRow) {
	for _, o := range list[:min(len(list), mostOutputs)] {
		row := outputRow{Name: o.Name, Kind: o.Kind, Sensitive: o.Sensitive}
		if !o.Sensitive {
			row.Value = valueText(o.Value)
		}
		if outputName.MatchString(o.Name) {
			row.Reference = "data.terraform_remote_state." + sourceName(t.w.Name) + ".outputs." + o.Name
			row.Command = commandOf(t.w.Engine) + " output " + o.Name
		}
		rows = append(rows, row)
	}
	return rows
}

// outputChanges is what became of outputs between two states.
type outputChanges struct {
	Marks []mark
	Rows  []outputChange
	Found []treeLeaf // that the search of the page leaves
	Rest  int        // that are not shown
}

// outputChange is an output before and now; of a sensitive one no value is here.
type outputChange struct {
	Name, Was, Now string
	InWas, InNow   bool
	Sensitive      bool
	Mark           mark
}

// fillOutputsSince adds the outputs of the shown state, and compares them with those of another.
func (t *tabVisit) fillOutputsSince(page *statePage, shown *shownState, now, was *state.StateOutline) error {
	outputs, list, err := t.UI.App.OutputsSince(t.Context(), t.s, now.ID, was.ID)
	page.Outputs, page.More = t.outputRows(outputs), len(outputs)-min(len(outputs), mostOutputs)
	part := &outputChanges{Rest: len(list) - min(len(list), mostOutputs)}
	items := make([]treeItem, len(list))
	for i, c := range list {
		if items[i].change = c.Change; i >= mostOutputs {
			continue
		}
		row := outputChange{Name: c.Name, InWas: c.Change != state.StateAdded, InNow: c.Change != state.StateRemoved, Sensitive: c.Sensitive, Mark: markOf(c.Change)}
		if !c.Sensitive {
			row.Was, row.Now = valueText(c.Was), valueText(c.Now)
		}
		if part.Rows = append(part.Rows, row); strings.Contains(strings.ToLower(c.Name), strings.ToLower(shown.Search)) {
			part.Found = append(part.Found, treeLeaf{Name: c.Name, Path: "#changed-outputs", Mark: row.Mark})
		}
	}
	part.Marks = marksOf(items)
	shown.Outputs = part
	return err
}

// outputName is what a configuration can call an output.
var outputName = regexp.MustCompile(`^[\p{L}_][\p{L}\p{N}_-]*$`)

// sourceName is what a configuration can call the state of a workspace: its name, which may begin otherwise than names
// in a configuration do.
func sourceName(workspace string) string {
	if outputName.MatchString(workspace) {
		return workspace
	}
	return "_" + workspace
}

// commandOf is the program of an engine; of one that is not chosen, tofu.
func commandOf(engine string) string {
	if engine == run.Terraform {
		return run.Terraform
	}
	return run.Tofu
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
