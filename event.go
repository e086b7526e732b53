package belay

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"regexp"
	"strings"
	"sync/atomic"
	"time"
)

// Event says what happened, to what, and by whom. It is written in the transaction of
// the change it tells of: no commit, no event.
type Event struct {
	ID             string // time-ordered
	At             time.Time
	Kind           string // noun.verb, such as "workspace.locked"
	OrganizationID string
	WorkspaceID    string // empty when the event is about no workspace
	ResourceType   string
	ResourceID     string
	ActorType      PrincipalKind
	ActorID        string
	ActorName      string
	RequestID      string // of the request that did it; empty when the server did
	Quiet          bool   // nobody is notified of it; not kept
	Payload        string // JSON object with what a reader needs later
}

// UUID is the event's id in the form that readers of the audit trail know: a UUID of
// version 7, which sorts by time as the id does.
func (e Event) UUID() string {
	hex := []byte(strings.TrimPrefix(e.ID, "ev-"))
	if len(hex) != 32 {
		return e.ID
	}
	hex[12], hex[16] = '7', "89ab"[hex[16]&3]
	return strings.Join([]string{string(hex[:8]), string(hex[8:12]), string(hex[12:16]), string(hex[16:20]), string(hex[20:])}, "-")
}

var plainRequestID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// RequestID is the id of a request, for the log, the answer and its events: the one that
// it came with, when that is plain, and else a new one.
func RequestID(given string) string {
	if given != "" && plainRequestID.MatchString(given) {
		return given
	}
	return RandomText(16)
}

// eventCount parts the ids of one millisecond.
var eventCount atomic.Uint32

// NewEventID makes an id that sorts by time and, within a millisecond, by order of making:
// 6 bytes of milliseconds, 4 of a counter, 6 of chance against other replicas.
func NewEventID(now time.Time) string {
	var raw [16]byte
	binary.BigEndian.PutUint64(raw[:8], uint64(now.UnixMilli())<<16)
	binary.BigEndian.PutUint32(raw[6:10], eventCount.Add(1))
	_, _ = rand.Read(raw[10:])
	return "ev-" + hex.EncodeToString(raw[:])
}

// AuditQuery is what a reading of the audit trail asks for.
type AuditQuery struct {
	Since       time.Time // later than this; zero: from the beginning
	NewestFirst bool
	WorkspaceID string // only what happened to this one; empty: everything
	Page        Page

	Actor     string   // only what somebody of this name did
	About     string   // only what happened to the thing or in the request of this id
	Nouns     []string // only what happened to things of these kinds, up to MostNouns, such as "team_project"
	FromEvent string   // only this event and later ones
	Before    string   // only events that are earlier than this one
}

// MostNouns is how many kinds of things one reading of the audit trail names.
const MostNouns = 6

// Seeks says whether a reading looks for what no index finds.
func (q *AuditQuery) Seeks() bool { return q.Actor != "" || q.About != "" || len(q.Nouns) > 0 }

// EventIDSince is the least id that an event later than a moment may have.
func EventIDSince(since time.Time) string {
	var raw [8]byte
	binary.BigEndian.PutUint64(raw[:], uint64(max(0, since.UnixMilli()+1))<<16)
	return "ev-" + hex.EncodeToString(raw[:6])
}

// actions are the words of the audit trail for what events tell of; others stay.
var actions = map[string]string{
	"created": "create", "updated": "update", "deleted": "destroy", "locked": "lock", "unlocked": "unlock",
	"force_unlocked": "force_unlock", "archived": "archive",
}

// Audited is what the event was about and what was done, in the words of the audit trail.
func (e Event) Audited() (resource, action string) {
	resource, action, _ = strings.Cut(e.Kind, ".")
	if word, ok := actions[action]; ok {
		action = word
	}
	return resource, action
}
