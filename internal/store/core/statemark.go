package core

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/base"
)

// marksOf is which state versions are lines of a history: what a newer one replaced before it
// came, and what an apply left on its way, is none.
const marksOf sqldb.Text = "FROM state_versions WHERE workspace_id = ? AND status <> 'discarded' AND NOT intermediate"

// contentsHead is how much of what a state says is read for its mark: the engine's version and
// the count of resources come before everything that grows.
const contentsHead = 600

// StateMarks is one page of the history of a workspace's state, the newest first.
func (v *View) StateMarks(workspaceID string, page belay.Page) ([]belay.StateMark, error) {
	return Once(v, marksKey{workspaceID, page}, func() ([]belay.StateMark, error) {
		return v.marks(v.mark().Add(marksOf, workspaceID).Add(" ORDER BY sequence DESC").Page(page))
	})
}

// marksKey is a page of the history of a workspace's state.
type marksKey struct {
	workspace string
	page      belay.Page
}

// StateMarksTo is the history of a workspace's state up to the newest with a serial, that one first.
func (v *View) StateMarksTo(workspaceID string, serial int64, most int) ([]belay.StateMark, error) {
	if back, known := Kept[[]belay.StateMark](v, backKey{workspaceID, serial, most}); known {
		return back, nil
	}
	q := v.mark().Add(marksOf, workspaceID).Add(" AND sequence <= (SELECT max(sequence) ").Add(marksOf, workspaceID).Add(" AND serial = ?)", serial)
	return v.marks(q.Add(" ORDER BY sequence DESC LIMIT ?", most))
}

func (v *View) mark() *sqldb.Query {
	return v.SQL("SELECT id, serial, status, created_at, created_by, run_id, rollback_id, size, problem, substr(contents, 1, ? + 0) ", contentsHead)
}

func (v *View) marks(q *sqldb.Query) (list []belay.StateMark, err error) {
	type row struct {
		belay.StateMark
		head string
	}
	rows, err := sqldb.Collect(v, q, func(r *row) []any {
		m := &r.StateMark
		return []any{&m.ID, &m.Serial, &m.Status, sqldb.Millis(&m.CreatedAt), &m.CreatedBy, &m.RunID, &m.RollbackID, &m.Size, &m.Problem, &r.head}
	})
	for i := range rows {
		rows[i].Engine, rows[i].Managed = headOf(rows[i].head)
		list = append(list, rows[i].StateMark)
	}
	return list, err
}

// StateOfSerial is the newest state of a workspace with a serial.
func (v *View) StateOfSerial(workspaceID string, serial int64) (belay.StateVersion, error) {
	if known, there := Kept[belay.StateVersion](v, serialKey{workspaceID, serial}); there {
		return known, nil
	}
	list, err := stateVersions.Many(v.Peek(), v.SQL(stateVersions.Selected).Add("WHERE state_versions.id = (SELECT id ").Add(marksOf, workspaceID).Add(" AND serial = ? ORDER BY sequence DESC LIMIT 1)", serial))
	if err == nil && len(list) == 0 {
		err = belay.ErrNotFound
	}
	if err != nil {
		return belay.StateVersion{}, err
	}
	Keep(v, stateKey(list[0].ID), list[0])
	return list[0], nil
}

// SeatHistory reads the page of a history for the sitting of the view, and together the newest states with two serials and those
// of so many lines from the second on: what is asked for by them later. Where the page does not have them, that reads them.
func (v *View) SeatHistory(workspaceID string, serial, from int64, most int, page belay.Page) error {
	list, err := v.StateMarks(workspaceID, page)
	if err != nil {
		return err
	}
	newest := func(serial int64) int {
		return slices.IndexFunc(list, func(m belay.StateMark) bool { return m.Serial == serial })
	}
	shown, first := newest(serial), newest(from)
	if shown < 0 || first < 0 || len(list) == page.Size && first+most > len(list) {
		return nil
	}
	back := list[first:min(first+most, len(list))]
	ids := []string{list[shown].ID}
	for i := range back {
		ids = append(ids, back[i].ID)
	}
	slices.Sort(ids)
	versions, err := v.StateVersionsByID(slices.Compact(ids))
	if err != nil {
		return err
	}
	Keep(v, backKey{workspaceID, from, most}, back)
	for i := range versions {
		Keep(v, stateKey(versions[i].ID), versions[i])
		if versions[i].ID == list[shown].ID {
			Keep(v, serialKey{workspaceID, serial}, versions[i])
		}
	}
	return nil
}

