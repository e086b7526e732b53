package runs

import (
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/record"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/notices"
	"github.com/belayhq/belay/run"
)

// What is looked at later, by the kinds of what is due.
const (
	dueTurn     = store.TurnDue  // a workspace: its next run may begin
	dueSaved    = store.SavedDue // a workspace: its state moved
	dueExpire   = "expire"       // a run: its saved plan is too old
	dueLost     = "lost"         // a job: its apply is given up
	dueTriggers = "triggers"     // a run: it was applied, and others follow
	dueBacking  = "backing"      // a plan or an apply: its files were put aside long ago
)

// taking is a run that a fact moves, with its workspace, whose rows are held.
type taking struct {
	m     *Room
	tx    *store.Tx
	w     *belay.Workspace
	r     *run.Run
	s     belay.Principal // zero: the server itself
	fresh *newRun         // it is yet to be written; nil: it was
	rest  *run.LogRest    // what is yet to be written of the log that ends with it; nil: nothing
	last  *lastState      // that came with its end and is yet to become the current one; nil: none
	saved bool            // it was written as it is
	begun bool            // another run of the workspace became the active one with it
	alone bool            // no run waits for the workspace
	after *store.After    // what was read of the workspace with its state; nil: nothing that is true still
}

// newRun is a run that is yet to be written: at once as its first fact leaves it.
type newRun struct {
	configuration *run.ConfigurationVersion
	write         func() error
}

// take moves a run by a fact and does what follows. Both rows must be held.
func (m *Room) take(tx *store.Tx, s belay.Principal, w *belay.Workspace, r *run.Run, f run.Fact) error {
	return m.takeFresh(tx, s, w, r, f, nil)
}

// takeFresh is take; fresh is nil of a run that was written before.
func (m *Room) takeFresh(tx *store.Tx, s belay.Principal, w *belay.Workspace, r *run.Run, f run.Fact, fresh *newRun) error {
	return (&taking{m: m, tx: tx, w: w, r: r, s: s, fresh: fresh}).all(f)
}

// all takes a fact, and writes what has come of it.
func (t *taking) all(f run.Fact) error {
	m, tx, w, r := t.m, t.tx, t.w, t.r
	before, over := r.Status, r.Status.Final()
	if err := t.one(f); err != nil {
		return err
	}
	if !over && r.Status.Final() {
		if err := t.ended(f); err != nil {
			return err
		}
	}
	if !t.saved {
		if err := tx.SaveRun(r); err != nil {
			return err
		}
	}
	if r.Status != before {
		if err := m.noteStatus(tx, w, r); err != nil {
			return err
		}
	}
	return t.settleCurrent()
}

// one takes one fact, and those that follow from it at once.
func (t *taking) one(f run.Fact) error {
	if f.By == "" {
		f.By, _ = t.s.Actor()
	}
	effects, err := t.r.Take(f, t.tx.Now)
	if err != nil {
		return err
	}
	t.saved = false
	if fresh := t.fresh; fresh != nil {
		t.fresh, t.saved = nil, true
		if err := fresh.write(); err != nil {
			return err
		}
	}
	for _, e := range effects {
		if err := t.do(e); err != nil {
			return err
		}
	}
	return nil
}

func (t *taking) do(e run.Effect) error {
	switch e.Do {
	case run.TakeLock:
		return t.takeLock()
	case run.FreeLock:
		return t.freeLock()
	case run.StartJob:
		return t.startJob(run.JobKind(e.Word))
	case run.StopJob:
		return t.stopJob(run.Order(e.Word))
	case run.OpenLog:
		return t.m.Logs.Begin(t.tx, t.r, t.phaseID(e.Word))
	case run.CloseLog:
		rest := t.rest
		t.rest = nil
		return t.m.Logs.End(t.tx, t.r, t.phaseID(e.Word), rest, lastWords(t.r))
	case run.Note:
		return t.note(e)
	case run.Tell:
		return t.tell(e.Word)
	case run.Trigger:
		if t.w.Unfollowed {
			return nil
		}
		return t.tx.SetDue(dueTriggers, t.r.ID, t.tx.Now)
	default:
		return nil
	}
}

func (t *taking) phaseID(word string) string {
	if word == string(run.ApplyJob) {
		return t.r.Apply.ID
	}
	return t.r.Plan.ID
}

