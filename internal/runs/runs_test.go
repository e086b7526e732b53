package runs_test

import (
	"slices"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/inputs"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/run"
)

func TestARunGoesFromPendingToApplied(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		ctx := t.Context()
		r := h.create(nil)
		if w := h.look(); r.Status != run.PlanQueued || w.Lock.Holder.ID != r.ID || w.CurrentRunID != r.ID {
			t.Fatalf("made: %s, lock %v, current %q", r.Status, w.Lock.Holder, w.CurrentRunID)
		}
		if r.Engine != run.Tofu || r.EngineVersion == "" {
			t.Errorf("engine %s %s", r.Engine, r.EngineVersion)
		}
		j, spec := h.started()
		h.is(r.ID, run.Planning)
		if spec.RunID != r.ID || spec.Environment["TFC_WORKSPACE_SLUG"] != "acme/network" || spec.LogID != r.Plan.ID || spec.RunToken == "" {
			t.Errorf("the job: %+v", spec)
		}
		again, err := h.Start(ctx, j.Lease, run.Start{})
		h.must(err)
		if again.RunToken != spec.RunToken {
			t.Error("another start answers another token")
		}
		if s, err := h.verbs.Authenticate(ctx, spec.RunToken); err != nil || s.Kind != belay.RunPrincipal || s.ID != r.ID {
			t.Errorf("the token acts as %+v, %v", s, err)
		}
		h.end(j, planned(true))
		h.is(r.ID, run.Planned)
		if _, err := h.verbs.Authenticate(ctx, spec.RunToken); err == nil {
			t.Error("the token outlives its job")
		}
		h.nothing()
		h.must(h.Apply(ctx, h.admin, r.ID, "go on"))
		h.refused(h.Apply(ctx, h.admin, r.ID, ""), belay.Conflict, "transition not allowed")
		h.is(r.ID, run.ApplyQueued)
		h.pass(time.Second)
		h.apply()
		done := h.is(r.ID, run.Applied)
		if done.Plan.Status != run.PhaseFinished || done.Apply.Status != run.PhaseFinished || done.Plan.Counts.Additions != 1 || done.ConfirmedBy != h.admin.ID {
			t.Errorf("done: %+v", done)
		}
		if w := h.look(); w.Lock.Held() || w.CurrentRunID != r.ID || w.CurrentRunStatus != "applied" || w.RunFigures == nil || w.RunFigures.Runs != 1 {
			t.Errorf("the workspace: %+v, figures %+v", w.Lock, w.RunFigures)
		}
		if got := h.events(r.ID); got != "queued planning planned commented confirmed applying applied" {
			t.Errorf("events: %s", got)
		}
	})
}

// TestTheQueueOfAWorkspace lets three runs in, and one at a time.
func TestTheServerCountsWhatAPlanComesTo(t *testing.T) {
	each(t, func(_ *testing.T, h *house) {
		r := h.create(nil)
		h.plan()
		if got := h.show(r.ID).Plan.Counts; got != broughtCounts {
			h.t.Errorf("the plan comes to %+v", got)
		}
	})
}

func TestTheSecretsOfARunAreItsSensitiveValues(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		for _, v := range []struct {
			key, value, category string
			sensitive, hcl       bool
		}{
			{"plain", "everybody may read it", inputs.EngineVariable, false, false},
			{"short", "1234567", inputs.EngineVariable, true, false},
			{"key", "first line\nsecond line", inputs.EnvironmentVariable, true, false},
			{"map", `{ a = "inner-secret" }`, inputs.EngineVariable, true, true},
		} {
			_, err := h.verbs.CreateVariable(t.Context(), h.admin, belay.WorkspaceRef{ID: h.ws.ID}, inputs.VariablePatch{
				Key: patch.Of(v.key), Value: patch.Of(v.value), Category: patch.Of(v.category), Sensitive: patch.Of(v.sensitive), HCL: patch.Of(v.hcl),
			})
			h.must(err)
		}
		r := h.create(nil)
		got, err := h.Secrets(t.Context(), &r)
		h.must(err)
		for text, there := range map[string]bool{
			"everybody may read it": false, "1234567": false, "first line\nsecond line": true, "second line": true, "inner-secret": true, "aW5uZXItc2VjcmV0": true,
		} {
			if slices.Contains(got, text) != there {
				t.Errorf("%q among %q: %v", text, got, !there)
			}
		}
	})
}

