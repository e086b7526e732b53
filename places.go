package belay

import "cmp"

// ChangeRequestsAction is the one action that a bulk action can be, as it is shown. It
// may be ordered by the singular too.
const ChangeRequestsAction = "change_requests"

// Places is where in a body the members of an order stand: in data or in its attributes,
// as clients send them.
type Places struct {
	Members Place            // where those stand, or would, that Moved does not name
	Moved   map[string]Place // where others stand
}

// At is the place of a member.
func (p Places) At(member string) Place { return cmp.Or(p.Moved[member], p.Members.Field(member)) }
