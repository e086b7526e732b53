package changes

import (
	"context"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/backlog"
)

// BulkLease is how long a bulk action may be in the making.
const BulkLease = bulkLease

// The steps of a bulk action, for tests that stop between them.
var (
	BeginBulkAction = (*Room).beginBulkAction
	AddInParts      = (*Room).addInParts
	KeepUnfinished  = (*Room).keepUnfinished
	DropUnfinished  = (*Room).dropUnfinished
)

// PlanBulkAction is the first step: the bulk action that an order makes, and its targets.
func PlanBulkAction(ctx context.Context, r *Room, s belay.Principal, organization string, order BulkOrder) (backlog.BulkAction, []string, error) {
	plan, err := r.planBulkAction(ctx, s, organization, order)
	plan.action.OrganizationID = plan.organization.ID
	return plan.action, plan.targets, err
}
