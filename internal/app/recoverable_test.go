package app

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

var firstPage = belay.Page{Number: 1, Size: 100}

// keeps has the organization keep what is deleted, or not.
func (a *aging) keeps(on bool) {
	a.t.Helper()
	_, err := a.UpdateOrganization(a.t.Context(), a.admin, "acme", belay.OrganizationPatch{RecoverableItems: patch.Of(on)})
	a.must(err)
}

// deleted is the items that can be brought back, the last first.
func (a *aging) deleted() []belay.RecoverableItem {
	a.t.Helper()
	list, total, err := a.RecoverableItems(a.t.Context(), a.admin, "acme", firstPage)
	a.must(err)
	if total != len(list) {
		a.t.Errorf("%d items of %d", len(list), total)
	}
	return list
}

// rows is which of the workspaces have a row, wherever it lies.
func (a *aging) rows(ids ...string) (there []string) {
	a.t.Helper()
	a.must(a.db.View(a.t.Context(), func(v *store.View) error {
		places, err := v.WorkspacePlaces(ids)
		for _, p := range places {
			there = append(there, p.ID)
		}
		return err
	}))
	return there
}

func TestADeletedWorkspaceIsErasedInItsTime(t *testing.T) {
	eachAging(t, func(t *testing.T, a *aging) {
		ctx, ref := t.Context(), a.workspace("network", 3)
		a.keeps(true)
		a.must(a.ForceDeleteWorkspace(ctx, a.admin, ref))
		a.pass(belay.DefaultRecoverable - time.Millisecond)
		a.eraseExpired(ctx)
		list := a.deleted()
		if len(list) != 1 || list[0].Name != "network" || list[0].ExpiresAt.Sub(list[0].DeletedAt) != belay.DefaultRecoverable {
			t.Fatalf("can be recovered: %+v", list)
		}
		a.must(a.Recover(ctx, a.admin, list[0].ID))
		if n := len(a.statuses(ref)); n != 3 {
			t.Errorf("%d states came back", n)
		}
		a.must(a.ForceDeleteWorkspace(ctx, a.admin, ref))
		item := a.deleted()[0].ID
		a.pass(belay.DefaultRecoverable)
		if err := a.Recover(ctx, a.admin, item); belay.KindOf(err) != belay.NotFound {
			t.Errorf("recovered when its time was over: %v", err)
		}
		if list := a.deleted(); len(list) > 0 {
			t.Errorf("can be recovered: %+v", list)
		}
		a.eraseExpired(ctx)
		a.DropLooseOutputs(ctx)
		a.noOutputs()
		if there := a.rows(ref.ID); len(there) > 0 {
			t.Error("its row is there still")
		}
	})
}

// due is all that is to be looked at some time.
func (a *aging) due() (list []store.Due) {
	a.must(a.db.View(a.t.Context(), func(v *store.View) (err error) {
		list, err = v.DueNow(time.UnixMilli(a.clock.Load()).AddDate(10, 0, 0), 100)
		return err
	}))
	return list
}

// TestNothingIsDestroyedByAMomentThatPassedMeanwhile: a workspace that comes back keeps the
// moments that are to come.
func TestNothingIsDestroyedByAMomentThatPassedMeanwhile(t *testing.T) {
	eachAging(t, func(t *testing.T, a *aging) {
		ctx := t.Context()
		a.keeps(true)
		for name, after := range map[string]time.Duration{"passed": 2 * day, "comes": 6 * day} {
			ref, at := a.workspace(name, 1), time.UnixMilli(a.clock.Load()).Add(after).UTC()
			_, err := a.UpdateWorkspace(ctx, a.admin, ref, belay.WorkspacePatch{AutoDestroyAt: patch.Of(at)})
			a.must(err)
			a.must(a.ForceDeleteWorkspace(ctx, a.admin, ref))
			a.pass(3 * day)
			if due := a.due(); len(due) > 0 {
				t.Errorf("%s: something is due of a deleted workspace: %v", name, due)
			}
			a.must(a.Recover(ctx, a.admin, a.deleted()[0].ID))
			w, err := a.Workspace(ctx, a.admin, ref)
			a.must(err)
			want := time.Time{}
			if name == "comes" {
				want = at
			}
			if !w.OwnDestroyAt.Equal(want) {
				t.Errorf("%s: destroys at %v, want %v", name, w.OwnDestroyAt, want)
			}
			destroys := slices.DeleteFunc(a.due(), func(d store.Due) bool { return d.Kind == store.AssessDue })
			if (len(destroys) == 0) != want.IsZero() {
				t.Errorf("%s: due is %v", name, destroys)
			}
			a.must(a.ForceDeleteWorkspace(ctx, a.admin, ref))
			a.must(a.EraseItem(ctx, a.admin, a.deleted()[0].ID))
		}
	})
}

func TestNothingOfADeletedOrganizationIsKept(t *testing.T) {
	eachAging(t, func(t *testing.T, a *aging) {
		ctx, ref := t.Context(), a.workspace("network", 2)
		a.keeps(true)
		a.must(a.ForceDeleteWorkspace(ctx, a.admin, ref))
		item := a.deleted()[0].ID
		a.must(a.DeleteOrganization(ctx, a.admin, "acme"))
		if err := a.Recover(ctx, a.admin, item); belay.KindOf(err) != belay.NotFound {
			t.Errorf("recovered to a deleted organization: %v", err)
		}
		a.eraseGone(ctx)
		if there := a.rows(ref.ID); len(there) > 0 {
			t.Error("its row is there still")
		}
		list, total, err := a.Organizations(ctx, a.admin, belay.OrganizationQuery{Page: firstPage})
		if err != nil || total > 0 {
			t.Errorf("organizations: %v, %v", list, err)
		}
	})
}

