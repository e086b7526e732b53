package belay

import (
	"fmt"

	"github.com/belayhq/belay/internal/patch"
)

// RetentionKind is what a data retention policy does, by its name on the wire.
type RetentionKind string

// The kinds of policy. The legacy one is another name that old clients have for
// delete-older; it is never kept.
const (
	DeleteOlder     RetentionKind = "data-retention-policy-delete-olders"
	DontDelete      RetentionKind = "data-retention-policy-dont-deletes"
	LegacyRetention RetentionKind = "data-retention-policies"
)

// maxRetentionDays is the longest that a policy can ask for: a hundred years.
const maxRetentionDays = 36500

// RetentionPolicy says how long the bytes of old states are kept. Its zero value is no
// policy: the next wider one holds, from workspace to organization to site.
type RetentionPolicy struct {
	ID   string        `json:"id"`
	Kind RetentionKind `json:"kind"`
	Days int           `json:"days,omitempty"` // of DeleteOlder
}

// Given says whether there is a policy.
func (p RetentionPolicy) Given() bool { return p.ID != "" }

// Text says what the policy does, for people; empty when there is none.
func (p RetentionPolicy) Text() string {
	switch {
	case !p.Given():
		return ""
	case p.Kind == DontDelete:
		return "Never delete"
	default:
		return fmt.Sprintf("Delete when older than %d days", p.Days)
	}
}

// RetentionPatch asks for a policy. The days have two spellings.
type RetentionPatch struct {
	Kind             RetentionKind
	Days, DaysInline patch.Field[int] // delete-older-than-n-days, deleteOlderThanNDays
}

// Become is the policy after a request: of the same kind it keeps its id, another kind
// takes its place.
func (p RetentionPolicy) Become(want RetentionPatch) (RetentionPolicy, error) {
	var problems Problems
	days := want.Days
	if !days.Given() {
		days = want.DaysInline
	}
	next := RetentionPolicy{ID: p.ID, Kind: want.Kind, Days: days.Value}
	switch want.Kind {
	case "":
		problems.At("#type", "type must be %s or %s", DeleteOlder, DontDelete)
	case DontDelete:
		next.Days = 0
	default:
		next.Kind = DeleteOlder
		checkRetentionDays(&problems, want, days)
	}
	if next.Kind != p.Kind || p.ID == "" {
		next.ID = NewID("drp")
	}
	return next, problems.Err()
}

func checkRetentionDays(problems *Problems, want RetentionPatch, days patch.Field[int]) {
	switch {
	case want.Days.Given() && want.DaysInline.Given() && want.Days.Value != want.DaysInline.Value:
		problems.Attribute("deleteOlderThanNDays", "deleteOlderThanNDays and delete-older-than-n-days must be the same when both are given")
	case !days.Given():
		problems.Attribute("delete-older-than-n-days", "Delete older than n days can't be blank")
	case days.Value < 1:
		problems.Attribute("delete-older-than-n-days", "Delete older than n days must be at least 1")
	case days.Value > maxRetentionDays:
		problems.Attribute("delete-older-than-n-days", "Delete older than n days must be at most %d", maxRetentionDays)
	}
}
