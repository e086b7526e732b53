package runs

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// End takes how a job ended, and moves its run on.
func (m *Room) End(ctx context.Context, lease string, end run.End) (answer run.EndAnswer, err error) {
	raw, err := json.Marshal(end)
	if err != nil {
		return answer, err
	}
	return m.endAs(ctx, lease, &ending{End: end, word: belay.HashToken(string(raw))})
}

// Finish is End with what is short of the rest that the job brings. It is for a job that is under way
// alone: what a lost one brings goes by other ways.
func (m *Room) Finish(ctx context.Context, lease string, f run.Finish) (answer run.EndAnswer, err error) {
	raw, err := json.Marshal(f.End)
	if err != nil {
		return answer, err
	}
	e := ending{End: f.End, word: belay.HashToken(string(raw)), with: &f}
	if err := m.checkFinish(&e); err != nil {
		return answer, err
	}
	if state := f.State(); state != nil {
		if err := m.storeLast(ctx, lease, state, &e); err != nil {
			return answer, err
		}
	}
	answer, err = m.endAs(ctx, lease, &e)
	if e.last != nil {
		e.last.over(ctx, e.last.kept, err)
	}
	return answer, err
}

// checkFinish refuses what is not short, and counts a plan that nobody counted.
func (m *Room) checkFinish(e *ending) error {
	if l := e.with.Log; l != nil && (l.From < 0 || int64(len(l.Data)) > m.FinishBytes || l.End() > m.LogLimit) {
		return errNotShort
	}
	for i := range e.with.Files {
		f := &e.with.Files[i]
		if most := m.mostOf(f.Kind); int64(len(f.Data)) > most {
			return errNotShort
		}
		if f.Kind == run.PlanJSONFile && e.Counts == nil {
			counts, err := m.Files.CountsOf(f.Data)
			if err != nil {
				return err
			}
			e.Counts = &counts
		}
	}
	return nil
}

var errNotShort = belay.Refuse(belay.Invalid, "it is too long to come with the end of its job")

func (m *Room) endAs(ctx context.Context, lease string, e *ending) (answer run.EndAnswer, err error) {
	if e.read = e.Counts == nil; !e.read { // most likely there is nothing to read
		if answer, err = m.end(ctx, lease, e); !errors.Is(err, errUnread) {
			return answer, err
		}
	}
	e.read = true
	if err := m.count(ctx, lease, e); err != nil {
		return answer, err
	}
	return m.end(ctx, lease, e)
}

// ending is how a job ended, with what its plan says of that.
type ending struct {
	run.End
	word  string      // that tells it from another
	with  *run.Finish // what came with it; nil: nothing
	last  *lastState  // that came with it; nil: none did
	found run.Findings
	read  bool // the plan was read, if it is to be
}

// errUnread says that the plan is to be read before anything is held.
var errUnread = errors.New("the plan of an assessment is to be read")

func (m *Room) end(ctx context.Context, lease string, e *ending) (answer run.EndAnswer, err error) {
	err = m.DB.Update(ctx, func(tx *store.Tx) error {
		e.last.again()
		l, err := m.leased(tx, lease)
		if err != nil {
			return err
		}
		r, j := &l.Run, &l.Job
		switch {
		case j.Ending == e.word: // its answer was lost
			answer.RunStatus = r.Status
			return nil
		case j.Ending != "":
			return belay.Refuse(belay.Conflict, "the job ended before, with other words")
		case !e.read && j.Kind == run.AssessJob:
			return errUnread
		}
		if err := m.keepWith(tx, &l, e); err != nil {
			return err
		}
		j.Ending = e.word
		err = m.ended(tx, &l, e)
		answer.RunStatus = r.Status
		return err
	})
	return answer, err
}

// keepWith keeps the files that came with the end of a job which is under way.
func (m *Room) keepWith(tx *store.Tx, l *store.Leased, e *ending) error {
	if e.with == nil {
		return nil
	}
	if l.Job.State != run.JobLeased || l.Run.Status.Final() {
		return errLeaseLost
	}
	for i := range e.with.Files {
		kind := e.with.Files[i].Kind
		if !comesWithEnd(l.Job.Kind, kind) {
			return belay.Refuse(belay.Invalid, "a job of the kind %s brings no %s with its end", l.Job.Kind, kind)
		}
		l.Brought.Plan = l.Brought.Plan || kind == run.PlanFile
		l.Brought.PlanJSON = l.Brought.PlanJSON || kind == run.PlanJSONFile
	}
	if e.with.State() != nil {
		return e.last.mayTake(&l.Workspace, &l.Run)
	}
	return m.Files.Keep(tx, &l.Run, e.with.Files)
}

