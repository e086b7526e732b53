package ui

import (
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/run"
)

// startPart is the form that begins a run.
type startPart struct {
	Typed            bool // it was refused
	Message, Targets string
	Kinds            []choice
}

// runKinds is what a run may do, in the order that people ask for it.
var runKinds = []string{"", "plan, then apply when confirmed", "plan-only", "plan only", "refresh", "refresh the state only", "destroy", "destroy everything"}

// startPart is for those who may plan, where runs happen on the server or on agents.
func (t *tabVisit) startPart() *startPart {
	if !t.w.Can.Has(belay.QueueRuns) || t.w.Mode() == belay.LocalExecution {
		return nil
	}
	part := &startPart{Kinds: options("", runKinds...)}
	if t.wrong != "" && t.PostForm.Has("targets") {
		part.Typed, part.Message, part.Targets = true, t.PostFormValue("message"), t.typed("targets")
		part.Kinds = options(t.PostFormValue("kind"), runKinds...)
	}
	return part
}

// startRun begins a run of the workspace's own configuration, and leads to it.
func (u *UI) startRun(v *visit) {
	u.actOnTab(v, "", func(t *tabVisit) (string, error) {
		want := run.Wanted{
			WorkspaceID: t.w.ID, Origin: run.Origin{Source: run.SourceUI, Reason: run.ReasonManual}, Targets: patch.Of(strings.Fields(t.typed("targets"))),
		}
		if message := t.given("message"); message != "" {
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
		r, err := u.Runs.Create(t.Context(), t.s, want)
		return runPath(t.o.Name, t.w.Name, r.ID), err
	})
}
