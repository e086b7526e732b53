package runner

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"

	"github.com/belayhq/belay/run"
)

// The last state of an apply comes with its end where it is short. Which end is told first is kept with
// the state before any server hears of it. Another one is told only after it was kept in the first one's
// place, and the state stays until one was heard: a runner that is killed at any moment goes on so.

// stateLater keeps the last state for the end of the job to bring. One that is not short, or that would
// have to wait for much of the log, is brought at once.
func (j *job) stateLater(path string) (bool, error) {
	if j.unsent() > j.spec.Limits.FinishBytes {
		return false, nil
	}
	info, err := os.Stat(path)
	if err != nil || info.Size() > j.spec.Limits.StateBytes {
		return false, err
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return false, err
	}
	sum := sha256.Sum256(raw)
	j.folder.kept.With = []run.ShortFile{{Kind: run.StateFile, SHA256: hex.EncodeToString(sum[:]), Data: raw}}
	return true, nil
}

// unsent is how much of the log is not safe at the server, about.
func (j *job) unsent() int64 {
	info, err := os.Stat(j.folder.log())
	if err != nil {
		return 0
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.folder.kept.LogBase + info.Size() - j.sender.safe.Load()
}

// lastState is the state that is kept for the end to bring; nil: there is none.
func (k *kept) lastState() *run.ShortFile {
	brings := run.Finish{Files: k.With}
	return brings.State()
}

// lastPath is a file with the state that is kept for the end to bring; empty: there is none.
func (f *folder) lastPath() (string, error) {
	state := f.kept.lastState()
	if state == nil {
		return "", nil
	}
	path := f.in("state.last")
	return path, os.WriteFile(path, state.Data, 0o600)
}

// storeApart stores by itself the state that was to come with the end. Where it can't become the
// workspace's, the end has other words from now on, unless it was heard: a replica that knows no end which
// brings something can't be asked before.
func (j *job) storeApart(ctx context.Context) (heard bool, err error) {
	path, err := j.folder.lastPath()
	if path == "" || err != nil || !j.folder.kept.End.StateHome {
		return false, err
	}
	home, err := j.store(ctx, path)
	switch {
	case home || err != nil:
		return false, err
	case !j.stillOurs(ctx) && j.tellEnd(ctx) == nil: // of a job that is over only that very end is taken
		return true, nil
	case ctx.Err() != nil:
		return false, errDetached
	}
	other := *j.folder.kept.End
	notHome(&other)
	j.folder.kept.End = &other
	if err := j.folder.keep(); err != nil {
		return false, err
	}
	j.sayNotHome() // after it: the end that was told first names the size of the log
	return false, nil
}

// endHeard says whether a server was told the end that brings the last state, and its answer was lost.
func (j *job) endHeard(ctx context.Context) bool {
	end := j.folder.kept.End
	if end == nil || !end.StateHome || j.folder.kept.lastState() == nil {
		return false
	}
	return j.wire.untilAnswered(ctx, func() error {
		calling, cancel := context.WithTimeout(ctx, callWithin)
		defer cancel()
		return j.wire.post(calling, "jobs/"+j.ID+"/finish", j.Lease, run.Asked(*end), nil)
	}) == nil
}
