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

// like appends that a text is like a pattern, which takes no notice of case.
func (q *query) like(subject text, pattern string) {
	if q.dialect.likeFolds {
		q.add(subject+` LIKE (? || '') ESCAPE '\'`, pattern) // not bare: see page
		return
	}
	q.add("LOWER("+subject+`) LIKE ? ESCAPE '\'`, pattern)
}

// page appends which rows of an order are wanted, and first how many of the first.
//
// SQLite looks at the value of a bare LIMIT to plan by it, and so prepares the statement
// anew each time it is bound; a sum it leaves alone.
func (q *query) page(p belay.Page) *query { return q.add(" LIMIT ? + 0 OFFSET ?", p.Size, p.Offset()) }

func (q *query) first(n int) *query { return q.add(" LIMIT ? + 0", n) }

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
	return strings.ReplaceAll(escapeLike(pattern), "*", "%")
}

func escapeLike(part string) string {
	return strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(strings.Map(lowered, part))
}

// lowered is LOWER of a letter, as both engines know it: that of ASCII.
func lowered(r rune) rune {
	if 'A' <= r && r <= 'Z' {
		return r + 'a' - 'A'
	}
	return r
}
