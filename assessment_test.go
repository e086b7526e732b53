package belay_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/belayhq/belay"
)

func TestWhereAssessmentsAreInForce(t *testing.T) {
	t.Parallel()
	for release, want := range map[string]bool{
		"0.15.3": false, "0.15.4": true, "0.15.4-rc1": false, "1.0.0": true, "1.12.6": true, "": false, "latest": false,
	} {
		w := belay.Workspace{OwnsExecution: true, OwnMode: belay.RemoteExecution, EngineRelease: release, AssessmentsEnabled: true}
		if w.Assessed() != want {
			t.Errorf("with %q: %v", release, w.Assessed())
		}
	}
	for _, c := range []struct {
		mode            belay.ExecutionMode
		wants, enforced bool
		want            bool
	}{
		{belay.RemoteExecution, true, false, true}, {belay.AgentExecution, false, true, true},
		{belay.LocalExecution, true, true, false}, {belay.RemoteExecution, false, false, false},
	} {
		w := belay.Workspace{OwnsExecution: true, OwnMode: c.mode, EngineRelease: "1.9.0", AssessmentsEnabled: c.wants}
		w.Organization.AssessmentsEnforced = c.enforced
		if w.Assessed() != c.want {
			t.Errorf("%+v: %v", c, w.Assessed())
		}
	}
}

// TestAssessmentsPartFromEachOther wants the next within a 24th of a day of a day after the last,
// and those that began together apart.
func TestAssessmentsPartFromEachOther(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	last := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	var hours []time.Duration
	for i := range 200 {
		w := belay.Workspace{ID: fmt.Sprintf("ws-%d", i), AssessedAt: last}
		gap := w.NextAssessment(last, day).Sub(last)
		if gap < 23*time.Hour || gap > 25*time.Hour {
			t.Errorf("%s waits for %s", w.ID, gap)
		}
		hours = append(hours, gap)
		if next := w.NextAssessment(last.Add(3*day), day); !next.Equal(last.Add(3*day + belay.FirstAssessment)) {
			t.Errorf("%s was long away, and is assessed at %s", w.ID, next)
		}
	}
	slices.Sort(hours)
	if hours[199]-hours[0] < 90*time.Minute {
		t.Errorf("they are all between %s and %s", hours[0], hours[199])
	}
	if next := (&belay.Workspace{}).NextAssessment(last, day); !next.Equal(last.Add(2 * time.Minute)) {
		t.Errorf("the first is at %s", next)
	}
}

func TestWhatHindersAnAssessment(t *testing.T) {
	t.Parallel()
	able := belay.Workspace{ResourceCount: 1, ConfigurationID: "cv-1"}
	for _, c := range []struct {
		change  func(*belay.Workspace)
		applied bool
		newest  string
		want    string
	}{
		{nil, true, "applied", ""},
		{nil, true, "planned_and_finished", ""},
		{nil, false, "", "No run was applied yet"},
		{nil, true, "errored", "The newest run is errored"},
		{nil, true, "planned", "The newest run is planned"},
		{func(w *belay.Workspace) { w.AssessingID = "run-1" }, true, "applied", "An assessment is in progress"},
		{func(w *belay.Workspace) { w.ResourceCount = 0 }, true, "applied", "There are no resources"},
		{func(w *belay.Workspace) { w.ConfigurationID = "" }, true, "applied", "Configuration version is missing"},
	} {
		w := able
		if c.change != nil {
			c.change(&w)
		}
		if got := w.AssessmentHindrance(c.applied, c.newest); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestWhatARefusalSays is without the words for its kind, of one and of several.
func TestWhatARefusalSays(t *testing.T) {
	t.Parallel()
	var problems belay.Problems
	problems.At("", "one")
	problems.At("", "two")
	for want, err := range map[string]error{
		"one; two": problems, "three": belay.Refuse(belay.Invalid, "three"), "not found": belay.ErrNotFound, "four": fmt.Errorf("four"),
	} {
		if got := belay.Reason(err); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
