package store

import (
	"fmt"
	"slices"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/explorer"
)

// keptIDs is how many ids of an answer's first rows are kept with its count.
const keptIDs = 1000

// keptBytes is how long the texts of a page may be that is kept.
const keptBytes = 4 << 20

// answer is what is kept of an answer: how many rows it has, and its first ones in order.
type answer struct {
	total int
	ids   []string
}

// exploration is a question on its way to its answer.
type exploration struct {
	o     belay.Organization
	want  explorer.Query
	words map[int]words // what the filters that look for words have found, by their number
	from  int           // the filter whose workspaces the answer is read from; allRows when none
}

const allRows = -1

// exploration looks up the words that the filters of a question ask for.
func (v *View) exploration(o belay.Organization, want explorer.Query) (*exploration, error) {
	x := &exploration{o: o, want: want, words: map[int]words{}, from: allRows}
	for i, f := range want.Filters {
		find := exploredViews[want.View].columns[f.Field.Name].words
		if find == nil || f.Operator != explorer.Contains && f.Operator != explorer.DoesNotContain {
			continue
		}
		var err error
		if x.words[i], err = find(v, o, f.Texts); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// found is the exploration, to be read from where its rows are found soonest. Only the
// ids of its rows may be asked for.
func (x *exploration) found() *exploration {
	best, least := allRows, x.o.WorkspaceCount+1
	for i, f := range x.want.Filters {
		w, ok := x.words[i]
		if !ok || f.Operator != explorer.Contains || w.size >= least {
			continue
		}
		if w.size < probeLimit || x.thinBut(i) && len(x.want.Filters) == 1 {
			best, least = i, w.size
		}
	}
	y := *x
	y.from = best
	return &y
}

// thinBut says that all but one filter, and the order, need only the name and the id.
func (x *exploration) thinBut(filter int) bool {
	columns := exploredViews[x.want.View].columns
	return !slices.ContainsFunc(x.want.Sort, func(s explorer.Sort) bool { return !columns[s.Field.Name].thin }) &&
		!slices.ContainsFunc(append(slices.Clone(x.want.Filters[:filter]), x.want.Filters[filter+1:]...),
			func(f explorer.Filter) bool { return !columns[f.Field.Name].thin })
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
	key := exploredKey(o, want)
	lasting := !v.inTx && lasts(want)
	if found, ok := v.db.answers.Get(key); ok && lasting {
		return found, nil
	}
	x, err := v.exploration(o, want)
	if err != nil {
		return answer{}, err
	}
	q := v.sql("SELECT " + exploredViews[want.View].id + " FROM ")
	q.explored(x.found())
	q.exploredOrder(want)
	q.first(keptIDs + 1)
	ids, err := values[string](v, q)
	found := answer{len(ids), ids}
	if err == nil && len(ids) > keptIDs {
		found.ids = ids[:keptIDs]
		found.total, err = v.exploredCount(x)
	}
	if err == nil && lasting {
		v.db.answers.Add(key, found)
	}
	return found, err
}

// exploredCount is how many rows an answer has. What one filter denies is counted by what
// it would find: that is less work, or an index does it.
func (v *View) exploredCount(x *exploration) (int, error) {
	affirmed, denied := affirm(x.want)
	if denied {
		y := *x
		y.want, x = affirmed, &y
	}
	q := v.sql("SELECT count(*) FROM ")
	q.explored(x.found())
	n, _, err := value[int](v, q)
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
	if want.View != explorer.Workspaces || len(want.Filters) != 1 || want.Filters[0].Field.Kind != explorer.String {
		return want, false
	}
	operator, denied := affirmations[want.Filters[0].Operator]
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
	return fmt.Sprintf("%s:%d:%d:%s", o.ID, o.Generation, o.FactsGeneration, want.JSON())
}

// exploredRowsOf is the rows of some ids, in their order. A row of what workspaces use may
// name all workspaces, so a page of them is kept, unless it is very long.
func (v *View) exploredRowsOf(o belay.Organization, want explorer.Query, ids []string) ([]explorer.Row, error) {
	if want.View == explorer.Workspaces || v.inTx {
		return v.exploredByID(o, want, ids)
	}
	key := exploredKey(o, want) + strings.Join(ids, " ")
	if rows, ok := v.db.explored.Get(key); ok {
		return rows, nil
	}
	rows, err := v.exploredByID(o, want, ids)
	if err == nil && length(rows) <= keptBytes {
		v.db.explored.Add(key, rows)
	}
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
	x, err := v.exploration(o, want)
	if err != nil {
		return nil, err
	}
	q := v.sql("SELECT ")
	q.exploredColumns(want)
	if want.View == explorer.Workspaces { // columns are looked up for the rows of the page alone
		q.add(" FROM workspaces f JOIN (SELECT f.id FROM ")
	} else {
		q.add(" FROM (SELECT f.* FROM ")
	}
	q.explored(x.found())
	q.exploredOrder(want)
	q.page(page)
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
	x, err := v.exploration(o, want)
	if err != nil {
		return nil, err
	}
	q := v.sql("SELECT " + exploredViews[want.View].id + " FROM ")
	q.explored(x.found())
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
	x, err := v.exploration(o, want)
	if err != nil {
		return nil, err
	}
	q := v.sql("SELECT ")
	q.exploredColumns(want)
	keys := q.exploredKeys(want)
	for _, key := range keys {
		q.add(", " + key.value)
	}
	q.add(" FROM ")
	q.explored(x)
	if at.keys != nil {
		q.after(keys, at.keys)
	}
	q.exploredOrder(want)
	q.first(size)
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

// exploredOrderKey is one key of the order of an answer.
type exploredOrderKey struct {
	value      text
	kind       explorer.Kind
	descending bool
}

// exploredKeys is the keys of the order: those asked for, then those that part all rows.
// What is the same for every row orders nothing.
func (q *query) exploredKeys(want explorer.Query) []exploredOrderKey {
	var keys []exploredOrderKey
	for _, s := range want.Sort {
		if column := q.column(want.View, s.Field); !column.unknown {
			keys = append(keys, exploredOrderKey{column.value, s.Field.Kind, s.Descending})
		}
	}
	if want.View == explorer.Workspaces && len(keys) == 0 {
		keys = append(keys, exploredOrderKey{"f.name", explorer.String, false})
	}
	return append(keys, exploredOrderKey{exploredViews[want.View].id, explorer.String, false})
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
func (q *query) after(keys []exploredOrderKey, last []any) {
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
func (q *query) explored(x *exploration) {
	q.exploredFrom(x)
	for i, f := range x.want.Filters {
		if i == x.from {
			continue
		}
		column := q.column(x.want.View, f.Field)
		q.add(" AND (")
		switch f.Field.Kind {
		case explorer.String:
			q.exploredText(x, i, column)
		case explorer.Boolean:
			q.exploredBoolean(column, f)
		default:
			q.exploredNumber(column, f)
		}
		q.add(")")
	}
}

// exploredFrom appends where the rows come from, up to the first condition.
func (q *query) exploredFrom(x *exploration) {
	switch {
	case x.from == allRows:
		view := exploredViews[x.want.View]
		q.add(view.from, x.o.ID).add(view.closing)
	case x.thinBut(x.from):
		q.add("(").workspacesWith(x.words[x.from]).add(") f WHERE TRUE")
	default: // the words come first: they are few
		q.add("(").workspacesWith(x.words[x.from]).add(") d CROSS JOIN workspaces f WHERE f.id = d.id")
	}
}

func (q *query) exploredText(x *exploration, filter int, column exploredColumn) {
	f := x.want.Filters[filter]
	switch f.Operator {
	case explorer.Is:
		q.oneOf(column.value, f.Texts)
	case explorer.IsNot:
		q.add("NOT (").oneOf(column.value, f.Texts).add(")")
	case explorer.Contains:
		q.exploredSearch(x, filter, column)
	case explorer.DoesNotContain:
		q.add("NOT (").exploredSearch(x, filter, column).add(")")
	case explorer.IsEmpty:
		q.add(column.value + " = ''")
	default:
		q.add(column.value + " <> ''")
	}
}

// exploredSearch appends that a text, or one of the words of a list, contains a value.
func (q *query) exploredSearch(x *exploration, filter int, column exploredColumn) *query {
	f := x.want.Filters[filter]
	switch {
	case column.words != nil:
		return q.hasWord(x.words[filter])
	case column.search != "":
		return q.add(column.search, x.o.ID).anyLike(column.element, f.Texts).add(")")
	default:
		return q.anyLike(column.value, f.Texts)
	}
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
