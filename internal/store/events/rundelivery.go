package events

import (
	"fmt"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/base"
	"github.com/belayhq/belay/notices"
)

// TellOfRun writes the deliveries of something that happened to a run of a workspace, whose
// row must be held: to the configurations of the workspace and of its project that want it.
// What is told of a run that still waits for a next try waits behind it.
func (tx *Tx) TellOfRun(d notices.Delivery, w *belay.Workspace) error {
	return tx.Tell(fmt.Sprintf("%s.%d.", d.RunID, d.RunPlace), d, w)
}

// TellOfDestroy writes the deliveries of what a schedule of a workspace did.
func (tx *Tx) TellOfDestroy(d notices.Delivery, w *belay.Workspace) error {
	return tx.Tell(d.EventID+".", d, w)
}

// Tell writes the deliveries of something that a workspace is told of, each with an id that begins with key.
func (tx *Tx) Tell(key string, d notices.Delivery, w *belay.Workspace) error {
	now := sqldb.UnixMillis(tx.Now)
	q := tx.SQL(`INSERT INTO deliveries (id, event_id, notification_id, organization_id, raised, workspace_id, change_request_id, action_id,
			run_id, run_place, run_status, acted_by, facts, assessment, status, attempts, next_at, claim, response, created_at, updated_at)
		SELECT CAST(? AS TEXT) || n.id, CAST(? AS TEXT), n.id, n.organization_id, CAST(? AS TEXT), CAST(? AS TEXT), '', '', CAST(? AS TEXT),`,
		key, d.EventID, d.Trigger, w.ID, d.RunID)
	q.Add("CAST(? AS BIGINT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), 'pending', 0,",
		d.RunPlace, d.RunStatus, d.ActedBy, sqldb.JSON(&d.Destroy), sqldb.JSON(&d.Assessment))
	q.Add(`COALESCE((SELECT max(b.next_at) FROM deliveries b WHERE b.status = 'pending' AND b.run_id <> ''
			AND b.notification_id = n.id AND b.run_id = CAST(? AS TEXT) AND b.claim = ''), CAST(? AS BIGINT)),`, d.RunID, now)
	q.Add(`'', '', CAST(? AS BIGINT), CAST(? AS BIGINT) FROM notifications n WHERE `, now, now)
	n, err := tx.Exec(addTold(q, notices.Tells(d.Trigger), w))
	if n > 0 {
		tx.Queue()
	}
	return err
}

// delayRun lets what follows a failed delivery about a run wait for its next try, so that
// it is not looked at before.
func (tx *Tx) delayRun(d *notices.Delivery) error {
	if d.RunID == "" || d.Status != notices.DeliveryPending {
		return nil
	}
	return tx.Do(`UPDATE deliveries SET next_at = ? WHERE status = 'pending' AND run_id <> '' AND notification_id = ? AND run_id = ?
		AND claim = '' AND next_at < ?`, sqldb.UnixMillis(d.NextAt), d.NotificationID, d.RunID, sqldb.UnixMillis(d.NextAt))
}

// RunNews is what a delivery tells of a run.
type RunNews struct {
	RunID, Message, CreatedBy                string
	CreatedAt                                time.Time
	WorkspaceID, WorkspaceName, Organization string
}

// RunNews is what a delivery tells of a run; belay.ErrNotFound when it is gone.
func (v *View) RunNews(runID string) (RunNews, error) {
	q := v.SQL(`SELECT r.id, r.message, COALESCE(u.username, ''), r.created_at, w.id, w.name, o.name
		FROM runs r JOIN workspaces w ON w.id = r.workspace_id JOIN organizations o ON o.id = w.organization_id
		LEFT JOIN users u ON u.id = CASE WHEN r.created_by = '' THEN o.service_user_id ELSE r.created_by END
		WHERE NOT (`+base.OrganizationIsHidden+`) AND r.id = ?`, runID)
	list, err := sqldb.Collect(v, q, func(n *RunNews) []any {
		return []any{&n.RunID, &n.Message, &n.CreatedBy, sqldb.Millis(&n.CreatedAt), &n.WorkspaceID, &n.WorkspaceName, &n.Organization}
	})
	if err == nil && len(list) == 0 {
		err = belay.ErrNotFound
	}
	if err != nil {
		return RunNews{}, err
	}
	return list[0], nil
}
