package runs_test

import (
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// TestVirtualTimeNeverFalls deletes the workspace whose jobs came last, in each way that there is:
// the next job of the organization comes behind them, and another organization's behind what of
// them was given out.
func TestVirtualTimeNeverFalls(t *testing.T) {
	for name, remove := range map[string]func(*store.Tx, *belay.Workspace) error{
		"deleted": func(tx *store.Tx, w *belay.Workspace) error { return tx.DropWorkspace(w) },
		"put aside": func(tx *store.Tx, w *belay.Workspace) error {
			return tx.Shelve(w, &belay.RecoverableItem{
				ID: belay.NewID("recov"), OrganizationID: w.OrganizationID, WorkspaceID: w.ID, ProjectID: w.ProjectID, Name: w.Name,
				DeletedAt: tx.Now, ExpiresAt: tx.Now.Add(time.Hour),
			})
		},
		"jobs of assessments": func(tx *store.Tx, w *belay.Workspace) error { return tx.DropAssessing(w.ID, "") },
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, h *house) {
				ctx := t.Context()
				place := func(w *belay.Workspace) (at int64) {
					t.Helper()
					h.must(h.db.Update(ctx, func(tx *store.Tx) error {
						r := run.New(w.ID, w.OrganizationID, tx.Now)
						r.PlanOnly, r.Reason, r.Status = true, run.ReasonAssessment, run.PlannedAndFinished
						if err := tx.AddRun(&r, ""); err != nil {
							return err
						}
						j := run.NewJob(&r, run.AssessJob, tx.Now)
						if err := tx.AddJob(&j, 0); err != nil {
							return err
						}
						at = j.VTime
						j.Take("a runner", "", "a lease "+j.ID, tx.Now)
						j.End(run.Succeeded, "", tx.Now)
						return tx.SaveJob(&j)
					}))
					return at
				}
				doomed := h.workspace("doomed")
				for range 5 {
					place(&doomed)
				}
				last := place(&doomed)
				h.must(h.db.Update(ctx, func(tx *store.Tx) error { return remove(tx, &doomed) }))
				if at := place(&h.ws); at != last+run.Share {
					t.Errorf("after %d the next place is %d", last, at)
				}
			})
		})
	}
}
