// Package isolate starts a program that is not trusted and outlives whoever started it.
//
// A step runs under a supervisor: this same binary, executed again, in a session of its
// own. What the step says goes to a file and so does its exit status, never through a
// pipe: when the runner is killed the step goes on, and a new runner takes it up from the
// folder. The step sees the files that it was given and no others, an environment made
// from nothing, and no process but its own.
//
// The package knows no runs, no engines and no server.
package isolate

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Command is the argument by which whatever binary has this package is told that it is a
// supervisor; the folder of the step follows.
const Command = "supervise-step"

// Level is what is demanded of the machine.
type Level string

// The levels. Auto takes what is there and demands Landlock; strict demands namespaces
// too; none must be written out.
const (
	Auto   Level = "auto"
	Strict Level = "strict"
	None   Level = "none"
)

// ErrUnsupported says that this system can't hold a step apart as it was asked to.
var ErrUnsupported = errors.New("steps can't be isolated here")

// Abilities is what this machine can do.
type Abilities struct {
	Landlock   int  // the ABI of the kernel; 0: none
	Namespaces bool // user, mount, pid, ipc and uts, without privileges
}

// Walls is what a step is held by.
type Walls struct {
	Landlock   bool `json:"landlock"`
	Namespaces bool `json:"namespaces"`
}

// String is the word for what a runner tells of itself.
func (w Walls) String() string {
	switch {
	case w.Landlock && w.Namespaces:
		return "strict"
	case w.Landlock:
		return "landlock"
	default:
		return "none"
	}
}

// Walls is what the level comes to on a machine with these abilities.
func (l Level) Walls(can Abilities) (Walls, error) {
	switch {
	case l == None:
		return Walls{}, nil
	case l != Auto && l != Strict:
		return Walls{}, fmt.Errorf("isolation is auto, strict or none, not %q", l)
	case can.Landlock == 0:
		return Walls{}, fmt.Errorf("%w: this kernel has no Landlock", ErrUnsupported)
	case l == Strict && !can.Namespaces:
		return Walls{}, fmt.Errorf("%w: namespaces are not allowed", ErrUnsupported)
	}
	return Walls{Landlock: true, Namespaces: can.Namespaces}, nil
}

// Landlock says whether the level holds by it what nothing else holds. No step is needed to find out.
func (l Level) Landlock() (bool, error) {
	walls, err := l.Walls(Abilities{Landlock: landlockABI(), Namespaces: true})
	return walls.Landlock, err
}

// Step is one program to run.
type Step struct {
	Program string   `json:"program"` // an absolute path
	Args    []string `json:"args"`
	Dir     string   `json:"dir"`
	Env     []string `json:"env"`    // all of it
	Stdin   string   `json:"stdin"`  // the file that it reads; empty: it reads nothing
	Output  string   `json:"output"` // the file that what it says is appended to
	Stdout  string   `json:"stdout"` // one for its standard output alone; empty: Output has both
	Read    []string `json:"read"`   // what it may read and execute, below each; what is not there is no error
	Write   []string `json:"write"`  // what it may change, below each
	// Home is the folder that is seen at Fixed where there are namespaces, so that paths
	// in a plan are the same on every machine. Dir and Env then name Fixed.
	Home   string `json:"home"`
	Walls  Walls  `json:"walls"`
	Limits Limits `json:"limits"`
}

// Fixed is where the home of a step is seen in a mount namespace.
const Fixed = "/run/belay/w"

// Limits bound a step. Zero is no limit.
type Limits struct {
	Time     time.Duration `json:"time"`      // then it is interrupted
	Grace    time.Duration `json:"grace"`     // and so long after that it is killed
	Memory   int64         `json:"memory"`    // bytes of all its processes together
	FileSize int64         `json:"file_size"` // of one file
	Files    uint64        `json:"files"`     // open at once
	// Orphan is how long it goes on when nobody touches Alive any more.
	Orphan time.Duration `json:"orphan"`
	Alive  string        `json:"alive"`
	// Starter is the process that starts it, for a step that is not to outlive that one.
	Starter int `json:"starter"`
}

// Result is how a step ended.
type Result struct {
	Code   int    `json:"code"`             // its exit status; 128 + the signal that killed it
	Signal int    `json:"signal,omitempty"` // that killed it
	Reason Reason `json:"reason,omitempty"` // why the supervisor ended it, if it did
}

// Reason is why a supervisor ended a step.
type Reason string

// The reasons.
const (
	OverTime   Reason = "time"
	OverMemory Reason = "memory"
	Orphaned   Reason = "orphaned"
	Killed     Reason = "killed"
	Vanished   Reason = "vanished" // the supervisor itself was killed: nobody saw the end
)

// String is a sentence for the log of a run.
func (r Reason) String() string {
	switch r {
	case OverTime:
		return "it took too long"
	case OverMemory:
		return "it took more memory than it may"
	case Orphaned:
		return "its runner was gone"
	case Killed:
		return "it was killed"
	case Vanished:
		return "its supervisor was killed"
	default:
		return strings.TrimSpace(string(r))
	}
}

// started is what a supervisor writes down of itself, so that a later runner finds it.
type started struct {
	Boot       string `json:"boot"`
	PID        int    `json:"pid"`
	Since      uint64 `json:"since"` // its start time: a number that is used again has another one
	EnginePID  int    `json:"engine_pid"`
	EngineTime uint64 `json:"engine_since"`
}