// lastWords is what the log of a run that ended says at its end.
func lastWords(r *run.Run) string {
	switch {
	case r.Error != "":
		return "Error: " + r.Error
	case !r.Stamps.At(run.ForceCanceled).IsZero():
		return "belay: canceled by force"
	default:
		return ""
	}
}

func (t *taking) note(e run.Effect) error {
	actor, _ := t.s.Actor()
	n := t.r.Noted(e.Word, e.Why, actor, t.tx.Now)
	t.saved = false
	return t.tx.AddRunNote(&n)
}

// tell emits the event that others hear of: the audit trail, and notifications of runs
// that may apply something.
func (t *taking) tell(word string) error {
	if word == string(run.PlannedAndSaved) {
		if err := t.tx.SetDue(dueExpire, t.r.ID, t.tx.Now.Add(t.m.SavedPlanLife)); err != nil {
			return err
		}
	}
	return emit(t.tx, t.s, word, t.w, t.r)
}

func (t *taking) takeLock() error {
	if t.w.Lock.Holder == holder(t.r) {
		return nil
	}
	if err := t.m.stopAssessing(t.tx, t.w); err != nil {
		return err
	}
	if err := t.w.TakeLock(holder(t.r), "", t.tx.Now); err != nil {
		return err
	}
	return t.tx.SaveLock(t.w)
}

// holder is a run as the holder of a lock.
func holder(r *run.Run) belay.Holder { return belay.Holder{Type: "runs", ID: r.ID, Name: r.ID} }

// lockFree says that a run has the lock of its workspace, or may take it.
func lockFree(w *belay.Workspace, r *run.Run) bool {
	return !w.Lock.Held() || w.Lock.Holder.Type == "runs" && w.Lock.Holder.ID == r.ID
}

// freeLock gives the lock back, as unlocking does, and lets the next run of the workspace
// begin.
func (t *taking) freeLock() error {
	if h := t.w.Lock.Holder; h.Type == "runs" && h.ID == t.r.ID {
		before := t.w.CurrentStateVersionID
		var err error
		if t.after, err = t.finalize(); err != nil {
			return err
		}
		if err := t.w.BreakLock(t.tx.Now); err != nil {
			return err
		}
		if err := t.tx.SaveLock(t.w); err != nil {
			return err
		}
		if t.after != nil && t.after.Waits {
			t.after = nil // what waited may have ended by now, and counts
		} else if t.after != nil && t.r.Queued() {
			return t.next(nobody)
		}
		if t.w.CurrentStateVersionID != before {
			return t.moveOn()
		}
	}
	if !t.r.Queued() {
		return nil
	}
	return t.next(t.tx.NextRun)
}

// nobody is the run that waits for a workspace behind which none does.
func nobody(string) (*run.Run, error) { return nil, nil } //nolint:nilnil // none is no error

// startJob writes the job that does the next piece of the run.
func (t *taking) startJob(kind run.JobKind) error {
	if kind == run.FetchJob { // one fetch is for all runs of a commit: see wantFetch
		return nil
	}
	j := run.NewJob(t.r, kind, t.tx.Now)
	return t.m.addJob(t.tx, t.w, &j)
}

// stopJob withdraws a job that nobody has begun, and tells the runner of one that is under
// way. A cancel that no runner can obey is obeyed at once.
func (t *taking) stopJob(order run.Order) error {
	j, err := t.tx.OpenJob(t.r.ID)
	if err != nil || j == nil {
		return err
	}
	if j.State == run.JobLeased && !j.StartedAt.IsZero() {
		j.Cancel = order
		t.tx.Wake(store.OrdersWake)
		return t.tx.SaveJob(j)
	}
	if j.State == run.JobLost && order == run.CancelOrder {
		return nil // nobody hears it; it may be forced
	}
	j.End(run.Interrupted, "withdrawn", t.tx.Now)
	if err := t.m.closeJob(t.tx, t.w, t.r, j); err != nil || order != run.CancelOrder {
		return err
	}
	return t.one(run.Fact{Kind: endOf(j.Kind), Outcome: run.Interrupted, StateHome: true, By: t.r.CanceledBy})
}

// endOf is the fact that a job of a kind ended.
func endOf(kind run.JobKind) run.FactKind {
	switch kind {
	case run.ApplyJob:
		return run.ApplyEnded
	case run.FetchJob:
		return run.FetchEnded
	default:
		return run.PlanEnded
	}
}

