package store_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
	"github.com/belayhq/belay/notices"
)

// putDeliveries puts so many deliveries into each status: of an organization that is there, and of one that was deleted.
// Three change in one millisecond, and each fifth tells of a run that failed.
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
			INSERT INTO deliveries (id, event_id, notification_id, organization_id, raised, workspace_id, change_request_id, action_id, status, attempts, next_at, claim, response, created_at, updated_at)
			SELECT '%s-' || (1000000 + n), '%s-' || n, CASE WHEN n %% 10 = 0 THEN 'nc-1' ELSE 'nc-0' END, CASE WHEN n %% 10 = 0 THEN 'org-gone' ELSE '%s' END,
				CASE WHEN n %% 5 = 0 THEN 'run:errored' ELSE 'run:completed' END, '', '', '', '%s', 1, 1, '', '', n, 1000 + (n * 3 + %d) / 9 FROM k`, each, status, status, o.ID, status, i))
	}
}

// only is a query's statuses: one, or any.
func only(status notices.DeliveryStatus) []notices.DeliveryStatus {
	if status == "" {
		return nil
	}
	return []notices.DeliveryStatus{status}
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
			part := ask(notices.SiteDeliveryQuery{Statuses: only(status)})
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
				part = ask(notices.SiteDeliveryQuery{Statuses: only(status), Older: notices.ParseDeliveryMark(last.String())})
			}
			if len(seen) != all || part.Counts[notices.DeliveryPending] != 21 {
				t.Errorf("%q: %d deliveries, counts %v", status, len(seen), part.Counts)
			}
			for i := len(pages) - 2; i >= 0; i-- {
				part = ask(notices.SiteDeliveryQuery{Statuses: only(status), Newer: part.List[0].Mark()})
				if got := ids(part); !slices.Equal(got, pages[i]) || part.Newer != (i > 0) || !part.Older {
					t.Errorf("%q back on page %d: %v, not %v", status, i, got, pages[i])
				}
			}
		}
	})
}

// TestDeliveriesOfTheSiteAreNarrowed to an organization and to what they tell of, in parts and on numbered pages.
func TestDeliveriesOfTheSiteAreNarrowed(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		putDeliveries(t, db, 40)
		for _, of := range []struct {
			organization, trigger string
			status                notices.DeliveryStatus
			all                   int
		}{
			{"acme", "", "", 3 * 36}, {"acme", "", notices.DeliveryPending, 36}, {"", "run:errored", "", 3 * 8}, {"", "run:errored", notices.DeliveryDeadLettered, 8},
			{"acme", "run:errored", "", 3 * 4}, {"acme", "run:errored", notices.DeliveryDelivered, 4}, {"gone org", "", "", 0}, {"acme", "run:created", "", 0}, {"", "", "", 3 * 40},
		} {
			want := notices.SiteDeliveryQuery{Statuses: only(of.status), Organization: of.organization, Trigger: of.trigger, AtMost: 10, CountedAtMost: 1000}
			var parts, pages []string
			add := func(to *[]string, list []notices.SiteDelivery) {
				for i := range list {
					d := &list[i]
					if of.organization != "" && d.Organization != of.organization || of.trigger != "" && d.Trigger != of.trigger || of.status != "" && d.Status != of.status {
						t.Errorf("%+v: %s of %q tells of %s", of, d.ID, d.Organization, d.Trigger)
					}
					*to = append(*to, d.ID)
				}
			}
			err := db.View(t.Context(), func(v *store.View) error {
				for at := want; ; {
					part, err := v.SiteDeliveries(at)
					if err != nil {
						return err
					}
					counted := 0
					for status, n := range part.Counts {
						if of.status == "" || status == of.status {
							counted += n
						}
					}
					if counted != of.all {
						t.Errorf("%+v: counted %v", of, part.Counts)
					}
					if add(&parts, part.List); !part.Older {
						break
					}
					at.Older = part.List[len(part.List)-1].Mark()
				}
				for page := (belay.Page{Number: 1, Size: 7}); ; page.Number++ {
					list, total, err := v.SiteDeliveriesOn(want, page)
					if err != nil || total != of.all {
						t.Errorf("%+v: %d in all, %v", of, total, err)
					}
					if add(&pages, list); len(list) == 0 {
						return err
					}
				}
			})
			if err != nil || len(parts) != of.all || !slices.Equal(parts, pages) {
				t.Errorf("%+v: %d in parts, %d on pages, %v", of, len(parts), len(pages), err)
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
			narrowed := []notices.SiteDeliveryQuery{{Organization: "acme"}, {Trigger: "run:errored"}, {Organization: "nobody", Trigger: "run:created"}}
			for _, want := range append(narrowed, notices.SiteDeliveryQuery{},
				notices.SiteDeliveryQuery{Older: notices.DeliveryMark{At: time.UnixMilli(1500), ID: "x"}}, notices.SiteDeliveryQuery{Newer: notices.DeliveryMark{At: time.UnixMilli(1500), ID: "x"}},
			) {
				want.Statuses, want.AtMost, want.CountedAtMost = only(status), 50, 1000
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
					narrower := want.Organization != "" && strings.Contains(told, "deliveries_whose") || want.Trigger != "" && strings.Contains(told, "deliveries_raised")
					if !narrower && !strings.Contains(told, index) {
						t.Errorf("%+v does not read %s:\n%s", want, index, told)
					}
				}
			}
		}
	})
}
