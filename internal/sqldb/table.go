package sqldb

import (
	"database/sql/driver"
	"slices"
	"strconv"
	"strings"

	"github.com/belayhq/belay"
)

// Column is one column of a table: its name, and the field it is kept in. The field is
// read to write the row, and written to read it.
type Column[N any] struct {
	Name Text
	At   func(*N) any
}

// Table is a noun's columns, written once. The first column is the key.
type Table[N any] struct {
	Name   Text
	Own    []Column[N]
	Joined []Column[N] // expressions that are read with the row and never written
	From   Text        // what the row is read from; the table itself when empty
	Hold   Text        // the alias whose row is held in a transaction; the table when empty
	Late   bool        // nothing but rows that its writers hold is locked by writing it: that need not be waited for
	Again  Text        // what becomes of a row of InsertTogether that is there already: ON CONFLICT …
	Fixed  []Text      // what is written once: an update of it would write its indexes, too
	// Refer reads what rows refer to, where any does. A subselect for it would cost every row that refers to nothing.
	Refer func(*View, []*N) error

	Selected Text // SELECT … FROM …
	Inserted Text // INSERT INTO … VALUES (…)
	updated  Text // UPDATE … WHERE key = $1
}

// NewTable writes the table's statements.
func NewTable[N any](t Table[N]) *Table[N] {
	if t.From == "" {
		t.From = t.Name
	}
	if t.Hold == "" {
		t.Hold = t.Name
	}
	var names, places, sets []string
	for i, c := range t.Own {
		names = append(names, string(c.Name))
		places = append(places, "$"+strconv.Itoa(i+1))
		if i > 0 && !slices.Contains(t.Fixed, c.Name) {
			sets = append(sets, string(c.Name)+" = $"+strconv.Itoa(len(sets)+2))
		}
	}
	t.Selected = "SELECT " + t.Columns() + " FROM " + t.From + " "
	t.Inserted = "INSERT INTO " + t.Name + Text(" ("+strings.Join(names, ", ")+") VALUES ("+strings.Join(places, ", ")+")")
	t.updated = "UPDATE " + t.Name + Text(" SET "+strings.Join(sets, ", ")) + " WHERE " + t.Own[0].Name + " = $1"
	note(&t)
	return &t
}

// Some is a table that is read for some of its columns alone; what else a noun has stays empty.
func (t *Table[N]) Some(names ...Text) *Table[N] {
	part := Table[N]{Name: t.Name}
	for _, c := range t.Own {
		if slices.Contains(names, c.Name) {
			part.Own = append(part.Own, c)
		}
	}
	return NewTable(part)
}

// Columns is what a row is read as, in the order of dest.
func (t *Table[N]) Columns() Text {
	var list []string
	for _, c := range t.Own {
		list = append(list, string(t.Hold+"."+c.Name))
	}
	for _, c := range t.Joined {
		list = append(list, string(c.Name))
	}
	return Text(strings.Join(list, ", "))
}

// Dest is where a row is scanned to.
func (t *Table[N]) Dest(n *N) []any {
	dest := make([]any, 0, len(t.Own)+len(t.Joined))
	for _, c := range t.Own {
		dest = append(dest, c.At(n))
	}
	for _, c := range t.Joined {
		dest = append(dest, c.At(n))
	}
	return dest
}

// Values is what a row is written with.
func (t *Table[N]) Values(n *N) []any {
	args := make([]any, len(t.Own))
	for i, c := range t.Own {
		args[i] = fieldValue(c.At(n))
	}
	return args
}

// Unqualified is the table's own columns, for RETURNING.
func (t *Table[N]) Unqualified() Text {
	var list Text
	for i, c := range t.Own {
		if i > 0 {
			list += ", "
		}
		list += c.Name
	}
	return list
}

// One reads the one row that the condition finds, and holds it in a transaction.
// An absent row is belay.ErrNotFound.
func (t *Table[N]) One(on Reader, condition Text, args ...any) (N, error) {
	var zero N
	v := on.reading()
	list, err := Held(v.hold, 1, func(hold Text) ([]N, error) {
		return t.Many(v, v.SQL(t.Selected).Add("WHERE ").Add(condition, args...).Held(hold, t.Hold))
	})
	if err != nil {
		return zero, err
	}
	if len(list) == 0 {
		return zero, belay.ErrNotFound
	}
	return list[0], nil
}

// Many reads the rows of a query that begins with the table's selected text.
func (t *Table[N]) Many(v Reader, q *Query) ([]N, error) {
	list, err := Collect(v, q, t.Dest)
	if err != nil || t.Refer == nil || len(list) == 0 {
		return list, err
	}
	rows := make([]*N, len(list))
	for i := range list {
		rows[i] = &list[i]
	}
	return list, t.Refer(v.reading(), rows)
}

