package runs_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/run"
)

// TestALostApplyWithoutItsLockLetsOthersGoOn loses an apply whose lock somebody opened: it
// has no lock to keep, and whoever waits for the workspace begins.
func TestALostApplyWithoutItsLockLetsOthersGoOn(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		ctx := t.Context()
		r := h.create(func(w *run.Wanted) { w.AutoApply = patch.Of(true) })
		h.plan()
		j, _ := h.started()
		h.must(h.Step(ctx, j.Lease, run.ApplyStep))
		waiting := h.create(nil)
		_, err := h.verbs.ForceUnlockWorkspace(ctx, h.admin, belay.WorkspaceRef{ID: h.ws.ID})
		h.must(err)
		h.must(h.Reconcile(ctx))
		h.is(waiting.ID, run.Pending) // the other is still under way
		h.pass(run.Lease + time.Second)
		h.must(h.Reconcile(ctx))
		h.pass(15*time.Minute + time.Second)
		h.must(h.Reconcile(ctx))
		if got := h.is(r.ID, run.Errored); got.KeepsLock {
			t.Error("it keeps a lock that it does not have")
		}
		h.is(waiting.ID, run.PlanQueued)
	})
}

// TestARegistrationThatComesLateTakesNothing repeats the registration of a runner that works
// already: its token goes on to hold.
func TestARegistrationThatComesLateTakesNothing(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		ctx := t.Context()
		in := run.Registration{Name: "r2", BootID: "boot", Slots: 1}
		first, err := h.Register(ctx, "", "", "", in)
		h.must(err)
		again, err := h.Register(ctx, "", "", "", in)
		h.must(err)
		for _, token := range []string{first.Token, again.Token} {
			r, err := h.Runner(ctx, token)
			h.must(err)
			if r.ID != first.ID {
				t.Errorf("it is %s, want %s", r.ID, first.ID)
			}
		}
		other, err := h.Register(ctx, "", "", "", run.Registration{Name: "r2", BootID: "another", Slots: 1})
		h.must(err)
		if other.ID == first.ID || other.Token == first.Token {
			t.Error("another start of it has the same token")
		}
	})
}

// TestNothingToDoWritesNothing reconciles where nothing is due: on SQLite whoever writes
// keeps others waiting.
func TestNothingToDoWritesNothing(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		ctx := t.Context()
		var writes atomic.Int32
		h.db.OnWrite(func(time.Duration) { writes.Add(1) })
		h.create(nil)
		h.must(h.Reconcile(ctx))
		before := writes.Load()
		for range 5 {
			h.must(h.Reconcile(ctx))
		}
		if n := writes.Load() - before; n != 0 {
			t.Errorf("%d transactions for nothing", n)
		}
		h.pass(11 * time.Minute) // and the job rises a class
		h.must(h.Reconcile(ctx))
		if writes.Load() == before {
			t.Error("nothing is done for whoever waits")
		}
	})
}

// TestAnAttemptThatDidNothingOpensNoLock loses the runner of an apply before its engine began,
// and the next one after: what the first says late opens nothing.
func TestAnAttemptThatDidNothingOpensNoLock(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		ctx := t.Context()
		r := h.create(func(w *run.Wanted) { w.AutoApply = patch.Of(true) })
		h.plan()
		first, _ := h.started()
		h.pass(run.Lease + time.Second)
		h.must(h.Reconcile(ctx))
		second, _ := h.started()
		h.must(h.Step(ctx, second.Lease, run.ApplyStep))
		h.pass(run.Lease + time.Second)
		h.must(h.Reconcile(ctx))
		h.pass(15*time.Minute + time.Second)
		h.must(h.Reconcile(ctx))
		h.end(first, applied)
		if got := h.is(r.ID, run.Errored); !got.KeepsLock || h.look().Lock.Holder.ID != r.ID {
			t.Error("the lock is open, and nobody knows what was made")
		}
		h.end(second, applied)
		if got := h.is(r.ID, run.Errored); got.KeepsLock || h.look().Lock.Held() {
			t.Error("its state came home, and the lock is kept")
		}
	})
}
