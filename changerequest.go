package belay

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// ChangeRequest is a to-do item on a workspace. Its words are those of the bulk action
// that made it: 10,000 of them share one text.
type ChangeRequest struct {
	ID             string
	OrganizationID string
	WorkspaceID    string
	ActionID       string
	ArchivedBy     string // the user who archived it
	ArchivedAt     time.Time
	RunID          string // the last run that was applied for it
	CreatedAt      time.Time
	UpdatedAt      time.Time

	Subject       string // read with the row
	Message       string // read with the row; markdown
	CreatedBy     string // read with the row: a user
	CreatedByName string // read with the row
	WorkspaceName string // read with the row
	ProjectID     string // read with the row
}

// Archive takes the change request out of the backlog, once.
func (c *ChangeRequest) Archive(by string, now time.Time) error {
	if !c.ArchivedAt.IsZero() {
		return Refuse(BadRequest, "the change request is already archived")
	}
	c.ArchivedBy, c.ArchivedAt, c.UpdatedAt = by, now, now
	return nil
}

// ChangeRequestQuery is what a list of change requests asks for. Its conditions add up.
type ChangeRequestQuery struct {
	WorkspaceIDs   []string // on one of these; nil: on any
	WorkspaceNames []string
	Projects       []string
	Creators       []string  // ids or names of users
	ActionIDs      []string  // made by one of these bulk actions
	Archived       *bool     // nil: both
	CreatedAfter   time.Time // zero: no bound
	CreatedBefore  time.Time
	Sort           string // created-at, archived-at or subject; else the open ones first
	Descending     bool
	Page           Page
	Scope          Scope // what the caller sees
}

// BulkAction is one order for change requests on many workspaces.
type BulkAction struct {
	ID             string
	OrganizationID string
	Subject        string
	Message        string
	Query          string // the explorer query that chose the workspaces; empty when ids did
	CreatedCount   int    // how many change requests it made
	CreatedBy      string
	CreatedByName  string
	IdempotencyKey string // of the request that ordered it; empty when it had none
	RequestHash    string
	CreatedAt      time.Time
	DueAt          time.Time // until when it is to be done; zero: nobody said

	UnfinishedUntil time.Time // its change requests are still being made; zero when all are there

	ArchivedCount int // read with the row: how many of them are archived
	OpenCount     int // and how many are not
}

// The most characters that the words of a change request may have.
const (
	maxSubject = 255
	maxMessage = 65535
)

// CheckWords trims the subject, and says what is wrong with it and with the message. The
// place is that of both.
func (b *BulkAction) CheckWords(problems *Problems, place Place) {
	controlled := strings.ContainsFunc(b.Subject, breaksLine)
	b.Subject = strings.TrimSpace(b.Subject)
	switch {
	case b.Subject == "":
		problems.At(place.Field("subject"), "Subject can't be blank")
	case controlled:
		problems.At(place.Field("subject"), "Subject can't contain line breaks, tabs or other control characters")
	case utf8.RuneCountInString(b.Subject) > maxSubject:
		problems.At(place.Field("subject"), "Subject is too long (maximum is %d characters)", maxSubject)
	}
	switch {
	case strings.TrimSpace(b.Message) == "":
		problems.At(place.Field("message"), "Message can't be blank")
	case strings.ContainsFunc(strings.NewReplacer("\r\n", "", "\n", "", "\t", "").Replace(b.Message), unicode.IsControl):
		problems.At(place.Field("message"), "Message can't contain control characters but line breaks and tabs")
	case utf8.RuneCountInString(b.Message) > maxMessage:
		problems.At(place.Field("message"), "Message is too long (maximum is %d characters)", maxMessage)
	}
}

// breaksLine finds what has no place in a text of one line: control characters, and the
// two that part lines and paragraphs.
func breaksLine(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' }

// OneLine is a text with a blank for each run of what has no place in one line.
func OneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return breaksLine(r) || r == ' ' }), " ")
}
