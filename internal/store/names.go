package store

import (
	"context"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store/base"
	"github.com/belayhq/belay/internal/store/core"
	"github.com/belayhq/belay/internal/store/events"
)

// What rooms of the store have, by the names that it has for whoever uses it.
type (
	// Due is something that is to be looked at, and when.
	Due = base.Due
	// CoreTx is the transaction in which what was read of states is written.
	CoreTx = core.Tx
	// Lane is a notification configuration with deliveries that are due.
	Lane = events.Lane
	// News is what a delivery tells of a change request.
	News = events.News
	// RunNews is what a delivery tells of a run.
	RunNews = events.RunNews
	// StatePlace is where the next state version of a workspace comes.
	StatePlace = core.StatePlace
	// StateReading is something that the explorer does not know yet of a workspace's current state.
	StateReading = core.StateReading
)

// What may be due, and who is woken for it.
const (
	DueWake    = base.DueWake
	TurnDue    = base.TurnDue
	SavedDue   = base.SavedDue
	InForceDue = base.InForceDue

	AssessDue         = core.AssessDue
	DestroyDue        = core.DestroyDue
	ProjectDestroyDue = core.ProjectDestroyDue
	ReadingWake       = core.ReadingWake
)

// EventsAtOnce is how many events one transaction writes that may leave some for later.
const EventsAtOnce = events.EventsAtOnce

// WithRequest notes which request what is done under the context belongs to: the events
// of its transactions carry the id.
func WithRequest(ctx context.Context, id string) context.Context { return events.WithRequest(ctx, id) }

// Refusals of what somebody else has changed meanwhile.
var (
	ErrChangedMeanwhile = core.ErrChangedMeanwhile
	ErrWornMeanwhile    = core.ErrWornMeanwhile
)

// Sitting has the views under the context read each organization once: a page is put together by
// many verbs, each of which asks who may. Transactions read anew.
func Sitting(ctx context.Context) context.Context { return core.Sitting(ctx) }

// FewOutputs says that outputs may be written in the transaction that makes their state
// version. More are staged before it.
func FewOutputs(outputs []belay.StateOutput) bool { return core.FewOutputs(outputs) }
