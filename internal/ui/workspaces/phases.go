package workspaces

import (
	"time"

	"github.com/belayhq/belay/internal/runs"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/run"
)

// phaseStep is a phase of a run on its way.
type phaseStep struct {
	Name, Class, Icon, Note string
	Done, Now               bool
	At                      time.Time // when it was over, or since when it goes on; zero: not told
}

// phasesOf is the way of a run: what is behind it, where it is, and what is still to come.
func phasesOf(r *runs.View, now time.Time, who string) []phaseStep {
	began := first(r.Stamps, run.Planning, run.PlanQueued)
	planned := first(r.Stamps, run.Planned, run.PlannedAndSaved, run.PlannedAndFinished)
	confirmed, applying := r.Stamps.At(run.Confirmed), first(r.Stamps, run.Applying, run.ApplyQueued)
	usualPlan, usualApply := usualOf(r)
	steps := []phaseStep{
		way("Queued", "", r.CreatedAt, r.Stamps.At(run.Planning), now),
		way("Planned", "Plan", began, planned, now).expect(usualPlan, r.Status),
	}
	if !r.PlanOnly && r.Status != run.PlannedAndFinished {
		if !r.AutoApply || r.Status == run.Planned {
			steps = append(steps, way("Confirmed", "Confirm", planned, confirmed, now).waitsFor(who))
		}
		steps = append(steps, way("Applied", "Apply", applying, r.Stamps.At(run.Applied), now).expect(usualApply, r.Status))
	}
	steps = append(steps, phaseStep{Name: "Done"})
	at := 0
	for at < len(steps)-1 && steps[at].Done {
		at++
	}
	word := wordOf(&r.Run)
	last := &steps[at]
	last.Now, last.Class, last.Icon = true, word.Class, word.Icon
	switch {
	case r.Status.Final() && word.Class == "ok":
		last.Done, last.Now = true, false
	case r.Status.Final():
		last.Name, last.Note, last.At = word.Text, "", r.UpdatedAt
	}
	return steps
}

// way is a step that began and ended at some time; its name is what it is called once it is over, or to be.
func way(name, to string, began, ended, now time.Time) phaseStep {
	step := phaseStep{Name: name}
	switch {
	case !ended.IsZero():
		step.Done, step.Class, step.Icon, step.At = true, "ok", "check", ended
		if !began.IsZero() {
			step.Note = frame.Span(max(ended.Sub(began), 0))
		}
	case to != "":
		step.Name = to
	}
	if ended.IsZero() && !began.IsZero() {
		step.Note = frame.Span(max(now.Sub(began), 0))
	}
	return step
}

// first is when a run reached the first of some statuses that it has reached.
func first(stamps run.Stamps, statuses ...run.Status) time.Time {
	for _, s := range statuses {
		if at := stamps.At(s); !at.IsZero() {
			return at
		}
	}
	return time.Time{}
}

// usualOf is how long the plan and the apply of the newest runs of a workspace took; 0: nobody knows.
func usualOf(r *runs.View) (plan, apply time.Duration) {
	if f := r.Figures; f != nil {
		plan, apply = time.Duration(max(f.PlanMillis, 0))*time.Millisecond, time.Duration(max(f.ApplyMillis, 0))*time.Millisecond
	}
	return plan, apply
}

// expect says how long a step usually takes that is not over.
func (p phaseStep) expect(usual time.Duration, status run.Status) phaseStep {
	if p.Done || usual < time.Second || status.Final() {
		return p
	}
	if p.Note != "" {
		p.Note += " of "
	}
	p.Note += "about " + frame.Span(frame.Rounded(usual))
	return p
}

// waitsFor says who ends a step that is not over.
func (p phaseStep) waitsFor(who string) phaseStep {
	if !p.Done && p.Note != "" && who != "" {
		p.Note = "waits " + p.Note + "; " + who
	}
	return p
}
