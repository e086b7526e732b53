package runner

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/belayhq/belay/internal/engine"
	"github.com/belayhq/belay/internal/isolate"
	"github.com/belayhq/belay/run"
)

// job is one that this runner has.
type job struct {
	*Runner
	run.ClaimedJob
	folder *folder
	given  *run.JobSpec // that came with its claim; nil: it is to be started
	spec   *run.JobSpec
	sender *logSender

	enginePath string
	workspace  string      // what terraform.workspace says
	module     string      // the folder that the engine works in
	checks     []run.Check // what the checks so far came to
	about      *run.About  // what they are told of the run; nil: it was not asked for

	deleted atomic.Bool // its workspace is not there any more
	mu      sync.Mutex
	asked   run.Order // the strongest order so far
	current *isolate.Running
	told    chan struct{} // an order came
	over    chan struct{} // closed when the job is done with here
}

// errDetached says that this runner ends while the step goes on: it is taken up later.
var errDetached = errors.New("the step goes on without this runner")

// errLost says that the job is not this runner's any more.
var errLost = errors.New("the lease of the job is over")

// carryOut is a job from its claim to its end. Each part of it does nothing that was done
// already: after the end of the runner it begins again from the top.
func (j *job) carryOut(ctx context.Context) {
	log := j.Log.With("job", j.ID, "run", j.RunID, "kind", j.Kind, "attempt", j.Attempt)
	err := j.recorded(ctx, j.tryCarryOut)
	switch {
	case errors.Is(err, errDetached), ctx.Err() != nil:
		log.Info("the job goes on without this runner")
		return
	case errors.Is(err, errLost):
		log.Warn("the job is not this runner's any more")
		err = removeAll(j.folder.home)
	case err != nil:
		log.Error("the job could not be ended", "error", err)
		return // its folder stays, for a person and for the next start
	default:
		log.Info("the job has ended", "outcome", j.folder.kept.End.Outcome)
	}
	if err := errors.Join(err, removeAll(j.folder.path)); err != nil {
		log.Warn("the job's folder is still there", "error", err)
	}
}

func (j *job) tryCarryOut(ctx context.Context) error {
	if j.folder == nil {
		f, err := newFolder(j.WorkDir, j.ClaimedJob, j.walls)
		if err != nil {
			return err
		}
		j.mu.Lock()
		j.folder = f
		j.mu.Unlock()
	}
	if err := j.start(ctx); err != nil {
		return err
	}
	sent, stop := j.startLog(ctx, j.spec.Limits.FinishBytes)
	defer stop()
	if j.folder.kept.End == nil {
		end, err := j.work(ctx)
		if err != nil {
			return err
		}
		end.Checks = j.checks
		j.folder.kept.End = end
		if err := j.folder.keep(); err != nil {
			return err
		}
	}
	size, rest, err := sent()
	if err != nil {
		return j.lost(ctx, err)
	}
	j.folder.kept.End.LogSize = size
	if j.folder.kept.lastState() != nil { // a server may be asked whether it was told these very words
		if err := j.folder.keep(); err != nil {
			return err
		}
	}
	// Before the end is told: the next job of the run, which has the same home, may be here
	// at once.
	if err := removeAll(j.folder.home); err != nil {
		return err
	}
	if rest == nil && len(j.folder.kept.With) == 0 {
		return j.end(ctx)
	}
	return j.finish(ctx, rest)
}

// start gets the specification. It is asked for again after a restart: it has secrets,
// and is in no file.
func (j *job) start(ctx context.Context) error {
	spec := j.given
	if spec == nil {
		var err error
		if spec, err = j.askStart(ctx); err != nil {
			return j.lost(ctx, err)
		}
	}
	j.mu.Lock()
	j.spec, j.given = spec, nil
	j.mu.Unlock()
	if !j.folder.kept.Started {
		j.folder.kept.Started, j.folder.kept.LogBase = true, spec.LogSize
		if err := j.folder.keep(); err != nil {
			return err
		}
	}
	j.order(spec.Order)
	return nil
}

