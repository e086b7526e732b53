package plan

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/base"
	"github.com/belayhq/belay/internal/store/core"
)

// What is remembered of pages: so many, and none of more rows or text.
const (
	mostPages = 64
	mostRows  = 100
	mostText  = 128 << 10
)

// listedRow is a row of a page with the versions of its workspace and its project.
type listedRow struct {
	belay.Workspace
	versions [2]uint32
}

// page is a page of a list as it was read, with nothing yet of what its rows refer to.
type page struct {
	base.Remembered
	rows []listedRow
	look PageLook
}

// PageLook is by what it is asked whether the rows of a page are the same: lists, each as one text.
type PageLook struct {
	IDs, Versions, ProjectIDs, ProjectVersions string
	Workspaces, Projects                       int // so many have one of these versions then
	page                                       *page
}

// PageLook is how a page is looked at that is remembered under a key; one of no rows: none is.
func (v *View) PageLook(key string) PageLook {
	p, known := v.db.pages.Get(key)
	if !known || !v.Remembers(p.Remembered) {
		return PageLook{IDs: "{}", Versions: "{}", ProjectIDs: "{}", ProjectVersions: "{}"}
	}
	return p.look
}

// Glimpse is what a request has seen of a page together with who asks. Note is told the key of the page that it is shown, for
// the next who asks for the same.
type Glimpse struct {
	Note func(key string)

	stands   *page // as it is remembered; nil: it is read
	requests map[string]int
	taken    atomic.Bool // what is read once more is read anew
}

// See says that all rows of a page are the same, and how many open change requests its workspaces have.
func (g *Glimpse) See(v *View, look PageLook, requests map[string]int) {
	if p := look.page; p != nil && v.Remembers(p.Remembered) {
		g.stands, g.requests = p, requests
	}
}

type glimpseKey struct{}

// Under is the context under which that page is read once by what was seen.
func (g *Glimpse) Under(ctx context.Context) context.Context {
	return context.WithValue(ctx, glimpseKey{}, g)
}

func (v *View) glimpse() *Glimpse {
	g, _ := v.Context().Value(glimpseKey{}).(*Glimpse)
	return g
}

// rowsAgain is the rows of a page that was seen.
func (g *Glimpse) rowsAgain() []belay.Workspace {
	list := make([]belay.Workspace, len(g.stands.rows))
	for i := range list {
		list[i] = g.stands.rows[i].Workspace
		list[i].OpenChangeRequests = g.requests[list[i].ID]
	}
	return list
}

// Forget drops what is remembered of pages.
func (db *DB) Forget() { db.pages.Purge() }

// workspacesOf is the rows of a statement that begins with the columns of listed workspaces. Where the same was asked before
// it is asked for ids and versions first: which rows there are, and in which order, is always found anew. Where the statement
// names its rows by ids, their versions may have been seen already.
func (v *View) workspacesOf(q *query, byID bool) ([]belay.Workspace, error) {
	if v.InTx() || !v.Versioned() {
		return core.Listed.Many(v, q)
	}
	key := q.Key()
	if g := v.glimpse(); byID && g != nil {
		g.Note(key)
	}
	list, same, err := v.lookAgain(key, q)
	if err == nil && !same {
		list, err = v.remembering(key, q)
	}
	if err != nil || len(list) == 0 {
		return list, err
	}
	rows := make([]*belay.Workspace, len(list))
	for i := range list {
		rows[i] = &list[i]
	}
	return list, core.Listed.Refer(v.View.View, rows)
}

// beginning is a statement with other columns than those of listed workspaces. Its arguments stay the same.
func (v *View) beginning(head text, q *query) *query {
	selected := v.SQL(core.Listed.Selected, "", "").String()
	other := v.SQL(text(v.SQL(head, "", "").String() + q.String()[len(selected):]))
	other.Args = q.Args
	return other
}

// lookAgain is a page of what is remembered, and whether all its rows are the same.
func (v *View) lookAgain(key string, q *query) (list []belay.Workspace, same bool, err error) {
	p, known := v.db.pages.Get(key)
	if !known || !v.Remembers(p.Remembered) {
		return nil, false, nil
	}
	if g := v.glimpse(); g != nil && g.stands == p && g.taken.CompareAndSwap(false, true) {
		return g.rowsAgain(), true, nil
	}
	type look struct {
		id              string
		versions        [2]uint32
		requests        int
		deletesSomeTags bool
	}
	looks, err := sqldb.Collect(v, v.beginning(core.ListedVersions, q), func(l *look) []any {
		return []any{&l.id, &l.versions[0], &l.versions[1], &l.requests, &l.deletesSomeTags}
	})
	if err != nil || len(looks) != len(p.rows) || !v.Remembers(p.Remembered) { // a new connection may have been made for the statement
		return nil, false, err
	}
	list = make([]belay.Workspace, len(looks))
	for i := range looks {
		l, row := &looks[i], &p.rows[i]
		if l.id != row.ID || l.versions != row.versions || l.deletesSomeTags {
			return nil, false, nil
		}
		list[i] = row.Workspace
		list[i].OpenChangeRequests = l.requests
	}
	return list, true, nil
}

// remembering reads a page, and remembers it unless it is large.
func (v *View) remembering(key string, q *query) ([]belay.Workspace, error) {
	p := &page{Remembered: v.Remembering()}
	var err error
	p.rows, err = sqldb.Collect(v, v.beginning(core.ListedWithVersions, q), func(l *listedRow) []any {
		return append(core.Listed.Dest(&l.Workspace), &l.versions[0], &l.versions[1])
	})
	if err != nil {
		return nil, err
	}
	list, size := make([]belay.Workspace, len(p.rows)), 0
	for i := range p.rows {
		list[i] = p.rows[i].Workspace
		size += core.TextOf(&list[i])
	}
	if len(list) > 0 && len(list) <= mostRows && size <= mostText {
		p.look = lookOf(p)
		v.db.pages.Add(key, p)
	} else {
		v.db.pages.Remove(key)
	}
	return list, nil
}

// lookOf is how a page is looked at, whose rows were read by one statement.
func lookOf(p *page) PageLook {
	var ids, versions, projectIDs, projectVersions []string
	for i := range p.rows {
		row := &p.rows[i]
		ids, versions = append(ids, row.ID), append(versions, strconv.FormatUint(uint64(row.versions[0]), 10))
		projectIDs, projectVersions = append(projectIDs, row.ProjectID), append(projectVersions, strconv.FormatUint(uint64(row.versions[1]), 10))
	}
	each := func(list []string) []string { slices.Sort(list); return slices.Compact(list) }
	projectIDs = each(projectIDs)
	return PageLook{
		IDs: listText(ids), Versions: listText(each(versions)), ProjectIDs: listText(projectIDs), ProjectVersions: listText(each(projectVersions)),
		Workspaces: len(ids), Projects: len(projectIDs), page: p,
	}
}

var quoted = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// listText is a list as PostgreSQL reads it from a text.
func listText(list []string) string {
	var b strings.Builder
	b.WriteByte('{')
	for i, text := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('"')
		_, _ = quoted.WriteString(&b, text)
		b.WriteByte('"')
	}
	b.WriteByte('}')
	return b.String()
}
