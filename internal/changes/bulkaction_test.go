package changes_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

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
		ctx = h.besideAnother()
		if again, _, err := h.CreateBulkAction(ctx, h.admin, "acme", orderOnAll("twice")); err != nil || again.CreatedCount != many {
			t.Errorf("beside another tenant: of %d, %v", again.CreatedCount, err)
		}
		if n := h.db.HeaviestWrite(); n > store.RowsAtOnce/10+20 {
			t.Errorf("beside another tenant a transaction had %d rows", n)
		}
		h.grows(ctx, made[0].ID, many)
	})
}

// besideAnother is a tenant's context while another one is there, until the test is over.
func (h *house) besideAnother() context.Context {
	tenants := h.db.Tenants()
	go func() {
		for h.t.Context().Err() == nil {
			tenants.As(h.t.Context(), "another")
			time.Sleep(time.Millisecond)
		}
	}()
	return tenants.As(tenants.As(h.t.Context(), "another"), "one")
}

// grows puts as many change requests into a bulk action again as it has, beside another tenant, and archives all.
func (h *house) grows(ctx context.Context, id string, many int) {
	h.t.Helper()
	for i := range many {
		h.workspace(fmt.Sprintf("v-%04d", i))
	}
	h.db.HeaviestWrite()
	if n, err := h.FileAgain(ctx, h.admin, "acme", id); err != nil || n != many {
		h.t.Errorf("filed again on %d: %v", n, err)
	}
	if n := h.db.HeaviestWrite(); n > store.RowsAtOnce/10+20 {
		h.t.Errorf("filed again by a transaction of %d rows", n)
	}
	list, _, _, err := h.CampaignRequests(ctx, h.admin, "acme", id, backlog.CampaignQuery{Page: belay.Page{Number: 1, Size: 3 * many}})
	h.must(err)
	var ids []string
	for i := range list {
		ids = append(ids, list[i].ID)
	}
	h.db.HeaviestWrite()
	if n, err := h.ArchiveInCampaign(ctx, h.admin, "acme", id, ids); err != nil || n != 2*many {
		h.t.Errorf("archived %d: %v", n, err)
	}
	if n := h.db.HeaviestWrite(); n > 3*store.RowsAtOnce/10+20 { // each has an event, and a count of its workspace
		h.t.Errorf("archived by a transaction of %d rows", n)
	}
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
