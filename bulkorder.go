package belay

import (
	"encoding/json"
	"regexp"
)

// ChangeRequestsAction is the one action that a bulk action can be, as it is shown. It
// may be ordered by the singular too.
const ChangeRequestsAction = "change_requests"

// BulkOrder is what a bulk action is ordered with. What the body did not carry is nil.
type BulkOrder struct {
	ActionType     *string
	Subject        string
	Message        string
	TargetIDs      *[]string
	Query          json.RawMessage
	Pointer        string // the place in the body that its members stand at
	IdempotencyKey string
	RequestHash    string
}

// Check says all that is wrong with the order but for its targets.
func (o *BulkOrder) Check(problems *Problems) {
	switch {
	case o.ActionType == nil || *o.ActionType == "":
		problems.At(o.Pointer+"/action_type", "Action type can't be blank")
	case *o.ActionType != ChangeRequestsAction && *o.ActionType != "change_request":
		problems.At(o.Pointer+"/action_type", "Action type is not included in the list")
	}
	switch {
	case o.TargetIDs == nil && o.Query == nil:
		problems.At(o.Pointer, "either target_ids or query must be given")
	case o.TargetIDs != nil && o.Query != nil:
		problems.At(o.Pointer, "target_ids and query can't be given together")
	case o.TargetIDs != nil && len(*o.TargetIDs) == 0:
		problems.At(o.Pointer+"/target_ids", "Target ids can't be empty")
	}
	if o.IdempotencyKey != "" && !idempotencyKey.MatchString(o.IdempotencyKey) {
		problems.At("", "the Idempotency-Key header must have 1 to 255 printable characters")
	}
}

var idempotencyKey = regexp.MustCompile(`^[ -~]{1,255}$`)
