package sqldb

import (
	"database/sql/driver"
	"fmt"
	"slices"
)

// rowKey tells a row from all others of the database.
func (t *Table[N]) rowKey(values []any) string { return fmt.Sprint(t.Name, " ", values[0]) }

// Note remembers a row as it was read and is held, for Update. A pointer to it would not do: what
// it points to may change. The values of its table are compared: none may be of bytes.
func (t *Table[N]) Note(on Reader, n *N) error {
	v := on.reading()
	if v.changes == nil {
		return nil
	}
	values, err := t.plain(n)
	if err != nil {
		return err
	}
	if v.changes.was == nil {
		v.changes.was = map[string][]any{}
	}
	v.changes.was[t.rowKey(values)] = values
	return nil
}

// plain is values as the database is given them.
func (t *Table[N]) plain(n *N) (values []any, err error) {
	values = t.Values(n)
	for i := range values {
		if valuer, ok := values[i].(driver.Valuer); ok {
			if values[i], err = valuer.Value(); err != nil {
				return nil, err
			}
		}
	}
	return values, nil
}

// updateChanged writes what has changed of a row. SQLite writes the indexes of every column that an
// UPDATE names.
func (t *Table[N]) updateChanged(tx *Tx, was []any, n *N, taken error) error {
	now, err := t.plain(n)
	if err != nil {
		return err
	}
	q := tx.view.SQL("UPDATE " + t.Name + " SET ")
	for i := 1; i < len(now); i++ {
		if now[i] == was[i] || slices.Contains(t.Fixed, t.Own[i].Name) {
			continue
		}
		if len(q.Args) > 0 {
			q.Add(", ")
		}
		q.Add(t.Own[i].Name+" = ?", now[i])
	}
	if len(q.Args) == 0 {
		return nil
	}
	tx.view.changes.was[t.rowKey(now)] = now
	q.Add(" WHERE "+t.Own[0].Name+" = ?", now[0])
	if t.Late && taken == nil {
		return tx.Later(q)
	}
	_, err = tx.Exec(q)
	return tx.Unique(err, taken)
}
