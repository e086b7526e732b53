package workspaces

import (
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/run"
)

// startPart is the form that begins a run.
type startPart struct {
	Typed            bool // it was refused
	Message, Targets string
	Kinds            []frame.Choice
}

// runKinds is what a run may do, in the order that people ask for it.
var runKinds = []string{"", "plan, then apply when confirmed", "plan-only", "plan only", "refresh", "refresh the state only", "destroy", "destroy everything"}

// startPart is for those who may plan, where runs happen on the server or on agents.
func (t *tabVisit) startPart() *startPart {
	if !t.w.Can.Has(belay.QueueRuns) || t.w.Mode() == belay.LocalExecution {
		return nil
	}
	part := &startPart{Kinds: frame.Options("", runKinds...)}
	if t.wrong != "" && t.PostForm.Has("targets") {
		part.Typed, part.Message, part.Targets = true, t.PostFormValue("message"), t.Typed("targets")
		part.Kinds = frame.Options(t.PostFormValue("kind"), runKinds...)
	}
	return part
}

// StartRun begins a run of the workspace's own configuration, and leads to it.
func StartRun(v *frame.Visit) {
	actOnTab(v, "", func(t *tabVisit) (string, error) {
		want := run.Wanted{
			WorkspaceID: t.w.ID, Origin: run.Origin{Source: run.SourceUI, Reason: run.ReasonManual}, Targets: patch.Of(strings.Fields(t.Typed("targets"))),
		}
		if message := t.Given("message"); message != "" {
			want.Message = patch.Of(message)
		}
		switch t.PostFormValue("kind") {
		case "plan-only":
			want.PlanOnly = patch.Of(true)
		case "refresh":
			want.RefreshOnly = patch.Of(true)
		case "destroy":
			want.IsDestroy = patch.Of(true)
		}
		r, err := v.UI.Runs.Create(t.Context(), t.s, want)
		return RunPath(t.o.Name, t.w.Name, r.ID), err
	})
}
