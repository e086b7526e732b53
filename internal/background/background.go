// Package background owns when background jobs are done: work that no request waits for, every
// so often, on every replica at any time. It knows nothing of what they do, and keeps nothing
// across a restart: each looks at the database for what there is to do.
package background

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// Job is work that no request waits for, done every so often. It must be safe on every
// replica at any time.
type Job struct {
	Every time.Duration
	Do    func(context.Context)
	Early <-chan struct{} // does it before its time
}

// Signal asks for work that is done anyway some time.
type Signal chan struct{}

// NewSignal makes a signal.
func NewSignal() Signal { return make(Signal, 1) }

// Now asks for the work.
func (s Signal) Now() {
	select {
	case s <- struct{}{}:
	default: // whoever works has yet to hear of the one before
	}
}

// Run does the jobs until ctx ends.
func Run(ctx context.Context, jobs ...Job) {
	var running sync.WaitGroup
	for _, j := range jobs {
		running.Go(func() { j.run(ctx) })
	}
	running.Wait()
}

// first is held by the job that is done for the first time, for as long as the next one waits for it.
var first = make(chan struct{}, 1)

// patience is how long a job waits, the first time, for the one before it.
const patience = 500 * time.Millisecond

// begin does the job for the first time, when the ones before it are done: all that a program does
// by itself would at once take a connection each, while its first requests want theirs.
func (j Job) begin(ctx context.Context) {
	select {
	case first <- struct{}{}:
	case <-ctx.Done():
		return
	}
	next := sync.OnceFunc(func() { <-first })
	defer next()
	defer time.AfterFunc(patience, next).Stop()
	if ctx.Err() == nil {
		j.Do(ctx)
	}
}

// run does one job, the first time soon: a restart takes up what was left.
func (j Job) run(ctx context.Context) {
	j.begin(ctx)
	tick := time.NewTicker(j.Every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-j.Early:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			return
		}
		j.Do(ctx)
	}
}

// InParts deletes what is left of something, a part at a time, so that others who write
// hardly wait.
func InParts(ctx context.Context, log *slog.Logger, what string, some func(context.Context) (more bool, err error)) {
	for more := true; more && ctx.Err() == nil; {
		var err error
		if more, err = some(ctx); err != nil && ctx.Err() == nil {
			log.Warn(what+" not deleted", "error", err)
			return
		}
	}
}
