package sqldb

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/belayhq/belay"
)

// Text is SQL. Only constants become it by themselves, so a user's string can't be joined to it by
// accident: that does not compile.
type Text string

// RowsAtOnce is how many rows one transaction writes at the most where it is free to choose:
// so many hold SQLite's one writer for some 10 milliseconds.
const RowsAtOnce = 500

// Query is a statement in the making. Fragments carry ? for their arguments, which
// become $1, $2 … in the order they are added.
type Query struct {
	Dialect *Dialect
	built   strings.Builder
	Args    []any
}

// Add appends a fragment and its arguments, one for each ? of it. Another number of them is a mistake
// of whoever wrote the fragment, and panics.
func (q *Query) Add(fragment Text, args ...any) *Query {
	if marks := strings.Count(string(fragment), "?"); marks != len(args) {
		panic(fmt.Sprintf("sqldb: %d arguments for the %d marks of %q", len(args), marks, fragment))
	}
	rest := string(fragment)
	if q.built.Len() == 0 { // most statements are one fragment, and some of them long
		q.built.Grow(len(fragment) + 3*len(args))
	}
	for _, arg := range args {
		before, after, _ := strings.Cut(rest, "?")
		q.Args = append(q.Args, arg)
		q.built.WriteString(before)
		q.built.WriteByte('$')
		q.built.WriteString(strconv.Itoa(len(q.Args)))
		rest = after
	}
	q.built.WriteString(rest)
	return q
}

// In appends "expression IN (the list)" as one argument, so that the text stays the same
// for every length and the statement stays prepared.
func (q *Query) In(expression Text, list []string) *Query {
	if list == nil {
		list = []string{}
	}
	q.built.WriteString(string(expression))
	return q.Add(q.Dialect.In, q.Dialect.List(list))
}

// OneOf is in, but says "=" where the list holds one: that is planned better.
func (q *Query) OneOf(expression Text, list []string) *Query {
	if len(list) == 1 {
		return q.Add(expression+" = ?", list[0])
	}
	return q.In(expression, list)
}

// Beside appends a further condition on rows that a list names by their ids. SQLite would
// find them by it, and walk all that an organization has.
func (q *Query) Beside(condition Text, arg any) *Query {
	return q.Add(" AND "+q.Dialect.Beside+condition, arg)
}

// AnyLike appends that a text contains one of some parts.
func (q *Query) AnyLike(subject Text, parts []string) *Query {
	for i, part := range parts {
		if i > 0 {
			q.Add(" OR ")
		} else {
			q.Add("(")
		}
		q.Like(subject, Contains(part))
	}
	return q.Add(")")
}

// List appends names, with commas between them.
func (q *Query) List(names []Text) *Query {
	for i, name := range names {
		if i > 0 {
			q.Add(", ")
		}
		q.Add(name)
	}
	return q
}

// Rows appends rows as a table called given, all of them one argument. Their columns are of
// the types that those of the same names in a table of the database have.
func (q *Query) Rows(table Text, columns []Text, rows any) *Query {
	raw, err := json.Marshal(rows)
	if err != nil { // of plain values only
		panic(err)
	}
	return q.Add(q.Dialect.rows(table, columns), string(raw))
}

// Like appends that a text is like a pattern, which takes no notice of case.
func (q *Query) Like(subject Text, pattern string) {
	if q.Dialect.likeFolds {
		q.Add(subject+` LIKE (? || '') ESCAPE '\'`, pattern) // not bare: see page
		return
	}
	q.Add("LOWER("+subject+`) LIKE ? ESCAPE '\'`, pattern)
}

// usualLimits are the numbers of rows that stand in the text of a statement: PostgreSQL plans
// for so few, and takes what is an argument for a tenth of all there is. They are few, since
// each makes a text of its own, and texts stay prepared.
var usualLimits = map[int]Text{
	1: " LIMIT 1", 2: " LIMIT 2", 3: " LIMIT 3", 5: " LIMIT 5", 10: " LIMIT 10", 20: " LIMIT 20", 21: " LIMIT 21",
	25: " LIMIT 25", 50: " LIMIT 50", 100: " LIMIT 100", 101: " LIMIT 101", RowsAtOnce: " LIMIT 500", 2001: " LIMIT 2001", 10_001: " LIMIT 10001",
}

// First appends how many rows of an order are wanted.
//
// SQLite looks at the value of a bare LIMIT to plan by it, and so prepares the statement
// anew each time it is bound; a sum it leaves alone.
func (q *Query) First(n int) *Query {
	if usual, ok := usualLimits[n]; ok {
		return q.Add(usual)
	}
	return q.Add(" LIMIT ? + 0", n)
}

// Page appends which rows of an order are wanted.
func (q *Query) Page(p belay.Page) *Query { return q.PageAndMore(p, 0) }

// PageAndMore is page, and some rows of the next one.
func (q *Query) PageAndMore(p belay.Page, more int) *Query {
	q.First(p.Size + more)
	if offset := p.Offset(); offset > 0 {
		q.Add(" OFFSET ?", offset)
	}
	return q
}

// String is the statement's text.
func (q *Query) String() string { return q.built.String() }

// Key names the statement with its arguments, for a cache.
func (q *Query) Key() string {
	raw, err := json.Marshal(q.Args)
	if err != nil {
		return ""
	}
	return q.String() + string(raw)
}

// Contains is a pattern for text anywhere in a value.
func Contains(part string) string { return "%" + EscapeLike(part) + "%" }

// Wildcard is a pattern for a text in which * stands for anything.
func Wildcard(pattern string) string {
	for strings.Contains(pattern, "**") {
		pattern = strings.ReplaceAll(pattern, "**", "*")
	}
	return strings.ReplaceAll(EscapeLike(pattern), "*", "%")
}

// longestPattern is longer than any text that is searched. SQLite refuses a pattern of more than 50,000 bytes.
const longestPattern = 16_000

// EscapeLike is a text that stands for itself in a pattern.
func EscapeLike(part string) string {
	if len(part) > longestPattern {
		part = strings.ToValidUTF8(part[:longestPattern], "")
	}
	return strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(strings.Map(lowered, part))
}

// LowerEach is LOWER of each text.
func LowerEach(texts []string) []string {
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

// Held has the rows of some tables held, where there is a hold.
func (q *Query) Held(hold, tables Text) *Query {
	if hold == "" {
		return q
	}
	return q.Add(hold + " OF " + tables)
}

// Held asks for rows with what they refer to, at most so many, and holds them. PostgreSQL leaves out a row that it waited for when
// it refers to something else since, a workspace to another project: what was joined to it is of before. One that is missing is
// looked for, and where it is there all are asked for again.
func Held[N any](hold Text, most int, ask func(hold Text) ([]N, error)) (list []N, err error) {
	for {
		if list, err = ask(hold); err != nil || hold == "" || len(list) >= most {
			return list, err
		}
		there, err := ask("")
		if err != nil || len(there) <= len(list) {
			return list, err
		}
	}
}