func TestTheQueueOfAWorkspace(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		ctx := t.Context()
		first := h.create(nil)
		h.pass(time.Second)
		second := h.create(nil)
		h.pass(time.Second)
		third := h.create(nil)
		aside := h.create(func(w *run.Wanted) { w.PlanOnly = patch.Of(true) })
		if h.is(second.ID, run.Pending); aside.Status != run.PlanQueued {
			t.Errorf("a plan-only run waits: %s", aside.Status)
		}
		h.plan() // of the first: it is of a better class than the plan-only one
		h.is(first.ID, run.Planned)
		h.must(h.Cancel(ctx, h.admin, second.ID, ""))
		if r := h.is(second.ID, run.Canceled); r.Plan.Status != run.PhaseUnreachable || r.ForceCancelAt.IsZero() {
			t.Errorf("canceled: %+v", r)
		}
		h.must(h.Discard(ctx, h.admin, first.ID, ""))
		h.is(third.ID, run.PlanQueued)
		if w := h.look(); w.CurrentRunID != third.ID || w.Lock.Holder.ID != third.ID {
			t.Errorf("current %s, lock %v", w.CurrentRunID, w.Lock.Holder)
		}
	})
}

// TestALockKeepsRunsWaiting takes the lock away between two runs, and gives it back.
func TestALockKeepsRunsWaiting(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		ctx, ref := t.Context(), belay.WorkspaceRef{ID: h.ws.ID}
		_, err := h.verbs.LockWorkspace(ctx, h.admin, ref, "")
		h.must(err)
		r := h.create(nil)
		h.is(r.ID, run.Pending)
		if w := h.look(); w.CurrentRunID != r.ID || w.CurrentRunStatus != "pending" {
			t.Errorf("current: %s %s", w.CurrentRunID, w.CurrentRunStatus)
		}
		h.refused(h.verbs.SafeDeleteWorkspace(ctx, h.admin, ref), belay.Conflict, "locked")
		_, err = h.verbs.UnlockWorkspace(ctx, h.admin, ref)
		h.must(err)
		h.must(h.Reconcile(ctx))
		h.is(r.ID, run.PlanQueued)
		_, err = h.verbs.UnlockWorkspace(ctx, h.admin, ref)
		h.refused(err, belay.Conflict, "is locked by Run "+r.ID)
		h.plan()
		_, err = h.verbs.ForceUnlockWorkspace(ctx, h.admin, ref)
		h.must(err)
		_, err = h.verbs.LockWorkspace(ctx, h.admin, ref, "")
		h.must(err)
		h.refused(h.Apply(ctx, h.admin, r.ID, ""), belay.Conflict, "transition not allowed")
		_, err = h.verbs.UnlockWorkspace(ctx, h.admin, ref)
		h.must(err)
		h.must(h.Apply(ctx, h.admin, r.ID, ""))
		if w := h.look(); w.Lock.Holder.ID != r.ID {
			t.Errorf("the lock was not taken again: %v", w.Lock)
		}
	})
}

func TestAPlanThatIsLostIsMadeOnceMore(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		ctx := t.Context()
		r := h.create(nil)
		first, _ := h.started()
		h.pass(run.Lease + time.Second)
		h.must(h.Reconcile(ctx))
		h.is(r.ID, run.Planning)
		_, err := h.End(ctx, first.Lease, planned(true))
		h.refused(err, belay.Conflict, "rescue")
		second, spec := h.started()
		if second.Attempt != 2 || spec.Attempt != 2 || second.Lease == first.Lease {
			t.Errorf("the second attempt: %+v", second)
		}
		h.pass(run.Lease + time.Second)
		h.must(h.Reconcile(ctx))
		if got := h.is(r.ID, run.Errored); got.Error != "the runner was lost twice" {
			t.Errorf("error: %q", got.Error)
		}
		if w := h.look(); w.Lock.Held() || w.RunFigures.Failures != 1 {
			t.Errorf("the workspace: %+v", w.Lock)
		}
		h.nothing()
	})
}

