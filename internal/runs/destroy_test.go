package runs_test

import (
	"slices"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/notices"
	"github.com/belayhq/belay/run"
)

// scheduled is a house whose workspace has something to destroy, and a configuration that
// hears of it.
type scheduled struct {
	*house
	hears string
}

func eachScheduled(t *testing.T, test func(*testing.T, *scheduled)) {
	t.Helper()
	each(t, func(t *testing.T, h *house) {
		s := &scheduled{house: h}
		n, err := h.verbs.CreateNotification(t.Context(), h.admin, notices.Notification{WorkspaceID: h.ws.ID}, notices.NotificationPatch{
			Name: patch.Of("all"), Destination: patch.Of(notices.EmailDestination), Enabled: patch.Of(true),
			Triggers: patch.Of([]string{notices.TriggerDestroyReminder, notices.TriggerDestroyResults}),
		})
		h.must(err)
		s.hears = n.ID
		s.state()
		test(t, s)
	})
}

// state gives the workspace a state that manages something.
func (s *scheduled) state() { s.stateOf(1) }

// stateOf gives the workspace a state that manages so many resources.
func (s *scheduled) stateOf(managed int) {
	s.t.Helper()
	s.must(s.db.Update(s.t.Context(), func(tx *store.Tx) error {
		w, err := tx.Workspace(belay.WorkspaceRef{ID: s.ws.ID})
		if err != nil {
			return err
		}
		v := belay.StateVersion{
			ID: belay.NewID("sv"), WorkspaceID: w.ID, Status: belay.StateFinalized, CreatedAt: tx.Now,
			Contents: belay.StateContents{ManagedCount: managed},
		}
		if err := tx.AddStateVersion(&v); err != nil {
			return err
		}
		w.TakeState(&v)
		return tx.SaveState(&w, &v, true, nil)
	}))
}

func (s *scheduled) set(p belay.WorkspacePatch) {
	s.t.Helper()
	_, err := s.verbs.UpdateWorkspace(s.t.Context(), s.admin, belay.WorkspaceRef{ID: s.ws.ID}, p)
	s.must(err)
}

// projectGives gives the workspace's project a duration.
func (s *scheduled) projectGives(duration string) {
	s.t.Helper()
	_, err := s.verbs.UpdateProject(s.t.Context(), s.admin, s.ws.ProjectID, belay.ProjectPatch{AutoDestroyActivityDuration: patch.Of(duration)})
	s.must(err)
}

// after lets time pass, with a look at all that is due every hour.
func (s *scheduled) after(d time.Duration) {
	s.t.Helper()
	for ; d > 0; d -= time.Hour {
		s.pass(min(d, time.Hour))
		s.must(s.Reconcile(s.t.Context()))
		s.must(s.Reconcile(s.t.Context())) // and once more: nothing is done twice
	}
}

// destroys is the runs that schedules made, the oldest first.
func (s *scheduled) destroys() []run.Run {
	s.t.Helper()
	list, _, err := s.List(s.t.Context(), s.admin, belay.WorkspaceRef{ID: s.ws.ID}, run.Query{Page: belay.Page{Number: 1, Size: 100}})
	s.must(err)
	var found []run.Run
	for _, v := range slices.Backward(list) {
		if v.Reason == run.ReasonAutoDestroy {
			found = append(found, v.Run)
		}
	}
	return found
}

func (s *scheduled) wantRuns(n int) {
	s.t.Helper()
	if got := len(s.destroys()); got != n {
		s.t.Fatalf("%d runs of schedules, want %d", got, n)
	}
}

// wantNews demands what was told, in short, the oldest first.
func (s *scheduled) wantNews(want ...string) {
	s.t.Helper()
	var list []notices.Delivery
	s.must(s.db.View(s.t.Context(), func(v *store.View) (err error) {
		list, _, err = v.Deliveries(s.hears, notices.DeliveryQuery{Page: belay.Page{Number: 1, Size: 100}})
		return err
	}))
	slices.SortFunc(list, func(a, b notices.Delivery) int { return a.CreatedAt.Compare(b.CreatedAt) })
	var got []string
	for _, d := range list {
		what := "reminder"
		if d.Trigger == notices.TriggerDestroyResults {
			what = d.Destroy.Problem + d.Destroy.RunStatus
		}
		got = append(got, what)
	}
	if !slices.Equal(got, want) {
		s.t.Errorf("told %q, want %q", got, want)
	}
}

// carriedOut lets the runner do the run of the schedule, which needs nobody's word.
func (s *scheduled) carriedOut() {
	s.t.Helper()
	s.plan()
	s.state() // what the destroy leaves
	s.apply()
}

