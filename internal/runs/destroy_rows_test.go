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
		_, err := s.verbs.UpdateProject(t.Context(), s.admin, s.ws.ProjectID, belay.ProjectPatch{AutoDestroyActivityDuration: patch.Of("30h")})
		s.must(err)
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

// TestAReminderIsSentOnce sends each once, though the schedules are noted anew and the clock is
// set back, and loses none to a state that comes before anybody looked.
func TestAReminderIsSentOnce(t *testing.T) {
	eachScheduled(t, func(t *testing.T, s *scheduled) {
		give := func(duration string) {
			t.Helper()
			_, err := s.verbs.UpdateProject(t.Context(), s.admin, s.ws.ProjectID, belay.ProjectPatch{AutoDestroyActivityDuration: patch.Of(duration)})
			s.must(err)
		}
		give("30h")
		s.after(7 * time.Hour)
		s.wantNews("reminder")
		s.pass(-3 * time.Hour)
		give("31h")
		give("30h")
		s.after(6 * time.Hour)
		s.wantNews("reminder")
		give("")
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
