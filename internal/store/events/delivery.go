package events

import (
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/base"
	"github.com/belayhq/belay/notices"
)

var deliveries = sqldb.NewTable(sqldb.Table[notices.Delivery]{
	Name: "deliveries",
	Hold: "d",
	From: "deliveries d",
	Own: []sqldb.Column[notices.Delivery]{
		{Name: "id", At: func(d *notices.Delivery) any { return &d.ID }},
		{Name: "event_id", At: func(d *notices.Delivery) any { return &d.EventID }},
		{Name: "notification_id", At: func(d *notices.Delivery) any { return &d.NotificationID }},
		{Name: "raised", At: func(d *notices.Delivery) any { return &d.Trigger }},
		{Name: "workspace_id", At: func(d *notices.Delivery) any { return &d.WorkspaceID }},
		{Name: "change_request_id", At: func(d *notices.Delivery) any { return &d.ChangeRequestID }},
		{Name: "action_id", At: func(d *notices.Delivery) any { return &d.ActionID }},
		{Name: "run_id", At: func(d *notices.Delivery) any { return &d.RunID }},
		{Name: "run_place", At: func(d *notices.Delivery) any { return &d.RunPlace }},
		{Name: "run_status", At: func(d *notices.Delivery) any { return &d.RunStatus }},
		{Name: "acted_by", At: func(d *notices.Delivery) any { return &d.ActedBy }},
		{Name: "facts", At: func(d *notices.Delivery) any { return sqldb.JSON(&d.Destroy) }},
		{Name: "assessment", At: func(d *notices.Delivery) any { return sqldb.JSON(&d.Assessment) }},
		{Name: "status", At: func(d *notices.Delivery) any { return &d.Status }},
		{Name: "attempts", At: func(d *notices.Delivery) any { return &d.Attempts }},
		{Name: "next_at", At: func(d *notices.Delivery) any { return sqldb.Millis(&d.NextAt) }},
		{Name: "claim", At: func(d *notices.Delivery) any { return &d.Claim }},
		{Name: "response", At: func(d *notices.Delivery) any { return sqldb.JSON(&d.Response) }},
		{Name: "created_at", At: func(d *notices.Delivery) any { return sqldb.Millis(&d.CreatedAt) }},
		{Name: "updated_at", At: func(d *notices.Delivery) any { return sqldb.Millis(&d.UpdatedAt) }},
	},
})

// fanOutBatch is how many workspaces one transaction writes deliveries for, so that a
// bulk action on many never holds up the others who write.
const fanOutBatch = 500

// queued is one event that deliveries are still to be written for. Its row was written
// in the transaction of the event, and goes in the transaction of the last deliveries:
// nothing depends on the order in which events are committed.
type queued struct{ eventID, kind, resourceID, after string }

// EventsQueued says whether events wait for their deliveries to be written.
func (v *View) EventsQueued() (bool, error) {
	_, found, err := sqldb.Value[string](v, v.SQL("SELECT event_id FROM event_queue LIMIT 1"))
	return found, err
}

// FanOut writes the deliveries of one waiting event, or of a part of its workspaces.
// more is false when no event waits. Where there is no mail server nothing is mailed.
func (tx *Tx) FanOut(mail bool) (more bool, err error) {
	q := tx.SQL("SELECT event_id, kind, resource_id, after_workspace FROM event_queue ORDER BY event_id LIMIT 1" + tx.Dialect().SkipHeld)
	list, err := sqldb.Collect(&tx.View, q, func(e *queued) []any { return []any{&e.eventID, &e.kind, &e.resourceID, &e.after} })
	if err != nil || len(list) == 0 {
		return false, err
	}
	e := list[0]
	if e.kind != notices.EventChangeRequestCreated {
		told, err := tx.tellsAnybody(e, mail)
		if err != nil {
			return false, err
		}
		if !told {
			return true, tx.leaveQueue(e)
		}
		last := tx.SQL(`SELECT workspace_id FROM change_requests WHERE action_id = ? AND workspace_id > ?
			ORDER BY workspace_id LIMIT 1 OFFSET ?`, e.resourceID, e.after, fanOutBatch-1)
		until, found, err := sqldb.Value[string](&tx.View, last)
		if err != nil {
			return false, err
		}
		if found {
			if err := tx.addDeliveries(e, until, mail); err != nil {
				return false, err
			}
			return true, tx.Do("UPDATE event_queue SET after_workspace = ? WHERE event_id = ?", until, e.eventID)
		}
	}
	if err := tx.addDeliveries(e, "", mail); err != nil {
		return false, err
	}
	return true, tx.leaveQueue(e)
}

