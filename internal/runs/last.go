package runs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// lastState is a state that came with the end of its run: it is stored, and no row names it yet.
type lastState struct {
	take TakeLast
	over OverLast
	kept bool // a row names it, once the transaction is committed
}

// comesWithEnd says whether a file of a kind may come with the end of a job.
func comesWithEnd(job run.JobKind, file run.FileKind) bool {
	if job == run.ApplyJob {
		return file == run.StateFile
	}
	return job == run.PlanJob && job.Brings(file)
}

// mostOf is how many bytes of a file may come with the end of a job.
func (m *Room) mostOf(kind run.FileKind) int64 {
	if kind == run.StateFile {
		return m.StateBytes
	}
	return m.FinishBytes
}

// storeLast stores the state that came with an end, where a job that is under way brings it and its run
// has the lock. Of all others the end says what is wrong with them: a state goes another way then.
func (m *Room) storeLast(ctx context.Context, lease string, state *run.ShortFile, e *ending) error {
	if m.StoreLast == nil {
		return errNotShort
	}
	h, err := m.Holding(ctx, lease)
	switch sum := sha256.Sum256(state.Data); {
	case err != nil:
		return err
	case h.Late || !h.Locks || h.Job.Kind != run.ApplyJob:
		return nil
	case !e.StateHome || len(e.with.Files) > 1:
		return belay.Refuse(belay.Invalid, "the last state comes alone, with an end that says that it is home")
	case hex.EncodeToString(sum[:]) != state.SHA256:
		return belay.Refuse(belay.Invalid, "the bytes of the %s are not those that its checksum is of", state.Kind)
	}
	e.last = &lastState{}
	e.last.take, e.last.over, err = m.StoreLast(ctx, h.Subject(), state.Data)
	if err != nil {
		e.last = nil
	}
	return err
}

// mayTake refuses a state that was not stored, or whose run has not the lock any more.
func (s *lastState) mayTake(w *belay.Workspace, r *run.Run) error {
	if s == nil || w.Lock.Holder.Type != "runs" || w.Lock.Holder.ID != r.ID {
		return errLeaseLost
	}
	return nil
}

// again forgets an earlier try of the transaction.
func (s *lastState) again() {
	if s != nil {
		s.kept = false
	}
}

// finalize makes the newest state that came under the lock the current one, or the one that comes now.
func (t *taking) finalize() (after *store.After, err error) {
	last := t.last
	if last == nil {
		return t.m.Finalize(t.tx, t.w)
	}
	t.last = nil
	after, last.kept, err = last.take(t.tx, t.w)
	return after, err
}
