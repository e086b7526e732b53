package store

import (
	"context"

	"github.com/belayhq/belay/internal/store/base"
	"github.com/belayhq/belay/internal/store/events"
)

// What rooms of the store have, by the names that it has for whoever uses it.
type (
	// Due is something that is to be looked at, and when.
	Due = base.Due
	// Lane is a notification configuration with deliveries that are due.
	Lane = events.Lane
	// News is what a delivery tells of a change request.
	News = events.News
	// RunNews is what a delivery tells of a run.
	RunNews = events.RunNews
)

// What may be due, and who is woken for it.
const (
	DueWake    = base.DueWake
	TurnDue    = base.TurnDue
	SavedDue   = base.SavedDue
	InForceDue = base.InForceDue
)

// EventsAtOnce is how many events one transaction writes that may leave some for later.
const EventsAtOnce = events.EventsAtOnce

// WithRequest notes which request what is done under the context belongs to: the events
// of its transactions carry the id.
func WithRequest(ctx context.Context, id string) context.Context { return events.WithRequest(ctx, id) }
