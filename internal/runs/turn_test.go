package runs_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
	"github.com/belayhq/belay/run"
)

// TestRunsGoOnWhenAnInheritedModeChanges changes the execution mode above a workspace, whose
// run waits because nothing was to run there.
func TestRunsGoOnWhenAnInheritedModeChanges(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		ctx, ref := t.Context(), belay.WorkspaceRef{ID: h.ws.ID}
		organization := func(mode belay.ExecutionMode) {
			t.Helper()
			_, err := h.verbs.UpdateOrganization(ctx, h.admin, "acme", belay.OrganizationPatch{DefaultExecutionMode: patch.Of(mode)})
			h.must(err)
		}
		waiting := func() run.Run {
			t.Helper()
			_, err := h.verbs.LockWorkspace(ctx, h.admin, ref, "")
			h.must(err)
			r := h.create(nil)
			organization(belay.LocalExecution)
			_, err = h.verbs.UnlockWorkspace(ctx, h.admin, ref)
			h.must(err)
			h.must(h.Reconcile(ctx))
			return h.is(r.ID, run.Pending)
		}
		begins := func(r run.Run) {
			t.Helper()
			h.must(h.Reconcile(ctx))
			h.is(r.ID, run.PlanQueued)
			h.must(h.Cancel(ctx, h.admin, r.ID, ""))
		}
		r := waiting()
		organization(belay.RemoteExecution)
		begins(r)

		r = waiting()
		_, err := h.verbs.UpdateProject(ctx, h.admin, h.ws.ProjectID, belay.ProjectPatch{DefaultExecutionMode: patch.Of(belay.RemoteExecution)})
		h.must(err)
		begins(r)

		_, err = h.verbs.UpdateProject(ctx, h.admin, h.ws.ProjectID, belay.ProjectPatch{OverwritesMode: patch.Of(false)})
		h.must(err)
		organization(belay.RemoteExecution)
		r = waiting()
		other, err := h.verbs.CreateProject(ctx, h.admin, "acme", belay.ProjectPatch{Name: patch.Of("elsewhere"), DefaultExecutionMode: patch.Of(belay.RemoteExecution)})
		h.must(err)
		h.must(h.verbs.MoveWorkspaces(ctx, h.admin, other.ID, []string{h.ws.ID}))
		begins(r)
	})
}

// TestARunnerIsKnownWhileItsWorkspaceMoves: whoever waits for a move has its job all the same.
func TestARunnerIsKnownWhileItsWorkspaceMoves(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		ctx := t.Context()
		h.create(nil)
		job, _ := h.started()
		var projects []string
		for _, name := range []string{"here", "there"} {
			p, err := h.verbs.CreateProject(ctx, h.admin, "acme", belay.ProjectPatch{Name: patch.Of(name)})
			h.must(err)
			projects = append(projects, p.ID)
		}
		var both sync.WaitGroup
		for mover := range 3 {
			both.Go(func() {
				for n := range 20 * storetest.Rounds(1) {
					if err := h.verbs.MoveWorkspaces(ctx, h.admin, projects[(n+mover)%2], []string{h.ws.ID}); err != nil {
						t.Errorf("move: %v", err)
					}
				}
			})
		}
		for range 20 * storetest.Rounds(1) {
			if _, err := h.Start(ctx, job.Lease, run.Start{}); err != nil {
				t.Errorf("its runner: %v", err)
			}
		}
		both.Wait()
		h.end(job, planned(false))
	})
}

// TestManyTurnsAreNotedInParts: whoever changes a mode holds nobody up, however many runs wait
// for it.
func TestManyTurnsAreNotedInParts(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		ctx, many := t.Context(), 250
		h.must(h.db.Update(ctx, func(tx *store.Tx) error {
			for i := range many {
				w := h.ws
				w.ID, w.Name, w.CurrentRunStatus = belay.NewID("ws"), fmt.Sprintf("w-%03d", i), string(run.Pending)
				if err := tx.AddWorkspace(&w); err != nil {
					return err
				}
			}
			return nil
		}))
		turns := func() (n int) {
			h.must(h.db.View(ctx, func(v *store.View) error {
				list, err := v.DueNow(h.now(), 1000)
				for _, d := range list {
					if d.Kind == store.TurnDue {
						n++
					}
				}
				return err
			}))
			return n
		}
		h.db.HeaviestWrite()
		_, err := h.verbs.UpdateOrganization(ctx, h.admin, "acme", belay.OrganizationPatch{DefaultExecutionMode: patch.Of(belay.LocalExecution)})
		h.must(err)
		if rows, n := h.db.HeaviestWrite(), turns(); rows > 50 || n != 0 {
			t.Errorf("the change had %d rows, and noted %d turns", rows, n)
		}
		h.must(h.Reconcile(ctx))
		if rows, n := h.db.HeaviestWrite(), turns(); rows > 250 || n != 0 {
			t.Errorf("one transaction of what followed had %d rows, and %d turns are still to be taken", rows, n)
		}
	})
}
