package plan

import (
	"slices"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/explorer"
)

// Exploration is a question on its way to its answer.
type Exploration struct {
	o     belay.Organization
	want  explorer.Query
	words map[int]words // what the filters that look for words have found, by their number
	named *gramTerm     // by which few workspaces are found, if part of a name is asked for; nil: not so
	from  int           // the filter whose workspaces the answer is read from, or one of:
}

const (
	allRows = -1 // all are looked through
	byName  = -2 // those that may have the part of a name
	byID    = -3 // some are named by their ids
)

// Exploration looks up the words and the releases that the filters of a question ask for.
func (v *View) Exploration(o belay.Organization, want explorer.Query) (*Exploration, error) {
	if err := v.nameReleases(o, &want); err != nil {
		return nil, err
	}
	x := &Exploration{o: o, want: want, words: map[int]words{}, from: allRows}
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

// nameReleases turns the filters of a question that ask for constraints into those for the versions in use that satisfy them:
// an index finds these, and no database compares versions.
func (v *View) nameReleases(o belay.Organization, want *explorer.Query) error {
	for i, f := range want.Filters {
		if f.Operator != explorer.Satisfies {
			continue
		}
		used, err := v.releasesOf(o, f.Field)
		if err != nil {
			return err
		}
		want.Filters = slices.Clone(want.Filters)
		want.Filters[i].Operator, want.Filters[i].Texts = explorer.Is, belay.ReleasesOf(f.Texts, used)
	}
	return nil
}

// releasesOf is the versions that a field has in an organization.
func (v *View) releasesOf(o belay.Organization, field explorer.Field) ([]string, error) {
	if field.Name == "state_version_terraform_version" {
		return v.StateReleases(o.ID)
	}
	return v.EngineReleases(o.ID)
}

// manyWorkspaces is how many an organization has before grams are counted beside other filters, which may find few by themselves.
const manyWorkspaces = 10000

// narrowed is Exploration, which finds out, too, whether few workspaces can have the part of a name that is asked for.
func (v *View) narrowed(o belay.Organization, want explorer.Query) (*Exploration, error) {
	x, err := v.Exploration(o, want)
	alone := len(want.Filters) == 1
	if err != nil || want.View != explorer.Workspaces || !alone && o.WorkspaceCount < manyWorkspaces {
		return x, err
	}
	named := slices.IndexFunc(want.Filters, func(f explorer.Filter) bool {
		return f.Field.Name == "workspace_name" && f.Operator == explorer.Contains && len(f.Texts) == 1
	})
	if named < 0 {
		return x, nil
	}
	x.named, err = v.rareGrams(o, want.Filters[named].Texts)
	if x.named != nil && x.named.size >= probeLimit && !alone {
		x.named = nil
	}
	return x, err
}

// empty says that nothing is found, without looking.
func (x *Exploration) empty() bool { return x.named != nil && x.named.size == 0 }

// found is the exploration, to be read from where its rows are found soonest. Only the
// ids of its rows may be asked for.
func (x *Exploration) found() *Exploration {
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
	if x.named != nil && x.named.size < least {
		best = byName
	}
	y := *x
	y.from = best
	return &y
}

// AddIDs appends the statement that finds the ids of its rows, up to their order.
func (x *Exploration) AddIDs(q *query) *query {
	return x.AddRows(q.Add("SELECT " + exploredViews[x.want.View].id + " FROM "))
}

// AddRows appends where its rows are found and the conditions on them. Only the id of a row f may be asked for.
func (x *Exploration) AddRows(q *query) *query {
	addExplored(q, x.found())
	return q
}

// thinBut says that all but one filter, and the order, need only the name and the id.
func (x *Exploration) thinBut(filter int) bool {
	columns := exploredViews[x.want.View].columns
	return !slices.ContainsFunc(x.want.Sort, func(s explorer.Sort) bool { return !columns[s.Field.Name].thin }) &&
		!slices.ContainsFunc(append(slices.Clone(x.want.Filters[:filter]), x.want.Filters[filter+1:]...),
			func(f explorer.Filter) bool { return !columns[f.Field.Name].thin })
}

// fieldColumn is what a field is in SQL.
func fieldColumn(q *query, view explorer.View, f explorer.Field) exploredColumn {
	column := exploredViews[view].columns[f.Name]
	if column.value == "" {
		column.value = repoIdentifiers[q.Dialect.Name]
	}
	return column
}

func addExploredColumns(q *query, want explorer.Query) {
	q.Add(exploredViews[want.View].id)
	for _, f := range want.Fields {
		q.Add(", " + fieldColumn(q, want.View, f).value)
	}
}

// addExplored appends where the rows come from and the conditions on them: the one place
// that says what a question means, for the API, for saved views and for bulk actions.
func addExplored(q *query, x *Exploration) {
	addExploredFrom(q, x)
	for i, f := range x.want.Filters {
		if i == x.from {
			continue
		}
		column := fieldColumn(q, x.want.View, f.Field)
		q.Add(" AND (")
		switch f.Field.Kind {
		case explorer.String, explorer.Version:
			addExploredText(q, x, i, column)
		case explorer.Boolean:
			addExploredBoolean(q, column, f)
		default:
			addExploredNumber(q, column, f)
		}
		q.Add(")")
	}
}

// addExploredFrom appends where the rows come from, up to the first condition.
func addExploredFrom(q *query, x *Exploration) {
	switch {
	case x.from == allRows:
		view := exploredViews[x.want.View]
		q.Add(view.from, x.o.ID).Add(view.closing)
	case x.from == byID:
		view := exploredViews[x.want.View]
		q.Add(view.beside(q), x.o.ID).Add(view.closing)
	case x.from == byName:
		addHaving(q.Add("("), x.o, x.named.grams).Add(") d CROSS JOIN workspaces f WHERE f.id = d.id AND f.organization_id = ?", x.o.ID)
	case x.thinBut(x.from):
		addWorkspacesWith(q.Add("("), x.words[x.from]).Add(") f WHERE TRUE")
	default: // the words come first: they are few
		addWorkspacesWith(q.Add("("), x.words[x.from]).Add(") d CROSS JOIN workspaces f WHERE f.id = d.id")
	}
}

func addExploredText(q *query, x *Exploration, filter int, column exploredColumn) {
	f := x.want.Filters[filter]
	switch f.Operator {
	case explorer.Is:
		q.OneOf(column.value, f.Texts)
	case explorer.IsNot:
		q.Add("NOT (").OneOf(column.value, f.Texts).Add(")")
	case explorer.Contains:
		addExploredSearch(q, x, filter, column)
	case explorer.DoesNotContain:
		addExploredSearch(q.Add("NOT ("), x, filter, column).Add(")")
	case explorer.IsEmpty:
		q.Add(column.value + " = ''")
	default:
		q.Add(column.value + " <> ''")
	}
}

// addExploredSearch appends that a text, or one of the words of a list, contains a value.
func addExploredSearch(q *query, x *Exploration, filter int, column exploredColumn) *query {
	f := x.want.Filters[filter]
	switch {
	case column.words != nil:
		return addHasWord(q, x.words[filter])
	case column.search != "":
		return q.Add(column.search, x.o.ID).AnyLike(column.element, f.Texts).Add(")")
	default:
		return q.AnyLike(column.value, f.Texts)
	}
}

func addExploredBoolean(q *query, column exploredColumn, f explorer.Filter) {
	switch f.Operator {
	case explorer.Is:
		anyOf(q, column.value+" = ?", f.Booleans)
	case explorer.IsEmpty:
		q.Add(column.value + " IS NULL")
	default:
		q.Add(column.value + " IS NOT NULL")
	}
}

// comparisons are the operators on numbers and moments that one value satisfies.
var comparisons = map[explorer.Operator]text{
	explorer.Is: " = ?", explorer.Greater: " > ?", explorer.Less: " < ?", explorer.GreaterOrEqual: " >= ?",
	explorer.LessOrEqual: " <= ?", explorer.IsBefore: " < ?", explorer.IsAfter: " > ?",
}

func addExploredNumber(q *query, column exploredColumn, f explorer.Filter) {
	switch f.Operator {
	case explorer.IsEmpty:
		q.Add(column.value + " IS NULL")
	case explorer.IsNotEmpty:
		q.Add(column.value + " IS NOT NULL")
	case explorer.IsNot: // what is unknown differs from every value
		q.Add(column.value + " IS NULL OR NOT (")
		anyOf(q, column.value+" = ?", f.Numbers)
		q.Add(")")
	default:
		anyOf(q, column.value+comparisons[f.Operator], f.Numbers)
	}
}

// anyOf appends that one of the values satisfies the condition.
func anyOf[T any](q *query, condition text, values []T) {
	for i, value := range values {
		if i > 0 {
			q.Add(" OR ")
		}
		q.Add(condition, value)
	}
}