// settleCurrent writes which run of the workspace is its current one, and the figures of
// its runs when one ended that counts.
func (t *taking) settleCurrent() error {
	r := t.r
	if !r.Queued() {
		return nil
	}
	if r.Status == run.Applied || r.Status == run.Errored {
		if err := t.figure(); err != nil {
			return err
		}
	}
	if r.Status == run.Applied {
		if err := t.confirmConfiguration(); err != nil {
			return err
		}
		if err := t.settleRequests(); err != nil {
			return err
		}
	}
	if t.begun { // which wrote itself
		return nil
	}
	return t.m.settleCurrent(t.tx, t.w, r, t.alone)
}

// confirmConfiguration notes that a configuration was applied: somebody took it, and a
// provisional one becomes the current one. Of another workspace it says nothing.
func (t *taking) confirmConfiguration() error {
	if t.r.ConfigurationVersionID == t.w.ConfigurationID && t.r.AutoApply {
		return nil // it was vetted, or this would have waited
	}
	c, err := t.tx.ConfigurationVersion(t.r.ConfigurationVersionID)
	if err != nil || c.WorkspaceID != t.w.ID || !c.WasApplied() {
		return gone(err)
	}
	return t.tx.SaveConfigurationVersion(t.w, &c)
}

// settleCurrent finds the current run of a workspace after one of its runs moved: the
// active one; else the oldest that waits; else the one that was last active. alone says that
// none waits.
func (m *Room) settleCurrent(tx *store.Tx, w *belay.Workspace, moved *run.Run, alone bool) error {
	current := moved
	if !moved.Status.Active() {
		if w.CurrentRunID != moved.ID && run.Status(w.CurrentRunStatus).Active() {
			return nil // it waits beside the active one
		}
		var next *run.Run
		var err error
		if !alone {
			if next, err = tx.Peek().NextRun(w.ID); err != nil {
				return err
			}
		}
		if current = next; current == nil && !moved.ActiveAt.IsZero() {
			current = moved // nothing was active after it
		} else if current == nil {
			if current, err = tx.Peek().LastRun(w.ID); err != nil {
				return err
			}
		}
	}
	return setCurrent(tx, w, current)
}

func setCurrent(tx *store.Tx, w *belay.Workspace, r *run.Run) error {
	id, status, at := "", "", time.Time{}
	if r != nil {
		id, status, at = r.ID, string(r.Status), r.CreatedAt
	}
	if w.CurrentRunID == id && w.CurrentRunStatus == status && w.CurrentRunAt.Equal(at) {
		return nil
	}
	w.CurrentRunID, w.CurrentRunStatus, w.CurrentRunAt = id, status, at
	return tx.SetCurrentRun(w)
}

// figure writes the averages over the newest runs of a workspace.
func (t *taking) figure() error {
	if t.after == nil {
		list, err := t.tx.CountedRuns(t.w.ID, run.CountedRuns)
		if err != nil {
			return err
		}
		t.w.RunFigures = run.Figures(list)
	} else {
		t.w.RunFigures = run.Figures(run.Newest(t.after.Counted, t.r))
	}
	return t.tx.SaveRunFigures(t.w)
}

// emit records what happened to a run, and who is to be told of it.
func emit(tx *store.Tx, s belay.Principal, word string, w *belay.Workspace, r *run.Run) error {
	if r.Assesses() {
		return nil // its result is told
	}
	by, name := s.Actor()
	told := []belay.Event{{
		Kind: "run." + word, OrganizationID: w.OrganizationID, WorkspaceID: w.ID, ResourceType: "runs", ResourceID: r.ID,
		ActorType: s.Kind, ActorID: by, ActorName: name, Quiet: !r.Queued(),
		Payload: record.Payload(map[string]any{"workspace": w.Name, "status": string(r.Status), "message": r.Message}),
	}}
	err := tx.EmitAll(told)
	trigger := run.TriggerOf(word)
	if err != nil || trigger == "" || !r.Queued() || w.Unwatched {
		return err
	}
	return tx.TellOfRun(notices.Delivery{
		EventID: told[0].ID, Trigger: trigger, RunID: r.ID, RunPlace: r.Notes, RunStatus: string(r.Status), ActedBy: name,
	}, w)
}
