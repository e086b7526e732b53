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

// whichOf are the statuses that a query asks for.
func whichOf(statuses []notices.DeliveryStatus) []sqldb.Text {
	var list []sqldb.Text
	for _, each := range deliveryStatuses {
		if statuses == nil || slices.Contains(statuses, each.status) {
			list = append(list, each.is)
		}
	}
	return list
}

// addNarrowed is the condition of the deliveries d that are of an organization and tell of an event, as far as these are
// asked for. Each has an index with the status.
func addNarrowed(q *sqldb.Query, want *notices.SiteDeliveryQuery) {
	if want.Organization != "" {
		q.Add(" AND d.organization_id = (SELECT o.id FROM organizations o WHERE o.name = CAST(? AS TEXT) AND NOT ("+base.OrganizationIsHidden+"))", want.Organization)
	}
	if want.Trigger != "" {
		q.Add(" AND d.raised = CAST(? AS TEXT)", want.Trigger)
	}
}

// firstDeliveries reads so many of the deliveries that are asked for, in an order from a mark on. However many there
// are, it reads as many entries of each status.
func (v *View) firstDeliveries(want *notices.SiteDeliveryQuery, at notices.DeliveryMark, order, than sqldb.Text, n int) *sqldb.Query {
	q, begin := v.SQL("SELECT "+deliveries.Columns()+", n.name, COALESCE(o.name, '') FROM ("), sqldb.Text("")
	for _, is := range whichOf(want.Statuses) {
		q.Add(begin + "SELECT * FROM (SELECT d.id, d.updated_at FROM deliveries d WHERE " + is)
		addNarrowed(q, want)
		if at.ID != "" {
			q.Add(" AND (d.updated_at, d.id) "+than+" (CAST(? AS BIGINT), CAST(? AS TEXT))", sqldb.UnixMillis(at.At), at.ID)
		}
		q.Add(" ORDER BY d.updated_at " + order + ", d.id " + order).First(n).Add(") x")
		begin = " UNION ALL "
	}
	return q.Add(") x JOIN deliveries d ON d.id = x.id" + withWhose + " ORDER BY x.updated_at " + order + ", x.id " + order)
}

// SiteDeliveriesOn is one page of all deliveries that are asked for, those that changed last first, whatever marks are
// named, and how many there are.
func (v *View) SiteDeliveriesOn(want notices.SiteDeliveryQuery, page belay.Page) ([]notices.SiteDelivery, int, error) {
	count, begin := v.SQL("SELECT "), sqldb.Text("")
	for _, is := range whichOf(want.Statuses) {
		addNarrowed(count.Add(begin+"(SELECT count(*) FROM deliveries d WHERE "+is), &want)
		begin = ") + "
	}
	total, _, err := sqldb.Value[int](v, count.Add(")"))
	if err != nil || total <= page.Offset() {
		return nil, total, err
	}
	list, err := collectWhose(v, v.firstDeliveries(&want, notices.DeliveryMark{}, "DESC", "<", page.Offset()+page.Size).Page(page))
	return list, total, err
}

// SiteDeliveries is a part of all deliveries that are asked for.
func (v *View) SiteDeliveries(want notices.SiteDeliveryQuery) (part notices.SiteDeliveries, err error) {
	at, order, than := want.Older, sqldb.Text("DESC"), sqldb.Text("<")
	if want.Newer.ID != "" {
		at, order, than = want.Newer, "ASC", ">"
	}
	q := v.firstDeliveries(&want, at, order, than, want.AtMost+1)
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
	part.Counts, err = v.deliveryCounts(&want)
	return part, err
}

// deliveryCounts is how many of the deliveries that are asked for there are of each status, and one more than are counted
// where there are more.
func (v *View) deliveryCounts(want *notices.SiteDeliveryQuery) (map[notices.DeliveryStatus]int, error) {
	type counted struct {
		status string
		n      int
	}
	q, begin := v.SQL(""), sqldb.Text("")
	for _, each := range deliveryStatuses {
		addNarrowed(q.Add(begin+"SELECT CAST(? AS TEXT), count(*) FROM (SELECT 1 FROM deliveries d WHERE "+each.is, string(each.status)), want)
		q.First(want.CountedAtMost + 1).Add(") x")
		begin = " UNION ALL "
	}
	counts := map[notices.DeliveryStatus]int{}
	list, err := sqldb.Collect(v, q, func(c *counted) []any { return []any{&c.status, &c.n} })
	for _, c := range list {
		counts[notices.DeliveryStatus(c.status)] = c.n
	}
	return counts, err
}
