package plan

import (
	"math"
	"strconv"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/core"
)

// tagTerm is one tag that a list asks for, and how many workspaces have it from where.
type tagTerm struct {
	key     string // of a tag binding
	value   string // of the tag binding; any will do when empty
	exclude bool   // the list is of those without it

	tagID     string // of the flat tag by that name; empty when there is none
	flat      int    // how many workspaces carry the flat tag
	own       int    // how many have such a binding of their own, up to probeLimit
	inherited int    // how many are in a project with such a binding, up to probeLimit
}

// probeLimit is up to where the size of a term is counted. Below it, a term's workspaces
// are few enough to be fetched and sorted.
const probeLimit = 2001

func (t tagTerm) onlyFlat() bool { return t.own == 0 && t.inherited == 0 }

// size is how many workspaces may have the term, and whether that is known.
func (t tagTerm) size() (n int, exact bool) {
	return t.flat + t.own + t.inherited, t.own < probeLimit && t.inherited < probeLimit
}

// listing finds out where the tags that a list asks for are, in one statement.
func (v *View) listing(o belay.Organization, want belay.WorkspaceQuery) (*listing, error) {
	list, err := v.listings(o, want)
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// listings is several lists at once: what their facets find is counted together.
func (v *View) listings(o belay.Organization, wants ...belay.WorkspaceQuery) ([]*listing, error) {
	list := make([]*listing, len(wants))
	var facets []facetTerm
	for i := range wants {
		list[i] = &listing{o: o, want: wants[i], facets: facetTerms(o, &wants[i])}
		facets = append(facets, list[i].facets...)
	}
	if err := v.sizeFacets(o, facets); err != nil {
		return nil, err
	}
	for _, l := range list {
		n := copy(l.facets, facets)
		facets = facets[n:]
		for _, t := range l.facets {
			l.empty = l.empty || t.size == 0
		}
		if err := v.sizeNames(l); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// sizeNames finds out how many have the parts of names and the tags that a list asks for.
func (v *View) sizeNames(l *listing) error {
	if err := v.sizeGrams(l); err != nil {
		return err
	}
	o, want := l.o, &l.want
	var asked []tagTerm
	for _, name := range want.Tags {
		asked = append(asked, tagTerm{tagID: strings.ToLower(name), key: name})
	}
	for _, filter := range want.Tagged {
		asked = append(asked, tagTerm{key: filter.Key, value: filter.Value})
	}
	for _, name := range want.ExcludeTags {
		asked = append(asked, tagTerm{tagID: strings.ToLower(name), key: name, exclude: true})
	}
	if asked == nil {
		return nil
	}
	key := termsKey(o.ID)
	for i := range asked {
		key += termsKey(strconv.Quote(asked[i].tagID) + strconv.Quote(asked[i].key) + strconv.Quote(asked[i].value))
	}
	found, err := core.Once(v.seat(), key, func() ([]tagTerm, error) { return v.sizeTerms(o, asked) }) // a page lists and counts by the same
	if err != nil {
		return err
	}
	for i, t := range found {
		t.exclude = asked[i].exclude
		switch n, _ := t.size(); {
		case n > 0:
			l.tags = append(l.tags, t)
		case !t.exclude:
			l.empty = true
		}
	}
	return nil
}

// termsKey is the tags that a list asks for.
type termsKey string

// sizeTerms looks the terms up. What stands in tagID on the way in is the name of the
// flat tag to look for.
func (v *View) sizeTerms(o belay.Organization, asked []tagTerm) ([]tagTerm, error) {
	q := v.SQL("")
	for i, t := range asked {
		if i > 0 {
			q.Add(" UNION ALL ")
		}
		q.Add(`SELECT CAST(? AS TEXT), COALESCE((SELECT t.id FROM tags t WHERE t.organization_id = ? AND t.name = ? AND NOT t.doomed), ''),
			COALESCE((SELECT t.instance_count FROM tags t WHERE t.organization_id = ? AND t.name = ? AND NOT t.doomed), 0)`,
			strconv.Itoa(i), o.ID, t.tagID, o.ID, t.tagID)
		addBound(q.Add(", (SELECT count(*) FROM (SELECT 1 FROM workspace_tag_bindings b WHERE "), o, t)
		addBound(q.First(probeLimit).Add(") c), (SELECT count(*) FROM (SELECT 1 FROM project_tag_bindings b JOIN workspaces m ON m.project_id = b.project_id WHERE "), o, t)
		q.First(probeLimit).Add(") c)")
	}
	type row struct {
		at   string
		term tagTerm
	}
	rows, err := sqldb.Collect(v, q, func(r *row) []any {
		return []any{&r.at, &r.term.tagID, &r.term.flat, &r.term.own, &r.term.inherited}
	})
	for _, r := range rows {
		at, _ := strconv.Atoi(r.at) // as it was written above
		t := &asked[at]
		t.tagID, t.flat, t.own, t.inherited = r.term.tagID, r.term.flat, r.term.own, r.term.inherited
	}
	return asked, err
}

// addBound appends which rows b of a table of bindings are of the term.
func addBound(q *query, o belay.Organization, t tagTerm) {
	q.Add("b.organization_id = ? AND b.key = ?", o.ID, t.key)
	if t.value != "" {
		q.Add(" AND b.value = ?", t.value)
	}
}

// origin is what a list is read from: one of its terms, or all workspaces in order.
type origin struct {
	kind originKind
	term int // which term it stands for; -1 when none
	need order
}

type originKind int

const (
	byRow     originKind = iota // the workspaces themselves, in the order of the list
	byTag                       // the workspaces of a flat tag, by name
	byBinding                   // the workspaces with a binding, by name
	byUnion                     // the workspaces of a term from all its sources, in no order
	byFacet                     // the workspaces of a facet, in no order
	byGrams                     // the few workspaces that may have a part of a name, in no order
	byNames                     // those whose names are known, in no order
	byScope                     // the few workspaces that the caller sees, in no order
)

// ordered says that the origin gives the workspaces by name.
func (d origin) ordered() bool { return d.kind == byTag || d.kind == byBinding }

// ofRows says that the origin gives the whole rows of workspaces.
func (d origin) ofRows() bool { return d.kind == byRow || d.kind == byUnion || d.ordered() }

// order is the order that a list needs its workspaces in.
type order int

const (
	anyOrder order = iota // to be counted
	nameOrder
	otherOrder
)

// origin picks what to read the list from: the term with the fewest workspaces, if they
// come in the right order or are few enough to be sorted.
func (l *listing) origin(need order) origin {
	if l.few {
		return origin{byScope, -1, need}
	}
	best, least := origin{byRow, -1, need}, math.MaxInt
	for i, t := range l.tags {
		n, exact := t.size()
		if !exact {
			n = l.o.WorkspaceCount
		}
		d := origin{t.source(), i, need}
		usable := need == anyOrder || need == nameOrder && d.ordered() || n < probeLimit
		if usable && !t.exclude && n < least {
			best, least = d, n
		}
	}
	for i, t := range l.facets {
		if t.size < min(probeLimit, least) {
			best, least = origin{byFacet, i, need}, t.size
		}
	}
	if l.knows() {
		return origin{byNames, -1, need}
	}
	if l.grams != nil && l.grams.size < least {
		best = origin{byGrams, -1, need}
	}
	return best
}

// source is where the workspaces of the term are found.
func (t tagTerm) source() originKind {
	switch {
	case t.onlyFlat():
		return byTag
	case t.flat == 0 && t.inherited == 0:
		return byBinding
	default:
		return byUnion
	}
}

// addFrom appends what the list is read from, up to its first condition.
func addFrom(q *query, l *listing, d origin, row rowName) {
	switch d.kind {
	case byRow:
		q.Add("workspaces f WHERE f.organization_id = ?", l.o.ID)
		return
	case byScope:
		addScope(q, l)
		return
	case byNames:
		addKnown(q, l)
		return
	case byGrams:
		addNamed(q, l)
		return
	case byFacet:
		addFacet(q, l, l.facets[d.term])
		return
	}
	t := l.tags[d.term]
	switch d.kind {
	case byTag:
		q.Add("workspace_tags d")
	case byBinding:
		q.Add("workspace_tag_bindings d")
	default:
		addUnionOf(q.Add("("), l.o, []tagTerm{t}).Add(") d")
	}
	if row.whole {
		q.Add(" CROSS JOIN workspaces f WHERE f.id = d.workspace_id")
	} else {
		q.Add(" WHERE 1 = 1")
	}
	switch d.kind {
	case byTag:
		q.Add(" AND d.tag_id = ?", t.tagID)
	case byBinding:
		q.Add(" AND d.organization_id = ? AND d.key = ?", l.o.ID, t.key)
		if t.value != "" {
			q.Add(" AND d.value = ?", t.value)
		}
	}
}

// addUnionOf appends the workspaces of terms, from all their sources.
func addUnionOf(q *query, o belay.Organization, terms []tagTerm) *query {
	between := text("")
	part := func(sql text) *query {
		q.Add(between + sql)
		between = " UNION "
		return q
	}
	for _, t := range terms {
		if t.flat > 0 {
			part("SELECT g.workspace_id FROM workspace_tags g WHERE ").Add("g.tag_id = ?", t.tagID)
		}
		if t.own > 0 {
			addBound(part("SELECT b.workspace_id FROM workspace_tag_bindings b WHERE "), o, t)
		}
		if t.inherited > 0 {
			addBound(part("SELECT m.id AS workspace_id FROM project_tag_bindings b JOIN workspaces m ON m.project_id = b.project_id WHERE "), o, t)
			if t.value != "" {
				q.Add(" AND (SELECT 1 FROM workspace_tag_bindings h WHERE h.workspace_id = m.id AND h.key = b.key) IS NULL")
			}
		}
	}
	return q
}

// addTagged appends the condition that the row has the term, or has not. A scalar subselect
// is looked up for each row; from EXISTS, PostgreSQL would join whole tables. And it takes
// IS NULL to hold for few rows, but <> 1 for most: then it walks them in order.
func addTagged(q *query, t tagTerm, row rowName) {
	q.Add(" AND COALESCE(")
	if t.flat > 0 {
		q.Add("(SELECT 1 FROM workspace_tags g WHERE g.tag_id = ? AND g.workspace_name = "+row.name+" AND g.workspace_id = "+row.id+"), ", t.tagID)
	}
	if t.own > 0 {
		q.Add("(SELECT 1 FROM workspace_tag_bindings b WHERE b.workspace_id = "+row.id+" AND b.key = ?", t.key)
		if t.value != "" {
			q.Add(" AND b.value = ?", t.value)
		}
		q.Add("), ")
	}
	if t.inherited > 0 {
		q.Add("(SELECT 1 FROM project_tag_bindings b WHERE b.project_id = f.project_id AND b.key = ?", t.key)
		if t.value != "" {
			q.Add(" AND b.value = ? AND (SELECT 1 FROM workspace_tag_bindings h WHERE h.workspace_id = f.id AND h.key = b.key) IS NULL", t.value)
		}
		q.Add("), ")
	}
	if t.exclude {
		q.Add("0) <> 1")
	} else {
		q.Add("0) <> 0")
	}
}