// count fills in what a plan comes to where its runner left that to the server, and says what
// an assessment found. It reads the plan, which may be large, before anything is held.
func (m *Room) count(ctx context.Context, lease string, e *ending) error {
	if e.HasChanges == nil || e.Outcome != run.Succeeded && !e.Refused {
		return nil
	}
	h, err := m.Holding(ctx, lease)
	switch {
	case err != nil:
		return nil //nolint:nilerr // whoever ends the job says what is wrong with the lease
	case h.Job.Kind == run.AssessJob:
		e.found, err = m.Files.Findings(ctx, &h.Run)
	case h.Job.Kind == run.PlanJob && e.Counts == nil:
		var counts run.Counts
		if counts, err = m.Files.Counts(ctx, &h.Run); err == nil {
			e.Counts = &counts
		}
	}
	if belay.KindOf(err) == belay.NotFound {
		err = nil // the end is refused for that
	}
	return err
}

func (m *Room) ended(tx *store.Tx, l *store.Leased, e *ending) error {
	w, r, j := &l.Workspace, &l.Run, &l.Job
	late := j.State == run.JobEnded || r.Status.Final()
	if j.State == run.JobEnded && !r.KeepsLock {
		return errLeaseLost
	}
	if !late {
		if err := m.checkEnd(tx, r, j, e.End, l.Brought); err != nil {
			return err
		}
		if err := m.recordChecks(tx, r, j, e.Checks); err != nil {
			return err
		}
	}
	if err := m.endJob(tx, l, e); err != nil {
		return err
	}
	if late && (!r.KeepsLock || !j.EngineRan() || !e.StateHome) {
		return nil // canceled by force, or an attempt that did nothing: nobody waits for it
	}
	f := endFact(w, r, j, e.End)
	f.Findings = e.found
	t := &taking{m: m, tx: tx, w: w, r: r, last: e.last}
	if e.with != nil {
		t.rest = e.with.Log
	}
	if err := t.all(f); err != nil {
		return err
	}
	return t.nothingLeft()
}

// nothingLeft refuses an end that brought what found no place: the log was closed before, or the run keeps
// the lock.
func (t *taking) nothingLeft() error {
	if t.rest != nil || t.last != nil {
		return errLeaseLost
	}
	return nil
}

// endJob ends the job itself; one that was given up is not waited for any more.
func (m *Room) endJob(tx *store.Tx, l *store.Leased, e *ending) error {
	j := &l.Job
	lost := j.State == run.JobLost
	j.End(e.Outcome, e.Error, tx.Now)
	if err := m.closeJob(tx, &l.Workspace, &l.Run, j); err != nil || !lost {
		return err
	}
	return tx.DropDue(dueLost, j.ID)
}

// checkEnd refuses the word that a plan went well without what it made.
func (m *Room) checkEnd(tx *store.Tx, r *run.Run, j *run.Job, end run.End, brought store.Brought) error {
	if len(end.Error) > 4096 {
		return belay.Refuse(belay.Invalid, "error is too long (maximum is 4096 bytes)")
	}
	if name := run.Refusing(end.Checks); name != "" && end.Outcome == run.Succeeded {
		return belay.Refuse(belay.Invalid, "the mandatory check %s did not pass", name)
	}
	made := end.Outcome == run.Succeeded || end.Refused
	if j.Kind != run.PlanJob && j.Kind != run.AssessJob || !made || j.StartedAt.IsZero() {
		return nil
	}
	if end.HasChanges == nil {
		return belay.Refuse(belay.Invalid, "has_changes is missing")
	}
	if brought.PlanJSON && (brought.Plan || r.PlanOnly) {
		return nil
	}
	return m.checkBrought(tx, r, end.Refused)
}

// checkBrought says which file of a plan is missing, if one is. What is not to be applied needs no plan file.
func (m *Room) checkBrought(tx *store.Tx, r *run.Run, refused bool) error {
	files, err := m.Files.Of(tx.Peek(), r)
	if err != nil {
		return err
	}
	there := map[run.FileKind]bool{}
	for _, f := range files {
		there[f.Kind] = true
	}
	for _, kind := range []run.FileKind{run.PlanJSONFile, run.PlanFile} {
		if !there[kind] && (kind != run.PlanFile || !r.PlanOnly && !refused) {
			return belay.Refuse(belay.Invalid, "the file %s is missing", kind)
		}
	}
	return nil
}

func endFact(w *belay.Workspace, r *run.Run, j *run.Job, end run.End) run.Fact {
	f := run.Fact{
		Kind: endOf(j.Kind), Outcome: end.Outcome, Why: end.Error, GeneratedConfig: end.GeneratedConfig,
		Refused: end.Refused && end.Outcome != run.Succeeded, StateHome: end.StateHome, StateMoved: w.CurrentStateVersionID != r.InputStateVersionID, LockFree: lockFree(w, r),
	}
	if end.HasChanges != nil {
		f.HasChanges = *end.HasChanges
	}
	if end.Counts != nil {
		f.Counts = *end.Counts
	}
	if f.Why == "" && end.Outcome != run.Succeeded {
		f.Why = "the " + string(j.Kind) + " failed; its log says why"
	}
	return f
}