func (tx *Tx) leaveQueue(e queued) error {
	return tx.Do("DELETE FROM event_queue WHERE event_id = ?", e.eventID)
}

// tellsAnybody says whether a configuration of the organization asks to be told of a bulk action: where nothing is mailed
// mostly none does, and its thousands of workspaces need not be looked through.
func (tx *Tx) tellsAnybody(e queued, mail bool) (bool, error) {
	q := tx.SQL("SELECT n.id FROM notifications n WHERE n.organization_id = (SELECT organization_id FROM bulk_actions WHERE id = ?) AND ", e.resourceID)
	addWanted(q, notices.TellsOf(e.kind))
	if !mail {
		q.Add(" AND n.destination <> 'email'")
	}
	_, found, err := sqldb.Value[string](&tx.View, q.First(1))
	return found, err
}

// addDeliveries writes what an event tells its subscribers. A webhook hears of each workspace; a
// mail tells of all of a bulk action at once.
func (tx *Tx) addDeliveries(e queued, until string, mail bool) error {
	told := notices.TellsOf(e.kind)
	again := ""
	if told.Again { // beside what it is told of again
		again = "." + e.eventID
	}
	for _, mailed := range []bool{false, true} {
		if mailed && !mail {
			continue
		}
		q := tx.SQL(`WITH targets AS (SELECT c.id, c.workspace_id, c.action_id, w.project_id
			FROM change_requests c JOIN workspaces w ON w.id = c.workspace_id AND w.organization_id = c.organization_id WHERE `)
		if told.OpenOnly {
			q.Add("c.archived_at = 0 AND ")
		}
		if e.kind == notices.EventChangeRequestCreated {
			q.Add("c.id = ?", e.resourceID)
		} else {
			q.Add("c.action_id = ? AND c.workspace_id > ?", e.resourceID, e.after)
			if until != "" {
				q.Add(" AND c.workspace_id <= ?", until)
			}
		}
		addSubscribers(q.Add("), subscribers AS ("), "x.id, x.workspace_id, x.action_id, n.id AS notification, n.organization_id, n.destination", told)
		q.Add(`) INSERT INTO deliveries (id, event_id, notification_id, organization_id, workspace_id, change_request_id, action_id, raised,
			status, attempts, next_at, claim, response, created_at, updated_at) `)
		now := sqldb.UnixMillis(tx.Now)
		if mailed {
			q.Add(`SELECT DISTINCT action_id || '.' || notification || CAST(? AS TEXT), CAST(? AS TEXT), notification, organization_id, '', '', action_id,`, again, e.eventID)
		} else {
			q.Add(`SELECT id || '.' || notification || CAST(? AS TEXT), CAST(? AS TEXT), notification, organization_id, workspace_id, id, action_id,`, again, e.eventID)
		}
		q.Add(" CAST(? AS TEXT)", told.Trigger).Add(", 'pending', 0, CAST(? AS BIGINT), '', '', CAST(? AS BIGINT), CAST(? AS BIGINT) FROM subscribers", now, now, now)
		if mailed {
			q.Add(" WHERE destination = 'email'")
		} else {
			q.Add(" WHERE destination <> 'email'")
		}
		if _, err := tx.Exec(q.Add(" ON CONFLICT DO NOTHING")); err != nil {
			return err
		}
	}
	return nil
}

// Lane is a notification configuration with deliveries that are due.
type Lane struct {
	NotificationID string
	URL            string
	Destination    notices.Destination
}

// waiting is the deliveries that are to be tried, in the lanes of their configurations.
var waiting = base.Queue{Table: "deliveries", Lane: "notification_id", State: "status", Waits: "pending", Tries: "attempts"}

// DueLanes is the configurations with deliveries that are due.
func (v *View) DueLanes(now time.Time) ([]Lane, error) {
	q := waiting.Lanes(v, "n.id, n.url, n.destination", "JOIN notifications n ON n.id = l.id", now)
	return sqldb.Collect(v, q, func(l *Lane) []any { return []any{&l.NotificationID, &l.URL, &l.Destination} })
}

// behind says that something that happened earlier to the same run is still to be told.
const behind sqldb.Text = `(k.run_id <> '' AND EXISTS (SELECT 1 FROM deliveries b WHERE b.status = 'pending' AND b.run_id <> ''
	AND b.notification_id = k.notification_id AND b.run_id = k.run_id AND b.run_place < k.run_place))`

