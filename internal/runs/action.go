package runs

import (
	"context"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// act moves a run by what a principal with a permission wants, and keeps its comment.
func (m *Room) act(ctx context.Context, s belay.Principal, id, comment string, need belay.Permission, fact func(*store.Tx, *belay.Workspace, *run.Run) (run.Fact, error)) error {
	return m.DB.Update(ctx, func(tx *store.Tx) error {
		w, _, r, err := get(&tx.Locked, s, id, need)
		if err != nil {
			return err
		}
		if comment != "" {
			if comment, err = run.CheckComment(comment); err != nil {
				return err
			}
		}
		f, err := fact(tx, &w, &r)
		if err != nil {
			return err
		}
		if comment != "" {
			if _, err := addComment(tx, s, &r, comment); err != nil {
				return err
			}
		}
		return m.take(tx, s, &w, &r, f)
	})
}

// Apply confirms a plan.
func (m *Room) Apply(ctx context.Context, s belay.Principal, id, comment string) error {
	return m.act(ctx, s, id, comment, belay.ApplyRuns, func(_ *store.Tx, w *belay.Workspace, r *run.Run) (run.Fact, error) {
		if movedOn(w, r) {
			return run.Fact{}, belay.Refuse(belay.Conflict, "transition not allowed: "+stateMoved)
		}
		why := occupied(w, r)
		return run.Fact{Kind: run.Confirm, LockFree: why == "", Why: why}, nil
	})
}

const stateMoved = "the state is another than the plan began with"

// movedOn says whether a saved plan is of a state that is not the current one.
func movedOn(w *belay.Workspace, r *run.Run) bool {
	return r.Status == run.PlannedAndSaved && r.InputStateVersionID != w.CurrentStateVersionID
}

// occupied is who stands in the way of the apply of a plan; empty: nobody does.
func occupied(w *belay.Workspace, r *run.Run) string {
	switch saved := r.Status == run.PlannedAndSaved; {
	case !lockFree(w, r), saved && w.Lock.Held():
		return "the workspace is locked by " + w.Lock.Holder.String()
	case saved && run.Status(w.CurrentRunStatus).Active() && w.CurrentRunID != r.ID:
		return "the workspace is busy with run " + w.CurrentRunID
	}
	return ""
}

// inTheWay is why a plan that waits for confirmation can't be confirmed now; empty: it can.
func inTheWay(w *belay.Workspace, r *run.Run) string {
	switch {
	case !r.Status.Resting():
		return ""
	case movedOn(w, r):
		return stateMoved
	}
	return occupied(w, r)
}

// Discard gives a run up that nobody wants.
func (m *Room) Discard(ctx context.Context, s belay.Principal, id, comment string) error {
	return m.act(ctx, s, id, comment, belay.ApplyRuns, func(*store.Tx, *belay.Workspace, *run.Run) (run.Fact, error) {
		return run.Fact{Kind: run.Discard}, nil
	})
}

// Cancel ends a run: at once when no runner has begun, else as soon as its runner can.
func (m *Room) Cancel(ctx context.Context, s belay.Principal, id, comment string) error {
	return m.act(ctx, s, id, comment, belay.ApplyRuns, func(*store.Tx, *belay.Workspace, *run.Run) (run.Fact, error) {
		return run.Fact{Kind: run.AskCancel, ForceAfter: m.ForceCancelAfter}, nil
	})
}

// ForceCancel ends a run whose runner does not obey a cancel.
func (m *Room) ForceCancel(ctx context.Context, s belay.Principal, id, comment string) error {
	return m.act(ctx, s, id, comment, belay.AdministerRuns, func(*store.Tx, *belay.Workspace, *run.Run) (run.Fact, error) {
		return run.Fact{Kind: run.ForceCancel}, nil
	})
}

// AdminCancel ends an unfinished run at once, for a site admin.
func (m *Room) AdminCancel(ctx context.Context, s belay.Principal, id, comment string) error {
	if !s.SiteAdmin {
		return belay.ErrNotFound
	}
	return m.act(ctx, s, id, comment, belay.AdministerRuns, func(*store.Tx, *belay.Workspace, *run.Run) (run.Fact, error) {
		return run.Fact{Kind: run.AdminCancel}, nil
	})
}

// ForceExecute lets a pending run begin now: the run that has the workspace, and those
// that waited longer, are discarded.
func (m *Room) ForceExecute(ctx context.Context, s belay.Principal, id, comment string) error {
	return m.DB.Update(ctx, func(tx *store.Tx) error {
		w, _, r, err := get(&tx.Locked, s, id, belay.ApplyRuns)
		if err != nil {
			return err
		}
		if r.Status != run.Pending || !r.Queued() || w.Lock.Holder.Type != "runs" {
			return belay.Refuse(belay.Forbidden, "transition not allowed: only a pending run that waits for another one can be executed by force")
		}
		first, err := tx.Run(w.Lock.Holder.ID)
		if err != nil {
			return err
		}
		if !first.Actions(tx.Now).Discardable {
			return belay.Refuse(belay.Conflict, "transition not allowed: the run %s, which holds the workspace, is %s", first.ID, first.Status)
		}
		return m.executeNow(tx, s, &w, &r, &first, comment)
	})
}

func (m *Room) executeNow(tx *store.Tx, s belay.Principal, w *belay.Workspace, r, first *run.Run, comment string) error {
	older, err := tx.OlderRuns(r)
	if err != nil {
		return err
	}
	// The holder goes last: the end of each lets the next begin, which is then r.
	for i := range older {
		if err := m.take(tx, s, w, &older[i], run.Fact{Kind: run.Discard, Why: "run " + r.ID + " was executed by force"}); err != nil {
			return err
		}
	}
	n := r.Noted("force_executed", "", actorOf(s), tx.Now)
	if err := tx.AddRunNote(&n); err != nil {
		return err
	}
	if comment != "" {
		if comment, err = run.CheckComment(comment); err != nil {
			return err
		}
		if _, err := addComment(tx, s, r, comment); err != nil {
			return err
		}
	}
	if err := tx.SaveRun(r); err != nil {
		return err
	}
	return m.take(tx, s, w, first, run.Fact{Kind: run.Discard, Why: "run " + r.ID + " was executed by force"})
}

func actorOf(s belay.Principal) string {
	id, _ := s.Actor()
	return id
}

// Comment adds a comment to a run.
func (m *Room) Comment(ctx context.Context, s belay.Principal, id, body string) (n run.Event, err error) {
	err = m.DB.Update(ctx, func(tx *store.Tx) error {
		_, _, r, err := get(&tx.Locked, s, id, belay.QueueRuns)
		if err != nil {
			return err
		}
		if body, err = run.CheckComment(body); err != nil {
			return err
		}
		if n, err = addComment(tx, s, &r, body); err != nil {
			return err
		}
		return tx.SaveRun(&r)
	})
	return n, err
}

func addComment(tx *store.Tx, s belay.Principal, r *run.Run, body string) (run.Event, error) {
	n := r.Noted("commented", "", actorOf(s), tx.Now)
	n.CommentID, n.Body = belay.NewID("wsc"), body
	return n, tx.AddRunNote(&n)
}
