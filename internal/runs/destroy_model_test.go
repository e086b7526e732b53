package runs_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
)

// destroyModel is a schedule as anybody would write it down: what it says, and how many runs
// came of it.
type destroyModel struct {
	fixed    time.Time
	duration time.Duration
	latest   time.Time
	disarmed bool
	gone     bool // it was destroyed, and no state came since
	runs     int
}

func (m *destroyModel) at() time.Time {
	switch {
	case m.duration == 0:
		return m.fixed
	case m.disarmed || m.gone:
		return time.Time{}
	default:
		return m.latest.Add(m.duration)
	}
}

// tick says whether the moment has come, and takes it away.
func (m *destroyModel) tick(now time.Time) bool {
	if at := m.at(); at.IsZero() || at.After(now) {
		return false
	}
	m.fixed, m.disarmed = time.Time{}, m.duration > 0
	m.runs++
	return true
}

// TestSchedulesFollowTheirModel drives a clock through months of changes, and compares each
// hour with the model: what is due, and how many runs were made.
func TestSchedulesFollowTheirModel(t *testing.T) {
	eachScheduled(t, func(t *testing.T, s *scheduled) {
		random := rand.New(rand.NewPCG(1, 2))
		model := &destroyModel{latest: s.look().LatestChangeAt}
		steps := 60
		if testing.Short() {
			steps = 15
		}
		for step := range steps {
			story := model.change(s, random)
			for range 1 + random.IntN(40) {
				s.pass(time.Hour)
				s.must(s.Reconcile(t.Context()))
				if model.tick(s.now().UTC()) {
					model.follow(s, random)
				}
				w := s.look()
				if got, want := w.DestroyAt(), model.at(); !got.Equal(want) {
					t.Fatalf("step %d, %s: is destroyed at %s, want %s", step, story, got, want)
				}
			}
			if got := len(s.destroys()); got != model.runs {
				t.Fatalf("step %d, %s: %d runs, want %d", step, story, got, model.runs)
			}
		}
		if model.runs < steps/10 {
			t.Errorf("%d runs in %d steps say little", model.runs, steps)
		}
	})
}

// change changes the schedule or the state, and says how.
func (m *destroyModel) change(s *scheduled, random *rand.Rand) string {
	hours := 1 + random.IntN(60)
	switch random.IntN(5) {
	case 0:
		m.fixed, m.duration, m.disarmed = s.now().UTC().Add(time.Duration(hours)*time.Hour), 0, false
		s.set(belay.WorkspacePatch{AutoDestroyAt: patch.Of(m.fixed)})
		return "moment"
	case 1, 2:
		m.fixed, m.duration, m.disarmed = time.Time{}, time.Duration(hours)*time.Hour, false
		s.set(belay.WorkspacePatch{AutoDestroyActivityDuration: patch.Of(fmt.Sprintf("%dh", hours))})
		return "duration"
	case 3:
		s.state()
		m.latest, m.disarmed, m.gone = s.now().UTC(), false, false
		return "state"
	default:
		m.fixed, m.duration, m.disarmed = time.Time{}, 0, false
		s.set(belay.WorkspacePatch{AutoDestroyAt: patch.Field[time.Time]{Set: true, Null: true}})
		return "none"
	}
}

// follow lets the run of a moment end: applied, or canceled.
func (m *destroyModel) follow(s *scheduled, random *rand.Rand) {
	if random.IntN(2) == 0 {
		all := s.destroys()
		s.must(s.Cancel(s.t.Context(), s.admin, all[len(all)-1].ID, ""))
		return
	}
	s.carriedOut()
	m.latest, m.gone = s.now().UTC(), true
}
