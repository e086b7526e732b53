package run

import (
	"strings"
	"time"

	"github.com/belayhq/belay"
)

// CheckStage is when a check looks at a run.
type CheckStage string

// The stages. A plan's checks are made in its job, an apply's in its own.
const (
	PrePlan  CheckStage = "pre_plan"  // before the engine does anything
	PostPlan CheckStage = "post_plan" // of the plan that was made
	PreApply CheckStage = "pre_apply" // of the plan that is about to be applied
)

// CheckStages is all of them, in order.
var CheckStages = []CheckStage{PrePlan, PostPlan, PreApply}

// Phase is the phase whose log has what the checks of a stage said.
func (s CheckStage) Phase(r *Run) *Phase {
	if s == PreApply {
		return &r.Apply.Phase
	}
	return &r.Plan.Phase
}

// Enforcement is what comes of a check that does not pass.
type Enforcement string

// The enforcements.
const (
	Advisory  Enforcement = "advisory"  // it is shown
	Mandatory Enforcement = "mandatory" // it ends the run
)

// CheckStatus is what a check came to.
type CheckStatus string

// The statuses. Errored is a check that said nothing: it could not begin, took too long or was
// killed.
const (
	CheckPassed  CheckStatus = "passed"
	CheckFailed  CheckStatus = "failed"
	CheckErrored CheckStatus = "errored"
)

// Check is what one check of an operator came to in a run. The server knows no checks: each
// runner has those that it was started with.
type Check struct {
	ID    string `json:"-"`
	RunID string `json:"-"`

	Stage       CheckStage  `json:"stage"`
	Name        string      `json:"name"`
	Enforcement Enforcement `json:"enforcement"`
	Status      CheckStatus `json:"status"`
	ExitCode    int         `json:"exit_code"`
	Reason      string      `json:"reason,omitempty"` // why it errored
	Output      string      `json:"output"`           // what it said, without secrets
	BeganAt     time.Time   `json:"began_at"`
	EndedAt     time.Time   `json:"ended_at"`
}

// Refuses says that the run must not go on.
func (c *Check) Refuses() bool { return c.Enforcement == Mandatory && c.Status != CheckPassed }

// The most that is kept of checks.
const (
	MaxChecks      = 16      // that a runner has: all of them are told in one call
	MaxCheckOutput = 8 << 10 // bytes of one
	MaxCheckReason = 256     // bytes of a reason
	maxCheckName   = 64      // bytes of a name
)

// CheckName says whether a check may be called so.
func CheckName(name string) bool {
	return name != "" && len(name) <= maxCheckName && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-_") == ""
}

// Tells refuses results that a job of this kind does not have.
func (k JobKind) Tells(checks []Check) error {
	if len(checks) > MaxChecks {
		return belay.Refuse(belay.Invalid, "a job has at most %d checks", MaxChecks)
	}
	for i := range checks {
		c := &checks[i]
		switch {
		case !CheckName(c.Name):
			return belay.Refuse(belay.Invalid, "a check has a name of small letters, digits, - and _, at most %d", maxCheckName)
		case c.Stage != PrePlan && c.Stage != PostPlan && c.Stage != PreApply || (c.Stage == PreApply) != (k == ApplyJob):
			return belay.Refuse(belay.Invalid, "a job of the kind %s has no checks at %q", k, c.Stage)
		case c.Enforcement != Advisory && c.Enforcement != Mandatory:
			return belay.Refuse(belay.Invalid, "a check is advisory or mandatory, not %q", c.Enforcement)
		case c.Status != CheckPassed && c.Status != CheckFailed && c.Status != CheckErrored:
			return belay.Refuse(belay.Invalid, "a check has passed, failed or errored, not %q", c.Status)
		case len(c.Output) > MaxCheckOutput || len(c.Reason) > MaxCheckReason:
			return belay.Refuse(belay.Invalid, "a check says at most %d bytes", MaxCheckOutput)
		}
	}
	return nil
}

// Refusing is the name of a check that lets the run not go on; empty: there is none.
func Refusing(checks []Check) string {
	for i := range checks {
		if checks[i].Refuses() {
			return checks[i].Name
		}
	}
	return ""
}