// TestAnApplyIsNeverGivenTwice loses the runner of an apply after its engine began.
func TestAnApplyIsNeverGivenTwice(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		ctx := t.Context()
		r := h.create(func(w *run.Wanted) { w.AutoApply = patch.Of(true) })
		h.plan()
		h.is(r.ID, run.ApplyQueued)
		j, _ := h.started()
		h.must(h.Step(ctx, j.Lease, run.ApplyStep))
		beat := run.Beat{Jobs: []run.BeatJob{{ID: j.ID, Lease: j.Lease}}}

		h.pass(run.Lease + time.Second)
		h.must(h.Reconcile(ctx))
		if got := h.is(r.ID, run.Applying); got.SilentSince.IsZero() {
			t.Error("nobody says that the runner is silent")
		}
		h.nothing()
		answer, err := h.Beat(ctx, h.runner, "", beat)
		h.must(err)
		if len(answer.Jobs) != 1 || answer.Jobs[0].Order != run.NoOrder || !h.show(r.ID).SilentSince.IsZero() {
			t.Errorf("heard again: %+v", answer)
		}

		h.pass(run.Lease + time.Second)
		h.must(h.Reconcile(ctx))
		h.pass(15*time.Minute + time.Second)
		h.must(h.Reconcile(ctx))
		if got := h.is(r.ID, run.Errored); !got.KeepsLock {
			t.Error("the lock is not kept")
		}
		if w := h.look(); w.Lock.Holder.ID != r.ID {
			t.Errorf("the workspace may be run again: %v", w.Lock)
		}
		waiting := h.create(nil)
		h.is(waiting.ID, run.Pending)
		h.nothing()
		h.end(j, applied) // its state came home after all
		h.is(r.ID, run.Errored)
		h.is(waiting.ID, run.PlanQueued)
	})
}

// TestARunnerThatBeginsAnewKeepsItsJobs registers it once more: whoever has the lease has
// the job, in its own pool.
func TestARunnerThatBeginsAnewKeepsItsJobs(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		ctx := t.Context()
		r := h.create(nil)
		j, _ := h.started()
		beat := run.Beat{Jobs: []run.BeatJob{{ID: j.ID, Lease: j.Lease}}}
		again, stranger := h.register("r1", ""), h.register("r1", "apool-other")
		for _, test := range []struct {
			runner run.Runner
			want   run.Order
		}{{stranger, run.GoneOrder}, {again, run.NoOrder}, {again, run.NoOrder}, {h.runner, run.NoOrder}, {again, run.NoOrder}} {
			h.pass(run.Lease / 2)
			answer, err := h.Beat(ctx, test.runner, "", beat)
			h.must(err)
			if len(answer.Jobs) != 1 || answer.Jobs[0].Order != test.want {
				t.Errorf("the heartbeat: %+v, want %q", answer.Jobs, test.want)
			}
		}
		h.must(h.Reconcile(ctx))
		h.must(h.Cancel(ctx, h.admin, r.ID, ""))
		if orders, err := h.Orders(ctx, again); err != nil || len(orders.Jobs) != 1 {
			t.Errorf("orders: %+v, %v", orders, err)
		}
		h.end(j, run.End{Outcome: run.Interrupted})
		h.is(r.ID, run.Canceled)
	})
}

// TestAnApplyThatDidNotBeginIsGivenAgain loses the runner before the gate.
func TestAnApplyThatDidNotBeginIsGivenAgain(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		ctx := t.Context()
		r := h.create(func(w *run.Wanted) { w.AutoApply = patch.Of(true) })
		h.plan()
		first, _ := h.started()
		h.pass(run.Lease + time.Second)
		h.must(h.Reconcile(ctx))
		h.refused(h.Step(ctx, first.Lease, run.ApplyStep), belay.Conflict, "rescue")
		h.apply()
		h.is(r.ID, run.Applied)
	})
}