// backKey is so many lines of a history from a serial on.
type backKey struct {
	workspace string
	serial    int64
	most      int
}

type serialKey struct {
	workspace string
	serial    int64
}

// SeatSerials reads the newest states of two serials together, for the sitting of the view.
func (v *View) SeatSerials(workspaceID string, one, other int64) error {
	q := v.SQL(stateVersions.Selected).Add("WHERE state_versions.id IN (")
	for i, serial := range []int64{one, other} {
		if i > 0 {
			q.Add(", ")
		}
		q.Add("(SELECT id ").Add(marksOf, workspaceID).Add(" AND serial = ? ORDER BY sequence DESC LIMIT 1)", serial)
	}
	list, err := stateVersions.Many(v.Peek(), q.Add(")"))
	for i := range list {
		Keep(v, stateKey(list[i].ID), list[i])
		Keep(v, serialKey{workspaceID, list[i].Serial}, list[i])
	}
	return err
}

// headOf reads the engine's version and the count from the beginning of a state's contents,
// which end anywhere.
func headOf(head string) (engine string, managed int) {
	decoder := json.NewDecoder(strings.NewReader(head))
	if _, err := decoder.Token(); err != nil {
		return "", 0
	}
	for {
		key, err := decoder.Token()
		if err != nil {
			return engine, managed
		}
		switch key {
		case "engine":
			err = decoder.Decode(&engine)
		case "managed":
			err = decoder.Decode(&managed)
		default:
			var other json.RawMessage
			err = decoder.Decode(&other)
		}
		if err != nil {
			return engine, managed
		}
	}
}

// StatesByWeek is how many states of some workspaces came in each of so many weeks that begin at from,
// by workspace: what is no line of a history is no state here.
func (v *View) StatesByWeek(workspaceIDs []string, from time.Time, weeks int) (map[string][]int, error) {
	type row struct {
		id      string
		week, n int
	}
	const week = int64(7 * 24 * time.Hour / time.Millisecond)
	begin := sqldb.UnixMillis(from)
	q := v.SQL("SELECT workspace_id, (created_at - ?) / ?, count(*) FROM state_versions WHERE created_at >= ? AND created_at < ? AND status <> 'discarded' AND NOT intermediate",
		begin, week, begin, begin+week*int64(weeks))
	rows, err := sqldb.Collect(v, q.In(" AND workspace_id", workspaceIDs).Add(" GROUP BY 1, 2"), func(r *row) []any { return []any{&r.id, &r.week, &r.n} })
	counts := map[string][]int{}
	for _, r := range rows {
		if counts[r.id] == nil {
			counts[r.id] = make([]int, weeks)
		}
		counts[r.id][r.week] = r.n
	}
	return counts, err
}

// WaitingState is a state whose upload was begun and is not finished.
type WaitingState struct {
	ID, Workspace, By string
	Serial            int64
	At                time.Time
}

// AddWaitingStates appends to their columns where those s of an organization are read that were begun before a moment, the
// oldest first: of workspaces w within a scope, with the user u. There are few on the whole server: who gives up a lock
// gives them up.
func AddWaitingStates(q *sqldb.Query, organizationID string, within belay.Scope, before time.Time, most int) *sqldb.Query {
	q.Add(` FROM state_versions s JOIN workspaces w ON w.id = s.workspace_id
		LEFT JOIN users u ON u.id = s.created_by WHERE s.status = ? AND s.created_at < ? AND w.organization_id = ?`,
		string(belay.StatePending), sqldb.UnixMillis(before), organizationID)
	if !within.Everything {
		base.AddWithin(q.Add(" AND "), within)
	}
	return q.Add(" ORDER BY s.created_at, s.id").First(most)
}
