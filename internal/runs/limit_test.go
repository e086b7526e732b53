package runs_test

import (
	"testing"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/run"
)

// taken is how many jobs a claim with many slots gets.
func (h *house) taken() []run.ClaimedJob {
	h.t.Helper()
	h.must(h.Reconcile(h.t.Context()))
	claimed, err := h.Claim(h.t.Context(), h.runner, run.Claim{Slots: 20})
	h.must(err)
	return claimed.Jobs
}

// finish lets a job that was taken end as a plan with changes.
func (h *house) finish(j run.ClaimedJob) {
	h.t.Helper()
	_, err := h.Start(h.t.Context(), j.Lease, run.Start{})
	h.must(err)
	h.end(j, planned(true))
}

func TestSpeculativeRunsOfAWorkspaceAtOnce(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		ctx := t.Context()
		only := func(w *run.Wanted) { w.PlanOnly = patch.Of(true) }
		var list []run.Run
		for range 4 {
			list = append(list, h.create(only))
		}
		list = append(list, h.create(func(w *run.Wanted) { w.SavePlan = patch.Of(true) }), h.create(only), h.create(only))
		h.create(nil) // which waits for its turn, and for nothing else
		other := h.workspace("storage")
		h.create(func(w *run.Wanted) { w.WorkspaceID, w.PlanOnly = other.ID, patch.Of(true) })
		first := h.taken()
		if len(first) != 6 {
			t.Fatalf("%d jobs at once, want 4 plans of one workspace, its queued run and the plan of another", len(first))
		}
		if more := h.taken(); len(more) != 0 {
			t.Errorf("%d more", len(more))
		}
		h.is(list[4].ID, run.PlanQueued)
		h.must(h.Cancel(ctx, h.admin, list[5].ID, "")) // one that is held
		h.is(list[5].ID, run.Canceled)
		for _, j := range first {
			if j.RunID == list[0].ID || j.RunID == list[1].ID || j.RunID == list[2].ID {
				h.finish(j)
			}
		}
		next := h.taken()
		if len(next) != 2 || next[0].RunID != list[4].ID || next[1].RunID != list[6].ID {
			t.Fatalf("then %+v, want the saved plan and the last", next)
		}
	})
}

func TestTheRunsOfAnOrganizationAtOnce(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		h.RunLimit = 2
		runs := []run.Run{h.create(nil)}
		for _, name := range []string{"a", "b", "c"} {
			w := h.workspace(name)
			runs = append(runs, h.create(func(wanted *run.Wanted) { wanted.WorkspaceID = w.ID }))
		}
		first := h.taken()
		if len(first) != 2 || first[0].RunID != runs[0].ID || first[1].RunID != runs[1].ID {
			t.Fatalf("at once: %+v, want the first two", first)
		}
		if more := h.taken(); len(more) != 0 {
			t.Errorf("%d more", len(more))
		}
		h.finish(first[0])
		h.must(h.Apply(t.Context(), h.admin, runs[0].ID, "")) // an apply goes before plans
		second := h.taken()
		if len(second) != 1 {
			t.Fatalf("after one ended: %+v, want one", second)
		}
		h.RunLimit = 0 // the operator gives it up
		if left := h.taken(); len(left) != 2 {
			t.Errorf("without a limit: %d, want the two that are left", len(left))
		}
	})
}

// TestAnOrganizationsOwnRunLimit gives an organization a limit of its own, below that of the
// site, and then a higher one.
func TestAnOrganizationsOwnRunLimit(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		h.RunLimit = 3
		limit := func(p patch.Field[int]) {
			t.Helper()
			_, err := h.verbs.UpdateOrganization(t.Context(), h.admin, "acme", belay.OrganizationPatch{RunLimit: p})
			h.must(err)
		}
		told := func(want int) {
			t.Helper()
			if _, c, err := h.Capacity(t.Context(), h.admin, "acme"); err != nil || c.Limit != want {
				t.Errorf("told %d, %v; want %d", c.Limit, err, want)
			}
		}
		limit(patch.Of(1))
		told(1)
		h.create(nil)
		for _, name := range []string{"a", "b", "c", "d"} {
			w := h.workspace(name)
			h.create(func(wanted *run.Wanted) { wanted.WorkspaceID = w.ID })
		}
		first := h.taken()
		if len(first) != 1 || len(h.taken()) != 0 {
			t.Fatalf("at once: %d, want one", len(first))
		}
		limit(patch.Of(2))
		if more := h.taken(); len(more) != 1 {
			t.Errorf("with room for two: %d more, want one", len(more))
		}
		limit(patch.Of(9))
		told(3)
		if more := h.taken(); len(more) != 1 {
			t.Errorf("with the room of the site: %d more, want one", len(more))
		}
		limit(patch.Null[int]())
		h.finish(first[0])
		if more := h.taken(); len(more) != 1 {
			t.Errorf("after one ended: %d more, want one", len(more))
		}
		told(3)
	})
}
