package plan

import (
	"errors"
	"slices"
	"strconv"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/base"
	"github.com/belayhq/belay/internal/store/core"
)

// listing is a list of workspaces on its way: what is asked for, and what is known of the
// tags in it.
type listing struct {
	o     belay.Organization
	want  belay.WorkspaceQuery
	tags  []tagTerm // that a workspace must have, or must not
	empty bool      // nothing can match
	few   bool      // the caller sees so few workspaces that a list begins with them

	facets []facetTerm // that a workspace must fit
	grams  *gramTerm   // by which a part of the name is found that few have
	search *following  // what is known of it from before; nil where it is not followed
}

// Workspaces is one page of an organization's workspaces, and how many there are in all.
func (v *View) Workspaces(o belay.Organization, want belay.WorkspaceQuery) ([]belay.Workspace, int, error) {
	if want.MatchesNothing {
		return nil, 0, nil
	}
	l, err := v.listing(o, want)
	if err == nil && l.empty {
		err = v.learnNone(l)
	}
	if err != nil || l.empty {
		return nil, 0, err
	}
	if l.few, err = v.fewSeen(o, want.Scope); err != nil {
		return nil, 0, err
	}
	count := v.countOf(l)
	if count.known && count.total == 0 {
		return nil, 0, nil
	}
	list, err := v.workspacePage(l, count)
	if err != nil || count.known {
		return list, count.total, errors.Join(err, v.learn(l, count.total, false))
	}
	total, err := v.totalOf(l, count, list)
	if err != nil {
		return nil, 0, err
	}
	return list, total, nil
}

// totalOf counts a list that a page was read of. A page that is not full ends the list, and so tells the total.
func (v *View) totalOf(l *listing, count count, list []belay.Workspace) (total int, err error) {
	want := &l.want
	total = want.Page.Offset() + len(list)
	tells := len(list) < want.Page.Size && (len(list) > 0 || total == 0)
	look := func() (int, bool, error) {
		if tells {
			return total, true, nil
		}
		if l.byRunAlone() && v.seat().Sits() {
			total, err := v.totalByRun(l)
			return total, true, err
		}
		total, _, err := sqldb.Value[int](v, count.statement)
		return total, true, err
	}
	mine := false
	if count.key == "" {
		total, _, err = look()
	} else {
		total, mine, err = v.db.counts.of(v, count.key, look)
	}
	if err == nil {
		err = v.learn(l, total, mine)
	}
	return total, err
}

// byRunAlone says that a list asks for statuses of runs and for nothing else.
func (l *listing) byRunAlone() bool {
	want := l.want
	want.RunStatuses = nil
	return l.want.RunStatuses != nil && want.Unfiltered()
}

// totalByRun is the total of such a list as the strip above it on its page has it: of many it is some seconds old.
func (v *View) totalByRun(l *listing) (total int, err error) {
	counts, err := v.WorkspacesByRunStatus(l.o)
	for _, status := range slices.Compact(slices.Sorted(slices.Values(l.want.RunStatuses))) {
		total += counts[status]
	}
	return total, err
}

func (v *View) workspacePage(l *listing, total count) ([]belay.Workspace, error) {
	need := otherOrder
	if l.want.Sort.ByName() {
		need = nameOrder
	}
	d := l.origin(need)
	row := l.row(d, need)
	// The page is found on the index alone; only its rows are read whole.
	q := v.SQL(core.Listed.Selected, l.o.ID, l.o.ID)
	q.Add("JOIN (SELECT " + row.id + " AS id FROM ")
	addWorkspaces(q, l, d, row)
	w := v.windowOf(l, total, q)
	if w.size == 0 {
		return nil, nil
	}
	_, outer := workspaceOrder(l.want.Sort)
	by := l.want.Sort
	switch {
	case w.after != "" && by.Descending:
		q.Add(" AND "+row.name+" < ?", w.after)
	case w.after != "":
		q.Add(" AND "+row.name+" > ?", w.after)
	case w.fromEnd:
		by.Descending = !by.Descending
	}
	l.addFirst(q, d, w)
	inner, _ := workspaceOrder(by)
	switch {
	case !row.whole && by.Descending:
		inner = "d.workspace_name DESC, d.workspace_id DESC"
	case !row.whole:
		inner = "d.workspace_name, d.workspace_id"
	}
	q.Add(" ORDER BY " + inner).First(w.size)
	if w.skip > 0 {
		q.Add(" OFFSET ?", w.skip)
	}
	q.Add(") page ON page.id = w.id ORDER BY " + outer)
	list, err := v.rowsOfPage(l, w, q, outer)
	for i := range list {
		list[i].Organization = l.o
	}
	if err == nil {
		v.keep(w, list)
	}
	return list, err
}

