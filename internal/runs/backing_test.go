package runs_test

import (
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/run"
)

func TestFilesOfRunsAreGivenUpByOwners(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		ctx := t.Context()
		r := h.create(nil)
		h.refused(h.MoveBacking(ctx, h.admin, r.Plan.ID, run.BackingAside), belay.BadRequest, "transition not allowed: the run is plan_queued")
		h.plan()
		h.must(h.Apply(ctx, h.admin, r.ID, ""))
		h.apply()
		for _, id := range []string{r.Plan.ID, r.Apply.ID} {
			is := func(want run.Backing) {
				t.Helper()
				of := h.show(r.ID)
				if got := of.Phase(id).Backing; got != want {
					t.Errorf("%s is %q, want %q", id, got, want)
				}
			}
			for _, to := range []run.Backing{run.BackingThere, run.BackingGone} {
				h.refused(h.MoveBacking(ctx, h.admin, id, to), belay.BadRequest, "transition not allowed")
			}
			h.must(h.MoveBacking(ctx, h.admin, id, run.BackingAside))
			h.refused(h.MoveBacking(ctx, h.admin, id, run.BackingAside), belay.BadRequest, "transition not allowed: the data is soft deleted")
			h.must(h.MoveBacking(ctx, h.admin, id, run.BackingThere))
			h.pass(belay.BackingWindow + time.Minute)
			h.must(h.Reconcile(ctx))
			is(run.BackingThere) // it was taken back in time
			h.must(h.MoveBacking(ctx, h.admin, id, run.BackingAside))
			h.pass(belay.BackingWindow - time.Minute)
			h.must(h.Reconcile(ctx))
			is(run.BackingAside)
			h.pass(2 * time.Minute)
			h.must(h.Reconcile(ctx))
			is(run.BackingGone)
			h.refused(h.MoveBacking(ctx, h.admin, id, run.BackingThere), belay.BadRequest, "transition not allowed: the data is permanently deleted")
		}
		h.refused(h.MoveBacking(ctx, h.admin, "plan-nothing", run.BackingAside), belay.NotFound, "")
	})
}
