package settings

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/ui/frame"
)

// call is what a form does as a command: it leaves everything as it is.
type call struct{ Of, Text string }

// call is a command that asks the API for something of the workspace.
func (t *visit) call(of, method, at string, body any) call {
	text := "curl -X " + method + " " + quoted(t.Scheme()+t.HostName()+"/api/v2/workspaces/"+t.W.ID+at) + " \\\n  -H \"Authorization: Bearer $TOKEN\" -H 'Content-Type: application/vnd.api+json'"
	if body != nil {
		var written strings.Builder
		to := json.NewEncoder(&written)
		to.SetEscapeHTML(false)
		_ = to.Encode(body) // made of plain values only
		text += " \\\n  -d '" + strings.ReplaceAll(strings.TrimSpace(written.String()), "'", `'\''`) + "'"
	}
	return call{of, text}
}

// quoted is an address for a shell: brackets and question marks are patterns there, and brackets to curl too.
func quoted(address string) string {
	if !strings.ContainsAny(address, "[?") {
		return address
	}
	return "-g '" + address + "'"
}

// patch is the command that changes attributes of the workspace.
func (t *visit) patch(of string, attributes map[string]any) call {
	return t.call(of, "PATCH", "", map[string]any{"data": map[string]any{"type": "workspaces", "attributes": attributes}})
}

func (t *visit) executionCall() map[string]any {
	w := &t.W
	switch {
	case !w.OwnsExecution:
		return map[string]any{"setting-overwrites": map[string]any{"execution-mode": false, "agent-pool": false}}
	case w.OwnMode == belay.AgentExecution:
		return map[string]any{"execution-mode": w.OwnMode, "agent-pool-id": w.OwnPoolID}
	default:
		return map[string]any{"execution-mode": w.OwnMode}
	}
}

// When a workspace is destroyed by itself, as the form has it.
const (
	destroyInherited = ""
	destroyNever     = "never"
	destroyAfter     = "after"
	destroyAt        = "at"

	momentShape = "2006-01-02 15:04"
)

// destroyPart is the form that says when what a workspace manages is destroyed by itself.
type destroyPart struct {
	How           []frame.Choice
	After, Moment string
	Due           time.Time // zero: never, as it stands
}

func (t *visit) destroy(p *page) error {
	w := &t.W
	how, after, moment := t.destroyed()
	if t.refused("destroy") {
		how, after, moment = t.again("how", how), t.again("after", after), t.again("moment", moment)
	}
	part := destroyPart{After: after, Moment: moment, Due: w.DestroyAt()}
	inherited := "as its project has it (never)"
	if d := w.Project.AutoDestroyActivityDuration; d != "" {
		inherited = "as its project has it (" + d + " after the latest change)"
	}
	part.How = frame.Options(how, destroyInherited, inherited, destroyNever, "never", destroyAfter, "a while after the latest change", destroyAt, "at a moment")
	p.Destroy, p.Calls = &part, []call{t.patch("when it is destroyed", destroyCall(&w.Workspace))}
	return nil
}

// destroyPatch is what the form asks for. What is no moment is told to be none.
func destroyPatch(v *frame.Visit) (belay.WorkspacePatch, error) {
	how := v.PostFormValue("how")
	switch {
	case v.Kept("how", "after", "moment"):
		return belay.WorkspacePatch{}, nil
	case v.Kept("how") && how != destroyAfter && how != destroyAt:
		return belay.WorkspacePatch{}, belay.Refuse(belay.Invalid, "A while or a moment counts where that is chosen: choose it, too.")
	}
	none := belay.WorkspacePatch{
		AutoDestroyActivityDuration: patch.Field[string]{Set: true, Null: true}, AutoDestroyAt: patch.Field[time.Time]{Set: true, Null: true},
	}
	switch how {
	case destroyAfter:
		after := v.Given("after")
		if after == "" {
			return none, belay.Refuse(belay.Invalid, "Say after how long: 14d is 14 days, 8h is 8 hours.")
		}
		return belay.WorkspacePatch{AutoDestroyActivityDuration: patch.Of(after)}, nil
	case destroyAt:
		at, err := time.Parse(momentShape, v.Given("moment"))
		if err != nil {
			return none, belay.Refuse(belay.Invalid, "A moment is written as 2026-12-24 18:00, in UTC.")
		}
		if !at.After(v.UI.Now()) { // a slip of the pen would destroy everything at once
			return none, belay.Refuse(belay.Invalid, "%s is past: name a moment to come.", at.Format(momentShape))
		}
		return belay.WorkspacePatch{AutoDestroyAt: patch.Of(at)}, nil
	case destroyNever:
		none.InheritsProjectAutoDestroy = patch.Of(false)
		return none, nil
	case destroyInherited:
		return belay.WorkspacePatch{InheritsProjectAutoDestroy: patch.Of(true)}, nil
	default:
		return none, belay.Refuse(belay.Invalid, "Choose one of the ways that are offered.")
	}
}

func destroyCall(w *belay.Workspace) map[string]any {
	switch {
	case !w.OwnDestroyAt.IsZero():
		return map[string]any{"auto-destroy-at": w.OwnDestroyAt.Format(time.RFC3339)}
	case w.OwnDestroyDuration != "":
		return map[string]any{"auto-destroy-activity-duration": w.OwnDestroyDuration}
	default:
		return map[string]any{"inherits-project-auto-destroy": w.InheritsProjectAutoDestroy}
	}
}
