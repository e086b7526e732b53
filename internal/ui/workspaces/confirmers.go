package workspaces

import (
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/runs"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/run"
)

// mostConfirmers is how many teams are named that may confirm a run.
const mostConfirmers = 4

// whoConfirms says who may confirm a run that waits for it: the visitor, and the teams that they see.
func whoConfirms(v *frame.Visit, s belay.Principal, r *runs.View) (string, error) {
	if r.Status != run.Planned {
		return "", nil
	}
	names, err := v.UI.Runs.Confirmers(v.Context(), s, r.WorkspaceID)
	if err != nil {
		return "", err
	}
	var words []string
	if ActsOf(r).Confirm {
		words = append(words, "you")
	}
	for _, name := range names[:min(len(names), mostConfirmers)] {
		words = append(words, "team "+name)
	}
	if more := len(names) - mostConfirmers; more > 0 {
		words = append(words, frame.Many(more, "other team", "other teams"))
	}
	if len(words) < 2 {
		return strings.Join(words, ""), nil
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last], nil
}
