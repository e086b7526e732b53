package runner

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/belayhq/belay/internal/isolate"
	"github.com/belayhq/belay/run"
)

// end says how the job ended until the server has heard it.
func (j *job) end(ctx context.Context) error {
	if err := j.tellEnd(ctx); err != nil {
		return j.lost(ctx, err)
	}
	return nil
}

func (j *job) tellEnd(ctx context.Context) error {
	return j.call(ctx, func() error {
		calling, cancel := context.WithTimeout(ctx, callWithin)
		defer cancel()
		return j.wire.post(calling, "jobs/"+j.ID+"/end", j.Lease, j.folder.kept.End, nil)
	})
}

// rescue is what becomes of a job whose lease is over. A plan is somebody else's by now.
// What an apply made is brought all the same: no state is thrown away.
func (j *job) rescue(ctx context.Context, why error) error {
	j.Log.Warn("the lease of a job is over", "job", j.ID, "error", why)
	if j.Kind != run.ApplyJob || j.spec == nil && !j.folder.began() {
		j.order(run.GoneOrder)
		j.folder.killSteps()
		return errLost
	}
	j.order(run.GoneOrder)
	if j.endHeard(ctx) {
		return errLost
	}
	home, err := j.bringHome(ctx)
	if err != nil {
		return err
	}
	if home {
		j.tellHome(ctx)
	}
	return errLost
}

// bringHome brings what an apply made whose lease is over: it is the workspace's next state
// while the run that was given up has the lock, and is kept beside after that. It says whether
// the run may give the lock back: the engine began, and its last state is there.
func (j *job) bringHome(ctx context.Context) (home bool, err error) {
	path, err := j.folder.lastPath()
	if path == "" && err == nil {
		path, err = j.folder.stateAfter(ctx)
	}
	if err != nil {
		return false, err
	}
	home = j.folder.began() && (j.folder.kept.End == nil || j.folder.kept.End.StateHome)
	if path == "" {
		return home && j.folder.kept.End != nil, nil // else nobody knows what the engine did
	}
	var no *refusal
	answer, err := j.bring(ctx, run.StateFile, path)
	switch {
	case errors.As(err, &no):
		return false, j.offer(ctx, path)
	case err != nil:
		return false, err
	}
	return home && answer.Kept != keptRescued, nil
}

// tellHome says how an apply ended that was given up, so that its workspace is free again. The
// word is taken only where the lock waits for it. An engine that did not end well, and of which
// an earlier life of this runner told nothing, is for a person to look at.
func (j *job) tellHome(ctx context.Context) {
	end := j.folder.kept.End
	if end == nil {
		step, err := isolate.TakeUp(j.folder.in("steps", string(run.ApplyStep)))
		if err != nil || step.Result() != (isolate.Result{}) {
			return
		}
		end = &run.End{Outcome: run.Succeeded, StateHome: true}
	}
	err := j.wire.untilAnswered(ctx, func() error {
		calling, cancel := context.WithTimeout(ctx, callWithin)
		defer cancel()
		return j.wire.post(calling, "jobs/"+j.ID+"/end", j.Lease, end, nil)
	})
	if err != nil {
		j.Log.Info("nobody waits for the end of a job", "job", j.ID, "error", err)
	}
}

// offer brings a state that can't become the workspace's, to be kept beside it. One that the
// server does not take stays here for a person, for a day, unless its workspace was deleted.
func (j *job) offer(ctx context.Context, path string) error {
	_, why := j.bring(ctx, run.RescuedFile, path)
	if !refused(why, http.StatusUnauthorized) && !refused(why, http.StatusNotFound) && !refused(why, http.StatusConflict) {
		return why
	}
	if !refused(why, http.StatusConflict) {
		j.askWhetherDeleted(ctx)
	}
	if j.deleted.Load() {
		return errLost
	}
	if j.folder.kept.Refused.IsZero() {
		j.folder.kept.Refused = time.Now()
		if err := errors.Join(j.folder.keep(), removeAll(j.folder.real(secretFolder))); err != nil {
			return err
		}
	}
	if j.outlived(j.folder) {
		return errLost
	}
	return errors.Join(errors.New("the server takes the state of this apply no more: it stays for a day in "+path), why)
}

// askWhetherDeleted asks whether the workspace of a job is there that the server does not know.
func (j *job) askWhetherDeleted(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, callWithin)
	defer cancel()
	var answer run.Beaten
	beat := run.Beat{Slots: j.free(), Jobs: []run.BeatJob{{ID: j.ID, Lease: j.Lease, WorkspaceID: j.WorkspaceID}}}
	if err := j.wire.post(ctx, "heartbeat", "", beat, &answer); err != nil {
		return // it stays
	}
	for _, o := range answer.Jobs {
		if o.ID == j.ID && o.Deleted {
			j.deleted.Store(true)
		}
	}
}

// keptRefused is how long a state stays that the server did not take, when it names no time
// that it takes one for.
const keptRefused = 24 * time.Hour

// outlived says that what a job made stayed long enough.
func (r *Runner) outlived(f *folder) bool {
	keep := time.Duration(r.me.KeepSeconds) * time.Second
	if keep <= 0 {
		keep = keptRefused
	}
	return !f.kept.Refused.IsZero() && time.Since(f.kept.Refused) > keep
}

// tidyEvery is how often folders are looked at that nobody works in any more.
const tidyEvery = time.Hour

// tidy removes what stayed long enough for a person to look at it.
func (r *Runner) tidy(ctx context.Context) {
	for {
		select {
		case <-time.After(tidyEvery):
		case <-ctx.Done():
			return
		}
		old, _ := oldFolders(r.WorkDir) // what can't be read was told at the start
		for _, f := range old {
			r.mu.Lock()
			_, busy := r.jobs[f.kept.Job.Lease]
			r.mu.Unlock()
			if busy || !r.outlived(f) {
				continue
			}
			if err := errors.Join(removeAll(f.home), removeAll(f.path)); err != nil {
				r.Log.Warn("the folder of an earlier job is still there", "error", err)
			}
		}
	}
}

// began says that the engine of an apply was started.
func (f *folder) began() bool {
	_, err := os.Stat(f.in("steps", string(run.ApplyStep), "started"))
	return err == nil
}

// killSteps ends whatever of the job still runs.
func (f *folder) killSteps() {
	for _, s := range f.steps() {
		s.Kill()
		<-s.Done()
	}
}

// steps are those that were begun.
func (f *folder) steps() []*isolate.Running {
	entries, _ := os.ReadDir(f.in("steps"))
	var all []*isolate.Running
	for _, entry := range entries {
		if r, err := isolate.TakeUp(f.in("steps", entry.Name())); err == nil {
			all = append(all, r)
		}
	}
	return all
}

// stateAfter waits for the end of an apply, and gives the state that it left if it is
// another one than it began with.
func (f *folder) stateAfter(ctx context.Context) (string, error) {
	for _, s := range f.steps() {
		select {
		case <-s.Done():
		case <-ctx.Done():
			return "", errDetached
		}
	}
	before, _, _ := f.checksum(f.in(stateFolder))
	states, _ := filepath.Glob(filepath.Join(f.real(stateFolder), "*", otherState))
	for _, path := range append(states, f.real(stateFolder, defaultState)) {
		file, err := f.open(path)
		if err != nil {
			continue
		}
		whole := isState(file)
		_ = file.Close()
		if sum, _, err := f.checksum(path); err == nil && whole && sum != before {
			return path, nil
		}
	}
	return "", nil
}