// rowsOfPage is the rows that a statement finds, or those that it found before where they are the same.
func (v *View) rowsOfPage(l *listing, w window, q *query, order text) ([]belay.Workspace, error) {
	key, lasts := v.lasting(l, w, q)
	if !lasts {
		return v.workspacesOf(q, false)
	}
	var list []belay.Workspace
	ids, mine, err := v.db.found.of(v, key, func() (ids []string, keep bool, err error) {
		if list, err = v.workspacesOf(q, false); err == nil {
			l.found(w, list)
			ids = base.IDsOf(list, func(w *belay.Workspace) string { return w.ID })
		}
		return ids, len(list) > 0 && len(list) <= mostRows, err
	})
	if err != nil || mine || len(ids) == 0 {
		return list, err
	}
	if list, err = v.foundAgain(l, ids, order); err != nil || len(list) == len(ids) {
		return list, err
	}
	return v.workspacesOf(q, false)
}

// count is how many workspaces a list finds: known already, or the statement that counts.
type count struct {
	known     bool
	total     int
	statement *query
	key       string // what the total is kept under, for a generation of the organization
}

// countOf is the total of a list: from a counter where there is one, else counted once
// for every generation of the organization.
func (v *View) countOf(l *listing) count {
	if total, ok := l.counter(); ok {
		return count{known: true, total: total}
	}
	q := v.SQL("SELECT ")
	l.addCount(q)
	c := count{statement: q}
	if l.want.Countable() {
		c.key = countKey(l.o, q)
		if c.total, c.known = v.db.counts.kept.Get(c.key); !c.known && l.search != nil {
			c.total, c.known = l.search.now.total, l.search.known
		}
	}
	return c
}

// addCount appends what counts a list.
func (l *listing) addCount(q *query) {
	if total, only, ok := l.leftOver(); ok {
		addUnionOf(q.Add("? - count(*) FROM (", total), l.o, l.excluded()).Add(") d")
		if only >= 0 {
			q.Add(" WHERE COALESCE((SELECT 1 FROM workspace_tags g WHERE g.workspace_id = d.workspace_id AND g.tag_id = ?), 0) <> 0", l.tags[only].tagID)
		}
	} else if l.nearlyAllFree() {
		q.Add("? - count(*) FROM workspace_locks l WHERE l.organization_id = ?", l.o.WorkspaceCount, l.o.ID)
	} else {
		d := l.origin(anyOrder)
		addWorkspaces(q.Add("count(*) FROM "), l, d, l.row(d, anyOrder))
	}
}

// WorkspaceTotals is how many workspaces each of some lists finds. Those that are not known are counted in one statement.
func (v *View) WorkspaceTotals(o belay.Organization, wants ...belay.WorkspaceQuery) ([]int, error) {
	lists, err := v.listings(o, wants...)
	if err != nil {
		return nil, err
	}
	totals, keys := make([]int, len(lists)), make([]string, len(lists))
	q, between := v.SQL(""), text("")
	for i, l := range lists {
		if l.empty || l.want.MatchesNothing {
			continue
		}
		if l.few, err = v.fewSeen(o, l.want.Scope); err != nil {
			return nil, err
		}
		c := v.countOf(l)
		if totals[i], keys[i] = c.total, c.key; c.known {
			continue
		}
		l.addCount(q.Add(between+"SELECT CAST(? AS BIGINT), (SELECT ", i))
		q.Add(")")
		between = " UNION ALL "
	}
	if between == "" {
		return totals, nil
	}
	type total struct{ at, n int }
	found, err := sqldb.Collect(v, q, func(t *total) []any { return []any{&t.at, &t.n} })
	for _, t := range found {
		if totals[t.at] = t.n; keys[t.at] != "" && !v.InTx() {
			v.db.counts.kept.Add(keys[t.at], t.n)
		}
	}
	return totals, err
}

// counter is the total of a list that a counter tells.
func (l *listing) counter() (int, bool) {
	want := l.want
	tags := want.Tags != nil || want.ExcludeTags != nil || want.Tagged != nil
	want.Tags, want.ExcludeTags, want.Tagged = nil, nil, nil
	without := want.WithoutWorkspace != ""
	want.WithoutWorkspace = ""
	switch {
	case l.nearlyAllFree() && l.facets[0].size > probeLimit: // measured as all without the few that are locked
		return l.facets[0].size, true
	case !want.Unfiltered():
		return 0, false
	case !tags && without:
		return l.o.WorkspaceCount - 1, true
	case len(l.tags) == 0 && !without:
		return l.o.WorkspaceCount, true
	case len(l.tags) == 1 && !without && l.tags[0].onlyFlat():
		if l.tags[0].exclude {
			return l.o.WorkspaceCount - l.tags[0].flat, true
		}
		return l.tags[0].flat, true
	default:
		return 0, false
	}
}

// excluded is the tags that the list leaves out.
func (l *listing) excluded() (terms []tagTerm) {
	for _, t := range l.tags {
		if t.exclude {
			terms = append(terms, t)
		}
	}
	return terms
}

