package core

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
)

// mostBeside is how far runs and states of a workspace are counted that stand beside it.
const mostBeside = 10_000

// Beside is what stands beside a workspace on its pages: the tag bindings in force, what the pool of its runs is called,
// how many runs and states it has, and how many runs since a moment, none of them counted beyond mostBeside. And who
// read its state last, and its newest states, if that is asked for.
type Beside struct {
	Bindings           []belay.EffectiveTagBinding
	Pool               string
	Runs, Late, States int
	Reads              []belay.StateRead
	Marks              []belay.StateMark // when the newest states came, and how many resources they had
}

// Beside reads all of it in one statement; of those who read its state, and of its newest states, so many.
func (v *View) Beside(w *belay.Workspace, poolID string, since time.Time, readers, marks int) (Beside, error) {
	const pool, counts, reads, mark = "pool", "counts", "reads", "mark"
	type row struct {
		belay.EffectiveTagBinding
		part, more   string
		late, states int
	}
	q := v.SQL("SELECT '' AS part, b.key AS key, b.value AS value, b.id AS id, b.created_at AS created_at, '' AS project, 0 AS late, 0 AS states, '' AS more FROM workspace_tag_bindings b WHERE b.workspace_id = ?", w.ID)
	q.Add(` UNION ALL SELECT '', p.key, p.value, p.id, p.created_at, p.project_id, 0, 0, '' FROM project_tag_bindings p
		WHERE p.project_id = ? AND NOT EXISTS (SELECT 1 FROM workspace_tag_bindings b WHERE b.workspace_id = ? AND b.key = p.key)`, w.ProjectID, w.ID)
	q.Add(" UNION ALL SELECT CAST(? AS TEXT), a.name, '', '', 0, '', 0, 0, '' FROM agent_pools a WHERE a.id = ?", pool, poolID)
	q.Add(" UNION ALL SELECT CAST(? AS TEXT), '', '', '', (SELECT count(*) FROM (SELECT 1 FROM runs r WHERE r.workspace_id = ? AND r.operation <> 'assessment' LIMIT ? + 0) d), ''", counts, w.ID, mostBeside)
	q.Add(", (SELECT count(*) FROM (SELECT 1 FROM runs r WHERE r.workspace_id = ? AND r.operation <> 'assessment' AND r.created_at >= ? LIMIT ? + 0) d)", w.ID, sqldb.UnixMillis(since), mostBeside)
	q.Add(", (SELECT count(*) FROM (SELECT 1 ").Add(marksOf, w.ID).Add(" LIMIT ? + 0) d), ''", mostBeside)
	if readers > 0 {
		q.Add(" UNION ALL SELECT * FROM (SELECT CAST(? AS TEXT), r.reader_kind || ' ' || r.part || ' ' || "+readerName+", "+readerSeen+", r.reader_id, r.last_at, "+readerProject+", r.days, 0, r.id "+readersOf, reads, w.ID).
			Add(" ORDER BY r.last_at DESC, r.id DESC").First(readers).Add(") r")
	}
	if marks > 0 {
		q.Add(" UNION ALL SELECT * FROM (SELECT CAST(? AS TEXT), '', '', '', created_at, '', sequence, 0, substr(contents, 1, ? + 0) ", mark, contentsHead).Add(marksOf, w.ID).
			Add(" ORDER BY sequence DESC").First(marks).Add(") m")
	}
	q.Add(" ORDER BY part, project, key, late DESC")
	list, err := sqldb.Collect(v, q, func(r *row) []any {
		return []any{&r.part, &r.Key, &r.Value, &r.ID, sqldb.Millis(&r.CreatedAt), &r.ProjectID, &r.late, &r.states, &r.more}
	})
	var b Beside
	for i := range list {
		switch r := &list[i]; r.part {
		case pool:
			b.Pool = r.Key
		case counts:
			b.Late, b.States = r.late, r.states
			if !r.CreatedAt.IsZero() { // none is told as no time
				b.Runs = int(r.CreatedAt.UnixMilli())
			}
		case reads:
			b.Reads = append(b.Reads, readOf(w.ID, r.more, r.late, &r.EffectiveTagBinding))
		case mark:
			_, managed := headOf(r.more)
			b.Marks = append(b.Marks, belay.StateMark{CreatedAt: r.CreatedAt, Managed: managed})
		default:
			r.WorkspaceID = w.ID
			b.Bindings = append(b.Bindings, r.EffectiveTagBinding)
		}
	}
	slices.SortFunc(b.Reads, func(a, b belay.StateRead) int { return cmp.Or(b.LastAt.Compare(a.LastAt), strings.Compare(b.ID, a.ID)) })
	return b, err
}

// readOf is who read the state, of a row of what stands beside.
func readOf(workspaceID, id string, days int, of *belay.EffectiveTagBinding) belay.StateRead {
	words := strings.SplitN(of.Key, " ", 3)
	return belay.StateRead{
		ID: id, WorkspaceID: workspaceID, Kind: belay.PrincipalKind(words[0]), Part: belay.StatePart(words[1]), Name: words[2],
		ReaderID: of.ID, LastAt: of.CreatedAt, Days: days, ProjectID: of.ProjectID, Visibility: of.Value,
	}
}
