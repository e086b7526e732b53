package core

import (
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/base"
)

// What is due of schedules that destroy.
const (
	DestroyDue        = "destroy"         // a workspace: its reminder or its moment has come
	ProjectDestroyDue = "destroy_project" // a project: the schedule of those in it is another
)

// destroyNotice is how long a moment that has come already can still be taken back: schedules
// are looked at every 30 seconds (docs/retention.md).
const destroyNotice = 30 * time.Second

// ScheduleDestroy notes when the schedule of a workspace is to be looked at, which is another
// than before: what is due and was not looked at yet is forgotten. What was noted for a schedule
// that is gone finds nothing to do.
func (tx *Tx) ScheduleDestroy(w *belay.Workspace) error {
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
	err := tx.Do("UPDATE workspaces SET own_destroy_at = ?, destroy_disarmed = ?, destroy_failed = ?, destroyed = ?, destroy_reminded_at = ? WHERE id = ?",
		sqldb.UnixMillis(w.OwnDestroyAt), w.DestroyDisarmed, w.DestroyFailed, w.Destroyed, sqldb.UnixMillis(w.DestroyReminded), w.ID)
	if err != nil {
		return err
	}
	return tx.ScheduleDestroy(w)
}

// ScheduleProject notes when the schedules of some workspaces that a project gives theirs are
// to be looked at: of those after a name, in its order. given is when the project gave it: as
// with a workspace's own, what was due since then is not lost, and a moment that had come
// already can be taken back for a while. It returns the name of the last, and nothing when there
// were none.
func (tx *Tx) ScheduleProject(projectID string, after time.Duration, given time.Time, from string, atMost int) (last string, err error) {
	q := tx.SQL("SELECT id, name FROM workspaces WHERE project_id = ? AND inherits_project_auto_destroy AND name > ? ORDER BY name", projectID, from).First(atMost)
	list, err := sqldb.Collect(&tx.View, q, func(w *belay.Workspace) []any { return []any{&w.ID, &w.Name} })
	if err != nil || len(list) == 0 {
		return "", err
	}
	return list[len(list)-1].Name, tx.scheduleGiven(base.IDsOf(list, func(w *belay.Workspace) string { return w.ID }), after, given)
}

// scheduleGiven notes when the schedules that some workspaces are given by their project are to
// be looked at.
func (tx *Tx) scheduleGiven(ids []string, after time.Duration, given time.Time) error {
	since, soon := sqldb.UnixMillis(given), sqldb.UnixMillis(given.Add(destroyNotice))
	q := tx.SQL(`INSERT INTO due (kind, subject_id, at) SELECT CAST(? AS TEXT), id, CASE
			WHEN first > CAST(? AS BIGINT) AND told <> first AND told <> second THEN first
			WHEN second > CAST(? AS BIGINT) AND told <> second THEN second
			WHEN moment < CAST(? AS BIGINT) THEN CAST(? AS BIGINT)
			ELSE moment END
		FROM (SELECT id, destroy_reminded_at AS told, latest_change_at + CAST(? AS BIGINT) AS first,
			latest_change_at + CAST(? AS BIGINT) AS second, latest_change_at + CAST(? AS BIGINT) AS moment
			FROM workspaces WHERE inherits_project_auto_destroy AND `, DestroyDue, since, since, soon, soon,
		(after - belay.DestroyWarnings[0]).Milliseconds(), (after - belay.DestroyWarnings[1]).Milliseconds(), after.Milliseconds())
	_, err := tx.Exec(q.In("id", ids).Add(") schedules WHERE TRUE ORDER BY id ON CONFLICT (kind, subject_id) DO UPDATE SET at = excluded.at"))
	return err
}

// Regiven says whether a project gives its workspaces another schedule than before, and they were
// not all looked at yet: what is due in them is of before.
func (tx *Tx) Regiven(projectID string) (bool, error) {
	_, found, err := sqldb.Value[int](&tx.View, tx.SQL("SELECT 1 FROM due WHERE kind = ? AND subject_id = ?", ProjectDestroyDue, projectID))
	return found, err
}
