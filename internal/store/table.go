package store

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/belayhq/belay"
)

// column is one column of a table: its name, and the field it is kept in. The field is
// read to write the row, and written to read it.
type column[N any] struct {
	name text
	at   func(*N) any
}

// table is a noun's columns, written once. The first column is the key.
type table[N any] struct {
	name   text
	own    []column[N]
	joined []column[N] // expressions that are read with the row and never written
	from   text        // what the row is read from; the table itself when empty
	hold   text        // the alias whose row is held in a transaction; the table when empty
	late   bool        // nothing but rows that its writers hold is locked by writing it: that need not be waited for
	fixed  []text      // what is written once: an update of it would write its indexes, too

	selected text // SELECT … FROM …
	inserted text // INSERT INTO … VALUES (…)
	updated  text // UPDATE … WHERE key = $1
}

// newTable writes the table's statements.
func newTable[N any](t table[N]) *table[N] {
	if t.from == "" {
		t.from = t.name
	}
	if t.hold == "" {
		t.hold = t.name
	}
	var names, places, sets []string
	for i, c := range t.own {
		names = append(names, string(c.name))
		places = append(places, "$"+strconv.Itoa(i+1))
		if i > 0 && !slices.Contains(t.fixed, c.name) {
			sets = append(sets, string(c.name)+" = $"+strconv.Itoa(len(sets)+2))
		}
	}
	t.selected = "SELECT " + t.columns() + " FROM " + t.from + " "
	t.inserted = "INSERT INTO " + t.name + text(" ("+strings.Join(names, ", ")+") VALUES ("+strings.Join(places, ", ")+")")
	t.updated = "UPDATE " + t.name + text(" SET "+strings.Join(sets, ", ")) + " WHERE " + t.own[0].name + " = $1"
	return &t
}

// columns is what a row is read as, in the order of dest.
func (t *table[N]) columns() text {
	var list []string
	for _, c := range t.own {
		list = append(list, string(t.hold+"."+c.name))
	}
	for _, c := range t.joined {
		list = append(list, string(c.name))
	}
	return text(strings.Join(list, ", "))
}

// dest is where a row is scanned to.
func (t *table[N]) dest(n *N) []any {
	dest := make([]any, 0, len(t.own)+len(t.joined))
	for _, c := range t.own {
		dest = append(dest, c.at(n))
	}
	for _, c := range t.joined {
		dest = append(dest, c.at(n))
	}
	return dest
}

// values is what a row is written with.
func (t *table[N]) values(n *N) []any {
	args := make([]any, len(t.own))
	for i, c := range t.own {
		args[i] = fieldValue(c.at(n))
	}
	return args
}

// unqualified is the table's own columns, for RETURNING.
func (t *table[N]) unqualified() text {
	var list text
	for i, c := range t.own {
		if i > 0 {
			list += ", "
		}
		list += c.name
	}
	return list
}

// one reads the one row that the condition finds, and holds it in a transaction.
// An absent row is belay.ErrNotFound.
func (t *table[N]) one(v *View, condition text, args ...any) (N, error) {
	var zero N
	q := v.sql(t.selected).add("WHERE ").add(condition, args...)
	if v.hold != "" {
		q.add(v.hold + " OF " + t.hold)
	}
	list, err := collect(v, q, t.dest)
	if err != nil {
		return zero, err
	}
	if len(list) == 0 {
		return zero, belay.ErrNotFound
	}
	return list[0], nil
}

// many reads the rows of a query that begins with the table's selected text.
func (t *table[N]) many(v *View, q *query) ([]N, error) { return collect(v, q, t.dest) }

// insert writes a new row. taken is the answer when the row breaks a uniqueness.
func (t *table[N]) insert(tx *Tx, n *N, taken error) error {
	return t.write(tx, t.inserted, t.values(n), taken)
}

// update writes every column of the row that has n's key, but for those that are fixed.
func (t *table[N]) update(tx *Tx, n *N, taken error) error {
	values := t.values(n)
	if len(t.fixed) > 0 {
		kept := values[:0]
		for i, c := range t.own {
			if !slices.Contains(t.fixed, c.name) {
				kept = append(kept, values[i])
			}
		}
		values = kept
	}
	return t.write(tx, t.updated, values, taken)
}

func (t *table[N]) write(tx *Tx, statement text, values []any, taken error) error {
	q := tx.sql(statement)
	q.args = values
	if t.late && taken == nil {
		return tx.later(q)
	}
	_, err := tx.exec(q)
	return tx.unique(err, taken)
}

// insertedAtOnce is how many rows of many go as plain values in one statement: faster than
// JSON that the database takes apart, which carries the rest. More are slower: the driver for
// SQLite looks for the name of each value among those before it.
const insertedAtOnce = 25

