package changes_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/backlog"
	"github.com/belayhq/belay/internal/changes"
	"github.com/belayhq/belay/internal/explorer"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
)

// backlog is how many change requests the organization shows, and how many of them a
// workspace counts as open.
func (h *house) backlog(ref belay.WorkspaceRef) (listed, open int) {
	h.t.Helper()
	ctx, page := h.t.Context(), backlog.ChangeRequestQuery{Page: belay.Page{Number: 1, Size: 20}}
	list, total, err := h.ChangeRequests(ctx, h.admin, "acme", page)
	h.must(err)
	_, ofOne, err := h.WorkspaceChangeRequests(ctx, h.admin, ref, page)
	h.must(err)
	w, err := h.Workspace(ctx, h.admin, ref)
	h.must(err)
	if len(list) != min(total, 20) || ofOne != w.OpenChangeRequests {
		h.t.Errorf("%d listed of %d; %d of the workspace, which counts %d", len(list), total, ofOne, w.OpenChangeRequests)
	}
	return total, w.OpenChangeRequests
}

// orderOnAll is an order for a change request on every workspace.
func orderOnAll(key string) changes.BulkOrder {
	kind := "change_requests"
	query := explorer.Query{View: explorer.Workspaces}
	return changes.BulkOrder{
		ActionType: &kind, Subject: "Upgrade", Message: "Soon.", IdempotencyKey: key, RequestHash: "same",
		Query: &query, Places: belay.Places{Members: "/data/attributes"},
	}
}

func TestABulkActionOnManyHoldsNobodyUp(t *testing.T) {
	storetest.NeedsSlow(t)
	each(t, func(t *testing.T, h *house) {
		ctx := t.Context()
		many := store.RowsAtOnce + 100
		var ref belay.WorkspaceRef
		for i := range many {
			ref = h.workspace(fmt.Sprintf("w-%04d", i))
		}
		h.db.HeaviestWrite()
		var made [2]backlog.BulkAction
		var same sync.WaitGroup
		for i := range made {
			same.Go(func() {
				var err error
				if made[i], _, err = h.CreateBulkAction(ctx, h.admin, "acme", orderOnAll("once")); err != nil {
					t.Error(err)
				}
			})
		}
		same.Wait()
		if made[0].ID != made[1].ID || made[0].CreatedCount != many {
			t.Errorf("with one key: %s of %d and %s", made[0].ID, made[0].CreatedCount, made[1].ID)
		}
		if n := h.db.HeaviestWrite(); n > store.RowsAtOnce+20 {
			t.Errorf("a transaction had %d rows", n)
		}
		if listed, open := h.backlog(ref); listed != many || open != 1 {
			t.Errorf("%d listed, %d open on one", listed, open)
		}
		tenants := h.db.Tenants()
		ctx = tenants.As(tenants.As(ctx, "another"), "one")
		if again, _, err := h.CreateBulkAction(ctx, h.admin, "acme", orderOnAll("twice")); err != nil || again.CreatedCount != many {
			t.Errorf("beside another tenant: of %d, %v", again.CreatedCount, err)
		}
		if n := h.db.HeaviestWrite(); n > store.RowsAtOnce/10+20 {
			t.Errorf("beside another tenant a transaction had %d rows", n)
		}
	})
}

func TestAnUnfinishedBulkActionIsNotSeen(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		ctx, ref := t.Context(), h.workspace("network")
		planned, targets, err := changes.PlanBulkAction(ctx, h.Requests, h.admin, "acme", orderOnAll(""))
		h.must(err)
		b := &planned
		b.ID, b.UnfinishedUntil = belay.NewID("eba"), h.now().Add(changes.BulkLease)
		h.must(h.db.Update(ctx, func(tx *store.Tx) error { return changes.BeginBulkAction(h.Requests, tx, h.admin, b) }))
		h.must(changes.AddInParts(h.Requests, ctx, b, targets))
		changes.DropUnfinished(h.Requests, ctx) // it is still being made
		if listed, open := h.backlog(ref); b.CreatedCount != 1 || listed != 0 || open != 0 {
			t.Errorf("of %d made, %d are listed and %d open", b.CreatedCount, listed, open)
		}
		_, err = h.BulkAction(ctx, h.admin, "acme", b.ID)
		h.refused(err, belay.NotFound, "")
		h.pass(2 * changes.BulkLease) // whoever made it died
		err = h.db.Update(ctx, func(tx *store.Tx) error { return changes.KeepUnfinished(h.Requests, tx, b) })
		h.refused(err, belay.NotReady, "too long")
		changes.DropUnfinished(h.Requests, ctx)
		made, _, err := h.CreateBulkAction(ctx, h.admin, "acme", orderOnAll(""))
		h.must(err)
		if listed, open := h.backlog(ref); listed != 1 || open != 1 || made.CreatedCount != 1 {
			t.Errorf("made again: %d are listed and %d open", listed, open)
		}
	})
}

// TestTheQueryOfABulkActionIsAskedOutsideTheWriter: while it runs, others write.
func TestTheQueryOfABulkActionIsAskedOutsideTheWriter(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		h.workspace("network")
		busy, done := make(chan struct{}), make(chan error)
		go func() {
			done <- h.db.Update(t.Context(), func(*store.Tx) error {
				busy <- struct{}{}
				<-busy
				return nil
			})
		}()
		<-busy // the writer of SQLite is taken
		_, targets, err := changes.PlanBulkAction(t.Context(), h.Requests, h.admin, "acme", orderOnAll(""))
		busy <- struct{}{}
		h.must(<-done)
		if err != nil || len(targets) != 1 {
			t.Errorf("%v, %v", targets, err)
		}
	})
}
