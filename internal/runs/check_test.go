package runs_test

import (
	"strings"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// result is what a check came to.
func result(stage run.CheckStage, name string, e run.Enforcement, s run.CheckStatus) run.Check {
	at := time.Date(2026, 1, 1, 11, 59, 0, 0, time.UTC)
	return run.Check{Stage: stage, Name: name, Enforcement: e, Status: s, Output: "it said <so>", BeganAt: at, EndedAt: at.Add(time.Second)}
}

// checks is the results of a run, as NAME STATUS.
func (h *house) checks(id string) string {
	h.t.Helper()
	list, err := h.Checks(h.t.Context(), h.admin, id)
	h.must(err)
	var words []string
	for _, c := range list {
		words = append(words, c.Name+" "+string(c.Status))
		if c.RunID != id || c.Output != "it said <so>" && h.show(id).Plan.Backing == run.BackingThere || c.EndedAt.Sub(c.BeganAt) != time.Second {
			h.t.Errorf("a result is %+v", c)
		}
	}
	return strings.Join(words, ", ")
}

func TestWhatChecksComeToIsKept(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		ctx := t.Context()
		r := h.create(func(w *run.Wanted) { w.DefaultMessage = "Open the gates" })
		j, _ := h.started()
		about, err := h.About(ctx, j.Lease)
		h.must(err)
		if about.Message != "Open the gates" || about.CreatedBy != h.admin.Name || about.Source != string(run.SourceAPI) {
			t.Errorf("a check is told %+v", about)
		}
		before, after := result(run.PrePlan, "zz-before", run.Mandatory, run.CheckPassed), result(run.PostPlan, "after", run.Advisory, run.CheckFailed)
		h.must(h.Step(ctx, j.Lease, run.PlanStep, before))
		h.must(h.Step(ctx, j.Lease, run.PlanStep, before)) // its answer was lost
		if got := h.checks(r.ID); got != "zz-before passed" {
			t.Errorf("while it is planned: %s", got)
		}
		end := planned(true)
		end.Checks = []run.Check{before, after}
		h.end(j, end)
		h.end(j, end)
		h.is(r.ID, run.Planned)
		h.must(h.Apply(ctx, h.admin, r.ID, ""))
		j, _ = h.started()
		last := result(run.PreApply, "apply", run.Mandatory, run.CheckPassed)
		h.must(h.Step(ctx, j.Lease, run.ApplyStep, last))
		done := applied
		done.Checks = []run.Check{last}
		h.end(j, done)
		h.is(r.ID, run.Applied)
		if got := h.checks(r.ID); got != "zz-before passed, after failed, apply passed" {
			t.Errorf("of the whole run: %s", got)
		}
		var sealed []store.RunCheck
		h.must(h.db.View(ctx, func(v *store.View) (err error) {
			sealed, err = v.RunChecks(r.ID)
			return err
		}))
		for _, c := range sealed {
			if !strings.HasPrefix(c.Output, "v1.") {
				t.Errorf("what %s said lies in the open: %q", c.Name, c.Output)
			}
		}
		if _, err := h.Checks(ctx, belay.Principal{Kind: belay.UserPrincipal, ID: "user-nobody"}, r.ID); belay.KindOf(err) != belay.NotFound {
			t.Errorf("a stranger reads them: %v", err)
		}
		if _, err := h.Checks(ctx, h.team("read"), r.ID); err != nil {
			t.Errorf("a reader of the run: %v", err)
		}
		h.must(h.MoveBacking(ctx, h.admin, r.Plan.ID, run.BackingAside))
		list, err := h.Checks(ctx, h.admin, r.ID)
		h.must(err)
		if list[0].Output != "" || list[1].Output != "" || list[2].Output == "" {
			t.Errorf("where the log of the plan was put aside they say %+v", list)
		}
	})
}

