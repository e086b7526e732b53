package workspaces

import (
	"strconv"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/runs"
	"github.com/belayhq/belay/internal/ui/frame"
)

// inputOf is what a plan that waits began with, as far as the visitor may know it: its state, by its serial, and how many
// variables its workspace has now.
func inputOf(r *runs.View, serial, variables int64) []frame.Setting {
	if !r.Status.Resting() {
		return nil
	}
	state := frame.Setting{Name: "From state", Value: "none"}
	switch {
	case r.StateMoved:
		state.Value = "one that is no longer current"
	case r.InputStateVersionID != "":
		state.Value = "the current one"
	}
	page := frame.WorkspacePath(r.Organization, r.Workspace)
	if serial > 0 && r.Can.Has(belay.ReadState) {
		number := strconv.FormatInt(serial, 10)
		state.Value, state.Path = "#"+number+", "+state.Value, page+"/state/"+number
	}
	if !r.Can.Has(belay.ReadVariables) {
		return []frame.Setting{state}
	}
	have := frame.Setting{Name: "Variables", Value: frame.Count(int(variables)) + " now", Path: page + "/variables"}
	if n := len(r.Variables); n > 0 {
		have.Value += ", and " + frame.Count(n) + " of this run alone"
	}
	return []frame.Setting{state, have}
}
