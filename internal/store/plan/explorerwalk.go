package plan

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/explorer"
)

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
	x, err := v.Exploration(o, want)
	if err != nil {
		return nil, err
	}
	q := v.SQL("SELECT ")
	addExploredColumns(q, want)
	keys := exploredKeys(q, want)
	for _, key := range keys {
		q.Add(", " + key.value)
	}
	q.Add(" FROM ")
	addExplored(q, x)
	if at.keys != nil {
		addAfter(q, keys, at.keys)
	}
	addExploredOrder(q, want)
	q.First(size)
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
func exploredKeys(q *query, want explorer.Query) []exploredOrderKey {
	var keys []exploredOrderKey
	for _, s := range want.Sort {
		if column := fieldColumn(q, want.View, s.Field); !column.unknown {
			if column.order != "" {
				keys = append(keys, exploredOrderKey{column.order, explorer.Number, s.Descending})
				continue
			}
			keys = append(keys, exploredOrderKey{column.value, s.Field.Kind, s.Descending})
		}
	}
	if order := exploredViews[want.View].order; order != "" && len(keys) == 0 {
		keys = append(keys, exploredOrderKey{order, explorer.String, false})
	}
	return append(keys, exploredOrderKey{exploredViews[want.View].id, explorer.String, false})
}

func addExploredOrder(q *query, want explorer.Query) {
	for i, key := range exploredKeys(q, want) {
		if i == 0 {
			q.Add(" ORDER BY " + key.value)
		} else {
			q.Add(", " + key.value)
		}
		if key.descending {
			q.Add(" DESC")
		}
	}
}

// addAfter appends the condition that a row comes after one with these keys. The first
// comparison is redundant, but an index can begin there.
func addAfter(q *query, keys []exploredOrderKey, last []any) {
	first := text(" >= ?")
	if keys[0].descending {
		first = " <= ?"
	}
	q.Add(" AND "+keys[0].value+first+" AND (", last[0])
	for i, key := range keys {
		if i > 0 {
			q.Add(" OR ")
		}
		q.Add("(")
		for j := range i {
			q.Add(keys[j].value+" = ? AND ", last[j])
		}
		if key.descending {
			q.Add(key.value+" < ?)", last[i])
		} else {
			q.Add(key.value+" > ?)", last[i])
		}
	}
	q.Add(")")
}