func TestACancelAsksAndThenForces(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		ctx := t.Context()
		r := h.create(nil)
		j, _ := h.started()
		h.must(h.Cancel(ctx, h.admin, r.ID, ""))
		h.refused(h.Cancel(ctx, h.admin, r.ID, ""), belay.Conflict, "transition not allowed")
		h.refused(h.ForceCancel(ctx, h.admin, r.ID, ""), belay.Conflict, "from 2026-01-01T12:00:30Z on")
		orders, err := h.Orders(ctx, h.runner)
		h.must(err)
		if len(orders.Jobs) != 1 || orders.Jobs[0].Order != run.CancelOrder {
			t.Errorf("orders: %+v", orders)
		}
		h.refused(h.Step(ctx, j.Lease, run.PlanStep), belay.Conflict, "canceled")
		h.pass(31 * time.Second)
		h.must(h.ForceCancel(ctx, h.admin, r.ID, ""))
		if got := h.is(r.ID, run.Canceled); got.Stamps.At(run.ForceCanceled).IsZero() || h.look().Lock.Held() {
			t.Errorf("canceled by force: %+v", got.Stamps)
		}
		beaten, err := h.Beat(ctx, h.runner, "", run.Beat{Jobs: []run.BeatJob{{ID: j.ID, Lease: j.Lease}}})
		h.must(err)
		if beaten.Jobs[0].Order != run.KillOrder {
			t.Errorf("the runner is told %q", beaten.Jobs[0].Order)
		}
		h.end(j, run.End{Outcome: run.Interrupted})
		h.is(r.ID, run.Canceled)
	})
}

// TestACancelThatNoRunnerHearsIsObeyed cancels a plan between two attempts.
func TestACancelThatNoRunnerHearsIsObeyed(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		r := h.create(nil)
		h.started()
		h.pass(run.Lease + time.Second)
		h.must(h.Reconcile(t.Context()))
		h.must(h.Cancel(t.Context(), h.admin, r.ID, ""))
		h.is(r.ID, run.Canceled)
		h.nothing()
	})
}

func TestSavedPlansWaitAndGrowOld(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		ctx := t.Context()
		save := func(w *run.Wanted) { w.SavePlan = patch.Of(true) }
		one, two := h.create(save), h.create(save)
		h.plan()
		h.plan()
		h.is(one.ID, run.PlannedAndSaved)
		if w := h.look(); w.Lock.Held() || w.CurrentRunID != "" {
			t.Errorf("a saved plan holds %v, is current %q", w.Lock, w.CurrentRunID)
		}
		h.must(h.Apply(ctx, h.admin, one.ID, ""))
		h.refused(h.Apply(ctx, h.admin, two.ID, ""), belay.Conflict, "locked by Run "+one.ID)
		if w := h.look(); w.Lock.Holder.ID != one.ID || w.CurrentRunID != one.ID {
			t.Errorf("confirmed: %v, current %q", w.Lock, w.CurrentRunID)
		}
		h.apply()
		h.is(one.ID, run.Applied)
		h.pass(22 * 24 * time.Hour)
		h.must(h.Reconcile(ctx))
		h.is(two.ID, run.Discarded)
		if got := h.events(two.ID); got != "queued planning planned_and_saved auto_discarded" {
			t.Errorf("events: %s", got)
		}
	})
}

func TestForceExecuteDiscardsWhatIsBefore(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		ctx := t.Context()
		first := h.create(nil)
		h.pass(time.Second)
		second := h.create(nil)
		h.pass(time.Second)
		third := h.create(nil)
		h.refused(h.ForceExecute(ctx, h.admin, third.ID, ""), belay.Conflict, "plan_queued")
		h.refused(h.ForceExecute(ctx, h.admin, first.ID, ""), belay.Forbidden, "pending")
		h.plan()
		h.must(h.ForceExecute(ctx, h.admin, third.ID, ""))
		h.is(first.ID, run.Discarded)
		h.is(second.ID, run.Discarded)
		h.is(third.ID, run.PlanQueued)
		if w := h.look(); w.Lock.Holder.ID != third.ID || w.CurrentRunID != third.ID {
			t.Errorf("lock %v, current %s", w.Lock, w.CurrentRunID)
		}
	})
}

