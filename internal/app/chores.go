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
}

// Run does the chores until ctx ends, and then what must not be left undone.
func (a *App) Run(ctx context.Context) {
	var running sync.WaitGroup
	for _, c := range []chore{
		{every: 10 * time.Second, do: a.noteUsedTokens},
		{every: time.Hour, do: a.sweepStateFiles},
		{every: sweepEvery, do: a.sweepExpired},
		{every: retainEvery, do: a.retain},
	} {
		running.Go(func() { c.run(ctx) })
	}
	running.Wait()
	a.noteUsedTokens(context.WithoutCancel(ctx))
}

// run does one chore, the first time at once: a restart takes up what was left.
func (c chore) run(ctx context.Context) {
	tick := time.NewTicker(c.every)
	defer tick.Stop()
	for ctx.Err() == nil {
		c.do(ctx)
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}
