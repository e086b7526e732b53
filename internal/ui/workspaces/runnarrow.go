package workspaces

import (
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/run"
)

// RunsAsked is what the address of a list of runs narrows it to, and what it can be narrowed to.
type RunsAsked struct {
	Search, By, Status string
	Sources            []frame.Choice
	States             []frame.Seg
	Any                bool // it is narrowed
}

// runSources is what runs began through, in words.
var runSources = []string{
	"", "began anyhow", run.SourceUI, "on a page", run.SourceAPI, "by the API", run.SourceConfiguration, "with a configuration",
	run.SourceRunTrigger, "after another run", run.SourceLifecycle, "by a schedule",
}

// AskedRuns reads the address of a list of runs.
func AskedRuns(v *frame.Visit, path string) (want run.Query, asked RunsAsked) {
	asked = RunsAsked{Search: v.Asked("search"), By: v.Asked("by"), Sources: frame.Options(v.Asked("source"), runSources...)}
	want = run.Query{Basic: asked.Search, User: asked.By}
	for _, source := range asked.Sources {
		if source.On && source.Value != "" {
			want.Sources = []string{source.Value}
		}
	}
	for _, state := range runStates {
		here := state.param == v.Asked("status")
		if here {
			want.Statuses, asked.Status = state.statuses, state.param
		}
		asked.States = append(asked.States, frame.Seg{Name: state.name, Path: Link(v, path, "status", state.param, "page", ""), Here: here})
	}
	asked.Any = want.Basic != "" || want.User != "" || want.Sources != nil || want.Statuses != nil
	return want, asked
}