// leftOver says that a list is all workspaces, or all of one flat tag, without those of
// some tags that have fewer: then it is quicker to count what is left out. only is the
// number of that flat tag; -1 when there is none.
func (l *listing) leftOver() (total, only int, ok bool) {
	want := l.want
	want.Tags, want.ExcludeTags, want.Tagged = nil, nil, nil
	total, only = l.o.WorkspaceCount, -1
	out := 0
	for i, t := range l.tags {
		switch n, _ := t.size(); {
		case t.exclude:
			out += n
		case only >= 0 || !t.onlyFlat():
			return 0, 0, false
		default:
			total, only = t.flat, i
		}
	}
	return total, only, want.Unfiltered() && out > 0 && out <= total
}

// rowName is what a row of a list is called in its statement.
type rowName struct {
	id, name text
	whole    bool // the row of the workspace is there, and not only its id and name
}

var (
	wholeRow = rowName{id: "f.id", name: "f.name", whole: true}
	thinRow  = rowName{id: "d.workspace_id", name: "d.workspace_name"}
)

// nearlyAllFree says that a list is of all workspaces that are not locked, and many are not: then it
// is quicker to count those that are. Locks move no generation, so they are counted each time.
func (l *listing) nearlyAllFree() bool {
	want := l.want
	want.Lock = belay.AnyLock
	return l.want.Lock == belay.OnlyUnlocked && want.Unfiltered() && l.facets[0].size >= probeLimit
}

// row is the thin row of an ordered tag table where that is enough.
func (l *listing) row(d origin, need order) rowName {
	w := l.want
	thin := d.ordered() && need != otherOrder && w.Projects == nil && w.RunStatuses == nil && l.facets == nil
	for i, t := range l.tags {
		thin = thin && (t.inherited == 0 || i == d.term)
	}
	if thin {
		return thinRow
	}
	return wholeRow
}

// addWorkspaces appends where a list is read from and its conditions: the one place that
// says what a query means.
func addWorkspaces(q *query, l *listing, d origin, row rowName) {
	addFrom(q, l, d, row)
	want := l.want
	if !want.Scope.Everything && d.kind != byScope {
		q.In(" AND "+row.id+" IN (SELECT m.id FROM workspaces m WHERE m.id", want.Scope.Workspaces)
		q.In(" UNION SELECT m.id FROM workspaces m WHERE m.project_id", want.Scope.Projects)
		q.Add(")")
	}
	if want.Projects != nil {
		q.In(" AND f.project_id", want.Projects)
	}
	if want.Search != "" {
		q.Add(" AND ").Like(row.name, sqldb.Contains(want.Search))
	}
	if want.Wildcard != "" {
		q.Add(" AND ").Like(row.name, sqldb.Wildcard(want.Wildcard))
	}
	if want.RunStatuses != nil {
		q.OneOf(" AND f.current_run_status", want.RunStatuses)
	}
	if want.ConsumersOf != "" {
		q.Add(" AND "+row.id+" IN (SELECT c.consumer_id FROM remote_state_consumers c WHERE c.workspace_id = ?)", want.ConsumersOf)
	}
	if want.WithoutWorkspace != "" {
		q.Add(" AND "+row.id+" <> ?", want.WithoutWorkspace)
	}
	for i, t := range l.tags {
		if d.kind == byFacet || i != d.term {
			addTagged(q, t, row)
		}
	}
	addAsked(q, l, d)
}

// workspaceOrder is the order of a page: for finding it, and for giving it. What is
// missing comes last, whichever the direction.
func workspaceOrder(by belay.WorkspaceSort) (inner, outer text) {
	switch {
	case by.Key == "latest-change-at" && by.Descending:
		return "f.latest_change_at DESC, f.id DESC", "w.latest_change_at DESC, w.id DESC"
	case by.Key == "latest-change-at":
		return "f.latest_change_at, f.id", "w.latest_change_at, w.id"
	case by.Key == "current-run.created-at" && by.Descending:
		return "(f.current_run_at = 0), f.current_run_at DESC, f.id", "(w.current_run_at = 0), w.current_run_at DESC, w.id"
	case by.Key == "current-run.created-at":
		return "(f.current_run_at = 0), f.current_run_at, f.id", "(w.current_run_at = 0), w.current_run_at, w.id"
	case by.Descending:
		return "f.name DESC, f.id DESC", "w.name DESC, w.id DESC"
	default:
		return "f.name, f.id", "w.name, w.id"
	}
}

// countKey is what a count of an organization is kept by.
func countKey(o belay.Organization, q *query) string {
	return o.ID + ":" + strconv.FormatInt(o.Generation, 10) + ":" + strconv.FormatInt(o.AccessGeneration, 10) + ":" + q.Key()
}
