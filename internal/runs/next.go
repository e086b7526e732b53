package runs

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// moveOn is what follows from a state that is another one now: the saved plans are outdated, and
// the next run begins.
func (t *taking) moveOn() error {
	saved, next, err := t.tx.Behind(t.w.ID)
	if err != nil {
		return err
	}
	if err := t.m.outdate(t.tx, t.w, saved, t.r.ID); err != nil || !t.r.Queued() {
		return err
	}
	return t.next(func(string) (*run.Run, error) { return next, nil })
}

// next begins the run that waits for the workspace of one that ended, which find finds.
func (t *taking) next(find func(workspaceID string) (*run.Run, error)) error {
	if err := t.tx.SaveRun(t.r); err != nil { // so that it is not found as the active one
		return err
	}
	t.saved = true // freeing the lock is the last effect
	begun, alone, err := t.m.turnTo(t.tx, t.w, t.r.ID, find)
	t.begun, t.alone = begun, alone
	return err
}

// turn begins the oldest run that waits for a workspace, if it may begin. ended is a run
// that has just ended and is still named as the current one. alone says that none waits.
func (m *Room) turn(tx *store.Tx, w *belay.Workspace, ended string) (begun, alone bool, err error) {
	return m.turnTo(tx, w, ended, tx.NextRun)
}

func (m *Room) turnTo(tx *store.Tx, w *belay.Workspace, ended string, find func(workspaceID string) (*run.Run, error)) (begun, alone bool, err error) {
	busy := run.Status(w.CurrentRunStatus).Active() && w.CurrentRunID != ended
	if w.Lock.Held() || busy || w.Mode() == belay.LocalExecution {
		return false, false, nil
	}
	next, err := find(w.ID)
	if err != nil || next == nil {
		return false, err == nil, err
	}
	return true, false, m.begin(tx, belay.Principal{}, w, next, nil)
}

// outdate discards the saved plans of a workspace whose state moved.
func (m *Room) outdate(tx *store.Tx, w *belay.Workspace, saved []run.Run, except string) error {
	for i := range saved {
		r := &saved[i]
		if r.ID == except || r.InputStateVersionID == w.CurrentStateVersionID {
			continue
		}
		if err := m.take(tx, belay.Principal{}, w, r, run.Fact{Kind: run.Outdated, Why: stateMoved}); err != nil {
			return err
		}
	}
	return nil
}