func TestARefusedPlanIsNotApplied(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		ctx := t.Context()
		r := h.create(func(w *run.Wanted) { w.AutoApply = patch.Of(true) })
		*h.files.kinds = []run.FileKind{run.PlanJSONFile}
		j, _ := h.started()
		no := result(run.PostPlan, "no", run.Mandatory, run.CheckErrored)
		end := planned(true)
		end.Checks = []run.Check{no}
		_, err := h.End(ctx, j.Lease, end) // such a plan has not gone well
		h.refused(err, belay.Invalid, "the mandatory check no did not pass")
		end.Outcome, end.Refused, end.Error = run.Failed, true, "the mandatory check no could not be made"
		h.end(j, end)
		done := h.is(r.ID, run.Errored)
		if done.Error != end.Error || done.Plan.Status != run.PhaseFinished || !done.Plan.HasChanges || done.Plan.Counts != broughtCounts || done.Apply.Status != run.PhaseUnreachable {
			t.Errorf("it is %+v", done)
		}
		h.refused(h.Apply(ctx, h.admin, r.ID, ""), belay.Conflict, "transition not allowed")
		if w := h.look(); w.Lock.Held() || h.checks(r.ID) != "no errored" {
			t.Errorf("lock %v, checks %s", w.Lock, h.checks(r.ID))
		}
		h.nothing()
	})
}

func TestARefusedApplyChangesNothing(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		ctx := t.Context()
		r := h.create(func(w *run.Wanted) { w.AutoApply = patch.Of(true) })
		h.plan()
		j, _ := h.started()
		no := result(run.PreApply, "no", run.Mandatory, run.CheckFailed)
		h.refused(h.Step(ctx, j.Lease, run.ApplyStep, no), belay.Invalid, "the mandatory check no did not pass")
		h.end(j, run.End{Outcome: run.Failed, StateHome: true, Error: "the mandatory check no failed with exit status 1", Checks: []run.Check{no}})
		done := h.is(r.ID, run.Errored)
		if w := h.look(); w.Lock.Held() || w.CurrentStateVersionID != "" || done.KeepsLock || done.Apply.Status != run.PhaseErrored || h.checks(r.ID) != "no failed" {
			t.Errorf("lock %v, state %q, run %+v", w.Lock, w.CurrentStateVersionID, done)
		}
	})
}

// TestChecksAreToldByTheLease has two attempts at a plan: the first is heard no more, and the second's
// results are the run's.
func TestChecksAreToldByTheLease(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		ctx := t.Context()
		r := h.create(nil)
		first, _ := h.started()
		h.must(h.Step(ctx, first.Lease, run.PlanStep, result(run.PrePlan, "first", run.Advisory, run.CheckFailed)))
		h.pass(run.Lease + time.Minute)
		h.must(h.Reconcile(ctx))
		second, _ := h.started()
		h.refused(h.Step(ctx, first.Lease, run.PlanStep, result(run.PrePlan, "late", run.Advisory, run.CheckPassed)), belay.Conflict, "rescue")
		if _, err := h.About(ctx, first.Lease); belay.KindOf(err) != belay.Conflict {
			t.Errorf("whoever had the job before is told of the run: %v", err)
		}
		h.must(h.Step(ctx, second.Lease, run.PlanStep, result(run.PrePlan, "second", run.Advisory, run.CheckPassed)))
		if got := h.checks(r.ID); got != "second passed" {
			t.Errorf("the run has %s", got)
		}
		for text, wrong := range map[string]func(*run.Check){
			"has no checks at":      func(c *run.Check) { c.Stage = run.PreApply },
			"a check has a name":    func(c *run.Check) { c.Name = "../x" },
			"advisory or mandatory": func(c *run.Check) { c.Enforcement = "soft" },
			"passed, failed or":     func(c *run.Check) { c.Status = "maybe" },
			"a check says at most":  func(c *run.Check) { c.Output = strings.Repeat("x", run.MaxCheckOutput+1) },
		} {
			c := result(run.PostPlan, "x", run.Advisory, run.CheckPassed)
			wrong(&c)
			end := planned(true)
			end.Checks = []run.Check{c}
			_, err := h.End(ctx, second.Lease, end)
			h.refused(err, belay.Invalid, text)
		}
		if got := h.checks(r.ID); got != "second passed" {
			t.Errorf("the run has %s", got)
		}
	})
}
