package runs_test

import (
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/run"
)

// unvetted is a configuration version by somebody who may plan and not apply.
func unvetted(c *run.ConfigurationVersion) { c.Vetted = false }

func (h *house) trigger(source belay.Workspace) {
	h.t.Helper()
	ctx := h.t.Context()
	_, err := h.verbs.UpdateWorkspace(ctx, h.admin, belay.WorkspaceRef{ID: h.ws.ID}, belay.WorkspacePatch{
		AutoApply: patch.Of(true), AutoApplyRunTrigger: patch.Of(true)})
	h.must(err)
	_, err = h.verbs.CreateRunTrigger(ctx, h.admin, belay.WorkspaceRef{ID: h.ws.ID}, source.ID)
	h.must(err)
}

// triggered is the run that the workspace has after one of the source was applied.
func (h *house) triggered(source belay.Workspace) run.Run {
	h.t.Helper()
	h.create(func(w *run.Wanted) { w.WorkspaceID, w.AutoApply = source.ID, patch.Of(true) })
	h.plan()
	h.apply()
	h.must(h.Reconcile(h.t.Context()))
	h.plan()
	return h.show(h.look().CurrentRunID)
}

// TestWhatAPlannerUploadsIsAppliedByNobodyUnseen has a configuration that somebody without
// the right to apply made planned by a run trigger and by an owner, and confirmed then.
func TestWhatAPlannerUploadsIsAppliedByNobodyUnseen(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		source := h.workspace("source")
		h.trigger(source)
		if r := h.triggered(source); r.Status != run.ApplyQueued {
			t.Fatalf("of an owner's configuration: %s", r.Status)
		}
		h.apply()

		h.configured(unvetted)
		r := h.triggered(source)
		if r.Status != run.Planned || r.AutoApply {
			t.Errorf("after a trigger: %s, auto-apply %t", r.Status, r.AutoApply)
		}
		h.must(h.Discard(t.Context(), h.admin, r.ID, ""))
		r = h.create(func(w *run.Wanted) { w.AutoApply = patch.Of(true) })
		h.plan()
		h.is(r.ID, run.Planned)
		h.must(h.Apply(t.Context(), h.admin, r.ID, ""))
		h.apply()

		if r := h.triggered(source); r.Status != run.ApplyQueued {
			t.Errorf("once an owner had applied it: %s", r.Status)
		}
	})
}

// TestASchedulesConfigurationWasVetted has a schedule come due after a planner's upload.
func TestASchedulesConfigurationWasVetted(t *testing.T) {
	eachScheduled(t, func(t *testing.T, s *scheduled) {
		before := s.look().ConfigurationID
		s.configured(unvetted)
		s.set(belay.WorkspacePatch{AutoDestroyAt: patch.Of(s.now().Add(time.Hour))})
		s.after(2 * time.Hour)
		s.wantRuns(1)
		if r := s.destroys()[0]; r.ConfigurationVersionID != before || !r.AutoApply {
			t.Errorf("destroys with %s, auto-apply %t; want %s", r.ConfigurationVersionID, r.AutoApply, before)
		}
	})
}

// TestAConfigurationIsTakenInItsOwnWorkspaceAlone applies a provisional configuration of a
// workspace in another one.
func TestAConfigurationIsTakenInItsOwnWorkspaceAlone(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		c := h.configured(func(c *run.ConfigurationVersion) { provisional(c); unvetted(c) })
		other := h.workspace("other")
		r := h.create(func(w *run.Wanted) {
			w.WorkspaceID, w.ConfigurationVersionID = other.ID, patch.Of(c.ID)
		})
		h.plan()
		h.must(h.Apply(t.Context(), h.admin, r.ID, ""))
		h.apply()
		h.is(r.ID, run.Applied)
		newer := h.configured(provisional) // has the current one of the workspace found again
		if got := h.look().ConfigurationID; got == c.ID || got == newer.ID {
			t.Errorf("current is %s, which was applied elsewhere", got)
		}
	})
}
