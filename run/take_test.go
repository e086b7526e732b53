package run_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/run"
)

var update = flag.Bool("update", false, "write the golden files anew")

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// at is a run of a status as the road there leaves it.
func at(s run.Status, change func(*run.Run)) run.Run {
	r := run.New("ws-1", "org-1", noon)
	r.Refresh = true
	r.Status = s
	r.Stamps = run.Stamps{s: noon}
	set := func(plan, apply run.PhaseStatus) { r.Plan.Status, r.Apply.Status = plan, apply }
	switch s {
	case run.Fetching, run.Pending:
	case run.PlanQueued:
		set(run.PhaseQueued, run.PhasePending)
	case run.Planning:
		set(run.PhaseRunning, run.PhasePending)
	case run.Planned, run.PlannedAndSaved, run.Confirmed:
		set(run.PhaseFinished, run.PhasePending)
	case run.ApplyQueued:
		set(run.PhaseFinished, run.PhaseQueued)
	case run.Applying:
		set(run.PhaseFinished, run.PhaseRunning)
	case run.Applied:
		set(run.PhaseFinished, run.PhaseFinished)
	default:
		set(run.PhaseFinished, run.PhaseUnreachable)
	}
	if s != run.Pending && s != run.PlannedAndSaved {
		r.ActiveAt = noon
	}
	if s == run.PlannedAndSaved {
		r.SavePlan = true
	}
	if change != nil {
		change(&r)
	}
	return r
}

// kinds are the runs that a status is looked at in, and the statuses that they reach.
var kinds = []struct {
	name   string
	change func(*run.Run)
	in     []run.Status // nil: all
}{
	{"plain", nil, nil},
	{"auto-apply", func(r *run.Run) { r.AutoApply = true }, []run.Status{run.Planning}},
	{"empty apply", func(r *run.Run) { r.AllowEmptyApply = true }, []run.Status{run.Planning}},
	{"plan only", func(r *run.Run) { r.PlanOnly, r.ActiveAt = true, time.Time{} }, []run.Status{run.Pending, run.Fetching, run.PlanQueued, run.Planning}},
	{"save plan", func(r *run.Run) { r.SavePlan = true }, []run.Status{run.Pending, run.Fetching, run.PlanQueued, run.Planning}},
	{"cancel asked", func(r *run.Run) { r.CanceledAt, r.ForceCancelAt = noon, noon.Add(time.Minute) }, []run.Status{run.Planning, run.Applying}},
	{"lock kept", func(r *run.Run) { r.KeepsLock = true }, []run.Status{run.Errored}},
}

var facts = []struct {
	name string
	fact run.Fact
	late bool // an hour has passed
}{
	{name: "turn", fact: run.Fact{Kind: run.TurnCame, Mode: "remote"}},
	{name: "turn, to be fetched", fact: run.Fact{Kind: run.TurnCame, Mode: "remote", Fetch: true}},
	{name: "fetched", fact: run.Fact{Kind: run.FetchEnded, Outcome: run.Succeeded}},
	{name: "not fetched", fact: run.Fact{Kind: run.FetchEnded, Outcome: run.Failed}},
	{name: "job started", fact: run.Fact{Kind: run.JobStarted, StateVersionID: "sv-1"}},
	{name: "plan ok, changes", fact: run.Fact{Kind: run.PlanEnded, Outcome: run.Succeeded, HasChanges: true, LockFree: true}},
	{name: "plan ok, changes, lock taken by another", fact: run.Fact{Kind: run.PlanEnded, Outcome: run.Succeeded, HasChanges: true}},
	{name: "plan ok, changes, state moved", fact: run.Fact{Kind: run.PlanEnded, Outcome: run.Succeeded, HasChanges: true, LockFree: true, StateMoved: true}},
	{name: "plan ok, no changes", fact: run.Fact{Kind: run.PlanEnded, Outcome: run.Succeeded, LockFree: true}},
	{name: "plan ok, configuration written", fact: run.Fact{Kind: run.PlanEnded, Outcome: run.Succeeded, HasChanges: true, GeneratedConfig: true, LockFree: true}},
	{name: "plan failed", fact: run.Fact{Kind: run.PlanEnded, Outcome: run.Failed}},
	{name: "plan refused by a check", fact: run.Fact{Kind: run.PlanEnded, Outcome: run.Failed, HasChanges: true, Refused: true, LockFree: true}},
	{name: "plan interrupted", fact: run.Fact{Kind: run.PlanEnded, Outcome: run.Interrupted}},
	{name: "apply ok", fact: run.Fact{Kind: run.ApplyEnded, Outcome: run.Succeeded, StateHome: true}},
	{name: "apply ok, state not home", fact: run.Fact{Kind: run.ApplyEnded, Outcome: run.Succeeded}},
	{name: "apply failed", fact: run.Fact{Kind: run.ApplyEnded, Outcome: run.Failed, StateHome: true}},
	{name: "apply interrupted", fact: run.Fact{Kind: run.ApplyEnded, Outcome: run.Interrupted, StateHome: true}},
	{name: "confirm", fact: run.Fact{Kind: run.Confirm, By: "user-1", LockFree: true}},
	{name: "confirm, lock taken by another", fact: run.Fact{Kind: run.Confirm, By: "user-1"}},
	{name: "lock opened", fact: run.Fact{Kind: run.LockOpened, LockFree: true}},
	{name: "discard", fact: run.Fact{Kind: run.Discard, By: "user-1"}},
	{name: "cancel", fact: run.Fact{Kind: run.AskCancel, By: "user-1", ForceAfter: time.Minute}},
	{name: "force-cancel, too early", fact: run.Fact{Kind: run.ForceCancel, By: "user-1"}},
	{name: "force-cancel", fact: run.Fact{Kind: run.ForceCancel, By: "user-1"}, late: true},
	{name: "cancel by a site admin", fact: run.Fact{Kind: run.AdminCancel, By: "user-1"}},
	{name: "runner silent", fact: run.Fact{Kind: run.WentSilent}},
	{name: "runner heard", fact: run.Fact{Kind: run.CameBack}},
	{name: "runner lost before its engine ran", fact: run.Fact{Kind: run.GivenUp}},
	{name: "runner lost", fact: run.Fact{Kind: run.GivenUp, EngineRan: true, LockHeld: true}},
	{name: "runner lost, lock opened", fact: run.Fact{Kind: run.GivenUp, EngineRan: true}},
	{name: "outdated", fact: run.Fact{Kind: run.Outdated}},
	{name: "superseded", fact: run.Fact{Kind: run.Superseded}},
}

