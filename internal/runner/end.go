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
	err := j.call(ctx, func() error {
		calling, cancel := context.WithTimeout(ctx, callWithin)
		defer cancel()
		return j.wire.post(calling, "jobs/"+j.ID+"/end", j.Lease, j.folder.kept.End, nil)
	})
	if err == nil {
		return nil
	}
	return j.lost(ctx, err)
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
	path, err := j.folder.stateAfter(ctx)
	if err != nil {
		return err
	}
	if path != "" {
		if err := j.offer(ctx, path); err != nil {
			return err
		}
	}
	return errLost
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
	before, _, _ := checksum(f.in(stateFolder))
	states, _ := filepath.Glob(filepath.Join(f.real(stateFolder), "*", otherState))
	for _, path := range append(states, f.real(stateFolder, defaultState)) {
		file, err := os.Open(path)
		if err != nil {
			continue
		}
		whole := isState(file)
		_ = file.Close()
		if sum, _, err := checksum(path); err == nil && whole && sum != before {
			return path, nil
		}
	}
	return "", nil
}
