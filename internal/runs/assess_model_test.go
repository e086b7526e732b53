package runs_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
	"github.com/belayhq/belay/run"
)

// TestAssessmentsOverMonths drives the clock through days and weeks of workspaces, some of which
// can be assessed: each of these once a day, and what can't be costs nothing.
func TestAssessmentsOverMonths(t *testing.T) {
	able, unable, days := 8, 6, 4
	if storetest.Slow() {
		able, unable, days = 20, 500, 40
	}
	eachHealthy(t, func(t *testing.T, s *healthy) {
		ctx := t.Context()
		_, err := s.verbs.UpdateOrganization(ctx, s.admin, "acme", belay.OrganizationPatch{AssessmentsEnforced: patch.Of(true)})
		s.must(err)
		var watched []belay.Workspace
		for i := range able + unable {
			s.ws = s.workspace(fmt.Sprintf("w%04d", i))
			if i < able {
				s.appliedOnce()
				watched = append(watched, s.ws)
			}
		}
		seen := map[string][]time.Time{}
		for range days * 24 * 2 {
			s.pass(30 * time.Minute)
			s.must(s.Reconcile(ctx))
			s.carryAll()
			s.must(s.db.View(ctx, func(v *store.View) error {
				for _, w := range watched {
					now, err := v.Workspace(belay.WorkspaceRef{ID: w.ID})
					if err != nil {
						return err
					}
					if times := seen[w.ID]; !now.AssessedAt.IsZero() && (len(times) == 0 || !times[len(times)-1].Equal(now.AssessedAt)) {
						seen[w.ID] = append(times, now.AssessedAt)
					}
				}
				return nil
			}))
		}
		last := map[time.Time]bool{}
		for _, w := range watched {
			times := seen[w.ID]
			if len(times) < days-1 || len(times) > days+2 {
				t.Errorf("%s was assessed %d times in %d days", w.Name, len(times), days)
			}
			for i := 1; i < len(times); i++ {
				if gap := times[i].Sub(times[i-1]); gap < 22*time.Hour+30*time.Minute || gap > 26*time.Hour {
					t.Errorf("%s: %v after the one before", w.Name, gap)
				}
			}
			if len(times) > 0 {
				last[times[len(times)-1]] = true
			}
		}
		if len(last) < 2 { // they part by up to an hour a day
			t.Errorf("all are assessed at once, last at %v", last)
		}
		s.must(s.Reconcile(ctx))
		before := s.db.Statements() + s.db.BackgroundStatements()
		s.must(s.Reconcile(ctx))
		if n := s.db.Statements() + s.db.BackgroundStatements() - before; n > 12 {
			t.Errorf("a look at nothing costs %d statements with %d workspaces that can't be assessed", n, unable)
		}
	})
}

// carryAll carries out every assessment that waits.
func (s *healthy) carryAll() {
	s.t.Helper()
	for {
		claimed, err := s.Claim(s.t.Context(), s.runner, run.Claim{Slots: 4, Nonce: belay.RandomText(8)})
		s.must(err)
		if len(claimed.Jobs) == 0 {
			return
		}
		for _, j := range claimed.Jobs {
			_, err := s.Start(s.t.Context(), j.Lease, run.Start{})
			s.must(err)
			s.end(j, planned(false))
		}
		s.must(s.Reconcile(s.t.Context()))
	}
}