func TestAFixedMomentDestroysOnce(t *testing.T) {
	eachScheduled(t, func(t *testing.T, s *scheduled) {
		at := s.now().Add(30 * time.Hour)
		s.set(belay.WorkspacePatch{AutoDestroyAt: patch.Of(at)})
		s.after(29 * time.Hour)
		s.wantRuns(0)
		s.wantNews("reminder", "reminder")
		s.after(2 * time.Hour)
		s.wantRuns(1)
		r := s.destroys()[0]
		if !r.IsDestroy || !r.AutoApply || r.Message != "Triggered by auto-destroy" || r.Source != run.SourceLifecycle {
			t.Errorf("%+v", r)
		}
		if w := s.look(); !w.DestroyAt().IsZero() || w.DestroyStatus() != "" {
			t.Errorf("destroy at %s, %s", w.DestroyAt(), w.DestroyStatus())
		}
		s.carriedOut()
		s.is(r.ID, run.Applied)
		s.after(48 * time.Hour)
		s.wantRuns(1)
		s.wantNews("reminder", "reminder", "applied")
	})
}

func TestANearMomentRemindsOfNothing(t *testing.T) {
	eachScheduled(t, func(t *testing.T, s *scheduled) {
		s.set(belay.WorkspacePatch{AutoDestroyAt: patch.Of(s.now().Add(13 * time.Hour))})
		s.after(12*time.Hour + 30*time.Minute)
		s.wantNews("reminder")
		s.set(belay.WorkspacePatch{AutoDestroyAt: patch.Of(s.now().Add(3 * time.Hour))})
		s.after(2 * time.Hour)
		s.wantNews("reminder")
		s.set(belay.WorkspacePatch{AutoDestroyAt: patch.Field[time.Time]{Set: true, Null: true}})
		s.after(10 * time.Hour)
		s.wantRuns(0)
	})
}

func TestADurationCountsFromTheLatestChange(t *testing.T) {
	eachScheduled(t, func(t *testing.T, s *scheduled) {
		s.set(belay.WorkspacePatch{AutoDestroyActivityDuration: patch.Of("2d")})
		s.after(47 * time.Hour)
		s.wantNews("reminder", "reminder")
		s.state() // the moment moves on, and is reminded of anew
		s.after(40 * time.Hour)
		s.wantRuns(0)
		s.wantNews("reminder", "reminder", "reminder", "reminder")
		s.after(9 * time.Hour)
		s.wantRuns(1)
		if w := s.look(); !w.DestroyAt().IsZero() || w.DestroyDuration() != "2d" {
			t.Errorf("destroy at %s, duration %s", w.DestroyAt(), w.DestroyDuration())
		}
		s.carriedOut()
		if w := s.look(); !w.DestroyAt().IsZero() {
			t.Error("what was destroyed is to be destroyed again")
		}
		s.after(100 * time.Hour)
		s.wantRuns(1)
		s.state() // from elsewhere: it counts again
		s.after(49 * time.Hour)
		s.wantRuns(2)
	})
}

func TestAProjectGivesItsSchedule(t *testing.T) {
	eachScheduled(t, func(t *testing.T, s *scheduled) {
		s.projectGives("30h")
		s.after(20 * time.Hour)
		s.wantNews("reminder", "reminder")
		s.projectGives("50h")
		s.after(15 * time.Hour)
		s.wantRuns(0)
		s.projectGives("1h") // its moment is over already
		s.after(time.Hour)
		s.wantRuns(1)
	})
}

func TestASchedulesHindrances(t *testing.T) {
	eachScheduled(t, func(t *testing.T, s *scheduled) {
		due := func(why string) {
			t.Helper()
			s.set(belay.WorkspacePatch{AutoDestroyAt: patch.Of(s.now().Add(time.Minute))})
			s.after(time.Hour)
			s.wantRuns(0)
			if w := s.look(); w.DestroyStatus() != "errored" || !w.DestroyAt().IsZero() {
				t.Errorf("%s: %s at %s", why, w.DestroyStatus(), w.DestroyAt())
			}
		}
		local := func(mode belay.ExecutionMode) { s.set(belay.WorkspacePatch{ExecutionMode: patch.Of(mode)}) }
		local(belay.LocalExecution)
		due("Workspace execution mode is local")
		local(belay.RemoteExecution)
		s.set(belay.WorkspacePatch{AllowDestroyPlan: patch.Of(false)})
		due("Destroy plans are not allowed in this workspace")
		s.set(belay.WorkspacePatch{AllowDestroyPlan: patch.Of(true)})
		_, err := s.verbs.LockWorkspace(t.Context(), s.admin, belay.WorkspaceRef{ID: s.ws.ID}, "")
		s.must(err)
		due("Workspace is locked")
		_, err = s.verbs.UnlockWorkspace(t.Context(), s.admin, belay.WorkspaceRef{ID: s.ws.ID})
		s.must(err)
		s.wantNews("Workspace execution mode is local", "Destroy plans are not allowed in this workspace", "Workspace is locked")
		s.state()
		if w := s.look(); w.DestroyStatus() != "" {
			t.Error("a new state leaves the status of the schedule")
		}
	})
}

