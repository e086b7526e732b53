package core

import (
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
)

// NoteStateReads notes who read what: a new row for each reader and part of a state, or the one
// that is there, brought up to date. They come in the order of their workspaces; what was read of
// a workspace that is gone is forgotten.
func (tx *Tx) NoteStateReads(reads []belay.StateRead) error {
	rows := make([]map[string]any, len(reads))
	for i := range reads {
		r := &reads[i]
		rows[i] = map[string]any{
			"id": r.ID, "workspace_id": r.WorkspaceID, "reader_kind": r.Kind,
			"reader_id": r.ReaderID, "part": r.Part, "first_at": sqldb.UnixMillis(r.FirstAt), "last_at": sqldb.UnixMillis(r.LastAt),
		}
	}
	columns := []sqldb.Text{"id", "workspace_id", "reader_kind", "reader_id", "part", "first_at", "last_at"}
	q := tx.SQL("INSERT INTO state_reads (").List(columns).Add(", days) SELECT given.id, w.id, given.reader_kind, given.reader_id, given.part, given.first_at, given.last_at, 1 FROM ")
	const day = int64(24 * time.Hour / time.Millisecond)
	_, err := tx.Exec(q.Rows("state_reads", columns, rows).Add(` CROSS JOIN workspaces w WHERE w.id = given.workspace_id
		ON CONFLICT (workspace_id, reader_id, part) DO UPDATE SET last_at = excluded.last_at,
			days = state_reads.days + CASE WHEN excluded.last_at / ? > state_reads.last_at / ? THEN 1 ELSE 0 END
		WHERE excluded.last_at > state_reads.last_at`, day, day))
	return err
}

// What is read of a reader with the row: what it is called, of which project it is and who sees it.
const (
	readerName    sqldb.Text = "COALESCE(u.username, t.name, w.name, o.name, '')"
	readerProject sqldb.Text = "COALESCE(w.project_id, '')"
	readerSeen    sqldb.Text = "COALESCE(t.visibility, '')"
	readersOf     sqldb.Text = `FROM state_reads r LEFT JOIN users u ON u.id = r.reader_id LEFT JOIN teams t ON t.id = r.reader_id
		LEFT JOIN workspaces w ON w.id = r.reader_id LEFT JOIN organizations o ON o.id = r.reader_id WHERE r.workspace_id = ?`
)

// StateReads is one page of who reads the states of a workspace, who read last first.
func (v *View) StateReads(workspaceID string, page belay.Page) ([]belay.StateRead, int, error) {
	q := v.SQL("SELECT r.id, r.workspace_id, r.reader_kind, r.reader_id, r.part, r.first_at, r.last_at, r.days, "+readerName+", "+readerProject+", "+readerSeen+" "+readersOf+" ORDER BY r.last_at DESC, r.id DESC", workspaceID).Page(page)
	list, err := sqldb.Collect(v, q, func(r *belay.StateRead) []any {
		return []any{&r.ID, &r.WorkspaceID, &r.Kind, &r.ReaderID, &r.Part, sqldb.Millis(&r.FirstAt), sqldb.Millis(&r.LastAt), &r.Days, &r.Name, &r.ProjectID, &r.Visibility}
	})
	return sqldb.Counted(v, list, err, page, func() *sqldb.Query {
		return v.SQL("SELECT count(*) FROM state_reads WHERE workspace_id = ?", workspaceID)
	})
}

// ForgetStateReads forgets some of those who did not read again since a moment, and says whether
// there may be more.
func (tx *Tx) ForgetStateReads(before time.Time) (more bool, err error) {
	q := tx.SQL("DELETE FROM state_reads WHERE id IN (SELECT id FROM state_reads WHERE last_at < ? ORDER BY id", sqldb.UnixMillis(before))
	n, err := tx.Exec(q.First(sqldb.RowsAtOnce).Add(tx.Dialect().Seize + ")"))
	return n == sqldb.RowsAtOnce, err
}
