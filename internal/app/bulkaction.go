package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strconv"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/explorer"
	"github.com/belayhq/belay/internal/store"
)

// CreateBulkAction puts a change request on every workspace that the order names or that
// its query finds: on all of them, or on none. The same order with the same idempotency
// key makes nothing new; again says that it had been made before.
func (a *App) CreateBulkAction(ctx context.Context, s belay.Subject, organization string, order belay.BulkOrder) (b belay.BulkAction, again bool, err error) {
	attempt := func(tx *store.Tx) error {
		o, _, err := a.organization(tx.Peek(), s, organization, belay.CreateChangeRequests)
		if err != nil {
			return err
		}
		if err := checkOrder(&b, order); err != nil {
			return err
		}
		if found, seen, err := repeated(tx.Peek(), o, order); err != nil || seen {
			b, again = found, seen
			return err
		}
		targets, err := a.bulkTargets(tx, o, &b, order)
		if err != nil {
			return err
		}
		return addBulkAction(tx, s, o, &b, targets)
	}
	// Of two that come at once with one key, the later finds what the earlier has made.
	if err = a.db.Update(ctx, attempt); errors.Is(err, store.ErrKeyTaken) {
		err = a.db.Update(ctx, attempt)
	}
	return b, again, err
}

// repeated finds the bulk action that an earlier request with the same key made.
func repeated(v *store.View, o belay.Organization, order belay.BulkOrder) (b belay.BulkAction, found bool, err error) {
	if order.IdempotencyKey == "" {
		return b, false, nil
	}
	b, err = v.BulkActionByKey(o, order.IdempotencyKey)
	if belay.KindOf(err) == belay.NotFound {
		return belay.BulkAction{}, false, nil
	}
	if err == nil && b.RequestHash != order.RequestHash {
		err = belay.Refuse(belay.Invalid, "the Idempotency-Key was used with another request")
	}
	return b, err == nil, err
}

// checkOrder takes what an order says over into a new bulk action.
func checkOrder(b *belay.BulkAction, order belay.BulkOrder) error {
	var problems belay.Problems
	order.Check(&problems)
	*b = belay.BulkAction{
		Subject: order.Subject, Message: order.Message, IdempotencyKey: order.IdempotencyKey, RequestHash: order.RequestHash,
	}
	b.CheckWords(&problems, order.Places.At("action_inputs"))
	return problems.Err()
}

// bulkTargets is the workspaces that an order is for.
func (a *App) bulkTargets(tx *store.Tx, o belay.Organization, b *belay.BulkAction, order belay.BulkOrder) ([]string, error) {
	if order.TargetIDs != nil {
		return workspacesGiven(tx.Peek(), o, order)
	}
	want, err := bulkQuery(order)
	if err != nil {
		return nil, err
	}
	b.Query = string(want.JSON())
	return tx.Peek().ExploredIDs(o, want)
}

// PreviewBulkAction says how many workspaces an order by a query is for, and names so many
// of them. It makes nothing.
func (a *App) PreviewBulkAction(ctx context.Context, s belay.Subject, organization string, order belay.BulkOrder, most int) (names []string, total int, err error) {
	ctx, cancel := context.WithTimeout(ctx, exploreLimit)
	defer cancel()
	err = a.db.View(ctx, func(v *store.View) error {
		o, _, err := a.organization(v, s, organization, belay.CreateChangeRequests)
		if err != nil {
			return err
		}
		if err := checkOrder(&belay.BulkAction{}, order); err != nil {
			return err
		}
		want, err := bulkQuery(order)
		if err != nil {
			return err
		}
		name, _ := explorer.Workspaces.Field("workspace_name")
		want.Fields, want.Sort = []explorer.Field{name}, []explorer.Sort{{Field: name}}
		rows, n, err := v.Explore(o, want, belay.Page{Number: 1, Size: most})
		total = n
		for _, row := range rows {
			text, _ := row.Values[0].(string)
			names = append(names, text)
		}
		return err
	})
	return names, total, tooSlow(ctx, err)
}

// bulkQuery is the question that chooses the workspaces of an order.
func bulkQuery(order belay.BulkOrder) (explorer.Query, error) {
	pointer := order.Places.At("query")
	var form struct{ Type *string }
	if json.Unmarshal(order.Query, &form) == nil && (form.Type == nil || *form.Type != string(explorer.Workspaces)) {
		var problems belay.Problems
		problems.At(pointer+"/type", "type must be workspaces")
		return explorer.Query{}, problems
	}
	return explorer.FromJSON(order.Query, "", pointer)
}

// maxNamed is how many unknown targets are told of at once.
const maxNamed = 20

// workspacesGiven is the workspaces that an order names, each once. All must be there.
func workspacesGiven(v *store.View, o belay.Organization, order belay.BulkOrder) ([]string, error) {
	found, err := v.WorkspaceIDs(o, *order.TargetIDs)
	if err != nil {
		return nil, err
	}
	told := make(map[string]bool, len(found)) // what is there needs no telling
	for _, id := range found {
		told[id] = true
	}
	var problems belay.Problems
	for i, id := range *order.TargetIDs {
		if !told[id] && len(problems) < maxNamed {
			problems.At(order.Places.At("target_ids")+"/"+strconv.Itoa(i), "the workspace %s does not exist", id)
			told[id] = true
		}
	}
	return found, problems.Err()
}

func addBulkAction(tx *store.Tx, s belay.Subject, o belay.Organization, b *belay.BulkAction, targets []string) error {
	b.ID, b.OrganizationID, b.CreatedAt = belay.NewID("eba"), o.ID, tx.Now
	b.CreatedBy, b.CreatedByName = s.Actor()
	b.CreatedCount, b.OpenCount = len(targets), len(targets)
	if err := tx.AddBulkAction(b); err != nil {
		return err
	}
	if err := tx.AddChangeRequests(b, targets); err != nil {
		return err
	}
	e := about(s, "bulk_action.created")
	e.OrganizationID, e.ResourceType, e.ResourceID = o.ID, "explorer_bulk_actions", b.ID
	e.Payload = payload(map[string]any{"subject": b.Subject, "created-count": b.CreatedCount})
	return tx.Emit(e)
}

// BulkAction is one bulk action, with how many of its change requests are still open.
// Without an organization it is found by its id alone.
func (a *App) BulkAction(ctx context.Context, s belay.Subject, organization, id string) (b belay.BulkAction, err error) {
	err = a.db.View(ctx, func(v *store.View) error {
		found, err := v.BulkAction(id)
		if err != nil {
			return err
		}
		o, _, err := a.organization(v, s, cmp.Or(organization, found.OrganizationID), belay.ReadExplorer)
		if err == nil && o.ID != found.OrganizationID {
			err = belay.ErrNotFound
		}
		if err == nil {
			b = found
		}
		return err
	})
	return b, err
}
