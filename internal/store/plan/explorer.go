package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/explorer"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/base"
)

// keptIDs is how many ids of an answer's first rows are kept with its count.
const keptIDs = 1000

// keptBytes is how long the texts of a page may be that is kept.
const keptBytes = 4 << 20

// answer is what is kept of an answer: how many rows it has, and its first ones in order.
type answer struct {
	total  int
	ids    []string
	groups []explorer.Group // of an answer that was grouped
}

// Explore is one page of the answer to a question, and how many rows it has in all.
func (v *View) Explore(o belay.Organization, want explorer.Query, page belay.Page) ([]explorer.Row, int, error) {
	found, err := v.answer(o, want)
	begin, end := page.Offset(), min(page.Offset()+page.Size, found.total)
	switch {
	case err != nil || begin >= end:
		return nil, found.total, err
	case end <= len(found.ids):
		rows, err := v.exploredRowsOf(o, want, found.ids[begin:end])
		return rows, found.total, err
	default:
		rows, err := v.exploredPage(o, want, page)
		return rows, found.total, err
	}
}

// answer finds the first rows of an answer and counts it. Both are kept until something
// changes that they depend on.
func (v *View) answer(o belay.Organization, want explorer.Query) (answer, error) {
	if want.View == explorer.Workspaces && len(want.Filters)+len(want.Sort) == 0 {
		return answer{total: o.WorkspaceCount}, nil // the index gives any page of these
	}
	want.Fields = nil // they change nothing here
	if v.InTx() || !lasts(want) {
		return v.answerAnew(o, want)
	}
	found, _, err := v.db.answers.of(v, exploredKey(o, want), func() (answer, bool, error) {
		found, err := v.answerAnew(o, want)
		return found, true, err
	})
	return found, err
}

func (v *View) answerAnew(o belay.Organization, want explorer.Query) (answer, error) {
	x, err := v.narrowed(o, want)
	if err != nil || x.empty() {
		return answer{}, err
	}
	q := v.SQL("")
	if !x.addFirstOfReleases(q, keptIDs+1) {
		addExploredOrder(x.AddIDs(q), want)
		q.First(keptIDs + 1)
	}
	ids, err := sqldb.Values[string](v, q)
	found := answer{total: len(ids), ids: ids}
	if err == nil && len(ids) > keptIDs {
		found.ids = ids[:keptIDs]
		found.total, err = v.exploredCount(x)
	}
	return found, err
}

// mostReleases is how many engine versions are read from their places in the index.
const mostReleases = 16

// addFirstOfReleases appends the statement that finds the first workspaces by name that have one of a few engine versions, if that
// is the question. Those of each lie in an index by name. Read by name alone they may come after all others.
func (x *Exploration) addFirstOfReleases(q *query, most int) bool {
	if x.want.View != explorer.Workspaces || len(x.want.Sort) > 0 || len(x.want.Filters) != 1 {
		return false
	}
	f := x.want.Filters[0]
	releases := base.Distinct([][]string{f.Texts})
	if f.Field.Name != "workspace_terraform_version" || f.Operator != explorer.Is || len(releases) == 0 || len(releases) > mostReleases {
		return false
	}
	between := text("SELECT f.id FROM (")
	for _, release := range releases {
		q.Add(between+"SELECT * FROM (SELECT f.id, f.name FROM workspaces f WHERE f.organization_id = ? AND f.engine_release = ? ORDER BY f.name, f.id", x.o.ID, release)
		q.First(most).Add(") d")
		between = " UNION ALL "
	}
	q.Add(") f ORDER BY f.name, f.id").First(most)
	return true
}

// exploredCount is how many rows an answer has. What one filter denies is counted by what
// it would find: that is less work, or an index does it.
func (v *View) exploredCount(x *Exploration) (int, error) {
	affirmed, denied := affirm(x.want)
	if denied {
		y := *x
		y.want, x = affirmed, &y
	}
	q := v.SQL("SELECT count(*) FROM ")
	addExplored(q, x.found())
	n, _, err := sqldb.Value[int](v, q)
	if denied {
		n = x.o.WorkspaceCount - n
	}
	return n, err
}

