package app

import (
	"fmt"
	"sync"
	"testing"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/explorer"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
)

// backlog is how many change requests the organization shows, and how many of them a
// workspace counts as open.
func (a *aging) backlog(ref belay.WorkspaceRef) (listed, open int) {
	a.t.Helper()
	ctx, page := a.t.Context(), belay.ChangeRequestQuery{Page: belay.Page{Number: 1, Size: 20}}
	list, total, err := a.ChangeRequests(ctx, a.admin, "acme", page)
	a.must(err)
	_, ofOne, err := a.WorkspaceChangeRequests(ctx, a.admin, ref, page)
	a.must(err)
	w, err := a.Workspace(ctx, a.admin, ref)
	a.must(err)
	if len(list) != min(total, 20) || ofOne != w.OpenChangeRequests {
		a.t.Errorf("%d listed of %d; %d of the workspace, which counts %d", len(list), total, ofOne, w.OpenChangeRequests)
	}
	return total, w.OpenChangeRequests
}

// orderOnAll is an order for a change request on every workspace.
func orderOnAll(key string) BulkOrder {
	kind := "change_requests"
	query := explorer.Query{View: explorer.Workspaces}
	return BulkOrder{
		ActionType: &kind, Subject: "Upgrade", Message: "Soon.", IdempotencyKey: key, RequestHash: "same",
		Query: &query, Places: belay.Places{Members: "/data/attributes"},
	}
}

func TestABulkActionOnManyHoldsNobodyUp(t *testing.T) {
	storetest.NeedsSlow(t)
	eachAging(t, func(t *testing.T, a *aging) {
		ctx := t.Context()
		many := store.RowsAtOnce + 100
		var ref belay.WorkspaceRef
		for i := range many {
			ref = a.workspace(fmt.Sprintf("w-%04d", i), 0)
		}
		a.db.HeaviestWrite()
		var made [2]belay.BulkAction
		var same sync.WaitGroup
		for i := range made {
			same.Go(func() {
				var err error
				if made[i], _, err = a.CreateBulkAction(ctx, a.admin, "acme", orderOnAll("once")); err != nil {
					t.Error(err)
				}
			})
		}
		same.Wait()
		if made[0].ID != made[1].ID || made[0].CreatedCount != many {
			t.Errorf("with one key: %s of %d and %s", made[0].ID, made[0].CreatedCount, made[1].ID)
		}
		if n := a.db.HeaviestWrite(); n > store.RowsAtOnce+20 {
			t.Errorf("a transaction had %d rows", n)
		}
		if listed, open := a.backlog(ref); listed != many || open != 1 {
			t.Errorf("%d listed, %d open on one", listed, open)
		}
	})
}

func TestAnUnfinishedBulkActionIsNotSeen(t *testing.T) {
	eachAging(t, func(t *testing.T, a *aging) {
		ctx, ref := t.Context(), a.workspace("network", 0)
		plan, err := a.planBulkAction(ctx, a.admin, "acme", orderOnAll(""))
		a.must(err)
		b := &plan.action
		b.ID, b.OrganizationID, b.UnfinishedUntil = belay.NewID("eba"), plan.organization.ID, a.now().Add(bulkLease)
		a.must(a.db.Update(ctx, func(tx *store.Tx) error { return a.beginBulkAction(tx, a.admin, b) }))
		a.must(a.addInParts(ctx, b, plan.targets))
		a.dropUnfinished(ctx) // it is still being made
		if listed, open := a.backlog(ref); b.CreatedCount != 1 || listed != 0 || open != 0 {
			t.Errorf("of %d made, %d are listed and %d open", b.CreatedCount, listed, open)
		}
		_, err = a.BulkAction(ctx, a.admin, "acme", b.ID)
		a.refused(err, belay.NotFound, "")
		a.pass(2 * bulkLease) // whoever made it died
		err = a.db.Update(ctx, func(tx *store.Tx) error { return a.keepUnfinished(tx, b) })
		a.refused(err, belay.NotReady, "too long")
		a.dropUnfinished(ctx)
		made, _, err := a.CreateBulkAction(ctx, a.admin, "acme", orderOnAll(""))
		a.must(err)
		if listed, open := a.backlog(ref); listed != 1 || open != 1 || made.CreatedCount != 1 {
			t.Errorf("made again: %d are listed and %d open", listed, open)
		}
	})
}

// TestTheQueryOfABulkActionIsAskedOutsideTheWriter: while it runs, others write.
func TestTheQueryOfABulkActionIsAskedOutsideTheWriter(t *testing.T) {
	eachAging(t, func(t *testing.T, a *aging) {
		a.workspace("network", 0)
		busy, done := make(chan struct{}), make(chan error)
		go func() {
			done <- a.db.Update(t.Context(), func(*store.Tx) error {
				busy <- struct{}{}
				<-busy
				return nil
			})
		}()
		<-busy // the writer of SQLite is taken
		plan, err := a.planBulkAction(t.Context(), a.admin, "acme", orderOnAll(""))
		busy <- struct{}{}
		a.must(<-done)
		if err != nil || len(plan.targets) != 1 {
			t.Errorf("%v, %v", plan.targets, err)
		}
	})
}
