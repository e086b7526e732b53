package workspaces

import (
	"strconv"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/runs"
	"github.com/belayhq/belay/internal/ui/frame"
)

// inputOf is what a plan that waits began with, as far as the visitor may know it: its state, and how many variables there are.
func inputOf(v *frame.Visit, s belay.Principal, r *runs.View) (facts []frame.Setting, err error) {
	if !r.Status.Resting() {
		return nil, nil
	}
	state := frame.Setting{Name: "From state", Value: "none"}
	switch {
	case r.StateMoved:
		state.Value = "one that is no longer current"
	case r.InputStateVersionID != "":
		state.Value = "the current one"
	}
	if r.InputStateVersionID != "" {
		found, err := v.UI.App.StateVersion(v.Context(), s, r.InputStateVersionID)
		switch {
		case belay.KindOf(err) == belay.NotFound: // it is not for the visitor, or no longer there
		case err != nil:
			return nil, err
		default:
			serial := strconv.FormatInt(found.Serial, 10)
			state.Value, state.Path = "#"+serial+", "+state.Value, frame.WorkspacePath(r.Organization, r.Workspace)+"/state/"+serial
		}
	}
	facts = append(facts, state)
	if !r.Can.Has(belay.ReadVariables) {
		return facts, nil
	}
	list, err := v.UI.App.Variables(v.Context(), s, belay.WorkspaceRef{ID: r.WorkspaceID}, true)
	have := frame.Setting{Name: "Variables", Value: frame.Count(len(list)) + " now", Path: frame.WorkspacePath(r.Organization, r.Workspace) + "/variables"}
	if n := len(r.Variables); n > 0 {
		have.Value += ", and " + frame.Count(n) + " of this run alone"
	}
	return append(facts, have), err
}