// insertMany writes new rows. Its statements are the same for every number of them, and stay
// prepared.
func (t *table[N]) insertMany(tx *Tx, list []N) error {
	for ; len(list) >= insertedAtOnce; list = list[insertedAtOnce:] {
		if err := t.insertValues(tx, list[:insertedAtOnce]); err != nil {
			return err
		}
	}
	switch len(list) {
	case 0:
		return nil
	case 1:
		return t.insert(tx, &list[0], nil)
	default:
		return t.insertRows(tx, list)
	}
}

// insertValues writes rows as plain values.
func (t *table[N]) insertValues(tx *Tx, list []N) error {
	row := text("(?" + strings.Repeat(", ?", len(t.own)-1) + ")")
	q := tx.sql("INSERT INTO " + t.name + " (").list(t.names()).add(") VALUES ")
	for i := range list {
		if i > 0 {
			q.add(", ")
		}
		q.add(row, t.values(&list[i])...)
	}
	_, err := tx.exec(q)
	return err
}

// insertRows writes rows that travel as one argument.
func (t *table[N]) insertRows(tx *Tx, list []N) error {
	q, err := t.insertingRows(tx, list)
	if err != nil {
		return err
	}
	_, err = tx.exec(q)
	return err
}

// insertingRows is the statement of insertRows, for those who have more to say at its end.
func (t *table[N]) insertingRows(tx *Tx, list []N) (*query, error) {
	names, rows := t.names(), make([]map[text]any, len(list))
	for i := range list {
		rows[i] = make(map[text]any, len(names))
		for j, value := range t.values(&list[i]) {
			if valuer, ok := value.(driver.Valuer); ok {
				var err error
				if value, err = valuer.Value(); err != nil {
					return nil, err
				}
			}
			rows[i][names[j]] = value
		}
	}
	q := tx.sql("INSERT INTO " + t.name + " (").list(names).add(") SELECT ").list(names).add(" FROM ")
	return q.rows(t.name, names, rows), nil
}

func (t *table[N]) names() []text {
	names := make([]text, len(t.own))
	for i := range names {
		names[i] = t.own[i].name
	}
	return names
}

// page reads one page of the rows under a condition, and how many there are in all.
func (t *table[N]) page(v *View, page belay.Page, order text, condition text, args ...any) ([]N, int, error) {
	total, _, err := value[int](v, v.sql("SELECT count(*) FROM "+t.from+" WHERE ").add(condition, args...))
	if err != nil || total == 0 {
		return nil, 0, err
	}
	q := v.sql(t.selected).add("WHERE ").add(condition, args...)
	q.add(" ORDER BY " + order).page(page)
	list, err := t.many(v, q)
	return list, total, err
}

// unique turns a broken uniqueness into the domain's refusal.
func (tx *Tx) unique(err, taken error) error {
	if err != nil && taken != nil && tx.db.dialect.uniqueViolation(err) {
		return taken
	}
	return err
}

// fieldValue is what a column's field holds, in a form that both drivers take.
func fieldValue(field any) any {
	switch f := field.(type) {
	case *string:
		return *f
	case *bool:
		return *f
	case *int:
		return int64(*f)
	case *int64:
		return *f
	case driver.Valuer:
		return f
	default:
		return reflect.ValueOf(field).Elem().Convert(kindOf(field)).Interface()
	}
}

// kindOf is the plain type under a named one, such as string under ExecutionMode.
func kindOf(field any) reflect.Type {
	if reflect.TypeOf(field).Elem().Kind() == reflect.String {
		return reflect.TypeFor[string]()
	}
	return reflect.TypeFor[int64]()
}

// millis keeps a time as milliseconds, and the zero time as 0.
type millis struct{ at *time.Time }

// Value writes the time.
func (m millis) Value() (driver.Value, error) { return unixMillis(*m.at), nil }

// Scan reads the time.
func (m millis) Scan(src any) error {
	ms, ok := src.(int64)
	if !ok && src != nil {
		return fmt.Errorf("a time is kept as a number, not as %T", src)
	}
	*m.at = time.Time{}
	if ms != 0 {
		*m.at = time.UnixMilli(ms).UTC()
	}
	return nil
}

func unixMillis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// jsonText keeps a value as JSON text, and its zero value as the empty text.
type jsonText[T any] struct{ at *T }

// Value writes the value.
func (j jsonText[T]) Value() (driver.Value, error) {
	if reflect.ValueOf(j.at).Elem().IsZero() {
		return "", nil
	}
	raw, err := json.Marshal(j.at)
	return string(raw), err
}

// Scan reads the value.
func (j jsonText[T]) Scan(src any) error {
	var zero T
	*j.at = zero
	switch s := src.(type) {
	case string:
		if s == "" {
			return nil
		}
		return json.Unmarshal([]byte(s), j.at)
	case []byte:
		if len(s) == 0 {
			return nil
		}
		return json.Unmarshal(s, j.at)
	case nil:
		return nil
	default:
		return fmt.Errorf("JSON is kept as text, not as %T", src)
	}
}
