package run

import (
	"time"

	"github.com/belayhq/belay"
)

// Take moves the run by a fact: the one place where a status changes. It refuses what the
// status does not allow, and says what is to be done in the same transaction.
func (r *Run) Take(f Fact, now time.Time) ([]Effect, error) {
	t := taking{r: r, f: f, now: now}
	if !t.take() {
		return nil, belay.Refuse(belay.Conflict, "transition not allowed: the run is %s%s", r.Status, t.because)
	}
	r.UpdatedAt = now
	return t.effects, nil
}

// taking is one fact on its way.
type taking struct {
	r       *Run
	f       Fact
	now     time.Time
	effects []Effect
	because string // of a refusal, beyond the status
}

func (t *taking) take() bool { //nolint:cyclop // one line for each kind of fact
	switch t.f.Kind {
	case TurnCame:
		return t.turn()
	case FetchEnded:
		return t.fetched()
	case JobStarted:
		return t.started()
	case PlanEnded:
		return t.r.Status == Planning && t.planned()
	case ApplyEnded:
		return t.applied()
	case Confirm:
		return t.confirm()
	case LockOpened:
		return t.r.Status == Confirmed && t.f.LockFree && t.queueApply()
	case Discard:
		return t.r.discardable() && t.end(Discarded, "discarded")
	case AskCancel:
		return t.cancel()
	case ForceCancel, AdminCancel:
		return t.force()
	case WentSilent, CameBack, GivenUp:
		return t.lost()
	case Outdated:
		return t.r.Status == PlannedAndSaved && t.end(Discarded, "auto_discarded")
	case Superseded:
		return t.r.PlanOnly && t.supersede()
	default:
		return false
	}
}

func (t *taking) do(what Do, word string) {
	t.effects = append(t.effects, Effect{Do: what, Word: word})
}

func (t *taking) note(action string) {
	t.effects = append(t.effects, Effect{Do: Note, Word: action, Why: t.f.Why})
}

// reach sets the status and its stamp.
func (t *taking) reach(s Status) {
	t.r.Status = s
	t.stamp(s)
}

func (t *taking) stamp(s Status) {
	stamps := Stamps{s: t.now} // a new map: a copy of the run keeps its own
	for status, at := range t.r.Stamps {
		stamps[status] = at
	}
	stamps[s] = t.now
	t.r.Stamps = stamps
}

func (t *taking) turn() bool {
	r := t.r
	if r.Status != Pending {
		return false
	}
	r.Mode, r.PoolID = t.f.Mode, t.f.PoolID
	if r.Queued() {
		r.ActiveAt = t.now
		t.do(TakeLock, "")
	}
	if t.f.Fetch {
		t.reach(Fetching)
		t.do(StartJob, string(FetchJob))
		return true
	}
	return t.queuePlan()
}

func (t *taking) queuePlan() bool {
	t.reach(PlanQueued)
	t.r.Plan.reach(PhaseQueued, t.now)
	kind := PlanJob
	if t.r.Assesses() {
		kind = AssessJob
	}
	t.do(StartJob, string(kind))
	return true
}

func (t *taking) fetched() bool {
	switch {
	case t.r.Status != Fetching:
		return false
	case t.f.Outcome != Succeeded:
		return t.fail()
	default:
		t.stamp(Fetched)
		t.note("fetched")
		return t.queuePlan()
	}
}

func (t *taking) started() bool {
	switch r := t.r; r.Status {
	case PlanQueued:
		t.reach(Planning)
		r.InputStateVersionID = t.f.StateVersionID
		r.Plan.reach(PhaseRunning, t.now)
		r.Plan.Runner = t.f.Runner
		t.do(OpenLog, string(PlanJob))
		t.note("planning")
		t.do(Tell, "planning")
		return true
	case ApplyQueued:
		t.reach(Applying)
		r.Apply.reach(PhaseRunning, t.now)
		r.Apply.Runner = t.f.Runner
		t.do(OpenLog, string(ApplyJob))
		t.note("applying")
		t.do(Tell, "applying")
		return true
	case Planning: // another attempt
		r.InputStateVersionID, r.Plan.Runner = t.f.StateVersionID, t.f.Runner
		return true
	case Applying:
		r.Apply.Runner = t.f.Runner
		return true
	default:
		return false
	}
}

