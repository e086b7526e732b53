package app

import (
	"context"
	"sync"
	"time"
)

// chore is work that no request waits for, done every so often. It must be safe on every
// replica at any time.
type chore struct {
	every time.Duration
	do    func(context.Context)
	early signal // does it before its time
}

// signal asks for work that is done anyway some time.
type signal chan struct{}

func newSignal() signal { return make(signal, 1) }

func (s signal) now() {
	select {
	case s <- struct{}{}:
	default: // whoever works has yet to hear of the one before
	}
}

// Run does the chores until ctx ends, and then what must not be left undone.
func (a *App) Run(ctx context.Context) {
	var running sync.WaitGroup
	if a.providers != nil {
		running.Go(func() { chore{every: recheckEvery, do: a.recheckPeople}.run(ctx) })
	}
	for _, c := range []chore{
		{every: 10 * time.Second, do: a.noteUsedTokens},
		{every: 10 * time.Second, do: a.noteStateReads},
		{every: time.Hour, do: a.forgetStateReads},
		{every: time.Hour, do: a.sweepFiles},
		{every: sweepEvery, do: a.sweepExpired},
		{every: time.Hour, do: a.forgetAnswers},
		{every: retainEvery, do: a.retain},
		{every: time.Minute, do: a.dropLooseOutputs},
		{every: time.Minute, do: a.dropUnfinished},
		{every: time.Minute, do: a.tellLeft},
		{every: time.Minute, do: a.dropDoomedTags},
		{every: time.Hour, do: a.resolveEngines, early: a.resolve},
		{every: time.Minute, do: a.eraseGone, early: a.erase},
		{every: time.Hour, do: a.forgetDeleted, early: a.forget},
		{every: time.Minute, do: a.eraseExpired, early: a.expired},
		{every: countStorageEvery, do: a.countStorage},
	} {
		running.Go(func() { c.run(ctx) })
	}
	running.Wait()
	a.writing.Wait()
	a.noteUsedTokens(context.WithoutCancel(ctx))
	a.noteStateReads(context.WithoutCancel(ctx))
}

// run does one chore, the first time at once: a restart takes up what was left.
func (c chore) run(ctx context.Context) {
	tick := time.NewTicker(c.every)
	defer tick.Stop()
	for ctx.Err() == nil {
		c.do(ctx)
		select {
		case <-tick.C:
		case <-c.early:
		case <-ctx.Done():
		}
	}
}

// inParts deletes what is left of something, a part at a time, so that others who write
// hardly wait.
func (a *App) inParts(ctx context.Context, what string, some func(context.Context) (more bool, err error)) {
	for more := true; more && ctx.Err() == nil; {
		var err error
		if more, err = some(ctx); err != nil && ctx.Err() == nil {
			a.log.Warn(what+" not deleted", "error", err)
			return
		}
	}
}
