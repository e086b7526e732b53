// Package runner takes jobs from a server and carries them out: it unpacks the
// configuration, runs the engine behind walls, sends what it says, and brings home the
// plan and the state. It speaks the runner's wire and nothing else: it never reaches the
// store or the verbs, not even inside the server, where the wire is a function call.
package runner

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/belayhq/belay/internal/engine"
	"github.com/belayhq/belay/internal/isolate"
	"github.com/belayhq/belay/run"
)

// Config is what a runner needs.
type Config struct {
	Address   string            // of the server
	Transport http.RoundTripper // nil: the network
	Token     string            // to register with
	Name      string
	Version   string // of Belay
	Slots     int
	Labels    []string // KEY=VALUE
	Kinds     []run.JobKind
	WorkDir   string // absolute: plan and apply see the same path below it
	Engines   *engine.Finder
	Walls     isolate.Walls
	Strict    bool            // nothing of one organization is seen by another
	Read      []string        // what steps may read besides the system's files
	PassEnv   []string        // variables of the runner's own environment that steps get
	CertFile  string          // the authorities that steps trust; empty: the system's
	CLIConfig string          // the operator's configuration of the command line: its text
	Hooks     string          // folder of the operator's hooks; empty: none
	Checks    []Check         // what the operator wants looked at in every run
	Memory    int64           // bytes of one job's processes; 0: no limit
	Once      bool            // end after one job
	Job       *run.ClaimedJob // the one job that this runner is for, whose lease is its token; nil: it takes any
	Drain     <-chan struct{} // closed when nothing new may be taken
	Stop      <-chan struct{} // closed when what was taken is to be canceled
	Log       *slog.Logger

	// Fetch writes the archive of a commit, for the server; nil: this runner fetches none.
	Fetch func(ctx context.Context, task run.FetchTask, to io.Writer) error

	// Detached says that steps go on when the context ends, to be taken up later.
	Detached bool
	// Known is called when the server knows the runner and its engines; nil: nobody waits.
	Known func()
}

// Runner carries out jobs.
type Runner struct {
	Config
	wire    *wire
	me      run.Registered
	walls   isolate.Walls
	mu      sync.Mutex
	jobs    map[string]*job
	freed   chan struct{} // told when a job has ended
	drain   chan struct{} // closed when nothing new may be taken
	once    sync.Once
	working sync.WaitGroup
}

// errGone says that the server does not know this runner any more.
var errGone = errors.New("the server does not know this runner any more")

// errRevoked says that it gives this runner no more jobs.
var errRevoked = errors.New("the token that this runner registered with is not in force any more")

// ErrBusy says that another runner works in the folder.
var ErrBusy = errors.New("another runner works in this folder")

// Run takes jobs until the context ends, or, told to drain, until those that it has are
// done.
func Run(ctx context.Context, c Config) error {
	r := newRunner(c)
	leave, err := r.comeIn(ctx)
	if err != nil {
		return err
	}
	defer leave()
	r.Log.Info("the runner takes jobs", "runner", r.me.ID, "slots", r.Slots, "isolation", r.walls.String())
	defer r.working.Wait()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var beside sync.WaitGroup
	defer beside.Wait()
	defer stop()
	beside.Go(func() { r.beat(ctx) })
	beside.Go(func() { r.hear(ctx) })
	beside.Go(func() { r.tidy(ctx) })
	if r.Job != nil {
		return r.takeOne(ctx)
	}
	beside.Go(func() { r.fetchAll(ctx) })
	r.takeUp(ctx)
	return r.take(ctx)
}

// comeIn keeps other runners out of the folder until leave, and registers.
func (r *Runner) comeIn(ctx context.Context) (leave func(), err error) {
	if leave, err = lockFolder(r.WorkDir); err != nil {
		return nil, err
	}
	if err := r.register(ctx); err != nil {
		leave()
		return nil, err
	}
	if r.Known != nil {
		r.Known()
	}
	return leave, nil
}

func (r *Runner) register(ctx context.Context) error {
	announced := run.Registration{
		Name: r.Name, BootID: rand.Text(), Version: r.Version, Platform: run.Platform{OS: runtime.GOOS, Arch: runtime.GOARCH},
		Slots: r.Slots, Kinds: r.Kinds, Engines: r.engines(ctx), Isolation: r.walls.String(), WorkDir: r.seenDir(), Labels: r.Labels,
	}
	r.wire.token = r.Token
	err := r.wire.untilAnswered(ctx, func() error {
		return r.wire.post(ctx, "register", "", announced, &r.me)
	})
	if err != nil {
		return fmt.Errorf("register at %s: %w", r.Address, err)
	}
	r.wire.token = r.me.Token
	return nil
}

// seenDir is where the engine sees its folder, which has to be the same on every runner
// that may apply a plan of this one.
func (r *Runner) seenDir() string {
	if r.walls.Namespaces {
		return isolate.Fixed
	}
	return filepath.Join(r.WorkDir, homesFolder)
}

func (r *Runner) engines(ctx context.Context) []run.EngineBinary {
	var all []run.EngineBinary
	for _, b := range r.Engines.List(ctx) {
		all = append(all, run.EngineBinary{Product: b.Product, Version: b.Version})
	}
	return all
}

// stopTaking makes the runner take nothing new.
func (r *Runner) stopTaking() { r.once.Do(func() { close(r.drain) }) }

