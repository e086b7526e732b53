package run

import "time"

// Runner is whoever carries out jobs: the one inside the server, or an agent of a pool.
type Runner struct {
	ID         string
	PoolID     string // empty: the server's own
	PoolName   string // read with the row
	TokenID    string // of the pool, that it registered with; empty: none, or it is not known
	Name       string
	BootID     string // of this start of its machine's process: the same one registers twice as one
	Version    string
	Platform   Platform
	Slots      int
	Kinds      []JobKind // that it takes; empty: all
	Engines    []EngineBinary
	Isolation  string
	WorkDir    string
	Labels     []string // KEY=VALUE
	ForJob     string   // the one job that it was started for; empty: it takes any
	IP         string
	TokenHash  string
	Errored    bool // it said so of itself
	Busy       bool // read with the row: it holds a lease
	CreatedAt  time.Time
	LastSeenAt time.Time
	ExitedAt   time.Time // zero: it did not say goodbye
}

// RunnerStatus is what is shown of a runner. It is computed, never stored: nobody has to
// notice that somebody is silent.
type RunnerStatus string

// The statuses of runners.
const (
	RunnerIdle    RunnerStatus = "idle"
	RunnerBusy    RunnerStatus = "busy"
	RunnerUnknown RunnerStatus = "unknown"
	RunnerErrored RunnerStatus = "errored"
	RunnerExited  RunnerStatus = "exited"
)

// When a silent runner is called unknown, then errored, then forgotten.
const (
	RunnerSilence   = time.Minute
	RunnerGivenUp   = 6 * time.Minute
	RunnerForgotten = 24 * time.Hour
)

// Status is how the runner stands now.
func (r *Runner) Status(now time.Time) RunnerStatus {
	switch silent := now.Sub(r.LastSeenAt); {
	case !r.ExitedAt.IsZero():
		return RunnerExited
	case r.Errored || silent >= RunnerGivenUp:
		return RunnerErrored
	case silent >= RunnerSilence:
		return RunnerUnknown
	case r.Busy:
		return RunnerBusy
	default:
		return RunnerIdle
	}
}
