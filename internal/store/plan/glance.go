package plan

import (
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
}

// Forget drops what is remembered of pages.
func (db *DB) Forget() { db.pages.Purge() }

// workspacesOf is the rows of a statement that begins with the columns of listed workspaces. Where the same was asked before
// it is asked for ids and versions first: which rows there are, and in which order, is always found anew.
func (v *View) workspacesOf(q *query) ([]belay.Workspace, error) {
	if v.InTx() || !v.Versioned() {
		return core.Listed.Many(v, q)
	}
	key := q.Key()
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
		v.db.pages.Add(key, p)
	} else {
		v.db.pages.Remove(key)
	}
	return list, nil
}
