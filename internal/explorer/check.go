package explorer

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/belayhq/belay"
)

// The most that one question may ask.
const (
	maxFilters = 50
	maxValues  = 100
	maxValue   = 1000
)

// raw is a question as it was read, before anything of it is known to make sense.
type raw struct {
	view         string
	filters      []rawFilter
	sort, fields []part
}

// part is a text of the question, and where it stood.
type part struct {
	text, at string
	member   string // below it, in a body
}

type rawFilter struct {
	index, item     uint64 // its place among the filters of a URL, and that of its value
	at              string // the part of the question, for refusals
	field, operator string
	values          []string
	unread          bool // the values are none: it was told

	fieldAt, operatorAt, valueAt string // below it, in a body
}

// problems collects what is wrong with a question. Each names the part, such as filter[0].
type problems struct {
	found   belay.Problems
	pointer string // where in a body the question stands; empty when it is of a URL
}

// at notes a problem with a part: a bad request or, in a body, what breaks its rules.
func (p *problems) at(where, format string, args ...any) { p.within(where, "", format, args...) }

// within notes a problem with a member of a part, which a body has below it.
func (p *problems) within(where, member, format string, args ...any) {
	if len(p.found) >= maxValues {
		return
	}
	refusal := belay.Refuse(belay.BadRequest, "%s: %s", where, fmt.Sprintf(format, args...))
	if p.pointer != "" {
		refusal = belay.Refuse(belay.Invalid, "%s", refusal.Detail)
		refusal.Place = belay.Place(p.pointer)
		if where == whole {
			refusal.Place += belay.Place(member)
		} else {
			refusal.Place += belay.Place("/" + strings.NewReplacer("[", "/", "]", "").Replace(where) + member)
		}
	}
	p.found = append(p.found, refusal)
}

// whole is the name of a question in a body.
const whole = "query"

// Asked is a filter as it is written.
type Asked struct {
	Field    string
	Operator Operator
	Values   []string
}

// WorkspacesWith is the question for the workspaces that some filters find; all without any.
func WorkspacesWith(filters ...Asked) (Query, error) {
	p, r := problems{pointer: "/query"}, raw{view: string(Workspaces)}
	for i, f := range filters {
		r.filters = append(r.filters, rawFilter{at: "filter[" + strconv.Itoa(i) + "]", field: f.Field, operator: string(f.Operator), values: f.Values})
	}
	return p.check(r)
}

// WorkspacesWhoseName is the question for the workspaces whose name contains a part; all where that is empty.
func WorkspacesWhoseName(part string) (Query, error) {
	if part == "" {
		return WorkspacesWith()
	}
	return WorkspacesWith(Asked{"workspace_name", Contains, []string{part}})
}

// check turns a question into a query, or says all that is wrong with it.
func (p *problems) check(r raw) (Query, error) {
	q := Query{View: View(r.view)}
	if !slices.Contains(Views, q.View) {
		p.at("type", "must be workspaces, tf_versions, providers, modules or resources")
		return Query{}, p.found.Err()
	}
	if len(r.filters) > maxFilters {
		p.at("filter", "there are more than %d filters", maxFilters)
		return Query{}, p.found.Err()
	}
	for _, f := range r.filters {
		q.Filters = append(q.Filters, p.filter(q.View, f))
	}
	for _, s := range r.sort {
		name, descending := strings.CutPrefix(s.text, "-")
		field := p.field(q.View, name, s.at, s.member)
		if !slices.ContainsFunc(q.Sort, func(other Sort) bool { return other.Field == field }) {
			q.Sort = append(q.Sort, Sort{field, descending})
		}
	}
	for _, f := range r.fields {
		if field := p.field(q.View, f.text, f.at, f.member); !slices.Contains(q.Fields, field) {
			q.Fields = append(q.Fields, field)
		}
	}
	if len(q.Fields) == 0 {
		q.Fields = q.View.Fields()
	}
	if err := p.found.Err(); err != nil {
		return Query{}, err
	}
	return q, nil
}

func (p *problems) field(v View, name, at, member string) Field {
	field, ok := v.Field(name)
	if !ok {
		p.within(at, member, "%q is no field of the view %s", short(name), v)
	}
	return field
}

func (p *problems) filter(v View, r rawFilter) Filter {
	f := Filter{Field: p.field(v, r.field, r.at, r.fieldAt), Texts: r.values}
	if f.Field.Name == "" {
		return f
	}
	f.Operator = Operator(strings.ReplaceAll(r.operator, " ", "_"))
	if !slices.Contains(operators[f.Field.Kind], f.Operator) {
		p.within(r.at, r.operatorAt, "%q is no operator of %s, which is a %s", short(r.operator), f.Field.Name, f.Field.Kind)
		return f
	}
	switch {
	case !f.Operator.TakesValues():
		f.Texts = nil
		return f
	case r.unread:
		return f
	case len(r.values) == 0:
		p.within(r.at, r.valueAt, "%s needs a value", f.Operator)
	case len(r.values) > maxValues:
		p.within(r.at, r.valueAt, "there are more than %d values", maxValues)
		return f
	case slices.Contains(r.values, "") && (f.Operator == Contains || f.Operator == DoesNotContain):
		// Every text contains it, and an action on everything can't be undone.
		p.within(r.at, r.valueAt, "%s needs a value that is not empty", f.Operator)
	}
	for _, value := range r.values {
		p.value(&f, r, value)
	}
	return f
}

// value checks one value and keeps it in the kind of its field.
func (p *problems) value(f *Filter, r rawFilter, value string) {
	if len(value) > maxValue || !utf8.ValidString(value) || strings.ContainsRune(value, 0) {
		p.within(r.at, r.valueAt, "a value must be text of at most %d bytes", maxValue)
		return
	}
	switch f.Field.Kind {
	case Number:
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			p.within(r.at, r.valueAt, "%q is no whole number", short(value))
		}
		f.Numbers = append(f.Numbers, n)
	case Boolean:
		if value != "true" && value != "false" {
			p.within(r.at, r.valueAt, "%q is neither true nor false", short(value))
		}
		f.Booleans = append(f.Booleans, value == "true")
	case Datetime:
		moment, ok := parseMoment(value)
		if !ok {
			p.within(r.at, r.valueAt, "%q is no timestamp such as 2026-01-02T15:04:05Z", short(value))
		}
		f.Numbers = append(f.Numbers, moment.UnixMilli())
	case Version:
		if f.Operator == Satisfies && !belay.AsksForReleases(value) {
			p.within(r.at, r.valueAt, "%q is not a version or a constraint such as < 1.9", short(value))
		}
	case String:
	}
}

// parseMoment reads a timestamp; one without a zone is in UTC.
func parseMoment(text string) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05", "2006-01-02T15:04", time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return at.UTC(), true
		}
	}
	return time.Time{}, false
}

// short keeps an answer about a long value short.
func short(text string) string {
	if len(text) <= 60 {
		return text
	}
	return strings.ToValidUTF8(text[:60], "") + "…"
}
