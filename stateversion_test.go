package belay_test

import (
	"strings"
	"testing"
	"time"

	"github.com/belayhq/belay"
)

const sumA, sumB = "0123456789abcdef0123456789abcdef", "fedcba9876543210fedcba9876543210"

func TestNewStateCheck(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in     belay.NewState
		places string
	}{
		"good":             {belay.NewState{MD5: sumA}, ""},
		"negative serial":  {belay.NewState{Serial: -1, MD5: sumA}, "serial"},
		"no md5":           {belay.NewState{}, "md5"},
		"upper case":       {belay.NewState{MD5: strings.ToUpper(sumA)}, ""},
		"largest serial":   {belay.NewState{Serial: 1<<53 - 1, MD5: sumA}, ""},
		"serial too large": {belay.NewState{Serial: 1 << 53, MD5: sumA}, "serial"},
		"a long lineage":   {belay.NewState{MD5: sumA, Lineage: strings.Repeat("l", 256)}, "lineage"},
		"a long run":       {belay.NewState{MD5: sumA, RunID: strings.Repeat("r", 256)}, "@run#id"},
		"a digit too many": {belay.NewState{MD5: sumA + "0"}, "md5"},
		"both at once":     {belay.NewState{Serial: -1, MD5: "x"}, "serial md5"},
	} {
		var problems belay.Problems
		c.in.Check(&problems)
		var places []string
		for _, p := range problems {
			places = append(places, string(p.Place))
		}
		if got := strings.Join(places, " "); got != c.places {
			t.Errorf("%s: problems at %q, want %q", name, got, c.places)
		}
		if c.places == "" && c.in.MD5 != sumA {
			t.Errorf("%s: the md5 is kept as %s", name, c.in.MD5)
		}
	}
}

func TestNewStateFollowsTheNewest(t *testing.T) {
	t.Parallel()
	newest := &belay.StateVersion{Serial: 5, Lineage: "l", State: belay.StateFile{MD5: sumA}}
	for name, c := range map[string]struct {
		in     belay.NewState
		newest *belay.StateVersion
		why    string
	}{
		"the first":                   {belay.NewState{Serial: 0, MD5: sumA}, nil, ""},
		"the next":                    {belay.NewState{Serial: 6, Lineage: "l", MD5: sumB}, newest, ""},
		"a later one":                 {belay.NewState{Serial: 60, Lineage: "l", MD5: sumB}, newest, ""},
		"the same once more":          {belay.NewState{Serial: 5, Lineage: "l", MD5: sumA}, newest, ""},
		"the same serial, other file": {belay.NewState{Serial: 5, Lineage: "l", MD5: sumB}, newest, "MD5 hash of the state provided does not match"},
		"an older serial":             {belay.NewState{Serial: 4, Lineage: "l", MD5: sumA}, newest, "less than the 5 currently known"},
		"another lineage":             {belay.NewState{Serial: 6, Lineage: "m", MD5: sumB}, newest, "lineage provided in the state file does not match"},
		"without a lineage":           {belay.NewState{Serial: 6, MD5: sumB}, newest, ""},
		"by force":                    {belay.NewState{Serial: 1, Lineage: "m", MD5: sumB, Force: true}, newest, ""},
	} {
		err := c.in.Follows(c.newest)
		if c.why == "" && err != nil || c.why != "" && (belay.KindOf(err) != belay.Conflict || !strings.Contains(err.Error(), c.why)) {
			t.Errorf("%s: %v, want %q", name, err, c.why)
		}
	}
}

func TestOnlyTheHolderOfTheLockWritesStates(t *testing.T) {
	t.Parallel()
	ann := belay.Holder{Type: "users", ID: "user-1", Name: "ann"}
	ops := belay.Holder{Type: "teams", ID: "user-1", Name: "ops"}
	w := belay.Workspace{}
	if err := w.MayWriteState(ann); belay.KindOf(err) != belay.Conflict || !strings.Contains(err.Error(), "not locked and will only accept state uploads when locked") {
		t.Errorf("without a lock: %v", err)
	}
	w.Lock = belay.Lock{Holder: ann}
	if err := w.MayWriteState(ann); err != nil {
		t.Errorf("the holder: %v", err)
	}
	if err := w.MayWriteState(ops); belay.KindOf(err) != belay.Conflict || !strings.Contains(err.Error(), "locked by User ann") {
		t.Errorf("another kind of holder with the same id: %v", err)
	}
}

func TestBackingDataTransitions(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	all := []belay.StateStatus{belay.StatePending, belay.StateFinalized, belay.StateDiscarded, belay.StateSoftDeleted, belay.StatePermanentlyDeleted}
	allowed := map[[2]belay.StateStatus]bool{
		{belay.StateFinalized, belay.StateSoftDeleted}:          true,
		{belay.StateSoftDeleted, belay.StateFinalized}:          true,
		{belay.StateSoftDeleted, belay.StatePermanentlyDeleted}: true,
	}
	for _, from := range all {
		for _, to := range []belay.StateStatus{belay.StateSoftDeleted, belay.StateFinalized, belay.StatePermanentlyDeleted} {
			for _, current := range []bool{false, true} {
				v := belay.StateVersion{Status: from, State: belay.StateFile{Key: "k"}, JSON: belay.StateFile{Key: "j"}}
				err := v.Transition(to, current, now)
				if want := allowed[[2]belay.StateStatus{from, to}] && !current; want != (err == nil) {
					t.Errorf("%s to %s, current %t: %v", from, to, current, err)
				}
				if err != nil && (belay.KindOf(err) != belay.BadRequest || !strings.Contains(err.Error(), "transition not allowed") || v.Status != from) {
					t.Errorf("%s to %s: %v, now %s", from, to, err, v.Status)
				}
				if err == nil && v.State.There() == (to == belay.StatePermanentlyDeleted) {
					t.Errorf("%s to %s: files %+v", from, to, v.State)
				}
			}
		}
	}
}

func TestSafeDeleteAsksWhatTheStateManages(t *testing.T) {
	t.Parallel()
	read := &belay.StateVersion{Processed: true}
	for name, c := range map[string]struct {
		w       belay.Workspace
		current *belay.StateVersion
		why     string
	}{
		"no state":         {belay.Workspace{}, nil, ""},
		"an empty state":   {belay.Workspace{}, read, ""},
		"managing":         {belay.Workspace{ResourceCount: 1}, read, "still managing resources"},
		"never to be read": {belay.Workspace{}, &belay.StateVersion{Processed: true, Problem: "it is encrypted"}, "it is encrypted"},
		"locked":           {belay.Workspace{Lock: belay.Lock{Holder: belay.Holder{ID: "user-1"}}, ResourceCount: 1}, read, "currently locked"},
	} {
		err := c.w.CheckSafeDelete(c.current)
		if c.why == "" && err != nil || c.why != "" && (belay.KindOf(err) != belay.Conflict || !strings.Contains(err.Error(), c.why)) {
			t.Errorf("%s: %v, want %q", name, err, c.why)
		}
	}
}
