package store

import "strings"

// rowChanges is what a transaction changes of the rows of workspaces, which it holds. A run
// that moves changes several things of one row: they are written together, before anything is
// asked of workspaces again, or with the commit.
type rowChanges struct{ rows []rowChange }

type rowChange struct {
	id     string
	names  []text
	values []any
}

// set notes a new value of a column.
func (r *rowChange) set(name text, value any) {
	for i := range r.names {
		if r.names[i] == name {
			r.values[i] = value
			return
		}
	}
	r.names, r.values = append(r.names, name), append(r.values, value)
}

// change is what is to be changed of one row.
func (c *rowChanges) change(id string) *rowChange {
	for i := range c.rows {
		if c.rows[i].id == id {
			return &c.rows[i]
		}
	}
	c.rows = append(c.rows, rowChange{id: id})
	return &c.rows[len(c.rows)-1]
}

func (r *rowChange) statement() (text, []any) {
	sets := text("UPDATE workspaces SET ")
	for i, name := range r.names {
		if i > 0 {
			sets += ", "
		}
		sets += name + " = ?"
	}
	return sets + " WHERE id = ?", append(r.values, r.id)
}

// settle writes what was changed, before a statement that may ask for it.
func (v *View) settle(sql string) error {
	if v.changes == nil || len(v.changes.rows) == 0 || !strings.Contains(sql, "workspaces") {
		return nil
	}
	rows := v.changes.rows
	v.changes.rows = nil
	for i := range rows {
		statement, values := rows[i].statement()
		if _, err := v.exec(v.sql(statement, values...)); err != nil {
			return err
		}
	}
	return nil
}

// settleLast writes what was changed and nobody has asked for.
func (tx *Tx) settleLast() error {
	rows := tx.changes.rows
	tx.changes.rows = nil
	for i := range rows {
		statement, values := rows[i].statement()
		if err := tx.lastly(statement, values...); err != nil {
			return err
		}
	}
	return nil
}