// Complete reads what a row refers to that was read by its columns.
func (t *Table[N]) Complete(on Reader, n *N) error { return t.Refer(on.reading(), []*N{n}) }

// Insert writes a new row. taken is the answer when the row breaks a uniqueness.
func (t *Table[N]) Insert(tx Writer, n *N, taken error) error {
	return t.write(tx, t.Inserted, t.Values(n), taken)
}

// Update writes every column of the row that has n's key, but for those that are fixed; of a row
// that was noted as it was read, those alone that have changed.
func (t *Table[N]) Update(on Writer, n *N, taken error) error {
	tx, values := on.writing(), t.Values(n)
	if was, noted := tx.view.changes.was[t.rowKey(values)]; noted {
		return t.updateChanged(tx, was, n, taken)
	}
	if len(t.Fixed) > 0 {
		kept := values[:0]
		for i, c := range t.Own {
			if !slices.Contains(t.Fixed, c.Name) {
				kept = append(kept, values[i])
			}
		}
		values = kept
	}
	return t.write(tx, t.updated, values, taken)
}

func (t *Table[N]) write(on Writer, statement Text, values []any, taken error) error {
	tx := on.writing()
	q := tx.view.SQL(statement)
	q.Args = values
	if t.Late && taken == nil {
		return tx.Later(q)
	}
	_, err := tx.Exec(q)
	return tx.Unique(err, taken)
}

// insertedAtOnce is how many rows of many go as plain values in one statement: faster than
// JSON that the database takes apart, which carries the rest. More are slower: the driver for
// SQLite looks for the name of each value among those before it.
const insertedAtOnce = 25

// InsertMany writes new rows. Its statements are the same for every number of them, and stay
// prepared.
func (t *Table[N]) InsertMany(tx Writer, list []N) error {
	for ; len(list) >= insertedAtOnce; list = list[insertedAtOnce:] {
		if err := t.insertValues(tx, list[:insertedAtOnce]); err != nil {
			return err
		}
	}
	switch len(list) {
	case 0:
		return nil
	case 1:
		return t.Insert(tx, &list[0], nil)
	default:
		return t.insertRows(tx, list)
	}
}

// insertValues writes rows as plain values.
func (t *Table[N]) insertValues(on Writer, list []N) error {
	tx := on.writing()
	rows := rowsOf{table: t.Name, names: t.Names()}
	for i := range list {
		rows.values = append(rows.values, t.Values(&list[i]))
	}
	_, err := tx.Exec(rows.inserting(&tx.view))
	return err
}

// insertRows writes rows that travel as one argument.
func (t *Table[N]) insertRows(on Writer, list []N) error {
	tx := on.writing()
	q, err := t.InsertingRows(tx, list)
	if err != nil {
		return err
	}
	_, err = tx.Exec(q)
	return err
}

// InsertingRows is the statement of insertRows, for those who have more to say at its end.
func (t *Table[N]) InsertingRows(tx Writer, list []N) (*Query, error) {
	names, rows := t.Names(), make([]map[Text]any, len(list))
	for i := range list {
		rows[i] = make(map[Text]any, len(names))
		for j, value := range t.Values(&list[i]) {
			if valuer, ok := value.(driver.Valuer); ok {
				var err error
				if value, err = valuer.Value(); err != nil {
					return nil, err
				}
			}
			rows[i][names[j]] = value
		}
	}
	q := tx.writing().view.SQL("INSERT INTO " + t.Name + " (").List(names).Add(") SELECT ").List(names).Add(" FROM ")
	return q.Rows(t.Name, names, rows), nil
}

// Names is the columns that are the table's own.
func (t *Table[N]) Names() []Text {
	names := make([]Text, len(t.Own))
	for i := range names {
		names[i] = t.Own[i].Name
	}
	return names
}

// Page reads one page of the rows under a condition, and how many there are in all.
func (t *Table[N]) Page(on Reader, page belay.Page, order Text, condition Text, args ...any) ([]N, int, error) {
	v := on.reading()
	q := v.SQL(t.Selected).Add("WHERE ").Add(condition, args...)
	list, err := t.Many(v, q.Add(" ORDER BY "+order).Page(page))
	return Counted(v, list, err, page, func() *Query {
		return v.SQL("SELECT count(*) FROM "+t.From+" WHERE ").Add(condition, args...)
	})
}

// Counted is a page with how many rows there are in all, which are counted where the page does not tell it.
func Counted[N any](v Reader, list []N, err error, page belay.Page, count func() *Query) ([]N, int, error) {
	if err != nil {
		return nil, 0, err
	}
	if total, told := page.Total(len(list)); told {
		return list, total, nil
	}
	total, _, err := Value[int](v, count())
	return list, total, err
}
