package run_test

import (
	"fmt"
	"time"

	"github.com/belayhq/belay/run"
)

// A fact moves a run, and says what is to be done in the same transaction.
func ExampleRun_Take() {
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	r := run.New("ws-1", "org-1", now)
	for _, f := range []run.Fact{
		{Kind: run.TurnCame, Mode: "remote", LockFree: true},
		{Kind: run.JobStarted},
		{Kind: run.Confirm},
		{Kind: run.PlanEnded, Outcome: run.Succeeded, HasChanges: true},
		{Kind: run.Confirm, LockFree: true},
	} {
		effects, err := r.Take(f, now)
		fmt.Print(f.Kind, ": ", r.Status)
		for _, e := range effects {
			if e.Do == run.StartJob {
				fmt.Print(", start ", e.Word)
			}
		}
		if err != nil {
			fmt.Print(" – ", err)
		}
		fmt.Println()
	}
	// Output:
	// turn: plan_queued, start plan
	// job-started: planning
	// confirm: planning – conflict: transition not allowed: the run is planning
	// plan-ended: planned
	// confirm: apply_queued, start apply
}