// affirmations are what the operators deny that are true of all that others are not.
var affirmations = map[explorer.Operator]explorer.Operator{
	explorer.IsNot: explorer.Is, explorer.DoesNotContain: explorer.Contains, explorer.IsNotEmpty: explorer.IsEmpty,
}

// affirm is the question for all the workspaces that a question does not find, if it asks
// for one thing only and denies that. A text is never unknown.
func affirm(want explorer.Query) (explorer.Query, bool) {
	if want.View != explorer.Workspaces || len(want.Filters) != 1 {
		return want, false
	}
	operator, denied := affirmations[want.Filters[0].Operator]
	if kind := want.Filters[0].Field.Kind; kind != explorer.String && kind != explorer.Version {
		return want, false
	}
	if denied {
		want.Filters = slices.Clone(want.Filters)
		want.Filters[0].Operator = operator
	}
	return want, denied
}

// volatile is the fields whose changes move no generation: locks and runs are too many.
var volatile = []string{"workspace_updated_at", "current_run_status", "current_run_external_id"}

// lasts says that an answer is the same until a generation moves.
func lasts(want explorer.Query) bool {
	return !slices.ContainsFunc(want.Filters, func(f explorer.Filter) bool { return slices.Contains(volatile, f.Field.Name) }) &&
		!slices.ContainsFunc(want.Sort, func(s explorer.Sort) bool { return slices.Contains(volatile, s.Field.Name) })
}

// exploredKey names what is kept for a question until a generation moves.
func exploredKey(o belay.Organization, want explorer.Query) string {
	return fmt.Sprintf("%s:%s:%d:%d:%s", o.ID, o.Name, o.Generation, o.FactsGeneration, want.JSON())
}

// exploredRowsOf is the rows of some ids, in their order. Of rows that may name
// all workspaces a page is kept, unless it is very long.
func (v *View) exploredRowsOf(o belay.Organization, want explorer.Query, ids []string) ([]explorer.Row, error) {
	if !want.View.Wide() || v.InTx() {
		return v.exploredByID(o, want, ids)
	}
	rows, _, err := v.db.explored.of(v, exploredKey(o, want)+strings.Join(ids, " "), func() ([]explorer.Row, bool, error) {
		rows, err := v.exploredByID(o, want, ids)
		return rows, length(rows) <= keptBytes, err
	})
	return rows, err
}

// length is how many bytes the texts of rows have.
func length(rows []explorer.Row) (n int) {
	for _, row := range rows {
		for _, value := range row.Values {
			if s, ok := value.(string); ok {
				n += len(s)
			}
		}
	}
	return n
}

// exploredByID is the rows of some ids, in their order.
func (v *View) exploredByID(o belay.Organization, want explorer.Query, ids []string) ([]explorer.Row, error) {
	view := exploredViews[want.View]
	q := v.SQL("SELECT ")
	addExploredColumns(q, want)
	q.Add(" FROM "+view.beside(q), o.ID).In(" AND "+view.within, ids).Add(view.closing)
	rows, err := v.exploredRows(q, want, 0)
	slices.SortFunc(rows, func(a, b exploredRow) int {
		return slices.Index(ids, a.ID) - slices.Index(ids, b.ID)
	})
	return withoutKeys(rows), err
}

// exploredPage finds a page that lies behind the ids that are kept.
func (v *View) exploredPage(o belay.Organization, want explorer.Query, page belay.Page) ([]explorer.Row, error) {
	x, err := v.narrowed(o, want)
	if err != nil {
		return nil, err
	}
	q := v.SQL("SELECT ")
	addExploredColumns(q, want)
	if want.View == explorer.Workspaces { // columns are looked up for the rows of the page alone
		q.Add(" FROM workspaces f JOIN (SELECT f.id FROM ")
	} else {
		q.Add(" FROM (SELECT f.* FROM ")
	}
	addExplored(q, x.found())
	addExploredOrder(q, want)
	q.Page(page)
	if want.View == explorer.Workspaces {
		q.Add(") page ON page.id = f.id")
	} else {
		q.Add(") f")
	}
	addExploredOrder(q, want)
	rows, err := v.exploredRows(q, want, 0)
	return withoutKeys(rows), err
}

