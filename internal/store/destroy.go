package store

import (
	"time"

	"github.com/belayhq/belay"
)

// What is due of schedules that destroy.
const (
	DestroyDue        = "destroy"         // a workspace: its reminder or its moment has come
	ProjectDestroyDue = "destroy_project" // a project: the schedule of those in it is another
)

// destroyNotice is how long a moment that has come already can still be taken back: schedules
// are looked at every 30 seconds ("Auto-destroy" in the specification).
const destroyNotice = 30 * time.Second

// scheduleDestroy notes when the schedule of a workspace is to be looked at. What was noted
// for a schedule that is gone finds nothing to do.
func (tx *Tx) scheduleDestroy(w *belay.Workspace) error {
	next := w.DestroyNext(tx.Now)
	if next.IsZero() {
		return nil
	}
	if soon := tx.Now.Add(destroyNotice); next.Equal(w.DestroyAt()) && next.Before(soon) {
		next = soon
	}
	return tx.SetDue(DestroyDue, w.ID, next)
}

// SaveDestroy writes the schedule of a workspace after its moment came.
func (tx *Tx) SaveDestroy(w *belay.Workspace) error {
	err := tx.do("UPDATE workspaces SET own_destroy_at = ?, destroy_disarmed = ?, destroy_failed = ? WHERE id = ?",
		unixMillis(w.OwnDestroyAt), w.DestroyDisarmed, w.DestroyFailed, w.ID)
	if err != nil {
		return err
	}
	return tx.scheduleDestroy(w)
}

// ScheduleProject notes when the schedules of some workspaces that a project gives theirs are
// to be looked at: of those after a name, in its order. It returns the name of the last, and
// nothing when there were none.
func (tx *Tx) ScheduleProject(projectID string, after time.Duration, from string, atMost int) (last string, err error) {
	warnings := make([]int64, len(belay.DestroyWarnings))
	for i, before := range belay.DestroyWarnings {
		warnings[i] = (after - before).Milliseconds()
	}
	now := unixMillis(tx.Now)
	q := tx.sql("SELECT id, name FROM workspaces WHERE project_id = ? AND inherits_project_auto_destroy AND name > ? ORDER BY name", projectID, from).first(atMost)
	list, err := collect(&tx.View, q, func(w *belay.Workspace) []any { return []any{&w.ID, &w.Name} })
	if err != nil || len(list) == 0 {
		return "", err
	}
	q = tx.sql(`INSERT INTO due (kind, subject_id, at) SELECT CAST(? AS TEXT), id, CASE
			WHEN latest_change_at + CAST(? AS BIGINT) > CAST(? AS BIGINT) THEN latest_change_at + CAST(? AS BIGINT)
			WHEN latest_change_at + CAST(? AS BIGINT) > CAST(? AS BIGINT) THEN latest_change_at + CAST(? AS BIGINT)
			ELSE latest_change_at + CAST(? AS BIGINT) END
		FROM workspaces WHERE `, DestroyDue, warnings[0], now, warnings[0], warnings[1], now, warnings[1], after.Milliseconds())
	q.in("id", idsOf(list, func(w *belay.Workspace) string { return w.ID }))
	_, err = tx.exec(q.add(" ORDER BY id ON CONFLICT (kind, subject_id) DO UPDATE SET at = excluded.at"))
	return list[len(list)-1].Name, err
}
