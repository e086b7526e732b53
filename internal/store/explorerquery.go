package store

import (
	"slices"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/explorer"
)

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
