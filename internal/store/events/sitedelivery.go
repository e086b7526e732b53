package events

import (
	"slices"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/base"
	"github.com/belayhq/belay/notices"
)

// The statuses of deliveries d as they stand in the text, since each has an index of its own.
const (
	waits   sqldb.Text = "d.status = 'pending'"
	parked  sqldb.Text = "d.status = 'parked'"
	arrived sqldb.Text = "d.status = 'delivered'"
)

var deliveryStatuses = []struct {
	status notices.DeliveryStatus
	is     sqldb.Text
}{
	{notices.DeliveryDeadLettered, parked}, {notices.DeliveryPending, waits}, {notices.DeliveryDelivered, arrived},
}

// withWhose is deliveries d and whose they are. An organization that was deleted is not named.
const withWhose sqldb.Text = ` JOIN notifications n ON n.id = d.notification_id
	LEFT JOIN organizations o ON o.id = n.organization_id AND NOT (` + base.OrganizationIsHidden + ")"

func collectWhose(v *View, q *sqldb.Query) ([]notices.SiteDelivery, error) {
	return sqldb.Collect(v, q, func(d *notices.SiteDelivery) []any {
		return append(deliveries.Dest(&d.Delivery), &d.Notification, &d.Organization)
	})
}

// ParkedDeliveries is one page of what was given up, whatever it was for, the newest first.
func (v *View) ParkedDeliveries(page belay.Page) ([]notices.SiteDelivery, int, error) {
	total, _, err := sqldb.Value[int](v, v.SQL("SELECT count(*) FROM deliveries d WHERE "+parked))
	if err != nil || total == 0 {
		return nil, 0, err
	}
	q := v.SQL("SELECT " + deliveries.Columns() + ", n.name, COALESCE(o.name, '') FROM deliveries d" + withWhose + " WHERE " + parked + " ORDER BY d.updated_at DESC, d.id DESC")
	list, err := collectWhose(v, q.Page(page))
	return list, total, err
}

// SiteDeliveries is a part of all deliveries. However many there are, it reads as many entries of each status as it shows.
func (v *View) SiteDeliveries(want notices.SiteDeliveryQuery) (part notices.SiteDeliveries, err error) {
	at, order, than := want.Older, sqldb.Text("DESC"), sqldb.Text("<")
	if want.Newer.ID != "" {
		at, order, than = want.Newer, "ASC", ">"
	}
	q, begin := v.SQL("SELECT "+deliveries.Columns()+", n.name, COALESCE(o.name, '') FROM ("), sqldb.Text("")
	for _, each := range deliveryStatuses {
		if want.Status != "" && want.Status != each.status {
			continue
		}
		q.Add(begin + "SELECT * FROM (SELECT d.id, d.updated_at FROM deliveries d WHERE " + each.is)
		if at.ID != "" {
			q.Add(" AND (d.updated_at, d.id) "+than+" (CAST(? AS BIGINT), CAST(? AS TEXT))", sqldb.UnixMillis(at.At), at.ID)
		}
		q.Add(" ORDER BY d.updated_at " + order + ", d.id " + order).First(want.AtMost + 1).Add(") x")
		begin = " UNION ALL "
	}
	q.Add(") x JOIN deliveries d ON d.id = x.id" + withWhose + " ORDER BY x.updated_at " + order + ", x.id " + order)
	if part.List, err = collectWhose(v, q.First(want.AtMost+1)); err != nil {
		return part, err
	}
	more := len(part.List) > want.AtMost
	part.List = part.List[:min(len(part.List), want.AtMost)]
	part.Newer, part.Older = want.Older.ID != "", more
	if want.Newer.ID != "" {
		slices.Reverse(part.List)
		part.Newer, part.Older = more, true
	}
	part.Counts, err = v.deliveryCounts(want.CountedAtMost)
	return part, err
}

// deliveryCounts is how many deliveries there are of each status, and one more than are counted where there are more.
func (v *View) deliveryCounts(atMost int) (map[notices.DeliveryStatus]int, error) {
	type counted struct {
		status string
		n      int
	}
	q, begin := v.SQL(""), sqldb.Text("")
	for _, each := range deliveryStatuses {
		q.Add(begin+"SELECT CAST(? AS TEXT), count(*) FROM (SELECT 1 FROM deliveries d WHERE "+each.is, string(each.status)).First(atMost + 1).Add(") x")
		begin = " UNION ALL "
	}
	counts := map[notices.DeliveryStatus]int{}
	list, err := sqldb.Collect(v, q, func(c *counted) []any { return []any{&c.status, &c.n} })
	for _, c := range list {
		counts[notices.DeliveryStatus(c.status)] = c.n
	}
	return counts, err
}
