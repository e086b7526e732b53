package store_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/bearer"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
)

// TestListsOfTokensSayWhatTheRuleSays: a status is one value that both the predicate and the
// condition of the list are made of.
func TestListsOfTokensSayWhatTheRuleSays(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		o := putWorkspaces(t, db, 1)
		must(t, db.Update(t.Context(), func(tx *store.Tx) error {
			team := belay.NewTeam(o, tx.Now)
			team.Name = "ops"
			must(t, tx.AddTeam(&team))
			all := []belay.Token{}
			const day = 24 * time.Hour
			for i, ends := range []time.Duration{0, -40 * day, -day, -time.Millisecond, time.Millisecond, day, 7 * day, 7*day + time.Millisecond, 30 * day, 31 * day} {
				k := belay.Token{ID: fmt.Sprint("at-", i), Hash: fmt.Sprint(i), OwnerKind: belay.TeamPrincipal, OwnerID: team.ID, OrganizationID: o.ID, CreatedAt: tx.Now}
				if i > 0 {
					k.ExpiredAt = tx.Now.Add(ends)
				}
				must(t, tx.AddToken(&k))
				all = append(all, k)
			}
			for _, statuses := range [][]string{{"active"}, {"expired"}, {"no_expiration"}, {"expiring_in_7_days"}, {"expiring_in_30_days"}, {"expired", "no_expiration"}, {"unheard"}} {
				var got, want []string
				for _, k := range all {
					if slices.ContainsFunc(statuses, func(s string) bool { return bearer.TokensOf(s, tx.Now).Includes(&k) }) {
						want = append(want, k.ID)
					}
				}
				list, total, err := tx.TeamTokens(o, belay.TokenQuery{Statuses: statuses, Page: belay.Page{Number: 1, Size: 50}}, tx.Now)
				must(t, err)
				for _, k := range list {
					got = append(got, k.ID)
				}
				if slices.Sort(got); !slices.Equal(got, want) || total != len(want) {
					t.Errorf("%v: the list has %v, the rule %v", statuses, got, want)
				}
			}
			return nil
		}))
	})
}
