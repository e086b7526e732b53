package signin

import "time"

// MailLink is a link that was mailed to an address: whoever has it reads mail there. It is
// good once. Its value is in the letter; what is kept is a hash.
type MailLink struct {
	Hash      string
	Kind      string
	UserID    string
	CreatedBy string // what whoever invites was called then; empty: nobody, or not known
	CreatedAt time.Time
	ExpiredAt time.Time
}

// The kinds of links.
const (
	ResetLink      = "password-reset"
	InvitationLink = "invitation"
)

// How long links are good, and how many a user is sent in a day.
const (
	ResetLinkLifetime      = time.Hour
	InvitationLinkLifetime = 7 * 24 * time.Hour
	PasswordLinkLifetime   = 24 * time.Hour // of one that a site admin hands on
	MostLinks              = 5
	LinkPeriod             = 24 * time.Hour
)

// Good says whether the link may be used for something now.
func (l *MailLink) Good(kind string, now time.Time) bool {
	return l.Kind == kind && now.Before(l.ExpiredAt)
}

// Invitation is what the page of an invitation says to whoever has its link.
type Invitation struct {
	Email         string
	By            string   // who sent the link; empty: not known
	Organizations []string // to which that address is invited
}

// Letter is a mail with a link into the pages.
type Letter struct {
	Subject       string
	Before, After string // the words around the link
	Path          string // of the page
}
