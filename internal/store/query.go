package store

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/belayhq/belay"
)

// query is a statement in the making. Fragments carry ? for their arguments, which
// become $1, $2 … in the order they are added.
type query struct {
	dialect *dialect
	built   strings.Builder
	args    []any
}

// add appends a fragment and its arguments.
func (q *query) add(fragment text, args ...any) *query {
	rest := string(fragment)
	for _, arg := range args {
		before, after, _ := strings.Cut(rest, "?")
		q.args = append(q.args, arg)
		q.built.WriteString(before)
		q.built.WriteByte('$')
		q.built.WriteString(strconv.Itoa(len(q.args)))
		rest = after
	}
	q.built.WriteString(rest)
	return q
}

// in appends "expression IN (the list)" as one argument, so that the text stays the same
// for every length and the statement stays prepared.
func (q *query) in(expression text, list []string) *query {
	if list == nil {
		list = []string{}
	}
	q.built.WriteString(string(expression))
	return q.add(q.dialect.in, q.dialect.list(list))
}

// oneOf is in, but says "=" where the list holds one: that is planned better.
func (q *query) oneOf(expression text, list []string) *query {
	if len(list) == 1 {
		return q.add(expression+" = ?", list[0])
	}
	return q.in(expression, list)
}

// beside appends a further condition on rows that a list names by their ids. SQLite would
// find them by it, and walk all that an organization has.
func (q *query) beside(condition text, arg any) *query {
	return q.add(" AND "+q.dialect.beside+condition, arg)
}

// anyLike appends that a text contains one of some parts.
func (q *query) anyLike(subject text, parts []string) *query {
	for i, part := range parts {
		if i > 0 {
			q.add(" OR ")
		} else {
			q.add("(")
		}
		q.like(subject, contains(part))
	}
	return q.add(")")
}

// list appends names, with commas between them.
func (q *query) list(names []text) *query {
	for i, name := range names {
		if i > 0 {
			q.add(", ")
		}
		q.add(name)
	}
	return q
}

// rows appends rows as a table called given, all of them one argument. Their columns are of
// the types that those of the same names in a table of the database have.
func (q *query) rows(table text, columns []text, rows any) *query {
	raw, err := json.Marshal(rows)
	if err != nil { // of plain values only
		panic(err)
	}
	return q.add(q.dialect.rows(table, columns), string(raw))
}

// like appends that a text is like a pattern, which takes no notice of case.
func (q *query) like(subject text, pattern string) {
	if q.dialect.likeFolds {
		q.add(subject+` LIKE (? || '') ESCAPE '\'`, pattern) // not bare: see page
		return
	}
	q.add("LOWER("+subject+`) LIKE ? ESCAPE '\'`, pattern)
}

// usualLimits are the numbers of rows that stand in the text of a statement: PostgreSQL plans
// for so few, and takes what is an argument for a tenth of all there is. They are few, since
// each makes a text of its own, and texts stay prepared.
var usualLimits = map[int]text{
	1: " LIMIT 1", 2: " LIMIT 2", 3: " LIMIT 3", 5: " LIMIT 5", 10: " LIMIT 10", 20: " LIMIT 20", 21: " LIMIT 21",
	25: " LIMIT 25", 50: " LIMIT 50", 100: " LIMIT 100", 101: " LIMIT 101", RowsAtOnce: " LIMIT 500",
}

// first appends how many rows of an order are wanted.
//
// SQLite looks at the value of a bare LIMIT to plan by it, and so prepares the statement
// anew each time it is bound; a sum it leaves alone.
func (q *query) first(n int) *query {
	if usual, ok := usualLimits[n]; ok {
		return q.add(usual)
	}
	return q.add(" LIMIT ? + 0", n)
}

// page appends which rows of an order are wanted.
func (q *query) page(p belay.Page) *query { return q.pageAndMore(p, 0) }

// pageAndMore is page, and some rows of the next one.
func (q *query) pageAndMore(p belay.Page, more int) *query {
	q.first(p.Size + more)
	if offset := p.Offset(); offset > 0 {
		q.add(" OFFSET ?", offset)
	}
	return q
}

// String is the statement's text.
func (q *query) String() string { return q.built.String() }

// key names the statement with its arguments, for a cache.
func (q *query) key() string {
	raw, err := json.Marshal(q.args)
	if err != nil {
		return ""
	}
	return q.String() + string(raw)
}

// contains is a pattern for text anywhere in a value.
func contains(part string) string { return "%" + escapeLike(part) + "%" }

// wildcard is a pattern for a text in which * stands for anything.
func wildcard(pattern string) string {
	for strings.Contains(pattern, "**") {
		pattern = strings.ReplaceAll(pattern, "**", "*")
	}
	return strings.ReplaceAll(escapeLike(pattern), "*", "%")
}

// longestPattern is longer than any text that is searched. SQLite refuses a pattern of more than 50,000 bytes.
const longestPattern = 16_000

func escapeLike(part string) string {
	if len(part) > longestPattern {
		part = strings.ToValidUTF8(part[:longestPattern], "")
	}
	return strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(strings.Map(lowered, part))
}

// lowerEach is LOWER of each text.
func lowerEach(texts []string) []string {
	list := make([]string, len(texts))
	for i, text := range texts {
		list[i] = strings.Map(lowered, text)
	}
	return list
}

// lowered is LOWER of a letter, as both engines know it: that of ASCII.
func lowered(r rune) rune {
	if 'A' <= r && r <= 'Z' {
		return r + 'a' - 'A'
	}
	return r
}
