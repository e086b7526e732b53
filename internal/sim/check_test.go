package sim_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// check makes the checks of a stage, as internal/runner does: once for each attempt at a job, whatever
// becomes of the runner meanwhile. It is how the job ends where a mandatory one does not pass.
func (j *job) check(stage run.CheckStage) *run.End {
	f, w := j.folder, j.machine.world
	if !w.checks || j.Kind == run.AssessJob && stage == run.PostPlan {
		return nil
	}
	if f.checks[stage] == nil {
		at := w.clock
		made := run.Check{Stage: stage, Name: "made", Enforcement: run.Mandatory, Status: run.CheckPassed, Output: fmt.Sprintf("attempt %d", j.Attempt), BeganAt: at, EndedAt: at}
		if w.chance.IntN(12) == 0 {
			made.Status, made.ExitCode = run.CheckFailed, 1
		}
		advice := made
		advice.Name, advice.Enforcement, advice.Status = "advice", run.Advisory, run.CheckErrored
		if f.checks == nil {
			f.checks = map[run.CheckStage][]run.Check{}
		}
		f.checks[stage] = []run.Check{made, advice}
		f.print(w, "checked at %s", stage)
	}
	name := run.Refusing(f.checks[stage])
	if name == "" {
		return nil
	}
	return &run.End{Outcome: run.Failed, ExitCode: 1, StateHome: true, Error: "the mandatory check " + name + " failed"}
}

// checked is all that the checks of an attempt came to.
func (f *folder) checked() (list []run.Check) {
	for _, stage := range run.CheckStages {
		list = append(list, f.checks[stage]...)
	}
	return list
}

// toldChecks notes what whoever had the lease told of the checks of a run, by stage.
func (b *book) toldChecks(runID string, list []run.Check) {
	if len(list) == 0 {
		return
	}
	if b.checks[runID] == nil {
		b.checks[runID] = map[run.CheckStage]string{}
	}
	for stage, words := range byStage(list) {
		b.checks[runID][stage] = words
		delete(b.unheard[runID], stage)
	}
}

// byStage is what checks came to, in words.
func byStage(list []run.Check) map[run.CheckStage]string {
	words := map[run.CheckStage]string{}
	for i := range list {
		stage := list[i].Stage
		if words[stage] != "" {
			words[stage] += ", "
		}
		words[stage] += inWords(&list[i])
	}
	return words
}

func inWords(c *run.Check) string {
	return fmt.Sprintf("%s %s %s %d", c.Name, c.Enforcement, c.Status, c.ExitCode)
}

// checksTold: a step that was let through was told with results that refuse nothing.
func (r *rules) checksTold(a *ask) {
	k := r.world.known
	var step run.Step
	_ = json.Unmarshal(a.body, &step)
	id := k.jobs[strings.Split(a.path, "/")[1]].RunID
	if name := run.Refusing(step.Checks); name != "" {
		r.world.fail("run %s went on to %s against the check %s", id, step.Step, name)
	}
	k.toldChecks(id, step.Checks)
}

// unheard notes what was told in a call that the server died of: nobody knows whether it was kept.
func (r *rules) unheard(a *ask) {
	if !strings.HasSuffix(a.path, "/step") && !tellsEnd(a) {
		return
	}
	k := r.world.known
	var told struct{ Checks []run.Check }
	_ = json.Unmarshal(a.body, &told)
	if tellsEnd(a) {
		told.Checks = toldEnd(a).Checks
		r.perhapsBrought(a)
	}
	id := k.jobs[strings.Split(a.path, "/")[1]].RunID
	if k.unheard[id] == nil {
		k.unheard[id] = map[run.CheckStage][]string{}
	}
	for stage, words := range byStage(told.Checks) {
		k.unheard[id][stage] = append(k.unheard[id][stage], words)
	}
}

// checks: what the server has of a run's checks is what was told last, of every stage; and what they
// refuse is not applied.
func (r *rules) checks(v *store.View, runID string) error {
	k := r.world.known
	list, err := v.RunChecks(runID)
	if err != nil {
		return err
	}
	kept := map[run.CheckStage][]run.Check{}
	for i := range list {
		kept[list[i].Stage] = append(kept[list[i].Stage], list[i].Check)
	}
	for _, stage := range run.CheckStages {
		got, want := byStage(kept[stage])[stage], k.checks[runID][stage]
		switch {
		case got == want:
		case slices.Contains(k.unheard[runID][stage], got):
			k.toldChecks(runID, kept[stage])
		default:
			r.world.fail("the checks of run %s at %s are kept as %q, and %q was told", runID, stage, got, want)
		}
	}
	return nil
}
