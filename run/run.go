// Package run is the domain of runs: what a run, its plan, its apply, a job and a runner
// are, how a run goes from one status to the next, and the words that server and runner
// say to each other. It does no I/O, reads no clock, and knows neither JSON nor SQL: the
// tags of the wire's types are all that it says about how they travel.
//
// A map of the package:
//
//	run.go       Run, with what it was asked to do and what is fixed when it is made
//	status.go    the statuses, and what may be done in each
//	phase.go     Plan and Apply: the two halves of a run, with their logs
//	job.go       Job: one piece of a run that a runner carries out, under a lease
//	runner.go    Runner: whoever carries out jobs
//	wire*.go     what goes over /api/runner/v1, in both directions
package run

import (
	"time"

	"github.com/belayhq/belay"
)

// Run is one plan of a workspace, and perhaps its apply.
type Run struct {
	ID             string
	WorkspaceID    string
	OrganizationID string
	Status         Status
	Stamps         Stamps // when it reached which status
	CreatedAt      time.Time
	UpdatedAt      time.Time

	ConfigurationVersionID string
	InputStateVersionID    string // the current state when the plan began; empty: none

	Options
	Origin

	// Fixed when the run is made, so that plan and apply are of one piece.
	Engine           string // tofu or terraform
	EngineVersion    string // exact
	WorkingDirectory string

	// Fixed when the run leaves pending, and held for its apply.
	Mode   string // remote or agent; empty while pending
	PoolID string // empty: the server's own runners

	Plan  Plan
	Apply Apply

	CreatedBy     string // users
	ConfirmedBy   string // empty: nobody, or the server
	CanceledBy    string
	CanceledAt    time.Time // when a cancel was asked for; zero: never
	ForceCancelAt time.Time // from when on it may be forced; zero until a cancel was asked for
	SilentSince   time.Time // when the lease of its apply ended unanswered; zero: its runner is heard
	KeepsLock     bool      // it is over, and holds its lock until a person opens it
	Error         string    // why it errored, in a sentence; else empty
	ActiveAt      time.Time // when it left pending as a queue run; zero: it never did
	Notes         int       // how many things were noted of it
	CommitSHA     string    // of its configuration, for searches
	SenderName    string    // at the service its configuration came from, for searches
}

// New is a run that waits for its turn, with a plan and an apply of its own.
func New(workspaceID, organizationID string, now time.Time) Run {
	r := Run{
		ID: belay.NewID("run"), WorkspaceID: workspaceID, OrganizationID: organizationID, Status: Pending,
		Stamps: Stamps{Pending: now}, CreatedAt: now, UpdatedAt: now,
	}
	r.Plan.ID, r.Apply.ID = belay.NewID("plan"), belay.NewID("apply")
	r.Plan.reach(PhasePending, now)
	r.Apply.Status = PhasePending
	return r
}

// Options are what a run was asked to do.
type Options struct {
	Message               string
	IsDestroy             bool
	Refresh               bool
	RefreshOnly           bool
	PlanOnly              bool
	SavePlan              bool
	AllowEmptyApply       bool
	AllowConfigGeneration bool
	AutoApply             bool
	Debugging             bool
	Targets               []string
	Replaces              []string
	PolicyPaths           []string
	InvokeActions         []string
	Variables             []Variable

	// What the run is for. Once it was applied they name it, and are archived when asked.
	ChangeRequests        []string
	ArchiveChangeRequests bool
}

// Variable is a variable of one run alone: an expression, as it was given.
type Variable struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// Origin is where a run comes from.
type Origin struct {
	Source             string // one of the sources
	Reason             string // one of the reasons
	TriggeringRunID    string
	TriggeringSourceID string // a workspace
	TriggeringSource   string // its name when it triggered
	ChainLength        int    // how many runs triggered one another before this one
}

// The sources of runs, as documents call them.
const (
	SourceAPI           = "tfe-api"
	SourceUI            = "tfe-ui"
	SourceConfiguration = "tfe-configuration-version"
	SourceRunTrigger    = "tfe-run-trigger"
	SourceLifecycle     = "tfe-infrastructure-lifecycle"
)

// The reasons of runs.
const (
	ReasonManual      = "manual"
	ReasonAutoQueue   = "auto_queue"
	ReasonRunTrigger  = "run_trigger"
	ReasonAutoDestroy = "auto_destroy"
	ReasonAssessment  = "assessment" // it is no run for anybody: only the result of what it plans is
	ReasonGitTag      = "git_tag"
	ReasonPullRequest = "pull_request" // others of repositories are those of belay.Workspace.TriggerOn
)

// Assesses says that the run is the plan of a health assessment: in no list, and told of to
// nobody.
func (r *Run) Assesses() bool { return r.Reason == ReasonAssessment }

// Queued says that the run waits its turn, takes the lock and may apply: everything but
// plan-only runs, and saved plans until they are confirmed.
func (r *Run) Queued() bool {
	return !r.PlanOnly && (!r.SavePlan || !r.Stamps.At(Confirmed).IsZero())
}

// Operation is the one word that lists filter by: the first that fits.
func (r *Run) Operation() string {
	switch {
	case r.Assesses():
		return "assessment"
	case r.PlanOnly:
		return "plan_only"
	case r.SavePlan:
		return "save_plan"
	case r.RefreshOnly:
		return "refresh_only"
	case r.IsDestroy:
		return "destroy"
	case r.AllowEmptyApply:
		return "empty_apply"
	default:
		return "plan_and_apply"
	}
}
