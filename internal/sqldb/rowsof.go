package sqldb

import "strings"

// rowsOf is new rows of one table.
type rowsOf struct {
	table  Text
	names  []Text
	values [][]any
	again  Text // see Table.Again
}

func (r *rowsOf) inserting(v *View) *Query { return r.insertingTo(v.SQL("")) }

// insertingTo appends the statement to what begins with something else.
func (r *rowsOf) insertingTo(q *Query) *Query {
	row := Text("(?" + strings.Repeat(", ?", len(r.names)-1) + ")")
	q.Add("INSERT INTO " + r.table + " (").List(r.names).Add(") VALUES ")
	for i, values := range r.values {
		if i > 0 {
			q.Add(", ")
		}
		q.Add(row, values...)
	}
	if r.again != "" {
		q.Add(" " + r.again)
	}
	return q
}

// InsertTogether writes a new row, which breaks no uniqueness that the table does not speak of, with the others of its table that the
// transaction writes: before anything is asked of that, or with the commit.
func (t *Table[N]) InsertTogether(on Writer, n *N) error {
	c := on.writing().view.changes
	for i := range c.new {
		if r := &c.new[i]; r.table == t.Name {
			if r.values = append(r.values, t.Values(n)); len(r.values) < insertedAtOnce {
				return nil
			}
			return on.writing().view.settleNew(string(t.Name))
		}
	}
	c.new = append(c.new, rowsOf{table: t.Name, names: t.Names(), values: [][]any{t.Values(n)}, again: t.Again})
	return nil
}

// settleNew writes the new rows that a statement may ask for. One that deletes may delete what they
// belong to.
func (v *View) settleNew(sql string) error {
	deletes := strings.HasPrefix(sql, "DELETE")
	for i := 0; i < len(v.changes.new); i++ {
		r := v.changes.new[i]
		if !deletes && !strings.Contains(sql, string(r.table)) {
			continue
		}
		v.changes.new = append(v.changes.new[:i], v.changes.new[i+1:]...)
		i--
		q := r.inserting(v)
		v.tally(q.String(), q.Args)
		n, err := v.conn.exec(v.ctx, q.String(), q.Args)
		if err != nil {
			return err
		}
		v.work.rows += int(n)
	}
	return nil
}

// DoBeside runs a statement before any that comes later, together with new rows that wait to be
// written if there are some: PostgreSQL takes both in one.
func (tx *Tx) DoBeside(sql Text, args ...any) error {
	c := tx.view.changes
	if len(c.new) == 0 {
		return tx.Do(sql, args...)
	}
	q := tx.view.SQL("WITH beside AS (").Add(sql, args...).Add(") ")
	rows := c.new[len(c.new)-1]
	c.new = c.new[:len(c.new)-1]
	_, err := tx.Exec(rows.insertingTo(q))
	return err
}

// settleNewLast writes the new rows that nobody has asked for. The last of them tell other
// replicas of the transaction.
func (tx *Tx) settleNewLast() error {
	list := tx.view.changes.new
	tx.view.changes.new = nil
	for i := range list {
		tx.view.work.rows += len(list[i].values) - 1
		q := list[i].inserting(&tx.view)
		if i == len(list)-1 {
			tx.notifyWith(q)
		}
		if err := tx.Later(q); err != nil {
			return err
		}
	}
	return nil
}
