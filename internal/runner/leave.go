package runner

import (
	"context"

	"github.com/belayhq/belay/run"
)

// heed does what the operator asks for.
func (r *Runner) heed(ctx context.Context) {
	for drain, stop := r.Drain, r.Stop; ; {
		select {
		case <-drain:
			r.stopTaking()
			drain = nil
		case <-stop:
			r.stopTaking()
			r.mu.Lock()
			for _, j := range r.jobs {
				go j.order(run.CancelOrder)
			}
			r.mu.Unlock()
			stop = nil
		case <-ctx.Done():
			return
		}
	}
}

// awaitJobs returns when no job is left.
func (r *Runner) awaitJobs(ctx context.Context) {
	for {
		r.mu.Lock()
		left := len(r.jobs)
		r.mu.Unlock()
		if left == 0 {
			return
		}
		select {
		case <-r.freed:
		case <-ctx.Done():
			return
		}
	}
}

func (r *Runner) leave(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, callWithin)
	defer cancel()
	if err := r.wire.post(ctx, "exit", "", struct{}{}, nil); err != nil {
		r.Log.Warn("the runner could not say goodbye", "error", err)
	}
}
