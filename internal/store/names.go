package store

import (
	"context"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store/base"
	"github.com/belayhq/belay/internal/store/core"
	"github.com/belayhq/belay/internal/store/events"
	"github.com/belayhq/belay/internal/store/people"
	"github.com/belayhq/belay/internal/store/plan"
	"github.com/belayhq/belay/internal/store/repos"
	"github.com/belayhq/belay/internal/store/runs"
)

// What rooms of the store have, by the names that it has for whoever uses it.
type (
	// Due is something that is to be looked at, and when.
	Due = base.Due
	// CoreTx is the transaction in which what was read of states is written.
	CoreTx = core.Tx
	// Comer is a team, and what it is given on a workspace and on its project.
	Comer = people.Comer
	// Work is a kind of work on repositories that waits for somebody to do it.
	Work = repos.Work
	// Beside is what stands beside a workspace on its pages.
	Beside = core.Beside
	// CalledLately is what users were called lately.
	CalledLately = core.Names
	// AgedState is a state version that the policy in force on its workspace gives up.
	AgedState = runs.AgedState
	// RunInput is what a plan began with.
	RunInput = runs.RunInput
	// Explored is where a walk through an answer of the explorer stands.
	Explored = plan.Explored
	// EngineUse is a setting of an engine version that workspaces have.
	EngineUse = runs.EngineUse
	// EngineCount is how many workspaces have an engine version.
	EngineCount = runs.EngineCount
	// Brought is which of the files are there that a plan cannot end without.
	Brought = runs.Brought
	// Claim is what a runner wants, and may have been given before.
	Claim = runs.Claim
	// Leased is a job with the run and the workspace that it is of.
	Leased = runs.Leased
	// LeasedStart is a leased job with what it begins with.
	LeasedStart = runs.LeasedStart
	// LeasedLog is the head of a job with what its log and its run come to.
	LeasedLog = runs.LeasedLog
	// LogChunk is some bytes of a log, sealed.
	LogChunk = runs.LogChunk
	// RunCheck is what a check came to, as it is kept: its output is sealed.
	RunCheck = runs.RunCheck
	// RunFile is a file of a run that outlives its job.
	RunFile = runs.RunFile
	// Lane is a notification configuration with deliveries that are due.
	Lane = events.Lane
	// News is what a delivery tells of a change request.
	News = events.News
	// RunNews is what a delivery tells of a run.
	RunNews = events.RunNews
	// FailedNotification is a destination that deliveries were given up on.
	FailedNotification = events.FailedNotification
	// Managed is which destinations of an organization somebody manages.
	Managed = events.Managed
	// RunFigures is how many runs there were and are in an organization, and how its workspaces stand.
	RunFigures = runs.RunFigures
	// WaitingState is a state whose upload was begun and is not finished.
	WaitingState = core.WaitingState
	// StatePlace is where the next state version of a workspace comes.
	StatePlace = core.StatePlace
	// After is what is asked of a workspace whose state becomes another one.
	After = core.After
	// Making is what is asked before a run of a workspace is made.
	Making = core.Making
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

	ReposWake  = repos.ReposWake
	JobsWake   = runs.JobsWake
	OrdersWake = runs.OrdersWake
)

// EventsAtOnce is how many events one transaction writes that may leave some for later.
const EventsAtOnce = events.EventsAtOnce

// NamesAtOnce is how many names are read at once, where nobody waits for it.
const NamesAtOnce = plan.NamesAtOnce

// WithRequest notes which request what is done under the context belongs to: the events
// of its transactions carry the id.
func WithRequest(ctx context.Context, id string) context.Context { return events.WithRequest(ctx, id) }

// Refusals of what somebody else has changed meanwhile.
var (
	ErrChangedMeanwhile = core.ErrChangedMeanwhile
	ErrWornMeanwhile    = core.ErrWornMeanwhile
)

// Sitting has the views under the context read each organization, project and workspace once: a page is put together by
// many verbs, each of which asks who may. Transactions read anew, and so does what is read after them. Who holds a lock is
// called by names, where they are known.
func Sitting(ctx context.Context, names CalledLately) context.Context {
	return core.Sitting(ctx, names)
}

// Rise ends what was read for the sitting of the context so far: it is read anew.
func Rise(ctx context.Context) { core.Rise(ctx) }

// FewOutputs says that outputs may be written in the transaction that makes their state
// version. More are staged before it.
func FewOutputs(outputs []belay.StateOutput) bool { return core.FewOutputs(outputs) }

// What waits with repositories.
var (
	FetchWork  = repos.FetchWork
	InboxWork  = repos.InboxWork
	StatusWork = repos.StatusWork
)

// LogWake wakes those who read the log of a phase.
func LogWake(id string) Wake { return runs.LogWake(id) }
