package changes

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/backlog"
	"github.com/belayhq/belay/internal/background"
	"github.com/belayhq/belay/internal/explorer"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/record"
	"github.com/belayhq/belay/internal/store"
)

// bulkPlan is a bulk action that may be made: for whom, and on which workspaces.
type bulkPlan struct {
	organization belay.Organization
	action       backlog.BulkAction
	request      string // what tells the order from others with its key
	targets      []string
	again        bool // the action was made before
}

// CreateBulkAction puts a change request on every workspace that the order names or that
// its query finds: on all of them, or on none. The same order of the same caller with the same
// idempotency key makes nothing new; again says that it had been made before.
func (r *Room) CreateBulkAction(ctx context.Context, s belay.Principal, organization string, order BulkOrder) (b backlog.BulkAction, again bool, err error) {
	for {
		plan, err := r.planBulkAction(ctx, s, organization, order)
		if err == nil && !plan.again {
			err = r.makeBulkAction(ctx, s, &plan)
		}
		if !errors.Is(err, store.ErrKeyTaken) {
			return plan.action, plan.again, err
		}
		select { // another is making one with this key: it is found when it is there
		case <-time.After(keyPause):
		case <-ctx.Done():
			return b, false, err
		}
	}
}

// keyPause is how long to wait before looking again for what another makes with the same key.
const keyPause = 20 * time.Millisecond

// planBulkAction finds out what an order asks for. However long its query takes, within the
// explorer's limit, nobody waits for it.
func (r *Room) planBulkAction(ctx context.Context, s belay.Principal, organization string, order BulkOrder) (plan bulkPlan, err error) {
	ctx, cancel := context.WithTimeout(ctx, exploreLimit)
	defer cancel()
	err = r.db.View(ctx, func(v *store.View) error {
		if plan.organization, _, err = gate.Organization(v, s, organization, belay.CreateChangeRequests); err != nil {
			return err
		}
		plan.request = order.RequestHash
		if err := checkOrder(&plan.action, order); err != nil {
			return alsoTargets(v, plan.organization, order, err)
		}
		if found, seen, err := r.repeated(v, s, plan.organization, order); err != nil || seen {
			plan.action, plan.again = found, seen
			return err
		}
		plan.targets, err = bulkTargets(v, plan.organization, &plan.action, order)
		return err
	})
	return plan, tooSlow(ctx, err)
}

// repeated finds the bulk action that an earlier request with the same key of the principal made.
func (r *Room) repeated(v *store.View, s belay.Principal, o belay.Organization, order BulkOrder) (b backlog.BulkAction, found bool, err error) {
	if order.IdempotencyKey == "" {
		return b, false, nil
	}
	b, err = v.BulkActionByKey(o, s.KeyHolder(), order.IdempotencyKey)
	if belay.KindOf(err) == belay.NotFound {
		return backlog.BulkAction{}, false, nil
	}
	if err != nil {
		return b, false, err
	}
	request, unsealed := r.ring.Unseal(b.SealedRequest, b.ID)
	switch {
	case unsealed != nil: // it was kept bare once, or its key was taken out of use
		err = belay.Refuse(belay.Conflict, "a bulk action was made with this Idempotency-Key: for what is not known any more")
	case string(request) != order.RequestHash:
		err = belay.Refuse(belay.Invalid, "the Idempotency-Key was used with another request")
	case !b.UnfinishedUntil.IsZero():
		err = store.ErrKeyTaken
	}
	return b, err == nil, err
}

// checkOrder takes what an order says over into a new bulk action.
func checkOrder(b *backlog.BulkAction, order BulkOrder) error {
	var problems belay.Problems
	order.Check(&problems)
	*b = backlog.BulkAction{
		Subject: order.Subject, Message: order.Message, IdempotencyKey: order.IdempotencyKey, DueAt: order.DueAt.Value,
	}
	b.CheckWords(&problems, order.Places.At("action_inputs"))
	return problems.Err()
}

// alsoTargets is what is wrong with an order, and with the workspaces that it names.
func alsoTargets(v *store.View, o belay.Organization, order BulkOrder, refusal error) error {
	var problems belay.Problems
	if err := problems.Add(refusal); err != nil || order.TargetIDs == nil {
		return refusal
	}
	_, err := workspacesGiven(v, o, order)
	if err := problems.Add(err); err != nil {
		return err
	}
	return problems
}

// bulkTargets is the workspaces that an order is for.
func bulkTargets(v *store.View, o belay.Organization, b *backlog.BulkAction, order BulkOrder) ([]string, error) {
	if order.TargetIDs != nil {
		return workspacesGiven(v, o, order)
	}
	b.Query = string(order.Query.JSON())
	return v.ExploredIDs(o, *order.Query)
}

