package runner

import (
	"context"
	"errors"

	"github.com/belayhq/belay/internal/trace"
	"github.com/belayhq/belay/run"
)

// errEndedBadly says to whoever records jobs that one did not do its work.
var errEndedBadly = errors.New("the job has not done its work")

// recorded does the job within a span of its own, which tells how it ended.
func (j *job) recorded(ctx context.Context, do func(context.Context) error) error {
	ctx, span := trace.Root(ctx, string(j.Kind), trace.Text("belay.run.id", j.RunID),
		trace.Text("belay.job.id", j.ID), trace.Number("belay.job.attempt", j.Attempt))
	err := do(ctx)
	ended := err
	if err == nil {
		outcome := j.folder.kept.End.Outcome
		span.Set(trace.Text("belay.job.outcome", string(outcome)))
		if outcome == run.Failed {
			ended = errEndedBadly
		}
	}
	span.End(ended)
	return err
}
