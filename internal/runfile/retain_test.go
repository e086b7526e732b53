package runfile_test

import (
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/runfile"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
	"github.com/belayhq/belay/site"
)

// TestOldFilesOfRunsAreGivenUp lets a policy of 30 days reach a run: not while it is under
// way, and never the state that could not be stored.
func TestOldFilesOfRunsAreGivenUp(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		kinds := []run.FileKind{run.PlanFile, run.PlanJSONFile, run.EventsFile, run.PlanLogFile, run.RescuedFile}
		for _, kind := range kinds {
			h.put(kind, "text")
		}
		left := func(after time.Duration) (n int) {
			t.Helper()
			aging := runfile.New(runfile.Config{DB: h.db, Objects: h.Objects, Edition: site.EditionAll, Now: func() time.Time { return time.Now().Add(after) }})
			h.must(aging.Retain(t.Context()))
			for _, kind := range kinds {
				if _, err := h.read(kind); err == nil {
					n++
				} else if belay.KindOf(err) != belay.NotFound {
					t.Errorf("%s: %v", kind, err)
				}
			}
			return n
		}
		const long = 31 * 24 * time.Hour
		expect := func(when string, after time.Duration, want int) {
			t.Helper()
			if n := left(after); n != want {
				t.Errorf("%s: %d files are left, want %d", when, n, want)
			}
		}
		expect("without a policy", long, 5)
		h.must(h.db.Update(t.Context(), func(tx *store.Tx) error {
			return tx.SaveWorkspaceRetention(h.run.WorkspaceID, belay.RetentionPolicy{ID: "drp-1", Kind: belay.DeleteOlder, Days: 30})
		}))
		expect("while it is under way", long, 5)
		h.must(h.db.Update(t.Context(), func(tx *store.Tx) error {
			h.run.Status = run.Applied
			return tx.SaveRun(&h.run)
		}))
		expect("before its time", 29*24*time.Hour, 5)
		expect("after it", long, 1)
		if _, err := h.read(run.RescuedFile); err != nil {
			t.Errorf("the state that could not be stored: %v", err)
		}
	})
}