// Claim takes due deliveries of a configuration, so that nobody else tries them before until. What is told of one run
// is taken one by one, in order.
func (tx *Tx) Claim(lane Lane, atMost int, until time.Time) ([]notices.Delivery, error) {
	q := waiting.Claim(tx, belay.NewID("claim"), tx.Now, until, atMost, deliveryColumns, "k.notification_id = ? AND NOT "+behind, lane.NotificationID)
	return deliveries.Many(&tx.View, q)
}

// deliveryColumns are not qualified: RETURNING knows no alias on SQLite.
var deliveryColumns = deliveries.Unqualified()

// FinishDelivery writes how a try ended, unless the claim has passed to somebody else.
func (tx *Tx) FinishDelivery(d *notices.Delivery) error {
	if hold := tx.Dialect().Hold; hold != "" { // before the delivery, as whoever deletes it has it
		if err := tx.Do("SELECT 1 FROM notifications WHERE id = ?"+hold, d.NotificationID); err != nil {
			return err
		}
	}
	n, err := tx.Exec(tx.SQL("UPDATE deliveries SET status = ?, next_at = ?, claim = '', response = ?, updated_at = ? WHERE id = ? AND claim = ?",
		string(d.Status), sqldb.UnixMillis(d.NextAt), sqldb.JSON(&d.Response), sqldb.UnixMillis(tx.Now), d.ID, d.Claim))
	if err != nil || n == 0 {
		return err
	}
	if err := tx.delayRun(d); err != nil {
		return err
	}
	return tx.SaveNotificationResponse(d.NotificationID, d.Response)
}

// DropDelivery deletes a delivery about something that is no longer there.
func (tx *Tx) DropDelivery(d *notices.Delivery) error {
	return tx.Do("DELETE FROM deliveries WHERE id = ?", d.ID)
}

// NextDelivery is when the next delivery is due; zero when none waits.
func (v *View) NextDelivery() (time.Time, error) { return base.Next(v, "", waiting) }

// PruneDeliveries forgets some of the deliveries that ended before a moment, and says
// whether there may be more.
func (tx *Tx) PruneDeliveries(before time.Time) (more bool, err error) {
	for _, ended := range []sqldb.Text{arrived, parked} { // each is an index of its own
		q := tx.SQL("DELETE FROM deliveries WHERE id IN (SELECT d.id FROM deliveries d WHERE "+ended+" AND d.updated_at < ?", sqldb.UnixMillis(before))
		if n, err := tx.Exec(q.First(sqldb.RowsAtOnce).Add(")")); err != nil || n == sqldb.RowsAtOnce {
			return err == nil, err
		}
	}
	return false, nil
}

// RetryDeliveries gives some of the dead-lettered deliveries of a configuration all their tries
// again, and says whether there may be more.
func (tx *Tx) RetryDeliveries(notificationID string) (more bool, err error) {
	tx.Queue()
	q := tx.SQL("UPDATE deliveries SET status = 'pending', attempts = 0, next_at = ?, updated_at = ? WHERE id IN (SELECT id FROM deliveries WHERE notification_id = ? AND status = 'parked'",
		sqldb.UnixMillis(tx.Now), sqldb.UnixMillis(tx.Now), notificationID)
	n, err := tx.Exec(q.First(sqldb.RowsAtOnce).Add(")"))
	return n == sqldb.RowsAtOnce, err
}

// RetryDelivery has one delivery of a configuration sent now: again, or before its time. found is false where there is
// none that is not on its way.
func (tx *Tx) RetryDelivery(notificationID, id string) (found bool, err error) {
	tx.Queue()
	q := tx.SQL("UPDATE deliveries SET status = 'pending', attempts = 0, next_at = ?, updated_at = ? WHERE id = ? AND notification_id = ? AND claim = ''",
		sqldb.UnixMillis(tx.Now), sqldb.UnixMillis(tx.Now), id, notificationID)
	n, err := tx.Exec(q)
	return n > 0, err
}

// Deliveries is one page of the deliveries of a configuration, the newest first.
func (v *View) Deliveries(notificationID string, want notices.DeliveryQuery) ([]notices.Delivery, int, error) {
	count := addDeliveries(v.SQL("SELECT count(*) FROM deliveries d WHERE "), notificationID, want)
	total, _, err := sqldb.Value[int](v, count)
	if err != nil || total == 0 {
		return nil, 0, err
	}
	list, err := v.DeliveriesOn(notificationID, want)
	return list, total, err
}

// DeliveriesOn is Deliveries, and counts none.
func (v *View) DeliveriesOn(notificationID string, want notices.DeliveryQuery) ([]notices.Delivery, error) {
	q := addDeliveries(v.SQL(deliveries.Selected+"WHERE "), notificationID, want)
	q.Add(" ORDER BY d.created_at DESC, d.id DESC").Page(want.Page)
	return deliveries.Many(v, q)
}

