package store_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
	"github.com/belayhq/belay/notices"
)

// putDeliveries puts so many deliveries into each status: of an organization that is there, and of one that was deleted.
// Three change in one millisecond.
func putDeliveries(t *testing.T, db *store.DB, each int) {
	t.Helper()
	o := putWorkspaces(t, db, 0)
	put(t, db, strings.TrimSuffix(organizationRow("org-gone"), ";\n"), "UPDATE organizations SET name = 'gone org' WHERE id = 'org-gone'")
	for i, of := range []string{o.ID, "org-gone"} {
		put(t, db, fmt.Sprintf(`INSERT INTO notifications (id, organization_id, name, destination, enabled, triggers, on_change_request, url, sealed_token, email_addresses, email_all_members, created_at, updated_at)
			VALUES ('nc-%d', '%s', 'n%d', 'generic', TRUE, '[]', FALSE, '', '', '[]', FALSE, 1, 1)`, i, of, i))
	}
	for i, status := range []string{"parked", "pending", "delivered"} {
		put(t, db, fmt.Sprintf(`WITH RECURSIVE k (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM k WHERE n < %d)
			INSERT INTO deliveries (id, event_id, notification_id, workspace_id, change_request_id, action_id, status, attempts, next_at, claim, response, created_at, updated_at)
			SELECT '%s-' || (1000000 + n), '%s-' || n, CASE WHEN n %% 10 = 0 THEN 'nc-1' ELSE 'nc-0' END, '', '', '', '%s', 1, 1, '', '', n, 1000 + (n * 3 + %d) / 9 FROM k`, each, status, status, status, i))
	}
}

// TestDeliveriesOfTheSiteAreLeafedThrough both ways, of one status and of all, and none is left out or comes twice.
func TestDeliveriesOfTheSiteAreLeafedThrough(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		const each, size = 25, 10
		putDeliveries(t, db, each)
		ask := func(want notices.SiteDeliveryQuery) (part notices.SiteDeliveries) {
			t.Helper()
			want.AtMost, want.CountedAtMost = size, 20
			if err := db.View(t.Context(), func(v *store.View) (err error) { part, err = v.SiteDeliveries(want); return err }); err != nil {
				t.Fatal(err)
			}
			return part
		}
		ids := func(part notices.SiteDeliveries) (list []string) {
			for i := range part.List {
				list = append(list, part.List[i].ID)
			}
			return list
		}
		for status, all := range map[notices.DeliveryStatus]int{"": 3 * each, notices.DeliveryDeadLettered: each, notices.DeliveryPending: each, notices.DeliveryDelivered: each} {
			var pages [][]string
			part := ask(notices.SiteDeliveryQuery{Status: status})
			seen, last := map[string]bool{}, notices.DeliveryMark{At: time.UnixMilli(1 << 40)}
			for {
				pages = append(pages, ids(part))
				for i := range part.List {
					d := &part.List[i]
					mark := d.Mark()
					if seen[d.ID] || status != "" && d.Status != status || mark.At.After(last.At) || mark.At.Equal(last.At) && mark.ID >= last.ID {
						t.Errorf("%q: %s after %s", status, mark, last)
					}
					if named := d.Organization == "acme"; named != (d.NotificationID == "nc-0") || d.Notification == "" {
						t.Errorf("%s is of %q", d.ID, d.Organization)
					}
					seen[d.ID], last = true, mark
				}
				if part.Newer != (len(pages) > 1) {
					t.Errorf("%q: page %d has others before it: %v", status, len(pages), part.Newer)
				}
				if !part.Older {
					break
				}
				part = ask(notices.SiteDeliveryQuery{Status: status, Older: notices.ParseDeliveryMark(last.String())})
			}
			if len(seen) != all || part.Counts[notices.DeliveryPending] != 21 {
				t.Errorf("%q: %d deliveries, counts %v", status, len(seen), part.Counts)
			}
			for i := len(pages) - 2; i >= 0; i-- {
				part = ask(notices.SiteDeliveryQuery{Status: status, Newer: part.List[0].Mark()})
				if got := ids(part); !slices.Equal(got, pages[i]) || part.Newer != (i > 0) || !part.Older {
					t.Errorf("%q back on page %d: %v, not %v", status, i, got, pages[i])
				}
			}
		}
	})
}

// TestDeliveriesOfTheSiteAreFoundByTheirIndexes: nothing walks all of them.
func TestDeliveriesOfTheSiteAreFoundByTheirIndexes(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		putDeliveries(t, db, 4000)
		if db.Engine() == "postgres" {
			put(t, db, "ANALYZE")
		}
		for status, indexes := range map[notices.DeliveryStatus][]string{
			notices.DeliveryDeadLettered: {"deliveries_parked"}, notices.DeliveryPending: {"deliveries_waiting"}, notices.DeliveryDelivered: {"deliveries_arrived"},
			"": {"deliveries_parked", "deliveries_waiting", "deliveries_arrived"},
		} {
			for _, want := range []notices.SiteDeliveryQuery{
				{}, {Older: notices.DeliveryMark{At: time.UnixMilli(1500), ID: "x"}}, {Newer: notices.DeliveryMark{At: time.UnixMilli(1500), ID: "x"}},
			} {
				want.Status, want.AtMost, want.CountedAtMost = status, 50, 1000
				plans, err := db.Plans(t.Context(), func(v *store.View) error { _, err := v.SiteDeliveries(want); return err })
				if err != nil {
					t.Fatal(err)
				}
				told := ""
				for _, plan := range plans {
					if step, statement, _ := strings.Cut(plan, " <- "); !strings.Contains(statement, "count(*)") {
						told += step + "\n"
					}
				}
				if whole := regexp.MustCompile(`SCAN d\n|Seq Scan on deliveries|Sort Key: d`).FindString(told); whole != "" {
					t.Errorf("%+v: %s", want, told)
				}
				for _, index := range indexes {
					if !strings.Contains(told, index) {
						t.Errorf("%+v does not read %s:\n%s", want, index, told)
					}
				}
			}
		}
	})
}
