package run

import (
	"time"
)

// FactKind is what happened to a run.
type FactKind string

// The facts that move a run.
const (
	TurnCame    FactKind = "turn"        // a queue run may have its workspace; others at once
	FetchEnded  FactKind = "fetch-ended" // its configuration came from a repository, or did not
	JobStarted  FactKind = "job-started" // a runner asked for the specification
	PlanEnded   FactKind = "plan-ended"
	ApplyEnded  FactKind = "apply-ended"
	Confirm     FactKind = "confirm"      // somebody wants it applied
	LockOpened  FactKind = "lock-opened"  // it may have the lock that it lost
	Discard     FactKind = "discard"      // somebody does not want it
	AskCancel   FactKind = "cancel"       // somebody wants it to end
	ForceCancel FactKind = "force-cancel" // without waiting for its runner
	AdminCancel FactKind = "admin-cancel" // by a site admin, in whatever status
	WentSilent  FactKind = "went-silent"  // the lease of an apply ended; its runner may be back
	CameBack    FactKind = "came-back"    // and it is
	GivenUp     FactKind = "given-up"     // given up
	Outdated    FactKind = "outdated"     // a saved plan: the state moved, or its time is over
	Superseded  FactKind = "superseded"   // a plan-only run: a newer one takes its place
)

// Fact is one thing that happened to a run, with what its rules need to know of the rest.
type Fact struct {
	Kind FactKind
	By   string // the user that did it; empty: the server
	Why  string // a sentence for its event, or of a failure

	// Of a turn: what it will have.
	Fetch        bool // its configuration must be fetched first
	Mode, PoolID string

	// Of a job that started or ended.
	Outcome         Outcome
	Runner          RunnerName
	StateVersionID  string // the current state when the plan started
	HasChanges      bool
	GeneratedConfig bool
	Refused         bool // of a plan that was made: a check does not let it go on
	Counts          Counts
	Findings        Findings // of the plan of an assessment
	StateMoved      bool     // another state is current than the plan began with
	StateHome       bool     // of an apply: its last state is kept
	EngineRan       bool     // of a lost apply: it may have changed something
	LockHeld        bool     // of a lost apply: nobody has taken the lock from its run

	LockFree   bool          // the run holds its workspace's lock, or may take it now
	ForceAfter time.Duration // how long after a cancel it may be forced
}

// Do is what a fact asks for beyond the run itself.
type Do string

// What is to be done, in the transaction of the fact.
const (
	TakeLock Do = "take-lock" // of the workspace, unless the run has it
	FreeLock Do = "free-lock" // if the run has it; the next run's turn comes
	StartJob Do = "start-job" // Word is the kind
	StopJob  Do = "stop-job"  // Word is the order for whoever has it; a waiting one is withdrawn
	OpenLog  Do = "open-log"  // Word is plan or apply
	CloseLog Do = "close-log" // Word is plan or apply: nothing comes any more
	Note     Do = "note"      // Word is the action of the run's event
	Tell     Do = "tell"      // Word is the verb of the event for everybody else
	Trigger  Do = "trigger"   // the runs that follow an apply
)

// Effect is one thing to be done.
type Effect struct {
	Do   Do
	Word string
	Why  string // of a note: its description
}
