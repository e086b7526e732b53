package changes

import (
	"regexp"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/backlog"
	"github.com/belayhq/belay/internal/explorer"
	"github.com/belayhq/belay/internal/patch"
)

// BulkOrder is what a bulk action is ordered with. What the body did not carry is nil.
type BulkOrder struct {
	ActionType     *string
	Subject        string
	Message        string
	TargetIDs      *[]string
	Query          *explorer.Query
	DueAt          patch.Field[time.Time] // until when it is to be done
	Places         belay.Places
	IdempotencyKey string
	RequestHash    string
}

// Check says all that is wrong with the order but for its targets.
func (o *BulkOrder) Check(problems *belay.Problems) {
	switch {
	case o.ActionType == nil || *o.ActionType == "":
		problems.At(o.Places.At("action_type"), "Action type can't be blank")
	case *o.ActionType != backlog.ChangeRequestsAction && *o.ActionType != "change_request":
		problems.At(o.Places.At("action_type"), "Action type is not included in the list")
	}
	switch {
	case o.TargetIDs == nil && o.Query == nil:
		problems.At(o.Places.Members, "either target_ids or query must be given")
	case o.TargetIDs != nil && o.Query != nil:
		problems.At(o.Places.Members, "target_ids and query can't be given together")
	case o.TargetIDs != nil && len(*o.TargetIDs) == 0:
		problems.At(o.Places.At("target_ids"), "Target ids can't be empty")
	}
	if o.Query != nil && o.Query.View != explorer.Workspaces {
		problems.At(o.Places.At("query").Field("type"), "type must be workspaces")
	}
	if o.IdempotencyKey != "" && !idempotencyKey.MatchString(o.IdempotencyKey) {
		problems.At("", "the Idempotency-Key header must have 1 to 255 printable characters")
	}
}

var idempotencyKey = regexp.MustCompile(`^[ -~]{1,255}$`)
