package store

import (
	"slices"
	"strconv"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/explorer"
)

// keptIDs is how many ids of an answer's first rows are kept with its count.
const keptIDs = 1000

// answer is what is kept of an answer: how many rows it has, and its first ones in order.
type answer struct {
	total int
	ids   []string
}

// Explore is one page of the answer to a question, and how many rows it has in all.
func (v *View) Explore(o belay.Organization, want explorer.Query, page belay.Page) ([]explorer.Row, int, error) {
	found, err := v.answer(o, want)
	begin, end := page.Offset(), min(page.Offset()+page.Size, found.total)
	switch {
	case err != nil || begin >= end:
		return nil, found.total, err
	case end <= len(found.ids):
		rows, err := v.exploredByID(o, want, found.ids[begin:end])
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
	q := v.sql("SELECT " + exploredViews[want.View].id + " FROM ")
	q.explored(o, want)
	q.exploredOrder(want)
	q.add(" LIMIT ?", keptIDs+1)
	key := countKey(o, q) + ":" + strconv.FormatInt(o.FactsGeneration, 10)
	lasting := !v.inTx && lasts(want)
	if found, ok := v.db.answers.Get(key); ok && lasting {
		return found, nil
	}
	ids, err := values[string](v, q)
	found := answer{len(ids), ids}
	if err == nil && len(ids) > keptIDs {
		count := v.sql("SELECT count(*) FROM ")
		count.explored(o, want)
		found.ids = ids[:keptIDs]
		found.total, _, err = value[int](v, count)
	}
	if err == nil && lasting {
		v.db.answers.Add(key, found)
	}
	return found, err
}

// volatile is the fields whose changes move no generation: locks and runs are too many.
var volatile = []string{"workspace_updated_at", "current_run_status", "current_run_external_id"}

// lasts says that an answer is the same until a generation moves.
func lasts(want explorer.Query) bool {
	return !slices.ContainsFunc(want.Filters, func(f explorer.Filter) bool { return slices.Contains(volatile, f.Field.Name) }) &&
		!slices.ContainsFunc(want.Sort, func(s explorer.Sort) bool { return slices.Contains(volatile, s.Field.Name) })
}

// exploredByID is the rows of some ids, in their order.
func (v *View) exploredByID(o belay.Organization, want explorer.Query, ids []string) ([]explorer.Row, error) {
	view := exploredViews[want.View]
	q := v.sql("SELECT ")
	q.exploredColumns(want)
	q.add(" FROM "+view.from, o.ID).in(" AND "+view.within, ids).add(view.closing)
	rows, err := v.exploredRows(q, want, 0)
	slices.SortFunc(rows, func(a, b exploredRow) int {
		return slices.Index(ids, a.ID) - slices.Index(ids, b.ID)
	})
	return withoutKeys(rows), err
}

// exploredPage finds a page that lies behind the ids that are kept.
func (v *View) exploredPage(o belay.Organization, want explorer.Query, page belay.Page) ([]explorer.Row, error) {
	q := v.sql("SELECT ")
	q.exploredColumns(want)
	if want.View == explorer.Workspaces { // columns are looked up for the rows of the page alone
		q.add(" FROM workspaces f JOIN (SELECT f.id FROM ")
	} else {
		q.add(" FROM (SELECT f.* FROM ")
	}
	q.explored(o, want)
	q.exploredOrder(want)
	q.add(" LIMIT ? OFFSET ?", page.Size, page.Offset())
	if want.View == explorer.Workspaces {
		q.add(") page ON page.id = f.id")
	} else {
		q.add(") f")
	}
	q.exploredOrder(want)
	rows, err := v.exploredRows(q, want, 0)
	return withoutKeys(rows), err
}

// ExploredIDs is the ids of all rows that a question finds.
func (v *View) ExploredIDs(o belay.Organization, want explorer.Query) ([]string, error) {
	q := v.sql("SELECT " + exploredViews[want.View].id + " FROM ")
	q.explored(o, want)
	return values[string](v, q)
}

// Explored is where a walk through an answer stands: the keys of the last row it gave.
type Explored struct {
	keys []any
	done bool
}

// Done says that the walk is at its end.
func (at *Explored) Done() bool { return at.done }

// ExploreOn is the next rows of an answer in its order. Each call is a statement of its
// own that begins after the last row: no cursor stays open, however slow the reader.
func (v *View) ExploreOn(o belay.Organization, want explorer.Query, at *Explored, size int) ([]explorer.Row, error) {
	q := v.sql("SELECT ")
	q.exploredColumns(want)
	keys := q.exploredKeys(want)
	for _, key := range keys {
		q.add(", " + key.value)
	}
	q.add(" FROM ")
	q.explored(o, want)
	if at.keys != nil {
		q.after(keys, at.keys)
	}
	q.exploredOrder(want)
	q.add(" LIMIT ?", size)
	rows, err := v.exploredRows(q, want, len(keys))
	if err != nil {
		return nil, err
	}
	at.done = len(rows) < size
	if len(rows) > 0 {
		at.keys = rows[len(rows)-1].keys
	}
	return withoutKeys(rows), nil
}

// exploredKey is one key of the order of an answer.
type exploredKey struct {
	value      text
	kind       explorer.Kind
	descending bool
}

// exploredKeys is the keys of the order: those asked for, then those that part all rows.
// What is the same for every row orders nothing.
func (q *query) exploredKeys(want explorer.Query) []exploredKey {
	var keys []exploredKey
	for _, s := range want.Sort {
		if column := q.column(want.View, s.Field); !column.unknown {
			keys = append(keys, exploredKey{column.value, s.Field.Kind, s.Descending})
		}
	}
	if want.View == explorer.Workspaces && len(keys) == 0 {
		keys = append(keys, exploredKey{"f.name", explorer.String, false})
	}
	return append(keys, exploredKey{exploredViews[want.View].id, explorer.String, false})
}

func (q *query) exploredOrder(want explorer.Query) {
	for i, key := range q.exploredKeys(want) {
		if i == 0 {
			q.add(" ORDER BY " + key.value)
		} else {
			q.add(", " + key.value)
		}
		if key.descending {
			q.add(" DESC")
		}
	}
}

// after appends the condition that a row comes after one with these keys. The first
// comparison is redundant, but an index can begin there.
func (q *query) after(keys []exploredKey, last []any) {
	first := text(" >= ?")
	if keys[0].descending {
		first = " <= ?"
	}
	q.add(" AND "+keys[0].value+first+" AND (", last[0])
	for i, key := range keys {
		if i > 0 {
			q.add(" OR ")
		}
		q.add("(")
		for j := range i {
			q.add(keys[j].value+" = ? AND ", last[j])
		}
		if key.descending {
			q.add(key.value+" < ?)", last[i])
		} else {
			q.add(key.value+" > ?)", last[i])
		}
	}
	q.add(")")
}

// column is what a field is in SQL.
func (q *query) column(view explorer.View, f explorer.Field) exploredColumn {
	column := exploredViews[view].columns[f.Name]
	if column.value == "" {
		column.value = q.dialect.repoIdentifier
	}
	return column
}

func (q *query) exploredColumns(want explorer.Query) {
	q.add(exploredViews[want.View].id)
	for _, f := range want.Fields {
		q.add(", " + q.column(want.View, f).value)
	}
}

// explored appends where the rows come from and the conditions on them: the one place
// that says what a question means, for the API, for saved views and for bulk actions.
func (q *query) explored(o belay.Organization, want explorer.Query) {
	view := exploredViews[want.View]
	q.add(view.from, o.ID).add(view.closing)
	for _, f := range want.Filters {
		column := q.column(want.View, f.Field)
		q.add(" AND (")
		switch f.Field.Kind {
		case explorer.String:
			q.exploredText(o, column, f)
		case explorer.Boolean:
			q.exploredBoolean(column, f)
		default:
			q.exploredNumber(column, f)
		}
		q.add(")")
	}
}

func (q *query) exploredText(o belay.Organization, column exploredColumn, f explorer.Filter) {
	switch f.Operator {
	case explorer.Is:
		q.add(column.value).in("", f.Texts)
	case explorer.IsNot:
		q.add("NOT ("+column.value).in("", f.Texts).add(")")
	case explorer.Contains:
		q.exploredSearch(o, column, f.Texts)
	case explorer.DoesNotContain:
		q.add("NOT (")
		q.exploredSearch(o, column, f.Texts)
		q.add(")")
	case explorer.IsEmpty:
		q.add(column.value + " = ''")
	default:
		q.add(column.value + " <> ''")
	}
}

// exploredSearch appends that a text, or one of the texts of a list, contains a value.
func (q *query) exploredSearch(o belay.Organization, column exploredColumn, values []string) {
	subject := column.value
	if column.search != "" {
		subject = column.element
		q.add(column.search, slices.Repeat([]any{o.ID}, column.scoped)...)
	}
	q.add("(")
	for i, value := range values {
		if i > 0 {
			q.add(" OR ")
		}
		q.add("LOWER("+subject+`) LIKE ? ESCAPE '\'`, contains(value))
	}
	q.add(")" + column.closing)
}

func (q *query) exploredBoolean(column exploredColumn, f explorer.Filter) {
	switch f.Operator {
	case explorer.Is:
		anyOf(q, column.value+" = ?", f.Booleans)
	case explorer.IsEmpty:
		q.add(column.value + " IS NULL")
	default:
		q.add(column.value + " IS NOT NULL")
	}
}

// comparisons are the operators on numbers and moments that one value satisfies.
var comparisons = map[explorer.Operator]text{
	explorer.Is: " = ?", explorer.Greater: " > ?", explorer.Less: " < ?", explorer.GreaterOrEqual: " >= ?",
	explorer.LessOrEqual: " <= ?", explorer.IsBefore: " < ?", explorer.IsAfter: " > ?",
}

func (q *query) exploredNumber(column exploredColumn, f explorer.Filter) {
	switch f.Operator {
	case explorer.IsEmpty:
		q.add(column.value + " IS NULL")
	case explorer.IsNotEmpty:
		q.add(column.value + " IS NOT NULL")
	case explorer.IsNot: // what is unknown differs from every value
		q.add(column.value + " IS NULL OR NOT (")
		anyOf(q, column.value+" = ?", f.Numbers)
		q.add(")")
	default:
		anyOf(q, column.value+comparisons[f.Operator], f.Numbers)
	}
}

// anyOf appends that one of the values satisfies the condition.
func anyOf[T any](q *query, condition text, values []T) {
	for i, value := range values {
		if i > 0 {
			q.add(" OR ")
		}
		q.add(condition, value)
	}
}
