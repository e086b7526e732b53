package run

import (
	"time"

	"github.com/belayhq/belay"
)

// JobKind is what a job is to do.
type JobKind string

// The kinds of job.
const (
	PlanJob   JobKind = "plan"
	ApplyJob  JobKind = "apply"
	AssessJob JobKind = "assessment"
	FetchJob  JobKind = "fetch"
)

// Class is which jobs come first: a smaller number. Within one the order is by virtual
// time, so that no organization waits behind the many runs of another.
type Class int

// The classes: a held lock and a person wait for an apply; nobody waits for an assessment.
const (
	ApplyClass       Class = 1
	PlanClass        Class = 2
	SpeculativeClass Class = 3
	AssessClass      Class = 4
)

// JobState is where a job is.
type JobState string

// The states of jobs. Held is one over its organization's limit; lost is an apply whose
// lease ended after its engine began, which nobody else may take.
const (
	JobHeld    JobState = "held"
	JobWaiting JobState = "waiting"
	JobLeased  JobState = "leased"
	JobLost    JobState = "lost"
	JobEnded   JobState = "ended"
)

// Job is one piece of a run that a runner carries out.
type Job struct {
	ID             string
	RunID          string
	WorkspaceID    string
	OrganizationID string
	PoolID         string // empty: the server's own runners
	Kind           JobKind
	Class          Class
	VTime          int64 // virtual time, in thousandths: see Fair
	State          JobState
	Attempt        int       // from 1; another one has another lease
	LeaseHash      string    // of the token that every call about the job carries
	LeaseUntil     time.Time // of a leased job
	RunnerID       string    // who has or had it
	Nonce          string    // of the claim that took it, so that a repeated claim finds it
	Cancel         Order     // what the runner is to be told
	QueuedAt       time.Time
	RisenAt        time.Time // when it last moved to a better class, or was queued
	TakenAt        time.Time
	StartedAt      time.Time // when its runner asked for the specification
	TokenHash      string    // of the token that its engine acts with; empty once it has ended
	TokenUntil     time.Time // when that ends at the latest
	EngineAt       time.Time // when it passed the gate: from then on an apply is done at most once
	EndedAt        time.Time
	Outcome        Outcome
	Ending         string // of the End that ended it, so that the same one again is known
	Error          string
}

// Order is what a runner is told about a job that it has.
type Order string

// The orders. Cancel lets the engine end by itself with its state saved; Kill does not
// wait; Gone says that the job is not the runner's any more: it keeps the files and
// offers them (rescue), and ends nothing of an apply.
const (
	NoOrder     Order = ""
	CancelOrder Order = "cancel"
	KillOrder   Order = "kill"
	GoneOrder   Order = "gone"
)

// Outcome is how a job ended.
type Outcome string

// The outcomes. Canceled is told by the runner that was told to cancel and did not finish
// first; the exit status of an engine does not tell it from a failure.
const (
	Succeeded   Outcome = "succeeded"
	Failed      Outcome = "errored"
	Interrupted Outcome = "canceled"
)

// Share is the virtual time that one job takes: an organization with many is given out
// one for each of another's.
const Share = 1000

// How leases of jobs are kept: renewed three times before they end.
const (
	Lease     = 30 * time.Second
	Heartbeat = 10 * time.Second

	// MaxAttempts is how often a job is given out whose runner is lost before its engine
	// did what can't be repeated.
	MaxAttempts = 2
)

// NewJob is a job of a run that waits for a runner, the first attempt.
func NewJob(r *Run, kind JobKind, now time.Time) Job {
	j := Job{
		ID: belay.NewID("job"), RunID: r.ID, WorkspaceID: r.WorkspaceID, OrganizationID: r.OrganizationID, PoolID: r.PoolID,
		Kind: kind, Class: PlanClass, State: JobWaiting, Attempt: 1, QueuedAt: now, RisenAt: now,
	}
	switch {
	case kind == ApplyJob:
		j.Class = ApplyClass
	case kind == AssessJob:
		j.Class = AssessClass
	case !r.Queued():
		j.Class = SpeculativeClass
	}
	return j
}

// Again is another attempt at a job whose runner was lost: with a lease of its own.
func (j *Job) Again(now time.Time) Job {
	return Job{
		ID: belay.NewID("job"), RunID: j.RunID, WorkspaceID: j.WorkspaceID, OrganizationID: j.OrganizationID, PoolID: j.PoolID,
		Kind: j.Kind, Class: j.Class, State: JobWaiting, Attempt: j.Attempt + 1, QueuedAt: now, RisenAt: now,
	}
}

// Take gives a waiting job to a runner.
func (j *Job) Take(runnerID, nonce, lease string, now time.Time) {
	j.State, j.RunnerID, j.Nonce, j.LeaseHash = JobLeased, runnerID, nonce, belay.HashToken(lease)
	j.TakenAt, j.LeaseUntil = now, now.Add(Lease)
}

// EngineRan says that the engine of an apply may have changed something: nobody else may
// be given the job.
func (j *Job) EngineRan() bool { return j.Kind == ApplyJob && !j.EngineAt.IsZero() }

// End ends a job.
func (j *Job) End(o Outcome, why string, now time.Time) {
	j.State, j.Outcome, j.Error, j.EndedAt, j.Cancel = JobEnded, o, why, now, NoOrder
	j.TokenHash = ""
}

// Expired is what becomes of a leased job whose lease is over.
type Expired int

// What may become of it.
const (
	GiveAgain Expired = iota // to whoever comes next
	BeSilent                 // nobody else may have it; its runner may be back
	GiveUp                   // too often
	LetGo                    // its run is over, or is to be: nobody waits for it
)

// Expire says what becomes of the job of a run.
func (j *Job) Expire(r *Run) Expired {
	switch {
	case r.Status.Final():
		return LetGo
	case j.EngineRan():
		return BeSilent
	case !r.CanceledAt.IsZero():
		return GiveUp
	case j.StartedAt.IsZero() || j.Attempt < MaxAttempts:
		return GiveAgain
	default:
		return GiveUp
	}
}
