package run

import (
	"strings"
	"time"

	"github.com/belayhq/belay"
)

// PhaseStatus is how far one half of a run has come.
type PhaseStatus string

// The statuses of plans and applies. Unreachable is one that will never begin.
const (
	PhasePending     PhaseStatus = "pending"
	PhaseQueued      PhaseStatus = "queued"
	PhaseRunning     PhaseStatus = "running"
	PhaseFinished    PhaseStatus = "finished"
	PhaseErrored     PhaseStatus = "errored"
	PhaseCanceled    PhaseStatus = "canceled"
	PhaseUnreachable PhaseStatus = "unreachable"
)

// PhaseForceCanceled is stamped beside canceled, and is no status.
const PhaseForceCanceled PhaseStatus = "force_canceled"

// Final says that nothing happens to the phase any more.
func (s PhaseStatus) Final() bool {
	switch s {
	case PhaseFinished, PhaseErrored, PhaseCanceled, PhaseUnreachable:
		return true
	default:
		return false
	}
}

// Phase is what plans and applies have in common. Its id is the id of its log, too.
type Phase struct {
	ID     string
	Status PhaseStatus
	Stamps map[PhaseStatus]time.Time
	Counts Counts
	Runner RunnerName // who carried it out; zero: nobody yet, or the server's own

	Backing Backing // whether its files are there
}

// Plan is the first half of a run.
type Plan struct {
	Phase
	HasChanges      bool // the engine's own verdict, which knows outputs and drift too
	GeneratedConfig bool // it wrote configuration for what it imports
}

// Apply is the second half.
type Apply struct {
	Phase
}

// Counts is what a phase does to resources.
type Counts struct {
	Additions    int `json:"additions"`
	Changes      int `json:"changes"`
	Destructions int `json:"destructions"`
	Imports      int `json:"imports"`
}

// RunnerName is what is remembered of the runner of a phase, also when it is forgotten.
type RunnerName struct {
	ID       string
	Name     string
	PoolID   string
	PoolName string
}

// Backing says whether the files behind a plan or an apply are there: what was planned, and
// what was printed.
type Backing string

// What may have become of them.
const (
	BackingThere Backing = ""
	BackingAside Backing = "soft_deleted"
	BackingGone  Backing = "permanently_deleted"
)

// Phase is the plan or the apply of the run that has an id.
func (r *Run) Phase(id string) *Phase {
	if id == r.Apply.ID {
		return &r.Apply.Phase
	}
	return &r.Plan.Phase
}

// MoveBacking puts the files behind a plan or an apply aside, takes them back, or gives
// them up for good.
func (r *Run) MoveBacking(phaseID string, to Backing) error {
	p := r.Phase(phaseID)
	switch {
	case !r.Status.Final():
		return belay.Refuse(belay.BadRequest, "transition not allowed: the run is %s", r.Status)
	case p.Backing == BackingThere && to != BackingAside:
		return belay.Refuse(belay.BadRequest, "transition not allowed: the data is there")
	case p.Backing != belay.BackingFrom(to, BackingThere, BackingAside):
		return belay.Refuse(belay.BadRequest, "transition not allowed: the data is %s", strings.ReplaceAll(string(p.Backing), "_", " "))
	}
	p.Backing = to
	return nil
}