// TestAnAppliedRunTriggersOthersOnce tells it twice, as a crash would.
func TestAnAppliedRunTriggersOthersOnce(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		ctx := t.Context()
		other := h.workspace("apps")
		_, err := h.verbs.CreateRunTrigger(ctx, h.admin, belay.WorkspaceRef{ID: other.ID}, h.ws.ID)
		h.must(err)
		r := h.create(func(w *run.Wanted) { w.AutoApply = patch.Of(true) })
		h.plan()
		h.apply()
		h.must(h.Reconcile(ctx))
		h.must(h.Reconcile(ctx))
		w, err := h.verbs.Workspace(ctx, h.admin, belay.WorkspaceRef{ID: other.ID})
		h.must(err)
		follower := h.is(w.CurrentRunID, run.PlanQueued)
		if follower.TriggeringRunID != r.ID || follower.Reason != run.ReasonRunTrigger || follower.AutoApply {
			t.Errorf("the follower: %+v", follower.Origin)
		}
		h.plan()
		h.nothing()
	})
}

// TestAClaimIsRepeatable loses the answer of a claim.
func TestAClaimIsRepeatable(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		h.create(nil)
		claim := run.Claim{Slots: 1, Nonce: "n1"}
		first, err := h.Claim(t.Context(), h.runner, claim)
		h.must(err)
		again, err := h.Claim(t.Context(), h.runner, claim)
		h.must(err)
		if len(first.Jobs) != 1 || len(again.Jobs) != 1 || first.Jobs[0] != again.Jobs[0] {
			t.Errorf("%+v, then %+v", first, again)
		}
	})
}

// TestNobodyWaitsBehindTheManyRunsOfAnother queues 40 of one organization before the one
// of another: it is given out second.
func TestNobodyWaitsBehindTheManyRunsOfAnother(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		ctx := t.Context()
		h.SpeculativeLimit = 100
		for range 40 {
			h.create(func(w *run.Wanted) { w.PlanOnly = patch.Of(true) })
		}
		_, err := h.verbs.CreateOrganization(ctx, h.admin, belay.OrganizationPatch{Name: patch.Of("globex"), Email: patch.Of("g@example.com")})
		h.must(err)
		w, err := h.verbs.CreateWorkspace(ctx, h.admin, "globex", belay.WorkspacePatch{Name: patch.Of("w")})
		h.must(err)
		h.configure(w.Workspace)
		late := h.create(func(want *run.Wanted) { want.WorkspaceID, want.PlanOnly = w.ID, patch.Of(true) })
		for place := 1; ; place++ {
			if j := h.claim(); j.RunID == late.ID {
				if place > 2 {
					t.Errorf("given out as number %d", place)
				}
				return
			}
		}
	})
}

// TestAWaitingClaimHearsOfAJob parks a claim before there is a job.
func TestAWaitingClaimHearsOfAJob(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		got := make(chan []run.ClaimedJob)
		go func() {
			claimed, _ := h.Claim(t.Context(), h.runner, run.Claim{Slots: 1, Wait: 50})
			got <- claimed.Jobs
		}()
		h.create(nil)
		if list := <-got; len(list) != 1 {
			t.Errorf("heard of %d jobs", len(list))
		}
	})
}

// TestAClaimIsAnsweredOnce lets many claims wait, one after the other: no job is given to
// one that was answered before, for nobody would hear of it.
func TestAClaimIsAnsweredOnce(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		got := make(chan int)
		h.SpeculativeLimit = 100
		for range 20 {
			go func() {
				claimed, _ := h.Claim(t.Context(), h.runner, run.Claim{Slots: 1, Wait: 50})
				got <- len(claimed.Jobs)
			}()
			h.create(func(w *run.Wanted) { w.PlanOnly = patch.Of(true) })
			if n := <-got; n != 1 {
				t.Fatalf("%d jobs, want one", n)
			}
		}
	})
}