func (j *job) askStart(ctx context.Context) (*run.JobSpec, error) {
	spec := &run.JobSpec{}
	err := j.call(ctx, func() error {
		calling, cancel := context.WithTimeout(ctx, callWithin)
		defer cancel()
		*spec = run.JobSpec{}
		return j.wire.post(calling, "jobs/"+j.ID+"/start", j.Lease, run.Start{Isolation: j.folder.kept.Walls.String()}, spec)
	})
	return spec, err
}

// callTries is how often a call is made again whose lease was renewed meanwhile.
const callTries = 3

// call calls the server about the job. When it says that the lease is over, a heartbeat
// asks whether that is so: an apply that was silent may still be this runner's.
func (j *job) call(ctx context.Context, do func() error) error {
	for try := 1; ; try++ {
		err := j.wire.untilAnswered(ctx, do)
		if !refused(err, http.StatusConflict) || try == callTries || !j.stillOurs(ctx) {
			return err
		}
	}
}

func (j *job) stillOurs(ctx context.Context) bool {
	if j.askedFor() == run.GoneOrder {
		return false
	}
	err := j.wire.untilAnswered(ctx, func() error {
		answer, err := j.beatOnce(ctx)
		if err == nil {
			j.obey(answer.Jobs, answer.Drain)
		}
		return err
	})
	return err == nil && j.askedFor() != run.GoneOrder
}

// lost is what an error of a call about the job comes to.
func (j *job) lost(ctx context.Context, err error) error {
	if ctx.Err() == nil && (refused(err, http.StatusConflict) || refused(err, http.StatusUnauthorized) || refused(err, http.StatusNotFound) || refused(err, http.StatusGone)) {
		return j.rescue(ctx, err)
	}
	return err
}

// startLog begins to send the log. The function that it gives ends the log, and waits
// until the server has it all, but for a rest that is no longer than holds.
func (j *job) startLog(ctx context.Context, holds int64) (finish func() (int64, *run.LogRest, error), stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	if file, err := os.OpenFile(j.folder.log(), os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
		_ = file.Close()
	}
	secrets := needles(j.spec, j.Lease)
	limit := j.spec.Limits.LogBytes
	if limit <= 0 {
		limit = defaultLogLimit
	}
	j.mu.Lock()
	j.sender = &logSender{
		wire: j.wire, id: j.spec.LogID, lease: j.Lease, path: j.folder.log(), base: j.folder.kept.LogBase, limit: limit, holds: holds,
		make: func() *redactor { return newRedactor(secrets) }, order: j.order, ours: j.stillOurs, ended: make(chan struct{}),
	}
	j.mu.Unlock()
	type result struct {
		size int64
		rest *run.LogRest
		err  error
	}
	sender, done := j.sender, make(chan result, 1)
	go func() {
		size, rest, err := sender.run(ctx)
		done <- result{size, rest, err}
	}()
	var once sync.Once
	finish = func() (int64, *run.LogRest, error) {
		once.Do(func() { close(sender.ended) })
		r := <-done
		return r.size, r.rest, r.err
	}
	return finish, cancel
}

func (j *job) logSize() int64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.sender == nil {
		return 0
	}
	return j.sender.size.Load()
}

// touch says to the supervisors that there is a runner.
func (j *job) touch() {
	j.mu.Lock()
	folder := j.folder // which the job may be about to make
	j.mu.Unlock()
	if folder != nil {
		now := time.Now()
		_ = os.Chtimes(folder.in(aliveFile), now, now)
	}
}

const aliveFile = "alive"

// failed is the end of a job that could not do its work; the log says why.
func (j *job) failed(format string, args ...any) *run.End {
	text := fmt.Sprintf(format, args...)
	j.say("Error: %s", text)
	if len(text) > 4096 {
		text = text[:4096]
	}
	return &run.End{Outcome: run.Failed, ExitCode: 1, Error: text, StateHome: true}
}

