package run

import "time"

// fail ends the run with an error.
func (t *taking) fail() bool {
	t.r.Error = t.f.Why
	return t.end(Errored, "errored")
}

// end makes the run final: its phases with it, its jobs withdrawn, its lock free.
func (t *taking) end(s Status, action string) bool {
	was := t.r.Status
	t.endPhases(s, was)
	t.reach(s)
	t.note(action)
	if was == PlanQueued || was == ApplyQueued || was == Fetching {
		t.do(StopJob, string(KillOrder))
	}
	switch s {
	case Applied, PlannedAndFinished:
		t.do(Tell, "completed")
	default:
		t.do(Tell, string(s))
	}
	if !t.r.KeepsLock {
		t.do(FreeLock, "")
	}
	return true
}

// endPhases says what becomes of the plan and the apply of a run that ends (docs/runs.md).
func (t *taking) endPhases(s, was Status) {
	plan, apply := &t.r.Plan, &t.r.Apply
	if !plan.Status.Final() {
		plan.reach(map[bool]PhaseStatus{true: phaseOf(s), false: PhaseUnreachable}[was == Planning || s == Errored], t.now)
		t.do(CloseLog, string(PlanJob))
	}
	if !apply.Status.Final() {
		begun := was == Confirmed || was == ApplyQueued || was == Applying
		apply.reach(map[bool]PhaseStatus{true: phaseOf(s), false: PhaseUnreachable}[begun], t.now)
		t.do(CloseLog, string(ApplyJob))
	}
	if !t.r.Stamps.At(ForceCanceled).IsZero() {
		for _, phase := range []*Phase{&plan.Phase, &apply.Phase} {
			if phase.Status == PhaseCanceled {
				phase.stamp(PhaseForceCanceled, t.now)
			}
		}
	}
}

// phaseOf is how a phase ends with its run, when it was under way.
func phaseOf(s Status) PhaseStatus {
	switch s {
	case Errored:
		return PhaseErrored
	case Canceled:
		return PhaseCanceled
	default:
		return PhaseUnreachable
	}
}

// reach sets the status of a phase and its stamp.
func (p *Phase) reach(s PhaseStatus, now time.Time) {
	p.Status = s
	p.stamp(s, now)
}

func (p *Phase) stamp(s PhaseStatus, now time.Time) {
	stamps := map[PhaseStatus]time.Time{}
	for status, at := range p.Stamps {
		stamps[status] = at
	}
	stamps[s] = now
	p.Stamps = stamps
}

// cancel ends a run that no runner has begun, and asks the runner of one that is under way.
func (t *taking) cancel() bool {
	r := t.r
	if !r.cancelable() {
		if !r.CanceledAt.IsZero() {
			t.because = " and a cancel was asked for already"
		}
		return false
	}
	r.CanceledBy, r.CanceledAt, r.ForceCancelAt = t.f.By, t.now, t.now.Add(t.f.ForceAfter)
	if r.Status == Planning || r.Status == Applying {
		t.note("cancel_requested")
		t.do(StopJob, string(CancelOrder))
		return true
	}
	return t.end(Canceled, "canceled")
}

// force ends a run at once: its runner is told to kill, and what it still brings is kept
// beside the state.
func (t *taking) force() bool {
	r := t.r
	admin := t.f.Kind == AdminCancel
	switch {
	case r.Status.Final():
		return false
	case !admin && !r.forceable():
		return false
	case !admin && t.now.Before(r.ForceCancelAt):
		t.because = " and can be canceled by force from " + r.ForceCancelAt.UTC().Format(time.RFC3339) + " on"
		return false
	}
	if r.CanceledAt.IsZero() {
		r.CanceledBy, r.CanceledAt, r.ForceCancelAt = t.f.By, t.now, t.now
	}
	t.stamp(ForceCanceled)
	if r.Status == Planning || r.Status == Applying {
		t.do(StopJob, string(KillOrder))
	}
	return t.end(Canceled, "force_canceled")
}

// lost is what becomes of a run whose runner is not heard.
func (t *taking) lost() bool {
	r := t.r
	switch {
	case r.Status != Planning && r.Status != Applying:
		return false
	case t.f.Kind == CameBack:
		r.SilentSince = time.Time{}
		return true
	case t.f.Kind == WentSilent:
		if r.Status != Applying {
			return false
		}
		r.SilentSince = t.now
		t.note("runner_lost")
		return true
	case !r.CanceledAt.IsZero() && (r.Status == Planning || !t.f.EngineRan):
		return t.end(Canceled, "canceled")
	default:
		r.KeepsLock = t.f.EngineRan && t.f.LockHeld && r.Status == Applying
		return t.fail()
	}
}

// supersede ends a plan-only run that nobody waits for any more.
func (t *taking) supersede() bool {
	if !t.r.cancelable() {
		return false
	}
	r := t.r
	r.CanceledAt, r.ForceCancelAt = t.now, t.now.Add(t.f.ForceAfter)
	t.note("auto_canceled")
	if r.Status == Planning {
		t.do(StopJob, string(CancelOrder))
		return true
	}
	return t.end(Canceled, "canceled")
}