// PreviewBulkAction says how many workspaces an order by a query is for, and names so many
// of them. It makes nothing.
func (r *Room) PreviewBulkAction(ctx context.Context, s belay.Principal, organization string, order BulkOrder, most int) (names []string, total int, err error) {
	ctx, cancel := context.WithTimeout(ctx, exploreLimit)
	defer cancel()
	err = r.db.View(ctx, func(v *store.View) error {
		o, _, err := gate.Organization(v, s, organization, belay.CreateChangeRequests)
		if err != nil {
			return err
		}
		if err := checkOrder(&backlog.BulkAction{}, order); err != nil {
			return err
		}
		want := *order.Query
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

// workspacesGiven is the workspaces that an order names, each once. All must be there.
func workspacesGiven(v *store.View, o belay.Organization, order BulkOrder) ([]string, error) {
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
		if !told[id] && len(problems) < gate.MaxNamed {
			problems.At(order.Places.At("target_ids").Item(i), "the workspace %s does not exist", id)
			told[id] = true
		}
	}
	return found, problems.Err()
}

// bulkLease is how long a bulk action may go without another part before it counts as left
// behind.
const bulkLease = time.Minute

// makeBulkAction writes a bulk action with its change requests: few in one transaction, many
// in parts that nobody sees before the last. Workspaces that are deleted meanwhile get none.
func (r *Room) makeBulkAction(ctx context.Context, s belay.Principal, plan *bulkPlan) error {
	b := &plan.action
	b.ID, b.OrganizationID = belay.NewID("eba"), plan.organization.ID
	b.CreatedBy, b.CreatedByName = s.Actor()
	b.KeyHolder = s.KeyHolder()
	if b.IdempotencyKey != "" { // sealed: from a bare hash its words could be guessed
		b.SealedRequest = r.ring.Seal([]byte(plan.request), b.ID)
	}
	slices.Sort(plan.targets) // everybody holds workspaces in this order
	if len(plan.targets) <= r.db.RowsNow(ctx) {
		return r.db.Update(ctx, func(tx *store.Tx) error {
			if err := r.beginBulkAction(tx, s, b); err != nil {
				return err
			}
			n, err := tx.AddChangeRequests(b, store.Filings(plan.targets))
			if err != nil {
				return err
			}
			b.CreatedCount = n
			return r.finishBulkAction(tx, s, b)
		})
	}
	err := r.db.Update(ctx, func(tx *store.Tx) error {
		b.UnfinishedUntil = tx.Now.Add(bulkLease)
		return r.beginBulkAction(tx, s, b)
	})
	if err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx) // what is begun is finished, so that asking again finds it
	err = r.addInParts(ctx, b, plan.targets)
	if err == nil {
		err = r.db.Update(ctx, func(tx *store.Tx) error {
			if err := r.keepUnfinished(tx, b); err != nil {
				return err
			}
			return r.finishBulkAction(tx, s, b)
		})
	}
	if err != nil { // a crash here, or a database that is gone: dropUnfinished does it later
		background.InParts(ctx, r.log, "what a failed bulk action made was", func(ctx context.Context) (bool, error) { return r.db.DropBulkAction(ctx, b) })
	}
	return err
}

// addInParts makes the change requests of a bulk action.
func (r *Room) addInParts(ctx context.Context, b *backlog.BulkAction, targets []string) (err error) {
	b.CreatedCount, err = inParts(ctx, r.db, b.OrganizationID, store.Filings(targets), func(tx *store.Tx, part []store.Filing) (int, error) {
		if err := r.keepUnfinished(tx, b); err != nil {
			return 0, err
		}
		return tx.AddChangeRequests(b, part)
	})
	return err
}

// inParts writes of many change requests so many at once that others who write hardly wait: those who came while it
// waited for its turn, too. It returns for how many that was so. On PostgreSQL parts of an organization's change requests go one
// after another: many begun at once would be, whoever came then.
func inParts[T any](ctx context.Context, db *store.DB, organizationID string, all []T, write func(tx *store.Tx, part []T) (int, error)) (written int, err error) {
	ctx = store.InLine(ctx, "change requests of "+organizationID)
	for len(all) > 0 {
		done, n := 0, 0
		if err := db.Update(ctx, func(tx *store.Tx) error {
			n = min(len(all), db.RowsNow(ctx))
			done, err = write(tx, all[:n])
			return err
		}); err != nil {
			return written, err
		}
		written, all = written+done, all[n:]
	}
	return written, nil
}

// keepUnfinished goes on with a bulk action, unless it took so long that it was given up.
func (r *Room) keepUnfinished(tx *store.Tx, b *backlog.BulkAction) error {
	b.UnfinishedUntil = tx.Now.Add(bulkLease)
	there, err := tx.KeepUnfinished(b)
	if err == nil && !there {
		err = belay.Refuse(belay.NotReady, "the bulk action took too long, try again")
	}
	return err
}

// beginBulkAction writes a bulk action that has no change requests yet.
func (r *Room) beginBulkAction(tx *store.Tx, s belay.Principal, b *backlog.BulkAction) error {
	if _, _, err := gate.Organization(tx.Peek(), s, b.OrganizationID, belay.CreateChangeRequests); err != nil {
		return err
	}
	b.CreatedAt = tx.Now
	return tx.AddBulkAction(b)
}

// finishBulkAction shows a bulk action with all its change requests, and tells of it.
func (r *Room) finishBulkAction(tx *store.Tx, s belay.Principal, b *backlog.BulkAction) error {
	b.OpenCount = b.CreatedCount
	if err := tx.FinishBulkAction(b); err != nil {
		return err
	}
	e := record.About(s, "bulk_action.created")
	e.OrganizationID, e.ResourceType, e.ResourceID = b.OrganizationID, "explorer_bulk_actions", b.ID
	e.Payload = record.Payload(map[string]any{"subject": b.Subject, "created-count": b.CreatedCount})
	return tx.Emit(e)
}

// dropUnfinished deletes what is left of bulk actions that nobody has finished.
func (r *Room) dropUnfinished(ctx context.Context) {
	background.InParts(ctx, r.log, "bulk actions that were not finished", r.db.DropUnfinished)
}

// BulkAction is one bulk action, with how many of its change requests are still open.
// Without an organization it is found by its id alone.
func (r *Room) BulkAction(ctx context.Context, s belay.Principal, organization, id string) (b backlog.BulkAction, err error) {
	err = r.db.View(ctx, func(v *store.View) error {
		found, err := v.BulkAction(id)
		if err != nil {
			return err
		}
		o, _, err := gate.Organization(v, s, cmp.Or(organization, found.OrganizationID), belay.ReadExplorer)
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
