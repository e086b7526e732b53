package plan

import (
	"database/sql"
	"time"

	"github.com/belayhq/belay/internal/explorer"
	"github.com/belayhq/belay/internal/sqldb"
)

// exploredRow is a row with the keys of its place in the order.
type exploredRow struct {
	explorer.Row
	keys []any
}

func withoutKeys(rows []exploredRow) []explorer.Row {
	list := make([]explorer.Row, len(rows))
	for i, row := range rows {
		list[i] = row.Row
	}
	return list
}

// exploredRows reads rows of an id, the fields of the question, and keys of its order.
func (v *View) exploredRows(q *query, want explorer.Query, keys int) (list []exploredRow, err error) {
	var id string
	cells := []cell{}
	for _, f := range want.Fields {
		cells = append(cells, newCell(f.Kind))
	}
	if keys > 0 {
		for _, key := range exploredKeys(q, want) {
			cells = append(cells, newCell(key.kind))
		}
	}
	dest := []any{&id}
	for i := range cells {
		dest = append(dest, cells[i].dest)
	}
	err = sqldb.Each(v, q, dest, func() {
		row := exploredRow{Row: explorer.Row{ID: id, Values: make([]any, len(want.Fields))}}
		for i := range want.Fields {
			row.Values[i] = cells[i].value()
		}
		for i := len(want.Fields); i < len(cells); i++ {
			row.keys = append(row.keys, cells[i].key())
		}
		list = append(list, row)
	})
	return list, err
}

// cell is where one value of a row is scanned to.
type cell struct {
	dest  any
	value func() any // as it is shown
	key   func() any // as it is compared
}

func newCell(kind explorer.Kind) cell {
	switch kind {
	case explorer.Number, explorer.Datetime:
		n := new(sql.Null[int64])
		key := func() any { return n.V }
		return cell{n, func() any {
			switch {
			case !n.Valid:
				return nil
			case kind == explorer.Datetime:
				return time.UnixMilli(n.V).UTC()
			default:
				return n.V
			}
		}, key}
	case explorer.Boolean:
		b := new(sql.Null[bool])
		return cell{b, func() any {
			if !b.Valid {
				return nil
			}
			return b.V
		}, func() any { return b.V }}
	default:
		s := new(sql.Null[string])
		return cell{s, func() any {
			if s.V == "" {
				return nil
			}
			return s.V
		}, func() any { return s.V }}
	}
}
