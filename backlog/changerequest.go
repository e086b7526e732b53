// Package backlog holds what is asked of workspaces: change requests, the campaigns they are filed in, and the
// questions that find workspaces to ask. It changes none of them, and answers no question.
package backlog

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
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
	AssigneeID     string // the user who is on it
	AssignedAt     time.Time
	CreatedAt      time.Time
	UpdatedAt      time.Time

	Subject       string // read with the row
	Message       string // read with the row; markdown
	CreatedBy     string // read with the row: a user
	CreatedByName string // read with the row
	AssigneeName  string // read with the row
	WorkspaceName string // read with the row
	ProjectID     string // read with the row
}

// Archive takes the change request out of the backlog, once.
func (c *ChangeRequest) Archive(by string, now time.Time) error {
	if !c.ArchivedAt.IsZero() {
		return belay.Refuse(belay.BadRequest, "the change request is already archived")
	}
	c.ArchivedBy, c.ArchivedAt, c.UpdatedAt = by, now, now
	return nil
}

// Take says that a user is on the change request. Who has it already keeps it; what somebody
// else has must be released first, so that two never work on it without knowing.
func (c *ChangeRequest) Take(s belay.Principal, now time.Time) error {
	switch {
	case s.Kind != belay.UserPrincipal:
		return belay.Refuse(belay.Forbidden, "only users take change requests")
	case !c.ArchivedAt.IsZero():
		return belay.Refuse(belay.BadRequest, "the change request is already archived")
	case c.AssigneeID == s.ID:
		return nil
	case c.AssigneeID != "" && c.AssigneeName != "": // of a user who was deleted the name is gone
		return belay.Refuse(belay.Conflict, "the change request is taken; release it first")
	}
	c.AssigneeID, c.AssigneeName, c.AssignedAt, c.UpdatedAt = s.ID, s.Name, now, now
	return nil
}

// Release leaves the change request to others, whoever took it.
func (c *ChangeRequest) Release(now time.Time) error {
	switch {
	case !c.ArchivedAt.IsZero():
		return belay.Refuse(belay.BadRequest, "the change request is already archived")
	case c.AssigneeID == "":
		return nil
	}
	c.AssigneeID, c.AssigneeName, c.AssignedAt, c.UpdatedAt = "", "", time.Time{}, now
	return nil
}

// ChangeRequestQuery is what a list of change requests asks for. Its conditions add up.
type ChangeRequestQuery struct {
	WorkspaceIDs   []string // on one of these; nil: on any
	WorkspaceNames []string
	Projects       []string
	Creators       []string  // ids or names of users
	ActionIDs      []string  // made by one of these bulk actions
	Assignees      []string  // ids or names of users; NoAssignee: taken by nobody
	Archived       *bool     // nil: both
	CreatedAfter   time.Time // zero: no bound
	CreatedBefore  time.Time
	Sort           string // created-at, archived-at or subject; else the open ones first
	Descending     bool
	Page           belay.Page
	Scope          belay.Scope // what the caller sees
}

// NoAssignee asks for change requests that nobody has taken.
const NoAssignee = "none"

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
	KeyHolder      string // whose key that is
	SealedRequest  string // a fingerprint of that request; empty when it had no key, or is not known
	CreatedAt      time.Time
	DueAt          time.Time // until when it is to be done; zero: nobody said
	RemindedAt     time.Time // when those who have open ones were last told again

	UnfinishedUntil time.Time // its change requests are still being made; zero when all are there

	ArchivedCount int // read with the row: how many of them are archived
	OpenCount     int // and how many are not
}

// BulkActionPatch is a change of a bulk action: all else of it is said once.
type BulkActionPatch struct {
	DueAt patch.Field[time.Time] // null: until no day
}

// Apply changes a bulk action. A change that says nothing of it was meant to say something else.
func (p BulkActionPatch) Apply(b *BulkAction) error {
	var problems belay.Problems
	if !p.DueAt.Set {
		problems.Attribute("due_at", "Due at must be given, or null: nothing else of a bulk action can be changed")
	}
	p.DueAt.Into(&b.DueAt)
	return problems.Err()
}

// ChangeRequestsAction is the one action that a bulk action can be, as it is shown. It
// may be ordered by the singular too.
const ChangeRequestsAction = "change_requests"

// RemindEvery is how long those who were told of a bulk action are not told again.
const RemindEvery = time.Hour

// Remind notes that those who have open change requests are told again.
func (b *BulkAction) Remind(now time.Time) error {
	switch {
	case b.OpenCount == 0:
		return belay.Refuse(belay.Conflict, "all change requests of the bulk action are archived")
	case !b.MayRemind(now):
		return belay.Refuse(belay.Conflict, "they were told less than an hour ago; again from %s", b.RemindedAt.Add(RemindEvery).UTC().Format(time.RFC3339))
	}
	b.RemindedAt = now
	return nil
}

// MayRemind says whether there is something to remind of, and enough time has passed.
func (b *BulkAction) MayRemind(now time.Time) bool {
	return b.OpenCount > 0 && !now.Before(b.RemindedAt.Add(RemindEvery))
}

// The most characters that the words of a change request may have.
const (
	maxSubject = 255
	maxMessage = 65535
)

// CheckWords trims the subject, and says what is wrong with it and with the message. The
// place is that of both.
func (b *BulkAction) CheckWords(problems *belay.Problems, place belay.Place) {
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
