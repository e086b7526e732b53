package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/belayhq/belay/internal/engine"
	"github.com/belayhq/belay/internal/isolate"
	"github.com/belayhq/belay/internal/trace"
	"github.com/belayhq/belay/run"
)

// How long steps may take that are not the work itself.
const (
	initWithin = 10 * time.Minute
	showWithin = 10 * time.Minute
	hookWithin = time.Minute
	// orphanAfter is how long a plan goes on that no runner asks for. An apply goes on.
	orphanAfter = 10 * time.Minute
)

// The limits of a step that nobody set.
const (
	maxFile  = 10 << 30
	maxFiles = 8192
)

// step is a program to run for a job.
type step struct {
	name    string // also its folder: what was begun is never begun again
	program string
	args    []string
	stdout  string // a file for standard output alone
	output  string // empty: the log
	write   []string
	within  time.Duration
}

// run runs a step, or takes it up where an earlier life of the runner left it.
func (j *job) run(ctx context.Context, s step) (isolate.Result, error) {
	return j.runIn(ctx, s.name, j.isolated(s))
}

func (j *job) runIn(ctx context.Context, name string, s isolate.Step) (isolate.Result, error) {
	ctx, span := trace.Begin(ctx, "step "+name)
	result, err := j.runStep(ctx, name, s)
	span.Set(trace.Number("process.exit.code", result.Code))
	span.End(err)
	return result, err
}

func (j *job) runStep(ctx context.Context, name string, s isolate.Step) (isolate.Result, error) {
	at := j.folder.in("steps", name)
	running, err := isolate.TakeUp(at)
	if errors.Is(err, os.ErrNotExist) {
		if err := ctx.Err(); err != nil {
			return isolate.Result{}, err
		}
		running, err = isolate.Start(at, s)
	}
	if err != nil {
		return isolate.Result{}, fmt.Errorf("%s: %w", name, err)
	}
	j.mu.Lock()
	j.current = running
	asked := j.asked
	j.mu.Unlock()
	j.obeyOn(running, asked) // what came while it was started
	defer func() {
		j.mu.Lock()
		j.current = nil
		j.mu.Unlock()
	}()
	select {
	case <-running.Done():
		return running.Result(), nil
	case <-ctx.Done():
		if !j.Detached {
			running.Kill()
		}
		return isolate.Result{}, errDetached
	}
}

// isolated is a step with all that every step has.
func (j *job) isolated(s step) isolate.Step {
	output := s.output
	if output == "" {
		output = j.folder.log()
	}
	limits := isolate.Limits{
		Time: s.within, Grace: j.grace(),
		Memory: j.Memory, FileSize: maxFile, Files: maxFiles, Alive: j.folder.in(aliveFile),
	}
	if j.Kind != run.ApplyJob {
		limits.Orphan = orphanAfter
	}
	read := append(isolate.SystemFiles(), s.program, j.pluginCache())
	read = append(read, j.Read...)
	relative, err := filepath.Rel(j.folder.home, j.module)
	if err != nil {
		relative = configFolder // cannot be: the module is in the home
	}
	return isolate.Step{
		Program: s.program, Args: s.args, Dir: j.folder.eyes(relative), Env: j.environment(),
		Output: output, Stdout: s.stdout, Read: read, Write: append([]string{j.folder.seen}, s.write...),
		Home: j.folder.home, Walls: j.folder.kept.Walls, Limits: limits,
	}
}

// grace is how long an engine may take to end that was told to.
func (j *job) grace() time.Duration {
	if seconds := j.spec.Limits.KillAfterSeconds; seconds > 0 {
		return time.Duration(seconds) * time.Second
	}
	return defaultGrace
}

const defaultGrace = 30 * time.Second

// begun says whether the work itself was begun, here or in an earlier life of the runner. It goes on
// then, and is told whatever was ordered: what it leaves behind is awaited.
func (j *job) begun() bool {
	_, err := os.Stat(j.folder.in("steps", string(j.workStep()), "started"))
	return err == nil
}

// workStep is the step that is the work itself.
func (j *job) workStep() run.StepName {
	if j.Kind == run.ApplyJob {
		return run.ApplyStep
	}
	return run.PlanStep
}