// ExploredIDs is the ids of all rows that a question finds.
func (v *View) ExploredIDs(o belay.Organization, want explorer.Query) ([]string, error) {
	x, err := v.narrowed(o, want)
	if err != nil {
		return nil, err
	}
	return sqldb.Values[string](v, x.AddIDs(v.SQL("")))
}

// Fitting is those of some workspaces that a question finds.
func (v *View) Fitting(o belay.Organization, question explorer.Query, ids []string) (map[string]bool, error) {
	x, err := v.Exploration(o, question)
	if err != nil {
		return nil, err
	}
	x.from = byID
	q := v.SQL("SELECT f.id FROM ")
	addExplored(q, x)
	found, err := sqldb.Values[string](v, q.In(" AND f.id", ids))
	fits := make(map[string]bool, len(found))
	for _, id := range found {
		fits[id] = true
	}
	return fits, err
}

// Has is what each of some workspaces has of a field of the explorer.
func (v *View) Has(o belay.Organization, field explorer.Field, ids []string) (map[string]any, error) {
	rows, err := v.exploredRowsOf(o, explorer.Query{View: explorer.Workspaces, Fields: []explorer.Field{field}}, ids)
	has := make(map[string]any, len(rows))
	for _, row := range rows {
		has[row.ID] = row.Values[0]
	}
	return has, err
}

// ExploreGroups is how many workspaces of an answer have which value of a field: the most
// frequent ones. They are kept as answers are.
func (v *View) ExploreGroups(o belay.Organization, want explorer.Query, by explorer.Field, most int) ([]explorer.Group, error) {
	want.Fields, want.Sort = []explorer.Field{by}, nil
	if v.InTx() || !lasts(want) || slices.Contains(volatile, by.Name) {
		return v.groupsAnew(o, want, by, most)
	}
	found, _, err := v.db.answers.of(v, fmt.Sprintf("by:%d:", most)+exploredKey(o, want), func() (answer, bool, error) {
		groups, err := v.groupsAnew(o, want, by, most)
		return answer{groups: groups}, true, err
	})
	return found.groups, err
}

func (v *View) groupsAnew(o belay.Organization, want explorer.Query, by explorer.Field, most int) ([]explorer.Group, error) {
	x, err := v.Exploration(o, want)
	if err != nil {
		return nil, err
	}
	q := v.SQL("")
	shared := fieldColumn(q, want.View, by)
	named := text("g.value")
	if shared.shared != "" { // found once for each group, not for each row
		shared.value, named = shared.shared, shared.named
	}
	q.Add("SELECT " + named + ", g.number FROM (SELECT " + shared.value + " AS value, count(*) AS number FROM ")
	addExplored(q, x)
	q.Add(" GROUP BY 1 ORDER BY 2 DESC, 1").First(most).Add(") g ORDER BY 2 DESC, 1")
	return sqldb.Collect(v, q, func(g *explorer.Group) []any { return []any{&g.Value, &g.Count} })
}

// mostCrosses is how many pairs of values an answer is split into.
const mostCrosses = 500

// ExploreCross is how many workspaces of an answer have which value of a field and which of another: the most frequent
// pairs.
func (v *View) ExploreCross(o belay.Organization, want explorer.Query, by, other explorer.Field) ([]explorer.Cross, error) {
	want.Fields, want.Sort = []explorer.Field{by, other}, nil
	x, err := v.Exploration(o, want)
	if err != nil {
		return nil, err
	}
	q := v.SQL("")
	first, second := fieldColumn(q, want.View, by), fieldColumn(q, want.View, other)
	names := [2]text{"g.value", "g.other"}
	if first.shared != "" {
		first.value, names[0] = first.shared, first.named
	}
	if second.shared != "" {
		second.value, names[1] = second.shared, text(strings.ReplaceAll(string(second.named), "g.value", "g.other"))
	}
	q.Add("SELECT " + names[0] + ", " + names[1] + ", g.number FROM (SELECT " + first.value + " AS value, " + second.value + " AS other, count(*) AS number FROM ")
	addExplored(q, x)
	q.Add(" GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2").First(mostCrosses).Add(") g ORDER BY 3 DESC, 1, 2")
	return sqldb.Collect(v, q, func(c *explorer.Cross) []any { return []any{&c.Value, &c.Other, &c.Count} })
}
