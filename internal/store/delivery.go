package store

import (
	"time"

	"github.com/belayhq/belay"
)

var deliveries = newTable(table[belay.Delivery]{
	name: "deliveries",
	hold: "d",
	from: "deliveries d",
	own: []column[belay.Delivery]{
		{"id", func(d *belay.Delivery) any { return &d.ID }},
		{"event_id", func(d *belay.Delivery) any { return &d.EventID }},
		{"notification_id", func(d *belay.Delivery) any { return &d.NotificationID }},
		{"raised", func(d *belay.Delivery) any { return &d.Trigger }},
		{"workspace_id", func(d *belay.Delivery) any { return &d.WorkspaceID }},
		{"change_request_id", func(d *belay.Delivery) any { return &d.ChangeRequestID }},
		{"action_id", func(d *belay.Delivery) any { return &d.ActionID }},
		{"run_id", func(d *belay.Delivery) any { return &d.RunID }},
		{"run_place", func(d *belay.Delivery) any { return &d.RunPlace }},
		{"run_status", func(d *belay.Delivery) any { return &d.RunStatus }},
		{"acted_by", func(d *belay.Delivery) any { return &d.ActedBy }},
		{"facts", func(d *belay.Delivery) any { return jsonText[*belay.DestroyNews]{&d.Destroy} }},
		{"assessment", func(d *belay.Delivery) any { return jsonText[*belay.AssessmentNews]{&d.Assessment} }},
		{"status", func(d *belay.Delivery) any { return &d.Status }},
		{"attempts", func(d *belay.Delivery) any { return &d.Attempts }},
		{"next_at", func(d *belay.Delivery) any { return millis{&d.NextAt} }},
		{"claim", func(d *belay.Delivery) any { return &d.Claim }},
		{"response", func(d *belay.Delivery) any { return jsonText[*belay.DeliveryResponse]{&d.Response} }},
		{"created_at", func(d *belay.Delivery) any { return millis{&d.CreatedAt} }},
		{"updated_at", func(d *belay.Delivery) any { return millis{&d.UpdatedAt} }},
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
	_, found, err := value[string](v, v.sql("SELECT event_id FROM event_queue LIMIT 1"))
	return found, err
}

// FanOut writes the deliveries of one waiting event, or of a part of its workspaces.
// more is false when no event waits. Where there is no mail server nothing is mailed.
func (tx *Tx) FanOut(mail bool) (more bool, err error) {
	q := tx.sql("SELECT event_id, kind, resource_id, after_workspace FROM event_queue ORDER BY event_id LIMIT 1" + tx.db.dialect.skipHeld)
	list, err := collect(&tx.View, q, func(e *queued) []any { return []any{&e.eventID, &e.kind, &e.resourceID, &e.after} })
	if err != nil || len(list) == 0 {
		return false, err
	}
	e := list[0]
	if e.kind != belay.EventChangeRequestCreated {
		last := tx.sql(`SELECT workspace_id FROM change_requests WHERE action_id = ? AND workspace_id > ?
			ORDER BY workspace_id LIMIT 1 OFFSET ?`, e.resourceID, e.after, fanOutBatch-1)
		until, found, err := value[string](&tx.View, last)
		if err != nil {
			return false, err
		}
		if found {
			if err := tx.addDeliveries(e, until, mail); err != nil {
				return false, err
			}
			return true, tx.do("UPDATE event_queue SET after_workspace = ? WHERE event_id = ?", until, e.eventID)
		}
	}
	if err := tx.addDeliveries(e, "", mail); err != nil {
		return false, err
	}
	return true, tx.do("DELETE FROM event_queue WHERE event_id = ?", e.eventID)
}

// hearing finds who hears of the change requests in targets: the configurations of the
// workspace, of its project, and of the teams with access to either. A webhook hears of
// each workspace; a mail tells of all of a bulk action at once.
const hearing text = `, heard AS (
	SELECT x.id, x.workspace_id, x.action_id, n.id AS notification, n.destination FROM targets x
		JOIN notifications n ON n.workspace_id = x.workspace_id WHERE n.enabled AND n.on_change_request
	UNION SELECT x.id, x.workspace_id, x.action_id, n.id, n.destination FROM targets x
		JOIN notifications n ON n.project_id = x.project_id WHERE n.enabled AND n.on_change_request
	UNION SELECT x.id, x.workspace_id, x.action_id, n.id, n.destination FROM targets x
		JOIN team_workspaces t ON t.workspace_id = x.workspace_id
		JOIN notifications n ON n.team_id = t.team_id WHERE n.enabled AND n.on_change_request
	UNION SELECT x.id, x.workspace_id, x.action_id, n.id, n.destination FROM targets x
		JOIN team_projects t ON t.project_id = x.project_id
		JOIN notifications n ON n.team_id = t.team_id WHERE n.enabled AND n.on_change_request)
INSERT INTO deliveries (id, event_id, notification_id, workspace_id, change_request_id, action_id, raised,
	status, attempts, next_at, claim, response, created_at, updated_at) `

func (tx *Tx) addDeliveries(e queued, until string, mail bool) error {
	for _, mailed := range []bool{false, true} {
		if mailed && !mail {
			continue
		}
		q := tx.sql(`WITH targets AS (SELECT c.id, c.workspace_id, c.action_id, w.project_id
			FROM change_requests c JOIN workspaces w ON w.id = c.workspace_id AND w.organization_id = c.organization_id WHERE `)
		raised, again := belay.TriggerChangeRequest, "" // a reminder is told beside what it reminds of
		if e.kind == belay.EventBulkActionReminded {
			raised, again = belay.TriggerReminder, "."+e.eventID
			q.add("c.archived_at = 0 AND ")
		}
		if e.kind == belay.EventChangeRequestCreated {
			q.add("c.id = ?", e.resourceID)
		} else {
			q.add("c.action_id = ? AND c.workspace_id > ?", e.resourceID, e.after)
			if until != "" {
				q.add(" AND c.workspace_id <= ?", until)
			}
		}
		q.add(")" + hearing)
		now := unixMillis(tx.Now)
		if mailed {
			q.add(`SELECT DISTINCT action_id || '.' || notification || CAST(? AS TEXT), CAST(? AS TEXT), notification, '', '', action_id,`, again, e.eventID)
		} else {
			q.add(`SELECT id || '.' || notification || CAST(? AS TEXT), CAST(? AS TEXT), notification, workspace_id, id, action_id,`, again, e.eventID)
		}
		q.add(" CAST(? AS TEXT)", raised).add(", 'pending', 0, CAST(? AS BIGINT), '', '', CAST(? AS BIGINT), CAST(? AS BIGINT) FROM heard", now, now, now)
		if mailed {
			q.add(" WHERE destination = 'email'")
		} else {
			q.add(" WHERE destination <> 'email'")
		}
		if _, err := tx.exec(q.add(" ON CONFLICT DO NOTHING")); err != nil {
			return err
		}
	}
	return nil
}

// Lane is a notification configuration with deliveries that are due.
type Lane struct {
	NotificationID string
	URL            string
	Destination    belay.Destination
}

// dueLanes walks the index of waiting deliveries from one configuration to the next, so
// that its cost is that of the configurations and not of the deliveries.
const dueLanes text = `WITH RECURSIVE lanes (id) AS (
	SELECT min(d.notification_id) FROM deliveries d WHERE d.status = 'pending'
	UNION ALL SELECT (SELECT min(d.notification_id) FROM deliveries d WHERE d.status = 'pending' AND d.notification_id > l.id)
		FROM lanes l WHERE l.id IS NOT NULL)
	SELECT n.id, n.url, n.destination FROM lanes l JOIN notifications n ON n.id = l.id
	WHERE (SELECT min(d.next_at) FROM deliveries d WHERE d.status = 'pending' AND d.notification_id = l.id) <= ?`

// DueLanes is the configurations with deliveries that are due.
func (v *View) DueLanes(now time.Time) ([]Lane, error) {
	return collect(v, v.sql(dueLanes, unixMillis(now)), func(l *Lane) []any {
		return []any{&l.NotificationID, &l.URL, &l.Destination}
	})
}

// behind says that something that happened earlier to the same run is still to be told.
const behind text = `(k.run_id <> '' AND EXISTS (SELECT 1 FROM deliveries b WHERE b.status = 'pending' AND b.run_id <> ''
	AND b.notification_id = k.notification_id AND b.run_id = k.run_id AND b.run_place < k.run_place))`

// Claim takes due deliveries of a configuration, so that nobody else tries them before
// until. What is told of one run is taken one by one, in order. Whoever dies with a claim leaves nothing behind: it ends by itself.
func (tx *Tx) Claim(lane Lane, atMost int, until time.Time) ([]belay.Delivery, error) {
	q := tx.sql(`UPDATE deliveries SET claim = ?, next_at = ?, attempts = attempts + 1, updated_at = ? WHERE id IN
		(SELECT k.id FROM deliveries k WHERE k.status = 'pending' AND k.notification_id = ? AND k.next_at <= ? AND NOT `+behind+` ORDER BY k.next_at, k.id LIMIT ? + 0`+
		tx.db.dialect.skipHeld+") RETURNING "+deliveryColumns,
		belay.NewID("claim"), unixMillis(until), unixMillis(tx.Now), lane.NotificationID, unixMillis(tx.Now), atMost)
	return deliveries.many(&tx.View, q)
}

// deliveryColumns are not qualified: RETURNING knows no alias on SQLite.
var deliveryColumns = deliveries.unqualified()

// FinishDelivery writes how a try ended, unless the claim has passed to somebody else.
func (tx *Tx) FinishDelivery(d *belay.Delivery) error {
	if hold := tx.db.dialect.hold; hold != "" { // before the delivery, as whoever deletes it has it
		if err := tx.do("SELECT 1 FROM notifications WHERE id = ?"+hold, d.NotificationID); err != nil {
			return err
		}
	}
	n, err := tx.exec(tx.sql("UPDATE deliveries SET status = ?, next_at = ?, claim = '', response = ?, updated_at = ? WHERE id = ? AND claim = ?",
		string(d.Status), unixMillis(d.NextAt), jsonText[*belay.DeliveryResponse]{&d.Response}, unixMillis(tx.Now), d.ID, d.Claim))
	if err != nil || n == 0 {
		return err
	}
	if err := tx.delayRun(d); err != nil {
		return err
	}
	return tx.SaveNotificationResponse(d.NotificationID, d.Response)
}

// DropDelivery deletes a delivery about something that is no longer there.
func (tx *Tx) DropDelivery(d *belay.Delivery) error {
	return tx.do("DELETE FROM deliveries WHERE id = ?", d.ID)
}

// NextDelivery is when the next delivery is due; zero when none waits.
func (v *View) NextDelivery() (time.Time, error) {
	ms, _, err := value[int64](v, v.sql("SELECT COALESCE(min(next_at), 0) FROM deliveries WHERE status = 'pending'"))
	if err != nil || ms == 0 {
		return time.Time{}, err
	}
	return time.UnixMilli(ms).UTC(), nil
}

// PruneDeliveries forgets some of the deliveries that ended before a moment, and says
// whether there may be more.
func (tx *Tx) PruneDeliveries(before time.Time) (more bool, err error) {
	q := tx.sql("DELETE FROM deliveries WHERE id IN (SELECT id FROM deliveries WHERE status <> 'pending' AND updated_at < ?", unixMillis(before))
	n, err := tx.exec(q.first(RowsAtOnce).add(")"))
	return n == RowsAtOnce, err
}

// RetryDeliveries gives some of the parked deliveries of a configuration all their tries
// again, and says whether there may be more.
func (tx *Tx) RetryDeliveries(notificationID string) (more bool, err error) {
	tx.queued = true
	q := tx.sql("UPDATE deliveries SET status = 'pending', attempts = 0, next_at = ?, updated_at = ? WHERE id IN (SELECT id FROM deliveries WHERE notification_id = ? AND status = 'parked'",
		unixMillis(tx.Now), unixMillis(tx.Now), notificationID)
	n, err := tx.exec(q.first(RowsAtOnce).add(")"))
	return n == RowsAtOnce, err
}

// Deliveries is one page of the deliveries of a configuration, the newest first.
func (v *View) Deliveries(notificationID string, want belay.DeliveryQuery) ([]belay.Delivery, int, error) {
	count := v.sql("SELECT count(*) FROM deliveries d WHERE ").deliveries(notificationID, want)
	total, _, err := value[int](v, count)
	if err != nil || total == 0 {
		return nil, 0, err
	}
	q := v.sql(deliveries.selected+"WHERE ").deliveries(notificationID, want)
	q.add(" ORDER BY d.created_at DESC, d.id DESC").page(want.Page)
	list, err := deliveries.many(v, q)
	return list, total, err
}

// ParkedDeliveries is one page of what was given up, whatever it was for, the newest first.
func (v *View) ParkedDeliveries(page belay.Page) ([]belay.ParkedDelivery, int, error) {
	const parked text = "WHERE d.status = 'parked'"
	total, _, err := value[int](v, v.sql("SELECT count(*) FROM deliveries d "+parked))
	if err != nil || total == 0 {
		return nil, 0, err
	}
	q := v.sql("SELECT " + deliveries.columns() + `, n.name, COALESCE(o.name, '') FROM deliveries d JOIN notifications n ON n.id = d.notification_id
		LEFT JOIN organizations o ON o.id = n.organization_id AND NOT (` + oIsHidden + ") " + parked + " ORDER BY d.updated_at DESC, d.id DESC")
	list, err := collect(v, q.page(page), func(d *belay.ParkedDelivery) []any {
		return append(deliveries.dest(&d.Delivery), &d.Notification, &d.Organization)
	})
	return list, total, err
}

func (q *query) deliveries(notificationID string, want belay.DeliveryQuery) *query {
	q.add("d.notification_id = ?", notificationID)
	if want.Statuses != nil {
		statuses := make([]string, len(want.Statuses))
		for i, s := range want.Statuses {
			statuses[i] = string(s)
		}
		q.in(" AND d.status", statuses)
	}
	if want.Failed {
		q.add(" AND d.status = 'pending' AND d.response <> ''")
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

const newsOf text = `SELECT c.id, w.id, w.name, o.name, b.subject, b.message, b.created_by_name, c.created_at, c.archived_at > 0
	FROM change_requests c JOIN bulk_actions b ON b.id = c.action_id JOIN workspaces w ON w.id = c.workspace_id
	JOIN organizations o ON o.id = w.organization_id WHERE NOT (` + oIsHidden + `) AND `

func (n *News) dest() []any {
	return []any{
		&n.ChangeRequestID, &n.WorkspaceID, &n.WorkspaceName, &n.Organization,
		&n.Subject, &n.Message, &n.CreatedBy, millis{&n.CreatedAt}, &n.Archived,
	}
}

// News is what a delivery to a webhook tells; belay.ErrNotFound when it is gone.
func (v *View) News(changeRequestID string) (News, error) {
	list, err := collect(v, v.sql(newsOf+"c.id = ?", changeRequestID), (*News).dest)
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
// A reminder is of the open ones.
func (v *View) NewsOfAction(n *belay.Notification, actionID string, reminder bool, atMost int) ([]News, int, error) {
	which := text("c.action_id = ? AND (")
	if reminder {
		which = "c.archived_at = 0 AND " + which
	}
	count := v.sql("SELECT count(*) FROM change_requests c JOIN workspaces w ON w.id = c.workspace_id AND w.organization_id = c.organization_id WHERE "+which, actionID)
	total, _, err := value[int](v, count.heardBy(n).add(")"))
	if err != nil || total == 0 {
		return nil, 0, err
	}
	q := v.sql(newsOf+which, actionID).heardBy(n)
	list, err := collect(v, q.add(") ORDER BY w.name, w.id").first(atMost), (*News).dest)
	return list, total, err
}

// heardBy is the condition of the workspaces that a configuration hears of.
func (q *query) heardBy(n *belay.Notification) *query {
	switch {
	case n.TeamID != "":
		return q.add(`w.id IN (SELECT t.workspace_id FROM team_workspaces t WHERE t.team_id = ?)
			OR w.project_id IN (SELECT t.project_id FROM team_projects t WHERE t.team_id = ?)`, n.TeamID, n.TeamID)
	case n.ProjectID != "":
		return q.add("w.project_id = ?", n.ProjectID)
	default:
		return q.add("w.id = ?", n.WorkspaceID)
	}
}