// pass asks the gate whether the work itself may begin.
func (j *job) pass(ctx context.Context) error {
	if j.begun() {
		return nil
	}
	if j.askedFor() != run.NoOrder {
		return errStopped
	}
	name := j.workStep()
	if name == run.PlanStep && len(j.checks) == 0 {
		return nil // it may be done twice, and there is nothing to tell
	}
	err := j.call(ctx, func() error {
		calling, cancel := context.WithTimeout(ctx, callWithin)
		defer cancel()
		step := run.Step{Step: name, Checks: j.checks}
		return j.wire.post(calling, "jobs/"+j.ID+"/step", j.Lease, step, nil)
	})
	if refused(err, http.StatusConflict) {
		return errStopped // the lease is over, or a cancel came: the heartbeat said which
	}
	return err
}

// errStopped says that a job was told to stop between two steps.
var errStopped = errors.New("the job was told to stop")

// stopped is how a job ends that was told to stop before its work was done.
func (j *job) stopped(ctx context.Context, err error) (*run.End, error) {
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case !errors.Is(err, errStopped):
		return nil, j.lost(ctx, err)
	case j.askedFor() == run.GoneOrder:
		return nil, errLost
	}
	j.say("belay: canceled")
	return interrupted(1), nil
}

// initialize runs init. What it says is only shown when it fails. The server is not asked: init
// may be done twice, and the gate of the work itself comes after it.
func (j *job) initialize(ctx context.Context) (*run.End, error) {
	if j.askedFor() != run.NoOrder && !j.begun() {
		return j.stopped(ctx, errStopped)
	}
	if j.spec.Engine.Product == engine.Terraform {
		unlock, err := j.lockCache(ctx)
		if err != nil {
			return nil, err
		}
		defer unlock()
	}
	output := j.folder.in("init.log")
	result, err := j.run(ctx, step{
		name: string(run.InitStep), program: j.enginePath, args: []string{"init", "-input=false"}, output: output,
		write: []string{j.pluginCache()}, within: initWithin,
	})
	if err != nil {
		return j.broken(ctx, err)
	}
	if result.Code == 0 {
		return nil, nil
	}
	j.append(output)
	return j.badly(result, "init"), nil
}

// broken is a step that could not be run at all.
func (j *job) broken(ctx context.Context, err error) (*run.End, error) {
	if errors.Is(err, errDetached) || ctx.Err() != nil {
		return nil, errDetached
	}
	return j.failed("%v", err), nil
}

// badly is the end of a job whose step failed. Told to end, it was canceled, whatever its
// exit status is.
func (j *job) badly(result isolate.Result, what string) *run.End {
	end := &run.End{Outcome: run.Failed, ExitCode: result.Code, StateHome: true, TimedOut: result.Reason == isolate.OverTime}
	switch asked := j.askedFor(); {
	case asked != run.NoOrder && !end.TimedOut:
		end.Outcome = run.Interrupted
		j.say("belay: canceled")
	case end.TimedOut:
		end.Error = what + " timed out"
		j.say("Error: %s", end.Error)
	case result.Reason != "":
		end.Error = fmt.Sprintf("%s was ended: %s", what, result.Reason)
		j.say("Error: %s", end.Error)
	case result.Signal != 0:
		end.Error = fmt.Sprintf("%s was ended by signal %d", what, result.Signal)
		j.say("Error: %s", end.Error)
	default:
		end.Error = fmt.Sprintf("%s failed with exit status %d", what, result.Code)
	}
	return end
}

// lockCache keeps another init of Terraform, which does not lock packages, out of the cache.
func (j *job) lockCache(ctx context.Context) (func(), error) {
	return engine.Lock(ctx, filepath.Join(j.pluginCache(), ".lock"))
}

// append puts a file at the end of the log.
func (j *job) append(path string) {
	from, err := os.Open(path)
	if err != nil {
		return
	}
	defer func() { _ = from.Close() }()
	to, err := os.OpenFile(j.folder.log(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return
	}
	_, _ = io.Copy(to, from)
	_ = to.Close()
}