// Delivery is one of the deliveries of a configuration; belay.ErrNotFound when it is gone.
func (v *View) Delivery(notificationID, id string) (notices.Delivery, error) {
	return deliveries.One(v, "d.id = ? AND d.notification_id = ?", id, notificationID)
}

// DeliveryCounts is how much was sent for a configuration, how much of it was given up or waits to be tried again, and
// when any of it changed last.
func (v *View) DeliveryCounts(notificationID string) (c notices.DeliveryCounts, err error) {
	lately := sqldb.UnixMillis(v.Moment().AddDate(0, 0, -notices.LatelyDays))
	q := v.SQL(`SELECT count(*), count(CASE WHEN d.status = 'parked' THEN 1 END), count(CASE WHEN d.status = 'pending' AND d.response <> '' THEN 1 END),
		COALESCE(max(d.updated_at), 0), count(CASE WHEN d.status = 'delivered' AND d.created_at >= ? THEN 1 END), count(CASE WHEN d.status = 'parked' AND d.created_at >= ? THEN 1 END)
		FROM deliveries d WHERE d.notification_id = ?`, lately, lately, notificationID)
	list, err := sqldb.Collect(v, q, func(c *notices.DeliveryCounts) []any {
		return []any{&c.All, &c.Parked, &c.Waiting, sqldb.Millis(&c.Changed), &c.Arrived, &c.Lost}
	})
	if err != nil || len(list) == 0 {
		return c, err
	}
	return list[0], nil
}

func addDeliveries(q *sqldb.Query, notificationID string, want notices.DeliveryQuery) *sqldb.Query {
	q.Add("d.notification_id = ?", notificationID)
	if want.Statuses != nil {
		statuses := make([]string, len(want.Statuses))
		for i, s := range want.Statuses {
			statuses[i] = string(s)
		}
		q.In(" AND d.status", statuses)
	}
	if want.Failed {
		q.Add(" AND d.status = 'pending' AND d.response <> ''")
	}
	return q
}

// News is what a delivery tells of a change request.
type News struct {
	ChangeRequestID, WorkspaceID, WorkspaceName, Organization string
	Subject, Message, CreatedBy                               string
	CreatedAt                                                 time.Time
	Archived                                                  bool
}

const newsOf sqldb.Text = `SELECT c.id, w.id, w.name, o.name, b.subject, b.message, b.created_by_name, c.created_at, c.archived_at > 0
	FROM change_requests c JOIN bulk_actions b ON b.id = c.action_id JOIN workspaces w ON w.id = c.workspace_id
	JOIN organizations o ON o.id = w.organization_id WHERE NOT (` + base.OrganizationIsHidden + `) AND `

func (n *News) dest() []any {
	return []any{
		&n.ChangeRequestID, &n.WorkspaceID, &n.WorkspaceName, &n.Organization,
		&n.Subject, &n.Message, &n.CreatedBy, sqldb.Millis(&n.CreatedAt), &n.Archived,
	}
}

// News is what a delivery to a webhook tells; belay.ErrNotFound when it is gone.
func (v *View) News(changeRequestID string) (News, error) {
	list, err := sqldb.Collect(v, v.SQL(newsOf+"c.id = ?", changeRequestID), (*News).dest)
	if err == nil && len(list) == 0 {
		err = belay.ErrNotFound
	}
	if err != nil {
		return News{}, err
	}
	return list[0], nil
}

// NewsOfAction is what a mail about a bulk action tells the readers of a configuration:
// the first of the change requests that they hear of, by workspace, and how many there are.
func (v *View) NewsOfAction(n *notices.Notification, actionID string, told notices.Telling, atMost int) ([]News, int, error) {
	which := sqldb.Text("c.action_id = ? AND ")
	if told.OpenOnly {
		which = "c.archived_at = 0 AND " + which
	}
	count := v.SQL("SELECT count(*) FROM change_requests c JOIN workspaces w ON w.id = c.workspace_id AND w.organization_id = c.organization_id WHERE "+which, actionID)
	total, _, err := sqldb.Value[int](v, addSubscribed(count, told, n))
	if err != nil || total == 0 {
		return nil, 0, err
	}
	q := addSubscribed(v.SQL(newsOf+which, actionID), told, n)
	list, err := sqldb.Collect(v, q.Add(" ORDER BY w.name, w.id").First(atMost), (*News).dest)
	return list, total, err
}
