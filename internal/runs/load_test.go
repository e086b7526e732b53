package runs_test

import (
	"testing"

	"github.com/belayhq/belay/run"
)

// TestHowBusyPoolsAre counts what waits, what runs, what runners could have and how these stand, by pool.
func TestHowBusyPoolsAre(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		is := func(want run.PoolLoad) {
			t.Helper()
			loads, err := h.Loads(t.Context())
			if err != nil || loads[""] != want {
				t.Errorf("%+v, %v, want %+v", loads, err, want)
			}
		}
		is(run.PoolLoad{Runners: 1, Slots: 4, Idle: 1})
		h.create(nil)
		h.create(func(want *run.Wanted) { want.PlanOnly.Set, want.PlanOnly.Value = true, true })
		is(run.PoolLoad{Waiting: 2, Runners: 1, Slots: 4, Idle: 1})
		j := h.claim()
		is(run.PoolLoad{Waiting: 1, Running: 1, Runners: 1, Slots: 4, Busy: 1})
		_, err := h.RegisterForJob(t.Context(), j.Lease, "", run.Registration{Name: "pod", BootID: "x", Slots: 1})
		h.must(err)
		is(run.PoolLoad{Waiting: 1, Running: 1, Runners: 1, Slots: 4, Busy: 1, Idle: 1}) // it has no slot of its own
		h.pass(2 * run.RunnerSilence)
		is(run.PoolLoad{Waiting: 1, Running: 1, Unknown: 2})
	})
}
