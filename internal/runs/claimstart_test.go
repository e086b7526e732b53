package runs_test

import (
	"sync"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

func (h *house) claimStart(nonce string) run.Claimed {
	h.t.Helper()
	claimed, err := h.Claim(h.t.Context(), h.runner, run.Claim{Slots: 4, Nonce: nonce, Start: true})
	h.must(err)
	return claimed
}

// TestAClaimStartsItsJob holds that a claim that says so starts one job, and that a claim which is
// repeated answers it once more, to be started: with the same specification.
func TestAClaimStartsItsJob(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		r := h.create(nil)
		got := h.claimStart("n1")
		if len(got.Jobs) != 1 || got.Spec(got.Jobs[0].ID) == nil {
			t.Fatalf("%d jobs and %d specifications, want one of each", len(got.Jobs), len(got.Specs))
		}
		h.is(r.ID, run.Planning)
		again := h.claimStart("n1")
		if len(again.Jobs) != 1 || again.Jobs[0] != got.Jobs[0] || len(again.Specs) != 0 {
			t.Errorf("repeated it answers %+v, want the same job without what holds secrets", again)
		}
		spec, err := h.Start(t.Context(), got.Jobs[0].Lease, run.Start{})
		h.must(err)
		if first := got.Specs[0]; spec.RunToken != first.RunToken || spec.LogID != first.LogID || spec.RunID != first.RunID || len(spec.Variables) != len(first.Variables) {
			t.Errorf("%+v, and then %+v", first, spec)
		}
		if more := h.claimStart("n2"); len(more.Jobs) != 0 {
			t.Errorf("another claim got %+v", more)
		}
	})
}

// TestAJobThatCannotBeStartedStopsNobody spoils what the first of two jobs begins with: its claim is
// answered without a start, and the other is carried out.
func TestAJobThatCannotBeStartedStopsNobody(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		spoiled := h.create(nil)
		h.must(h.db.Update(t.Context(), func(tx *store.Tx) error {
			return tx.Do("UPDATE run_inputs SET sealed = 'spoiled' WHERE run_id = ?", spoiled.ID)
		}))
		other := h.workspace("other")
		good := h.create(func(w *run.Wanted) { w.WorkspaceID = other.ID })
		claimed, err := h.Claim(t.Context(), h.runner, run.Claim{Slots: 1, Nonce: "n1", Start: true})
		h.must(err)
		if len(claimed.Jobs) != 1 || claimed.Jobs[0].RunID != spoiled.ID || len(claimed.Specs) != 0 {
			t.Fatalf("%+v, want the job of %s alone", claimed, spoiled.ID)
		}
		h.is(spoiled.ID, run.PlanQueued)
		if _, err := h.Start(t.Context(), claimed.Jobs[0].Lease, run.Start{}); err == nil {
			t.Error("it was started")
		}
		if got := h.claimStart("n2"); len(got.Specs) != 1 || got.Specs[0].RunID != good.ID {
			t.Errorf("%+v, want that of %s", got, good.ID)
		}
	})
}

// TestARunnerThatLeavesKeepsNoClaim takes a job of whose start its runner never heard: it is given on
// when that says goodbye, and not when its lease ends.
func TestARunnerThatLeavesKeepsNoClaim(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		ctx := t.Context()
		r := h.create(func(w *run.Wanted) { w.AutoApply = patch.Of(true) })
		for _, status := range []run.Status{run.Planning, run.Applying} {
			lost := h.claimStart("lost " + string(status)).Jobs[0]
			h.is(r.ID, status)
			h.must(h.Exit(ctx, h.runner))
			h.pass(time.Millisecond)
			h.must(h.Reconcile(ctx))
			h.runner = h.register("r2", "")
			got := h.claimStart("again " + string(status))
			if len(got.Jobs) != 1 || got.Jobs[0].Attempt != 2 || got.Jobs[0].Lease == lost.Lease {
				t.Fatalf("%s: %+v, want another attempt", status, got)
			}
			if _, err := h.Start(ctx, lost.Lease, run.Start{}); belay.KindOf(err) != belay.Conflict {
				t.Errorf("the lease that was given up starts the job: %v", err)
			}
			if status == run.Planning {
				h.end(got.Jobs[0], planned(true))
			}
		}
	})
}

// TestClaimsThatStartAtOnce lets many runners claim at once: each
// job is given out once, and nobody waits for the other's rows.
func TestClaimsThatStartAtOnce(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		const n = 12
		for i := range n {
			w := h.workspace("w" + string(rune('a'+i)))
			h.create(func(want *run.Wanted) { want.WorkspaceID = w.ID })
		}
		var mu sync.Mutex
		var all sync.WaitGroup
		seen := map[string]int{}
		for range 4 {
			all.Go(func() {
				for range n {
					claimed, err := h.Claim(t.Context(), h.runner, run.Claim{Slots: 1, Nonce: belay.RandomText(8), Start: true})
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					for _, j := range claimed.Jobs {
						seen[j.ID]++
					}
					mu.Unlock()
				}
			})
		}
		all.Wait()
		for id, times := range seen {
			if times != 1 {
				t.Errorf("%s was given out %d times", id, times)
			}
		}
		if len(seen) != n {
			t.Errorf("%d jobs were given out, want %d", len(seen), n)
		}
	})
}