// planned is the end of a plan that ran.
func (t *taking) planned() bool {
	r, f := t.r, t.f
	r.Plan.HasChanges, r.Plan.GeneratedConfig, r.Plan.Counts = f.HasChanges, f.GeneratedConfig, f.Counts
	switch {
	case !r.CanceledAt.IsZero():
		return t.end(Canceled, "canceled")
	case f.Refused:
		t.closePlan()
		return t.fail()
	case f.Outcome != Succeeded:
		return t.fail()
	case r.PlanOnly:
		return t.finishPlan(PlannedAndFinished)
	case f.GeneratedConfig:
		t.f.Why = "the plan wrote configuration, which must be in the configuration before it can be applied"
		return t.fail()
	case !f.HasChanges && !r.AllowEmptyApply:
		return t.finishPlan(PlannedAndFinished)
	case r.SavePlan && f.StateMoved:
		t.closePlan()
		t.f.Why = "the state is another than the plan began with"
		return t.end(Discarded, "auto_discarded")
	case r.SavePlan:
		return t.finishPlan(PlannedAndSaved)
	default:
		return t.rest()
	}
}

func (t *taking) closePlan() {
	t.r.Plan.reach(PhaseFinished, t.now)
	t.do(CloseLog, string(PlanJob))
}

func (t *taking) finishPlan(s Status) bool {
	t.closePlan()
	if s.Final() {
		return t.end(s, string(s))
	}
	t.reach(s)
	t.note(string(s))
	t.do(Tell, string(s))
	return true
}

// rest ends a plan with something to apply: it goes on by itself, or waits for a person.
func (t *taking) rest() bool {
	t.closePlan()
	t.reach(Planned)
	t.note("planned")
	if t.r.AutoApply || !t.f.HasChanges {
		return t.confirmed()
	}
	t.do(Tell, "needs_attention")
	return true
}

func (t *taking) confirm() bool {
	if !t.r.Status.Resting() {
		return false
	}
	if !t.f.LockFree {
		t.because = " and " + t.f.Why
		return false
	}
	t.r.ConfirmedBy = t.f.By
	return t.confirmed()
}

// confirmed says that the run will be applied: as soon as it has the lock.
func (t *taking) confirmed() bool {
	if t.r.ActiveAt.IsZero() {
		t.r.ActiveAt = t.now
	}
	t.reach(Confirmed)
	t.note("confirmed")
	t.do(Tell, "confirmed")
	if t.f.LockFree {
		return t.queueApply()
	}
	return true
}

func (t *taking) queueApply() bool {
	t.reach(ApplyQueued)
	t.r.Apply.reach(PhaseQueued, t.now)
	t.do(TakeLock, "")
	t.do(StartJob, string(ApplyJob))
	return true
}

// applied is the end of an apply that ran, or the word of one that was given up.
func (t *taking) applied() bool {
	r := t.r
	if r.KeepsLock && r.Status == Errored && t.f.StateHome { // its state came home after all
		r.KeepsLock = false
		t.do(FreeLock, "")
		return true
	}
	if r.Status != Applying {
		return false
	}
	r.SilentSince, r.Apply.Counts = time.Time{}, t.f.Counts
	switch {
	case t.f.Outcome == Succeeded && t.f.StateHome:
		r.Apply.reach(PhaseFinished, t.now)
		t.do(CloseLog, string(ApplyJob))
		t.do(Trigger, "")
		return t.end(Applied, "applied")
	case !r.CanceledAt.IsZero():
		return t.end(Canceled, "canceled")
	default:
		return t.fail()
	}
}