func TestNothingIsNotDestroyed(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		s := &scheduled{house: h}
		s.letsPass()
	})
}

// letsPass demands that a moment comes and goes, and nothing is destroyed.
func (s *scheduled) letsPass() {
	s.t.Helper()
	s.set(belay.WorkspacePatch{AutoDestroyAt: patch.Of(s.now().Add(time.Minute))})
	s.after(time.Hour)
	s.wantRuns(0)
	if w := s.look(); !w.DestroyAt().IsZero() || w.DestroyStatus() != "" {
		s.t.Errorf("%s at %s", w.DestroyStatus(), w.DestroyAt())
	}
}

// TestAScheduledDestroyWaitsItsTurn puts one behind a run that is under way.
func TestAScheduledDestroyWaitsItsTurn(t *testing.T) {
	eachScheduled(t, func(t *testing.T, s *scheduled) {
		first := s.create(nil)
		s.set(belay.WorkspacePatch{AutoDestroyAt: patch.Of(s.now().Add(time.Minute))})
		s.after(2 * time.Minute)
		s.wantRuns(1)
		s.is(s.destroys()[0].ID, run.Pending)
		s.must(s.Cancel(t.Context(), s.admin, first.ID, ""))
		s.is(s.destroys()[0].ID, run.PlanQueued)
		s.must(s.Cancel(t.Context(), s.admin, s.destroys()[0].ID, ""))
		s.wantNews("canceled")
	})
}

// TestTwoReplicasDestroyOnce lets two look at the same moment.
func TestTwoReplicasDestroyOnce(t *testing.T) {
	eachScheduled(t, func(t *testing.T, s *scheduled) {
		for range 20 {
			s.set(belay.WorkspacePatch{AutoDestroyAt: patch.Of(s.now().Add(time.Minute))})
			before := len(s.destroys())
			s.pass(2 * time.Minute)
			done := make(chan error, 2)
			for range 2 {
				go func() { done <- s.Reconcile(t.Context()) }()
			}
			s.must(<-done)
			s.must(<-done)
			s.wantRuns(before + 1)
			s.must(s.Cancel(t.Context(), s.admin, s.destroys()[before].ID, ""))
		}
		s.wantNews(slices.Repeat([]string{"canceled"}, 20)...)
	})
}

// TestARecoveredWorkspaceIsNotDestroyedAtOnce deletes a workspace past its moment, and another
// before, and brings both back.
func TestARecoveredWorkspaceIsNotDestroyedAtOnce(t *testing.T) {
	eachScheduled(t, func(t *testing.T, s *scheduled) {
		ctx := t.Context()
		_, err := s.verbs.UpdateOrganization(ctx, s.admin, "acme", belay.OrganizationPatch{RecoverableItems: patch.Of(true), AllowForceDelete: patch.Of(true)})
		s.must(err)
		back := func(away time.Duration) {
			t.Helper()
			s.must(s.verbs.ForceDeleteWorkspace(ctx, s.admin, belay.WorkspaceRef{ID: s.ws.ID}))
			s.after(away)
			list, _, err := s.verbs.RecoverableItems(ctx, s.admin, "acme", belay.Page{Number: 1, Size: 20})
			s.must(err)
			s.must(s.verbs.Recover(ctx, s.admin, list[0].ID))
			s.after(time.Hour)
		}
		s.set(belay.WorkspacePatch{AutoDestroyAt: patch.Of(s.now().Add(5 * time.Hour))})
		back(10 * time.Hour)
		s.wantRuns(0)
		s.set(belay.WorkspacePatch{AutoDestroyAt: patch.Of(s.now().Add(5 * time.Hour))})
		back(2 * time.Hour)
		s.wantRuns(0)
		s.after(3 * time.Hour)
		s.wantRuns(1)
	})
}

// TestAMomentOfThePastCanBeTakenBack sets one, as clients do by mistake.
func TestAMomentOfThePastCanBeTakenBack(t *testing.T) {
	eachScheduled(t, func(t *testing.T, s *scheduled) {
		past := s.now().Add(-time.Hour)
		s.set(belay.WorkspacePatch{AutoDestroyAt: patch.Of(past)})
		s.must(s.Reconcile(t.Context()))
		w := s.look()
		if !w.DestroyAt().Equal(past) {
			t.Errorf("is destroyed at %s", w.DestroyAt())
		}
		s.wantRuns(0)
		s.pass(31 * time.Second)
		s.must(s.Reconcile(t.Context()))
		s.wantRuns(1)
	})
}