// interrupted is the end of a job that was told to end.
func interrupted(code int) *run.End {
	return &run.End{Outcome: run.Interrupted, ExitCode: code, StateHome: true}
}

// work does what the job is for, and says how it ended. An error is one of the runner's
// own: the job is not over.
func (j *job) work(ctx context.Context) (*run.End, error) {
	if j.askedFor() != run.NoOrder && !j.begun() {
		j.preamble()
		j.say("belay: canceled before it began")
		return interrupted(0), nil
	}
	if err := os.WriteFile(j.folder.in(aliveFile), nil, 0o600); err != nil {
		return nil, err
	}
	j.preamble()
	if end, err := j.prepare(ctx); end != nil || err != nil {
		return end, err
	}
	if j.Kind == run.ApplyJob {
		return j.apply(ctx)
	}
	return j.plan(ctx)
}

// preamble is the three lines that every log begins with: clients leave them out.
func (j *job) preamble() {
	if _, err := os.Stat(j.folder.in("preamble")); err == nil {
		return
	}
	if j.Attempt > 1 {
		j.say("belay: the runner was lost, beginning again")
	}
	j.say("%s v%s\non %s\nInitializing plugins and modules...", engine.Title(j.spec.Engine.Product), j.spec.Engine.Version, platform())
	_ = os.WriteFile(j.folder.in("preamble"), nil, 0o600)
}

// prepare brings everything together that the engine needs, in its place.
func (j *job) prepare(ctx context.Context) (*run.End, error) {
	ready := j.folder.in("ready")
	if _, err := os.Stat(ready); err != nil {
		if err := j.folder.makeHome(); err != nil {
			return nil, err
		}
		if end, err := j.fetchAll(ctx); end != nil || err != nil {
			return end, err
		}
	}
	var builds []engine.Build
	for _, b := range j.spec.Engine.Builds {
		builds = append(builds, engine.Build{OS: b.OS, Arch: b.Arch, URL: b.URL, SHA256: b.SHA256})
	}
	var err error
	if j.enginePath, err = j.Engines.Find(ctx, j.spec.Engine.Product, j.spec.Engine.Version, builds); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		why := strings.TrimPrefix(err.Error(), engine.ErrMissing.Error()+": ")
		return j.failed("no engine for version %s: %s. It goes into the folder of engines (--engine-dir), or the workspace is set to a version that is there", j.spec.Engine.Version, why), nil
	}
	if j.module, err = workingDirectory(j.folder.real(configFolder), j.spec.Workspace.WorkingDirectory); err != nil {
		return j.failed("%v", err), nil
	}
	if _, err := os.Stat(ready); err != nil {
		if err := j.arrange(); err != nil {
			return nil, err
		}
		if err := os.WriteFile(ready, nil, 0o600); err != nil {
			return nil, err
		}
	}
	j.workspace = workspaceName(j.module, j.spec.Workspace.Name)
	return nil, j.writeSecrets()
}

// arrange makes the module such that the engine works on files alone.
func (j *job) arrange() error {
	j.workspace = workspaceName(j.module, j.spec.Workspace.Name)
	if err := cleanModule(j.module); err != nil {
		return err
	}
	state := j.folder.real(stateFolder)
	if err := overrideBackend(j.module, state); err != nil {
		return err
	}
	path := statePath(state, j.workspace)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if _, err := os.Stat(j.folder.in(stateFolder)); err == nil {
		if err := j.folder.copyFile(j.folder.in(stateFolder), path); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(j.pluginCache(), 0o700); err != nil {
		return err
	}
	for from, to := range map[string]string{
		lockName: filepath.Join(j.module, lockName), planName: j.folder.real(outFolder, planName),
	} {
		if _, err := os.Stat(j.folder.in(from)); err != nil {
			continue
		}
		if err := j.folder.copyFile(j.folder.in(from), to); err != nil {
			return err
		}
	}
	return nil
}