// TestEveryFactInEveryStatus holds the whole state machine: every status, every fact, and
// what differs for the kinds of run. The golden file is to be read when it changes.
func TestEveryFactInEveryStatus(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for _, s := range run.Statuses {
		for _, f := range facts {
			plain := cell(t, at(s, nil), f.fact, f.late)
			fmt.Fprintf(&text, "%-21s %-40s %s\n", s, f.name, plain)
			for _, k := range kinds[1:] {
				if k.in != nil && !slices.Contains(k.in, s) {
					continue
				}
				if other := cell(t, at(s, k.change), f.fact, f.late); other != plain {
					fmt.Fprintf(&text, "%-21s %40s %s\n", "", k.name+":", other)
				}
			}
		}
		text.WriteString("\n")
	}
	golden(t, "machine.golden", text.String())
}

func cell(t *testing.T, r run.Run, f run.Fact, late bool) string {
	t.Helper()
	now, before := noon.Add(time.Second), r
	if late {
		now = noon.Add(time.Hour)
	}
	effects, err := r.Take(f, now)
	if err != nil {
		if belay.KindOf(err) != belay.Conflict || !strings.Contains(err.Error(), "transition not allowed") {
			t.Errorf("%s, %s: %v is no refusal that clients know", before.Status, f.Kind, err)
		}
		if r.Status != before.Status || r.Plan.Status != before.Plan.Status || r.Apply.Status != before.Apply.Status {
			t.Errorf("%s, %s: refused, and moved", before.Status, f.Kind)
		}
		return "-"
	}
	words := make([]string, len(effects))
	for i, e := range effects {
		words[i] = strings.TrimSuffix(string(e.Do)+":"+e.Word, ":")
	}
	lock := ""
	if r.KeepsLock {
		lock = ", keeps the lock"
	}
	return fmt.Sprintf("→ %s (plan %s, apply %s%s) [%s]", r.Status, r.Plan.Status, r.Apply.Status, lock, strings.Join(words, " "))
}

// TestActionsAreWhatTheyDo compares the flags of every status with what the actions do.
func TestActionsAreWhatTheyDo(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for _, s := range run.Statuses {
		for _, k := range kinds {
			if k.in != nil && !slices.Contains(k.in, s) {
				continue
			}
			now := noon.Add(time.Hour)
			r := at(s, k.change)
			flags := r.Actions(now)
			for kind, flag := range map[run.FactKind]bool{
				run.AskCancel: flags.Cancelable, run.Confirm: flags.Confirmable,
				run.Discard: flags.Discardable, run.ForceCancel: flags.ForceCancelable,
			} {
				try := at(s, k.change)
				if _, err := try.Take(run.Fact{Kind: kind, LockFree: true}, now); (err == nil) != flag {
					t.Errorf("%s of a %s run that is %s: the flag says %v, the action %v", kind, k.name, s, flag, err)
				}
			}
			fmt.Fprintf(&text, "%-21s %-13s cancel %-5v confirm %-5v discard %-5v force %v\n", s, k.name,
				flags.Cancelable, flags.Confirmable, flags.Discardable, flags.ForceCancelable)
		}
	}
	golden(t, "actions.golden", text.String())
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is another than before; run with -update and look at the diff:\n%s", name, got)
	}
}