// TestAHeavyWorkspaceIsErasedInParts: it is gone with the request, and what hung on it goes
// little by little.
func TestAHeavyWorkspaceIsErasedInParts(t *testing.T) {
	eachAging(t, func(t *testing.T, a *aging) {
		ctx, ref, light := t.Context(), a.workspace("network", 1), a.workspace("web", 1)
		for range 4 {
			a.must(a.db.Update(ctx, func(tx *store.Tx) error {
				for range store.RowsAtOnce {
					state := belay.StateVersion{ID: belay.NewID("sv"), WorkspaceID: ref.ID, Status: belay.StateFinalized, Processed: true, CreatedAt: tx.Now}
					if err := tx.AddStateVersion(&state); err != nil {
						return err
					}
				}
				return nil
			}))
		}
		a.db.HeaviestWrite()
		a.must(a.ForceDeleteWorkspace(ctx, a.admin, light))
		a.must(a.ForceDeleteWorkspace(ctx, a.admin, ref))
		if n := a.db.HeaviestWrite(); n > 50 {
			t.Errorf("deleting took a transaction of %d rows", n)
		}
		if there := a.rows(ref.ID, light.ID); !slices.Equal(there, []string{ref.ID}) {
			t.Errorf("%v have a row, want the heavy one", there)
		}
		if _, err := a.Workspace(ctx, a.admin, ref); belay.KindOf(err) != belay.NotFound {
			t.Errorf("it is seen still: %v", err)
		}
		if list := a.deleted(); len(list) > 0 {
			t.Errorf("can be recovered: %+v", list)
		}
		parts := 0
		for more := true; more; parts++ {
			var err error
			more, err = a.db.EraseExpired(ctx)
			a.must(err)
		}
		if n := a.db.HeaviestWrite(); n > heaviest || parts < 8 {
			t.Errorf("erased in %d parts, of %d rows at the most", parts, n)
		}
		if there := a.rows(ref.ID); len(there) > 0 {
			t.Error("its row is there still")
		}
	})
}

// TestRecoveringRaces: while a workspace is brought back, it is given up, and another takes
// its name. One of them wins, and all that counts workspaces knows which.
func TestRecoveringRaces(t *testing.T) {
	eachAging(t, func(t *testing.T, a *aging) {
		ctx := t.Context()
		a.keeps(true)
		for round := range rounds() {
			name := fmt.Sprintf("w%d", round)
			ref := a.workspace(name, 0)
			a.must(a.ForceDeleteWorkspace(ctx, a.admin, ref))
			item := a.deleted()[0].ID
			var recovered, forsaken, created error
			var running sync.WaitGroup
			running.Go(func() { recovered = a.Recover(ctx, a.admin, item) })
			running.Go(func() { forsaken = a.EraseItem(ctx, a.admin, item); a.eraseExpired(ctx) })
			running.Go(func() {
				_, created = a.CreateWorkspace(ctx, a.admin, "acme", belay.WorkspacePatch{Name: patch.Of(name)})
			})
			running.Wait()
			a.eraseExpired(ctx)
			if (recovered == nil) == (created == nil) && forsaken != nil || recovered == nil && forsaken == nil {
				t.Fatalf("round %d: recovered %v, erased %v, created %v", round, recovered, forsaken, created)
			}
			for _, err := range []error{recovered, forsaken, created} {
				switch belay.KindOf(err) {
				case belay.Conflict, belay.NotFound, belay.Invalid:
				default:
					a.must(err)
				}
			}
			if there := len(a.rows(ref.ID)) > 0; there != (recovered == nil || forsaken != nil) {
				t.Fatalf("round %d: its row is there: %v; recovered %v, erased %v, created %v", round, there, recovered, forsaken, created)
			}
		}
		o, err := a.Organization(ctx, a.admin, "acme")
		a.must(err)
		_, total, err := a.Workspaces(ctx, a.admin, "acme", belay.WorkspaceQuery{Page: firstPage})
		if err != nil || total != o.WorkspaceCount || total != rounds() {
			t.Errorf("%d workspaces are counted, want %d, %v", o.WorkspaceCount, rounds(), err)
		}
	})
}

// TestAWorkspaceComesBackWithoutThePoolThatGoes: a pool is deleted while a workspace that chose
// it is brought back. Either the pool stays, or the workspace has no choice of its own any more.
func TestAWorkspaceComesBackWithoutThePoolThatGoes(t *testing.T) {
	eachAging(t, func(t *testing.T, a *aging) {
		ctx := t.Context()
		a.keeps(true)
		for round := range rounds() {
			pool, err := a.CreateAgentPool(ctx, a.admin, "acme", run.AgentPoolPatch{Name: patch.Of(fmt.Sprintf("p%d", round))})
			a.must(err)
			ref := a.workspace(fmt.Sprintf("w%d", round), 0)
			_, err = a.UpdateWorkspace(ctx, a.admin, ref, belay.WorkspacePatch{ExecutionMode: patch.Of(belay.AgentExecution), AgentPoolID: patch.Of(pool.ID)})
			a.must(err)
			a.must(a.ForceDeleteWorkspace(ctx, a.admin, ref))
			item := a.deleted()[0].ID
			var gone error
			var running sync.WaitGroup
			running.Go(func() { a.must(a.Recover(ctx, a.admin, item)) })
			running.Go(func() { gone = a.DeleteAgentPool(ctx, a.admin, pool.ID) })
			running.Wait()
			w, err := a.Workspace(ctx, a.admin, ref)
			a.must(err)
			if (gone == nil) != (w.OwnPoolID == "") || gone != nil && belay.KindOf(gone) != belay.Invalid {
				t.Fatalf("round %d: the pool was deleted: %v, and the workspace chose %q", round, gone, w.OwnPoolID)
			}
		}
	})
}
