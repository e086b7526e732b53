package run

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/belayhq/belay"
)

// Event is one thing that happened to a run: its event, and with a body the comment
// that somebody made.
type Event struct {
	ID          string
	RunID       string
	Sequence    int
	Action      string
	Description string
	ActorID     string // a user
	CommentID   string // empty: no comment
	Body        string
	CreatedAt   time.Time
}

// maxComment is how many characters a comment may have.
const maxComment = 65535

// Noted makes the run's next note.
func (r *Run) Noted(action, why, actorID string, now time.Time) Event {
	r.Notes++
	return Event{
		ID: belay.NewID("re"), RunID: r.ID, Sequence: r.Notes, Action: action, Description: why, ActorID: actorID, CreatedAt: now,
	}
}

// CheckComment is the text of a comment, or what is wrong with it.
func CheckComment(body string) (string, error) {
	var problems belay.Problems
	body = strings.TrimSpace(body)
	switch {
	case body == "":
		problems.Attribute("body", "Body can't be blank")
	case utf8.RuneCountInString(body) > maxComment:
		problems.Attribute("body", "Body is too long (maximum is %d characters)", maxComment)
	}
	return body, problems.Err()
}
