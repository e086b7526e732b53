package sim_test

import (
	"context"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/run"
)

// click is one thing that a person does.
func (w *world) click() {
	space := w.known.spaces[w.chance.IntN(len(w.known.spaces))]
	if w.chance.IntN(5) < 2 {
		w.newRun(space)
		return
	}
	ids := w.known.unfinished(space.ID)
	if len(ids) == 0 {
		return
	}
	id, ctl := ids[w.chance.IntN(len(ids))], w.server.runs
	type verb func(context.Context, belay.Principal, string, string) error
	switch n := w.chance.IntN(24); {
	case n < 8:
		w.press("confirm", id, verb(ctl.Apply))
	case n < 11:
		w.press("discard", id, verb(ctl.Discard))
	case n < 14:
		w.press("cancel", id, verb(ctl.Cancel))
	case n < 17:
		w.known.forcing(id)
		w.press("cancel by force", id, verb(ctl.ForceCancel))
	case n < 18:
		w.known.forcing(id)
		w.press("cancel as an admin", id, verb(ctl.AdminCancel))
	case n < 20:
		w.press("execute by force", id, verb(ctl.ForceExecute))
	default:
		w.lockOrOpen(space, n)
	}
}

func (w *world) press(what, id string, do func(context.Context, belay.Principal, string, string) error) {
	var err error
	if !w.within(func(ctx context.Context) { err = do(ctx, w.admin, id, "") }) {
		return
	}
	w.note("somebody wants to %s %s: %v", what, id, err)
	w.unlessRefused(what, err)
}

// unlessRefused fails for what is no refusal.
func (w *world) unlessRefused(what string, err error) {
	switch belay.KindOf(err) {
	case belay.Conflict, belay.Forbidden, belay.Precondition:
	default:
		if err != nil {
			w.fail("%s: %v", what, err)
		}
	}
}

func (w *world) newRun(space belay.Workspace) {
	want := run.Wanted{WorkspaceID: space.ID, DefaultMessage: "Queued manually", Origin: run.Origin{Source: run.SourceAPI, Reason: run.ReasonManual}}
	var kind string
	switch n := w.chance.IntN(10); {
	case n < 4:
		kind, want.AutoApply = "auto-apply", patch.Of(true)
	case n < 6:
		kind, want.PlanOnly = "plan-only", patch.Of(true)
	case n < 7:
		kind, want.SavePlan = "save-plan", patch.Of(true)
	case n < 8:
		kind, want.AllowEmptyApply = "allow-empty", patch.Of(true)
	default:
		kind = "plan and apply"
	}
	var err error
	w.known.more = true
	if w.within(func(ctx context.Context) { _, err = w.server.runs.Create(ctx, w.admin, want) }) {
		w.note("somebody makes a run (%s) of %s: %v", kind, space.Name, err)
		w.unlessRefused("make a run", err)
	}
}

func (w *world) lockOrOpen(space belay.Workspace, n int) {
	ref := belay.WorkspaceRef{ID: space.ID}
	what := map[bool]string{true: "lock", false: "open by force"}[n < 22]
	var err error
	if n >= 22 {
		w.known.opening(space.ID)
	}
	survived := w.within(func(ctx context.Context) {
		if n < 22 {
			_, err = w.server.verbs.LockWorkspace(ctx, w.admin, ref, "")
			return
		}
		_, err = w.server.verbs.ForceUnlockWorkspace(ctx, w.admin, ref)
	})
	if survived {
		w.note("somebody wants to %s %s: %v", what, space.Name, err)
		w.unlessRefused(what, err)
	}
}
