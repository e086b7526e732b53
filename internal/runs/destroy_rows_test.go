package runs_test

import (
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// TestWhatWasDestroyedWaitsForAState gives a duration to a workspace that somebody destroyed
// before: there is nothing to destroy, so nobody is told and nothing is made until a state comes.
func TestWhatWasDestroyedWaitsForAState(t *testing.T) {
	eachScheduled(t, func(t *testing.T, s *scheduled) {
		s.create(func(want *run.Wanted) { want.IsDestroy, want.AutoApply = patch.Of(true), patch.Of(true) })
		s.carriedOut()
		s.projectGives("30h")
		s.after(40 * time.Hour)
		s.set(belay.WorkspacePatch{AutoDestroyActivityDuration: patch.Of("30h")})
		s.after(40 * time.Hour)
		s.wantRuns(0)
		s.wantNews()
		if w := s.look(); !w.DestroyAt().IsZero() || w.DestroyDuration() != "30h" {
			t.Errorf("destroyed at %s, after %s", w.DestroyAt(), w.DestroyDuration())
		}
		s.state()
		s.after(31 * time.Hour)
		s.wantRuns(1)
		s.wantNews("reminder", "reminder")
	})
}

// TestAStateThatManagesNothing has a moment come in a workspace that never managed anything.
func TestAStateThatManagesNothing(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		s := &scheduled{house: h}
		s.stateOf(0)
		s.letsPass()
	})
}

// TestWhatAProjectGaveCanBeTakenBack gives a duration that is over already while something is
// due of a schedule before: it can be taken back all the same, and nobody who comes into the
// project puts it off.
func TestWhatAProjectGaveCanBeTakenBack(t *testing.T) {
	eachScheduled(t, func(t *testing.T, s *scheduled) {
		s.pass(40 * time.Hour)
		s.set(belay.WorkspacePatch{AutoDestroyAt: patch.Of(s.now().Add(10 * time.Minute))})
		s.set(belay.WorkspacePatch{InheritsProjectAutoDestroy: patch.Of(true)})
		s.pass(20 * time.Minute)
		s.projectGives("1h")
		s.after(time.Second)
		s.wantRuns(0)
		there, err := s.verbs.CreateProject(t.Context(), s.admin, "acme", belay.ProjectPatch{Name: patch.Of("there")})
		s.must(err)
		made, err := s.verbs.CreateWorkspace(t.Context(), s.admin, "acme", belay.WorkspacePatch{Name: patch.Of("late")})
		s.must(err)
		for range 2 {
			for _, project := range []string{there.ID, s.ws.ProjectID} {
				s.must(s.verbs.MoveWorkspaces(t.Context(), s.admin, project, []string{made.ID}))
			}
			s.after(20 * time.Second)
		}
		s.wantRuns(1)
	})
}

// TestAReminderIsSentOnce sends each once, though the schedules are noted anew and the clock is
// set back, and loses none to a state that comes before anybody looked.
func TestAReminderIsSentOnce(t *testing.T) {
	eachScheduled(t, func(t *testing.T, s *scheduled) {
		s.projectGives("30h")
		s.after(7 * time.Hour)
		s.wantNews("reminder")
		s.pass(-3 * time.Hour)
		s.projectGives("31h")
		s.projectGives("30h")
		s.after(6 * time.Hour)
		s.wantNews("reminder")
		s.projectGives("")
		s.set(belay.WorkspacePatch{AutoDestroyAt: patch.Of(s.now().Add(25 * time.Hour))})
		s.pass(2 * time.Hour)
		s.state()
		s.after(time.Hour)
		s.wantNews("reminder", "reminder")
	})
}

// TestAMomentWithoutAConfiguration has a moment come where nothing says what to destroy with.
func TestAMomentWithoutAConfiguration(t *testing.T) {
	eachScheduled(t, func(t *testing.T, s *scheduled) {
		s.must(s.db.Update(t.Context(), func(tx *store.Tx) error {
			w, err := tx.Workspace(belay.WorkspaceRef{ID: s.ws.ID})
			if err != nil {
				return err
			}
			c, err := tx.ConfigurationVersion(w.ConfigurationID)
			if err != nil {
				return err
			}
			c.Status, c.Candidate = run.ConfigurationErrored, false
			return tx.SaveConfigurationVersion(&w, &c)
		}))
		s.set(belay.WorkspacePatch{AutoDestroyAt: patch.Of(s.now().Add(time.Minute))})
		s.after(time.Hour)
		s.wantRuns(0)
		s.wantNews("Configuration version is missing")
		if w := s.look(); w.DestroyStatus() != "errored" {
			t.Errorf("the status is %q", w.DestroyStatus())
		}
		s.set(belay.WorkspacePatch{AutoDestroyAt: patch.Field[time.Time]{Set: true, Null: true}})
		if w := s.look(); w.DestroyStatus() != "" {
			t.Error("other settings leave the status")
		}
	})
}
