package runner

import (
	"context"
	"log/slog"

	"github.com/belayhq/belay/run"
)

func newRunner(c Config) *Runner {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	r := &Runner{Config: c, walls: c.Walls, jobs: map[string]*job{}, freed: make(chan struct{}, 1), drain: make(chan struct{})}
	r.wire = newWire(c.Address, c.Transport)
	return r
}

// takeUp goes on with the jobs of an earlier life of this runner: their steps went on
// without it. A heartbeat comes before everything else, for it may renew what was silent.
func (r *Runner) takeUp(ctx context.Context) {
	old, err := oldFolders(r.WorkDir)
	if err != nil {
		r.Log.Warn("folders of earlier jobs can't be read", "error", err)
	}
	if len(old) == 0 {
		return
	}
	beat := run.Beat{Slots: r.free()}
	for _, f := range old {
		beat.Jobs = append(beat.Jobs, run.BeatJob{ID: f.kept.Job.ID, Lease: f.kept.Job.Lease, WorkspaceID: f.kept.Job.WorkspaceID})
	}
	var answer run.Beaten
	_ = r.wire.untilAnswered(ctx, func() error {
		calling, cancel := context.WithTimeout(ctx, callWithin)
		defer cancel()
		return r.wire.post(calling, "heartbeat", "", beat, &answer)
	}) // a job that is not its own any more hears so again
	for _, f := range old {
		r.Log.Info("taking up a job", "job", f.kept.Job.ID, "run", f.kept.Job.RunID)
		r.begin(ctx, f.kept.Job, f, nil)
	}
	r.obey(answer.Jobs, answer.Drain)
}

// takeOne carries out the one job that this runner was started for. A heartbeat comes first:
// from then on it is this runner's, and not that of whoever started it.
func (r *Runner) takeOne(ctx context.Context) error {
	beat := run.Beat{Jobs: []run.BeatJob{{ID: r.Job.ID, Lease: r.Job.Lease, WorkspaceID: r.Job.WorkspaceID}}}
	var answer run.Beaten
	err := r.wire.untilAnswered(ctx, func() error {
		calling, cancel := context.WithTimeout(ctx, callWithin)
		defer cancel()
		return r.wire.post(calling, "heartbeat", "", beat, &answer)
	})
	if err != nil {
		return err
	}
	if len(answer.Jobs) == 1 && answer.Jobs[0].Order == run.GoneOrder {
		return errLost
	}
	go r.heed(ctx)
	r.begin(ctx, *r.Job, nil, nil)
	r.obey(answer.Jobs, answer.Drain)
	r.awaitJobs(ctx)
	r.leave(ctx)
	return nil
}
