package belay

import (
	"cmp"
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
	Places         Places
	IdempotencyKey string
	RequestHash    string
}

// Places is where in a body the members of an order stand: in data or in its attributes,
// as clients send them.
type Places struct {
	Members string            // where those stand, or would, that Moved does not name
	Moved   map[string]string // where others stand
}

// At is the place of a member.
func (p Places) At(member string) string { return cmp.Or(p.Moved[member], p.Members+"/"+member) }

// Check says all that is wrong with the order but for its targets.
func (o *BulkOrder) Check(problems *Problems) {
	switch {
	case o.ActionType == nil || *o.ActionType == "":
		problems.At(o.Places.At("action_type"), "Action type can't be blank")
	case *o.ActionType != ChangeRequestsAction && *o.ActionType != "change_request":
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
	if o.IdempotencyKey != "" && !idempotencyKey.MatchString(o.IdempotencyKey) {
		problems.At("", "the Idempotency-Key header must have 1 to 255 printable characters")
	}
}

var idempotencyKey = regexp.MustCompile(`^[ -~]{1,255}$`)
