package store

import "github.com/belayhq/belay/internal/store/base"

// What rooms of the store have, by the names that it has for whoever uses it.
type (
	// Due is something that is to be looked at, and when.
	Due = base.Due
)

// What may be due, and who is woken for it.
const (
	DueWake    = base.DueWake
	TurnDue    = base.TurnDue
	SavedDue   = base.SavedDue
	InForceDue = base.InForceDue
)
