package store_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
	"github.com/belayhq/belay/run"
)

// TestNothingOfRunsIsScanned wants an index for whatever runners and the work behind runs
// look for: what they ask must cost the same however many runs there were.
func TestNothingOfRunsIsScanned(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, "sqlite")
	plans, err := db.Plans(t.Context(), func(v *store.View) error {
		var all []error
		ask := func(err error) {
			if belay.KindOf(err) != belay.NotFound {
				all = append(all, err)
			}
		}
		_, err := v.Leased("x")
		ask(err)
		_, err = v.LeasedStart("x")
		ask(err)
		_, err = v.LeasedRun("x")
		ask(err)
		_, err = v.LeasedLog("x")
		ask(err)
		_, err = v.OpenJob("x")
		ask(err)
		_, err = v.JobsOfRun("x")
		ask(err)
		_, _, err = v.Claimable(store.Claim{PoolID: "x", RunnerID: "y", Nonce: "z", AtMost: 1})
		ask(err)
		_, _, err = v.ClaimStart(store.Claim{PoolID: "x", RunnerID: "y", Nonce: "z", AtMost: 1})
		ask(err)
		_, _, err = v.ClaimStartAs("x", store.Claim{Nonce: "z"})
		ask(err)
		_, err = v.LatestState(&belay.Workspace{ID: "x"})
		ask(err)
		_, err = v.OrderedJobs("x")
		ask(err)
		_, err = v.ExpiredJobs(time.Now(), 100)
		ask(err)
		_, err = v.RunnerByToken("x")
		ask(err)
		_, err = v.RunnerByBoot("x", "y", "z")
		ask(err)
		_, err = v.NextRun("x")
		ask(err)
		_, err = v.ActiveRun("x")
		ask(err)
		_, err = v.LastRun("x")
		ask(err)
		_, err = v.RunOfPlan("x")
		ask(err)
		_, _, err = v.Behind("x")
		ask(err)
		_, err = v.SavedRuns("x")
		ask(err)
		_, err = v.OlderRuns(&run.Run{})
		ask(err)
		_, err = v.RunNotes("x")
		ask(err)
		_, err = v.RunComment("x")
		ask(err)
		_, err = v.RunFiles("x")
		ask(err)
		_, err = v.RunLog("x")
		ask(err)
		_, err = v.EndedLogs(50)
		ask(err)
		_, _, err = v.NextReading(time.Now())
		ask(err)
		_, err = v.KnownResources("x")
		ask(err)
		_, err = v.DueNow(time.Now(), 100)
		ask(err)
		return errors.Join(all...)
	})
	if err != nil || len(plans) < 15 {
		t.Fatal(len(plans), err)
	}
	for _, plan := range plans {
		few := strings.HasPrefix(plan, "SCAN waiting ") || strings.HasPrefix(plan, "SCAN counted ") // as many as a claim takes, or figures count
		if strings.HasPrefix(plan, "SCAN") && !strings.Contains(plan, "USING") && !few {
			t.Error(plan)
		}
	}
}