// take claims jobs while there are free slots.
func (r *Runner) take(ctx context.Context) error {
	go r.heed(ctx)
	claiming, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		select {
		case <-r.drain:
			stop()
		case <-claiming.Done():
		}
	}()
	taken := 0
	for claiming.Err() == nil {
		free := r.free()
		if r.Once {
			free = min(free, 1-taken)
		}
		if free == 0 {
			if r.Once && taken > 0 {
				break
			}
			select {
			case <-r.freed:
			case <-claiming.Done():
			}
			continue
		}
		got, err := r.claim(claiming, free, true)
		switch {
		case errors.Is(err, errGone):
			return err
		case errors.Is(err, errRevoked): // what it has, it ends
			r.awaitJobs(ctx)
			r.leave(ctx)
			return err
		}
		for _, c := range got.Jobs {
			taken++
			r.begin(ctx, c, nil, got.Spec(c.ID))
		}
	}
	if ctx.Err() == nil {
		r.awaitJobs(ctx)
		r.leave(ctx)
	}
	return nil
}

func (r *Runner) free() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return max(0, r.Slots-len(r.jobs))
}

// claim waits for jobs. A claim whose answer was lost is repeated with its nonce, so that
// what it took is not lost with it. With begins the jobs are carried out here, and at once.
func (r *Runner) claim(ctx context.Context, slots int, begins bool) (run.Claimed, error) {
	ask := run.Claim{Slots: slots, Kinds: r.Kinds, Wait: min(50, max(1, r.me.WaitSeconds)), Nonce: rand.Text(), Engines: r.engines(ctx), Start: begins}
	var answer run.Claimed
	err := r.wire.untilAnswered(ctx, func() error {
		answer = run.Claimed{}
		waiting, cancel := context.WithTimeout(ctx, time.Duration(ask.Wait)*time.Second+callWithin)
		defer cancel()
		return r.wire.post(waiting, "claim", "", ask, &answer)
	})
	switch {
	case refused(err, http.StatusGone):
		err = errRevoked
	case refused(err, http.StatusUnauthorized):
		err = errGone
	}
	return answer, err
}

// begin carries out a job beside everything else. A job of an earlier life has its folder; one that was
// started with its claim has its specification. What this runner still does for the same run comes
// first: they share a home.
func (r *Runner) begin(ctx context.Context, c run.ClaimedJob, had *folder, given *run.JobSpec) {
	j := &job{Runner: r, ClaimedJob: c, folder: had, given: given, told: make(chan struct{}, 1), over: make(chan struct{})}
	var before []*job
	r.mu.Lock()
	if _, here := r.jobs[c.Lease]; here {
		r.mu.Unlock()
		return // the claim was answered twice
	}
	for _, other := range r.jobs {
		if other.RunID == c.RunID {
			before = append(before, other)
		}
	}
	r.jobs[c.Lease] = j
	r.mu.Unlock()
	for _, other := range before {
		if other.ID == c.ID {
			other.order(run.GoneOrder) // an earlier attempt, whose lease is over
		}
	}
	r.working.Go(func() {
		for _, other := range before {
			<-other.over
		}
		j.carryOut(ctx)
		r.mu.Lock()
		delete(r.jobs, c.Lease)
		r.mu.Unlock()
		close(j.over)
		select {
		case r.freed <- struct{}{}:
		default:
		}
	})
}

// beat keeps the leases of all jobs, and hears what is to be done with them.
func (r *Runner) beat(ctx context.Context) {
	every := time.Duration(max(1000, r.me.HeartbeatMillis)) * time.Millisecond
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(every):
		}
		answer, err := r.beatOnce(ctx)
		switch {
		case err != nil && ctx.Err() == nil:
			r.Log.Warn("a heartbeat was not answered", "error", err)
			if refused(err, http.StatusGone) || refused(err, http.StatusUnauthorized) {
				r.stopTaking()
			}
		case err == nil:
			if answer.IntervalMillis > 0 {
				every = time.Duration(answer.IntervalMillis) * time.Millisecond
			}
			r.obey(answer.Jobs, answer.Drain)
		}
	}
}

func (r *Runner) beatOnce(ctx context.Context) (run.Beaten, error) {
	ctx, cancel := context.WithTimeout(ctx, callWithin)
	defer cancel()
	beat := run.Beat{Slots: r.free()}
	r.mu.Lock()
	for _, j := range r.jobs {
		j.touch()
		if j.askedFor() != run.GoneOrder {
			beat.Jobs = append(beat.Jobs, run.BeatJob{ID: j.ID, Lease: j.Lease, WorkspaceID: j.WorkspaceID, LogSize: j.logSize()})
		}
	}
	r.mu.Unlock()
	var answer run.Beaten
	return answer, r.wire.post(ctx, "heartbeat", "", beat, &answer)
}

// hear waits for orders that can't wait for the next heartbeat.
func (r *Runner) hear(ctx context.Context) {
	wait := min(50, max(1, r.me.WaitSeconds))
	for ctx.Err() == nil {
		var orders run.Orders
		err := r.wire.untilAnswered(ctx, func() error {
			orders = run.Orders{}
			waiting, cancel := context.WithTimeout(ctx, time.Duration(wait)*time.Second+callWithin)
			defer cancel()
			return r.wire.get(waiting, fmt.Sprintf("orders?wait=%d", wait), "", &orders)
		})
		if err != nil {
			if ctx.Err() == nil {
				r.stopTaking()
			}
			return
		}
		r.obey(orders.Jobs, orders.Drain)
	}
}

func (r *Runner) obey(orders []run.JobOrder, drain bool) {
	if drain {
		r.stopTaking()
	}
	for _, o := range orders {
		for _, j := range r.having(o.ID) {
			if o.Deleted {
				j.deleted.Store(true)
			}
			j.order(o.Order)
		}
	}
}

// having is the job of that id; the attempt whose lease is over is left out.
func (r *Runner) having(id string) (found []*job) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, j := range r.jobs {
		if j.ID == id && j.askedFor() != run.GoneOrder {
			found = append(found, j)
		}
	}
	return found
}
