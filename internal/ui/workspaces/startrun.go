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
	Typed             bool // it was refused
	Message           string
	Targets, Replaces string // addresses, one to a line
	Variables         string // key = value, one to a line
	Kinds             []frame.Choice
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
		part.Replaces, part.Variables = t.Typed("replaces"), t.Typed("variables")
		part.Kinds = frame.Options(t.PostFormValue("kind"), runKinds...)
	}
	return part
}

// StartRun begins a run of the workspace's own configuration, and leads to it.
func StartRun(v *frame.Visit) {
	actOnTab(v, "", func(t *tabVisit) (string, error) {
		want := run.Wanted{
			WorkspaceID: t.w.ID, Origin: run.Origin{Source: run.SourceUI, Reason: run.ReasonManual},
			Targets: patch.Of(addresses(t.Typed("targets"))), Replaces: patch.Of(addresses(t.Typed("replaces"))),
		}
		variables, err := typedVariables(t.Typed("variables"))
		if err != nil {
			return "", err
		}
		want.Variables = patch.Of(variables)
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

// addresses is the lines of a text that say something: an address may hold blanks, in its key.
func addresses(text string) (list []string) {
	for line := range strings.SplitSeq(text, "\n") {
		if line = frame.Trimmed(line); line != "" {
			list = append(list, line)
		}
	}
	return list
}

// typedVariables reads variables of a run as they are typed: a key and its value on each line, the value as the engine's
// own language has it.
func typedVariables(text string) (list []run.WantedVariable, err error) {
	for _, line := range addresses(text) {
		key, value, found := strings.Cut(line, "=")
		if key = frame.Trimmed(key); !found || key == "" {
			return nil, belay.Refuse(belay.Invalid, "Write variables as key = value, one to a line: %q is none.", frame.Cut(line, frame.LongestValue))
		}
		list = append(list, run.WantedVariable{Key: patch.Of(key), Value: patch.Of(frame.Trimmed(value))})
	}
	return list, nil
}

// variableLines is variables of a run as they are typed.
func variableLines(list []run.Variable) string {
	lines := make([]string, len(list))
	for i, v := range list {
		lines[i] = v.Key + " = " + v.Value
	}
	return strings.Join(lines, "\n")
}
