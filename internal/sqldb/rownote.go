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

// UpdateFrom is Update of a row that is held and was read as before: it writes what has changed, and what
// is kept as JSON, whose parts before and now may share. Where no uniqueness is in question, nor anything
// that the row refers to, it is taken for nil, and nobody waits for it.
func (t *Table[N]) UpdateFrom(on Writer, n, before *N, taken error) error {
	tx, values := on.writing(), t.Values(n)
	if _, noted := tx.view.changes.was[t.rowKey(values)]; noted {
		return t.Update(on, n, taken)
	}
	was := t.Values(before)
	for i := range was {
		switch v := was[i].(type) {
		case inMillis:
			was[i] = UnixMillis(*v.at)
			if now, is := t.Own[i].At(n).(inMillis); is {
				values[i] = UnixMillis(*now.at)
			}
		case driver.Valuer:
			was[i] = nil // never what it is now
		}
	}
	return t.writeChanged(tx, was, values, taken, taken == nil)
}

// updateChanged writes what has changed of a row. SQLite writes the indexes of every column that an
// UPDATE names.
func (t *Table[N]) updateChanged(tx *Tx, was []any, n *N, taken error) error {
	now, err := t.plain(n)
	if err != nil {
		return err
	}
	tx.view.changes.was[t.rowKey(now)] = now
	return t.writeChanged(tx, was, now, taken, t.Late && taken == nil)
}

// writeChanged writes those values that are others now; later says that nobody waits for it.
func (t *Table[N]) writeChanged(tx *Tx, was, now []any, taken error, later bool) error {
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
	q.Add(" WHERE "+t.Own[0].Name+" = ?", now[0])
	if later {
		return tx.Later(q)
	}
	_, err := tx.Exec(q)
	return tx.Unique(err, taken)
}
