package runs_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// TestRunnersHearOfDeletedWorkspaces asks about a job that is not known: where its workspace
// is there, a backup may have been older, and what the job makes is kept.
func TestRunnersHearOfDeletedWorkspaces(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		h.create(nil)
		j, _ := h.started()
		hears := func(b run.BeatJob, order run.Order, deleted bool) {
			t.Helper()
			beaten, err := h.Beat(t.Context(), h.runner, "", run.Beat{Jobs: []run.BeatJob{b}})
			h.must(err)
			if got := beaten.Jobs[0]; got.Order != order || got.Deleted != deleted {
				t.Errorf("the runner is told %+v, want %q, deleted %v", got, order, deleted)
			}
		}
		known := run.BeatJob{ID: j.ID, Lease: j.Lease, WorkspaceID: h.ws.ID}
		hears(known, run.NoOrder, false)
		hears(run.BeatJob{ID: "job-unknown", Lease: "lease.unknown", WorkspaceID: h.ws.ID}, run.GoneOrder, false)
		h.must(h.db.Update(t.Context(), func(tx *store.Tx) error {
			w, err := tx.Workspace(belay.WorkspaceRef{ID: h.ws.ID})
			if err != nil {
				return err
			}
			return tx.DropWorkspace(&w)
		}))
		hears(known, run.KillOrder, true)
		hears(run.BeatJob{ID: j.ID, Lease: j.Lease}, run.KillOrder, false) // an older runner
	})
}

// TestABeatOfManyJobsIsRefused: what one runner names, others would wait for.
func TestABeatOfManyJobsIsRefused(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		var longest atomic.Int64
		h.db.OnWrite(func(took time.Duration) { longest.Store(max(longest.Load(), int64(took))) })
		for _, n := range []int{belay.MaxListed, 20 * belay.MaxListed} {
			longest.Store(0)
			beat := run.Beat{Jobs: make([]run.BeatJob, n)}
			for i := range beat.Jobs {
				beat.Jobs[i] = run.BeatJob{ID: "job-x", Lease: fmt.Sprint("lease-", i), WorkspaceID: h.ws.ID}
			}
			answer, err := h.Beat(t.Context(), h.runner, "", beat)
			if n > belay.MaxListed {
				h.refused(err, belay.Invalid, "at most")
			} else if err != nil || len(answer.Jobs) != n || answer.Jobs[n-1].Order != run.GoneOrder {
				t.Errorf("%d jobs that nobody knows: %v, told of %d", n, err, len(answer.Jobs))
			}
			t.Logf("of %d jobs: the longest transaction took %v", n, time.Duration(longest.Load()))
		}
	})
}
