package belay

import (
	"encoding/binary"
	"encoding/hex"
	"strings"
	"time"
)

// AuditQuery is what a reading of the audit trail asks for.
type AuditQuery struct {
	Since       time.Time // later than this; zero: from the beginning
	NewestFirst bool
	WorkspaceID string // only what happened to this one; empty: everything
	Page        Page
}

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
