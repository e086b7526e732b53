package background_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/belayhq/belay/internal/background"
)

// TestJobsBeginOneAfterTheOther: the first time no two are done at once, and one that takes long holds up none for ever.
func TestJobsBeginOneAfterTheOther(t *testing.T) { //nolint:paralleltest // all that runs in this program comes in one line
	ctx, end := context.WithCancel(t.Context())
	var now, most, done atomic.Int32
	brief := background.Job{Every: time.Hour, Do: func(context.Context) {
		if n := now.Add(1); n > most.Load() {
			most.Store(n)
		}
		time.Sleep(5 * time.Millisecond)
		now.Add(-1)
		if done.Add(1) == 5 {
			end()
		}
	}}
	background.Run(ctx, brief, brief, brief, brief, brief)
	if most.Load() != 1 || done.Load() != 5 {
		t.Errorf("%d of 5 were done, %d at once", done.Load(), most.Load())
	}

	ctx, end = context.WithCancel(t.Context())
	defer end()
	began := make(chan struct{})
	long := background.Job{Every: time.Hour, Do: func(ctx context.Context) { close(began); <-ctx.Done() }}
	background.Run(ctx, long, background.Job{Every: time.Hour, Do: func(context.Context) { <-began; end() }})
}

// TestNothingIsBegunAfterTheEnd: who ends the work waits for what goes on, and for nothing new.
func TestNothingIsBegunAfterTheEnd(t *testing.T) { //nolint:paralleltest // as above
	ctx, end := context.WithCancel(t.Context())
	end()
	early := background.NewSignal()
	early.Now()
	for range 100 {
		background.Run(ctx, background.Job{Every: time.Nanosecond, Early: early, Do: func(context.Context) { t.Error("it began") }})
	}
}
