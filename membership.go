package belay

import "time"

// Membership is a user's place in an organization, or the invitation to it.
type Membership struct {
	ID             string
	OrganizationID string
	UserID         string // for an unknown address, of a user that holds the place until the person comes
	Email          string
	Status         string // active or invited
	ByGroups       bool   // only because of groups at an identity provider
	CreatedAt      time.Time

	Organization Organization // read with the row: its name
}

// The statuses of a membership.
const (
	ActiveMember  = "active"
	InvitedMember = "invited"
)

// MembershipQuery is what a list of memberships asks for.
type MembershipQuery struct {
	Search string
	Emails []string // nil: any
	Status string   // empty: any
	UserID string   // only this user's; empty: everybody's
	Page   Page
}

// CheckEmail is the rule of e-mail addresses.
func CheckEmail(email string) error {
	var problems Problems
	checkEmail(&problems, email)
	return problems.Err()
}
