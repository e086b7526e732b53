package sqldb

import "strings"

// rowChanges is what a transaction changes of rows that it holds. What changes several things of
// one row one after another writes them together, before anything is asked of its table again,
// or with the commit. So are new rows that nobody waits for.
type rowChanges struct {
	rows []RowChange
	new  []rowsOf
	was  map[string][]any // rows that are held, as they were read or written last: see Table.Note
}

// RowChange is what is changed of one row.
type RowChange struct {
	table  Text
	id     string
	names  []Text
	values []any
}

// Set notes a new value of a column.
func (r *RowChange) Set(name Text, value any) {
	for i := range r.names {
		if r.names[i] == name {
			r.values[i] = value
			return
		}
	}
	r.names, r.values = append(r.names, name), append(r.values, value)
}

// Change is what is to be changed of a row of a table, which the transaction holds. It is good
// until the next statement.
func (tx *Tx) Change(table Text, id string) *RowChange {
	c := tx.view.changes
	for i := range c.rows {
		if c.rows[i].id == id && c.rows[i].table == table {
			return &c.rows[i]
		}
	}
	c.rows = append(c.rows, RowChange{table: table, id: id})
	return &c.rows[len(c.rows)-1]
}

func (r *RowChange) statement() (Text, []any) {
	sets := make([]byte, 0, 256)
	sets = append(append(append(sets, "UPDATE "...), r.table...), " SET "...)
	for i, name := range r.names {
		if i > 0 {
			sets = append(sets, ", "...)
		}
		sets = append(append(sets, name...), " = ?"...)
	}
	return Text(append(sets, " WHERE id = ?"...)), append(r.values, r.id)
}

// in says whether a statement may ask for what was changed.
func (c *rowChanges) in(sql string) bool {
	for i := range c.rows {
		if strings.Contains(sql, string(c.rows[i].table)) {
			return true
		}
	}
	return false
}

// settle writes what was changed, before a statement that may ask for it.
func (v *View) settle(sql string) error {
	if v.changes == nil {
		return nil
	}
	if v.changes.in(sql) {
		rows := v.changes.rows
		v.changes.rows = nil
		for i := range rows {
			statement, values := rows[i].statement()
			if _, err := v.exec(v.SQL(statement, values...)); err != nil {
				return err
			}
		}
	}
	return v.settleNew(sql)
}

// settleLast writes what was changed and nobody has asked for.
func (tx *Tx) settleLast() error {
	rows := tx.view.changes.rows
	tx.view.changes.rows = nil
	for i := range rows {
		statement, values := rows[i].statement()
		if err := tx.Lastly(statement, values...); err != nil {
			return err
		}
	}
	return tx.settleNewLast()
}
