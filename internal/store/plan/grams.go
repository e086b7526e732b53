package plan

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
)

// A part of a name is found by its grams: every three letters that follow each other in it.
// What they find is asked again whether it has the part, so they only need to miss nothing.
// See migrations/0350_parts_of_names.sql and 0356_names_beside.sql, by which the engines keep them. On SQLite a name that
// is not read yet may have every part.
const (
	gramSize  = 3
	gramsMost = 6 // that one search looks up

	// gramsFrom is how many workspaces are looked through sooner than found by grams.
	gramsFrom = 500
	// gramShare is the share of an organization's workspaces, one in so many, below which
	// those that may have a part are gathered and sorted.
	gramShare = 50
)

// gramsAreRows says that the grams of names are rows, and not an index of arrays.
func gramsAreRows(d *sqldb.Dialect) bool { return d.Name == "sqlite" }

// gramTerm is the grams by which a list finds workspaces, the rarest first.
type gramTerm struct {
	grams []string
	size  int // how many it finds at the most
}

// gramsOf is some of the grams that a name must have, from all over the parts of it that are
// asked for.
func gramsOf(parts []string) []string {
	var all []string
	for _, part := range parts {
		all = append(all, grams(part)...)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	if len(all) <= gramsMost {
		return all
	}
	some := make([]string, gramsMost)
	for i := range some {
		some[i] = all[i*(len(all)-1)/(gramsMost-1)]
	}
	return some
}

// grams is every three letters that follow each other in a text.
func grams(of string) (list []string) {
	letters := []rune(sqldb.LowerEach([]string{of})[0])
	for i := 0; i+gramSize <= len(letters); i++ {
		list = append(list, string(letters[i:i+gramSize]))
	}
	return list
}

// sizeGrams finds out whether few workspaces can have the part of a name that a list asks for.
func (v *View) sizeGrams(l *listing) (err error) {
	if v.follow(l); l.knows() {
		l.empty = l.empty || l.search.now.total == 0
		return nil
	}
	l.grams, err = v.rareGrams(l.o, append(strings.Split(l.want.Wildcard, "*"), l.want.Search))
	l.empty = l.empty || l.grams != nil && l.grams.size == 0
	return err
}

// rareGrams is the grams of a name that has all of some parts, if few workspaces can have it; else
// nil. That is kept until the organization's lists change, and that many can for as long as few lists have changed: it decides
// nothing but the way.
func (v *View) rareGrams(o belay.Organization, parts []string) (*gramTerm, error) {
	if o.WorkspaceCount < gramsFrom {
		return nil, nil
	}
	wanted := gramsOf(parts)
	if wanted == nil {
		return nil, nil
	}
	few := max(gramsFrom, o.WorkspaceCount) / gramShare
	key := "grams:" + o.ID + ":" + strconv.FormatInt(o.Generation, 10) + ":" + strings.Join(wanted, "")
	all := o.ID + ":" + strings.Join(wanted, "")
	if since, known := v.db.common.Get(all); known && o.Generation >= since && o.Generation-since < int64(few)/2 {
		return nil, nil
	}
	rarest, _, err := v.db.counts.of(v, key, func() (int, bool, error) {
		rarest, err := v.rarestGram(o, wanted, few)
		return rarest, true, err
	})
	if err != nil {
		return nil, err
	}
	at, size := rarest%gramsMost, rarest/gramsMost
	if size >= few {
		v.db.common.Add(all, o.Generation)
		return nil, nil
	}
	wanted[0], wanted[at] = wanted[at], wanted[0]
	return &gramTerm{wanted, size}, nil
}

// rarestGram is which of some grams the fewest workspaces have, and how many, up to a limit, as
// one number. PostgreSQL looks for all of them at once.
func (v *View) rarestGram(o belay.Organization, grams []string, limit int) (int, error) {
	each := [][]string{grams}
	if gramsAreRows(v.Dialect()) {
		each = slices.Collect(slices.Chunk(grams, 1))
	}
	q := v.SQL("")
	for i, some := range each {
		if i > 0 {
			q.Add(" UNION ALL ")
		}
		q.Add("SELECT CAST(? AS BIGINT) + "+text(strconv.Itoa(gramsMost))+" * (SELECT count(*) FROM (SELECT 1 FROM ", i)
		if gramsAreRows(v.Dialect()) {
			addGramRows(q, o, some)
		} else {
			addNames(q, o, some)
		}
		q.Add(" LIMIT ? + 0) d)", limit)
	}
	if gramsAreRows(v.Dialect()) {
		q.Add(" UNION ALL SELECT CAST(? AS BIGINT) * (SELECT count(*) FROM (SELECT 1 FROM unread_names u WHERE u.organization_id = ?", gramsMost, o.ID).
			Add(" LIMIT ? + 0) d)", limit)
	}
	found, err := sqldb.Values[int](v, q)
	if err != nil {
		return 0, err
	}
	unread := 0
	if gramsAreRows(v.Dialect()) {
		unread, found = found[len(found)-1], found[:len(found)-1]
	}
	return unread + slices.MinFunc(found, func(a, b int) int { return a/gramsMost - b/gramsMost }), nil
}

// addGramRows appends where the workspaces stand that have all of some grams, of which the first
// is walked.
func addGramRows(q *query, o belay.Organization, grams []string) *query {
	q.Add("workspace_grams g WHERE g.organization_id = ? AND g.gram = ?", o.ID, grams[0])
	for _, gram := range grams[1:] {
		q.Add(" AND EXISTS (SELECT 1 FROM workspace_grams h WHERE h.organization_id = g.organization_id AND h.gram = ? AND h.workspace_id = g.workspace_id)", gram)
	}
	return q
}

// addGrams appends that a workspace m of an organization has all of some grams.
func addGrams(q *query, o belay.Organization, grams []string) *query {
	return addHaving(q.Add("m.id IN ("), o, grams).Add(")")
}

// addHaving appends a SELECT of the ids of workspaces that may have all of some grams, each once.
func addHaving(q *query, o belay.Organization, grams []string) *query {
	if gramsAreRows(q.Dialect) {
		return addGramRows(q.Add("SELECT g.workspace_id AS id FROM "), o, grams).
			Add(" UNION SELECT u.workspace_id FROM unread_names u WHERE u.organization_id = ?", o.ID)
	}
	return addNames(q.Add("SELECT n.workspace_id AS id FROM "), o, grams)
}

// addNames appends where the names stand, on PostgreSQL, that have all of some grams.
func addNames(q *query, o belay.Organization, grams []string) *query {
	keys := make([]string, len(grams))
	for i, gram := range grams {
		keys[i] = o.ID + gram
	}
	return q.Add("workspace_names n WHERE workspace_grams(n.organization_id, n.name) @> CAST(? AS TEXT[])", keys)
}

// addNamed appends the few workspaces that may have the part of a name, as f, materialized as those
// of a scope are.
func addNamed(q *query, l *listing) {
	q.Add("(WITH s AS MATERIALIZED (SELECT " + listed + " FROM workspaces m WHERE ")
	addGrams(q, l.o, l.grams.grams).Add(") SELECT * FROM s) f WHERE 1 = 1")
}

// NamesAtOnce is how many names one transaction reads: together they cost half of what each costs alone, as they share
// the pages that they change. Whoever else writes waits for all of them.
const NamesAtOnce = 50

// unreadName is a name that is new, or that is gone.
type unreadName struct {
	OrganizationID string `json:"organization_id"`
	WorkspaceID    string `json:"workspace_id"`
	Gone           string `json:"gone"`
	now            string // the name that the workspace has, if it is there
}

// gramRow is a row of workspace_grams.
type gramRow struct {
	OrganizationID string `json:"organization_id"`
	Gram           string `json:"gram"`
	WorkspaceID    string `json:"workspace_id"`
}

// ReadNames writes the grams of so many of the names that are new or gone, and says for how long it kept the writer from others, and
// whether there may be more.
func (db *DB) ReadNames(ctx context.Context, atOnce int) (took time.Duration, more bool, err error) {
	err = db.View(ctx, func(v *View) error {
		if !gramsAreRows(v.Dialect()) {
			return nil
		}
		_, more, err = sqldb.Value[int](v, v.SQL("SELECT 1 FROM unread_names LIMIT 1"))
		return err
	})
	if err != nil || !more {
		return 0, false, err
	}
	err = db.Update(ctx, func(tx *Tx) error {
		began := time.Now()
		_, err := tx.ReadNamesOf("", atOnce)
		took = time.Since(began)
		return err
	})
	return took, err == nil, err
}

// ReadNamesOf writes the grams of so many of the names that are new or gone in an organization, or in
// any where it is empty, and says of how many. On PostgreSQL there are none.
func (tx *Tx) ReadNamesOf(organizationID string, atOnce int) (int, error) {
	if !gramsAreRows(tx.Dialect()) {
		return 0, nil
	}
	q := tx.SQL(`SELECT u.organization_id, u.workspace_id, u.gone, COALESCE(w.name, '') FROM unread_names u
		LEFT JOIN workspaces w ON w.id = u.workspace_id AND w.organization_id = u.organization_id`)
	if organizationID != "" {
		q.Add(" WHERE u.organization_id = ?", organizationID)
	}
	q.Add(" ORDER BY u.organization_id, u.workspace_id, u.gone")
	names, err := sqldb.Collect(&tx.View, q.First(atOnce), func(n *unreadName) []any { return []any{&n.OrganizationID, &n.WorkspaceID, &n.Gone, &n.now} })
	if err != nil || len(names) == 0 {
		return 0, err
	}
	gone := gramRowsOf(names, func(n *unreadName) string { return n.Gone })
	now := gramRowsOf(names, func(n *unreadName) string { return n.now })
	return len(names), errors.Join(
		tx.eachGiven("DELETE FROM workspace_grams WHERE (organization_id, gram, workspace_id) IN (SELECT organization_id, gram, workspace_id FROM ",
			"workspace_grams", []text{"organization_id", "gram", "workspace_id"}, gone, ")"),
		tx.eachGiven("INSERT OR IGNORE INTO workspace_grams (organization_id, gram, workspace_id) SELECT organization_id, gram, workspace_id FROM ",
			"workspace_grams", []text{"organization_id", "gram", "workspace_id"}, now, ""),
		tx.eachGiven("DELETE FROM unread_names WHERE (organization_id, workspace_id, gone) IN (SELECT organization_id, workspace_id, gone FROM ",
			"unread_names", []text{"organization_id", "workspace_id", "gone"}, names, ")"))
}

// eachGiven does a statement about the rows of a table that are given.
func (tx *Tx) eachGiven(before, table text, columns []text, rows any, after text) error {
	_, err := tx.Exec(tx.SQL(before).Rows(table, columns, rows).Add(after))
	return err
}

// gramRowsOf is the grams of one of the names that each has, in the order in which they stand.
func gramRowsOf(names []unreadName, which func(*unreadName) string) []gramRow {
	list := []gramRow{}
	for i := range names {
		for _, gram := range grams(which(&names[i])) {
			list = append(list, gramRow{names[i].OrganizationID, gram, names[i].WorkspaceID})
		}
	}
	slices.SortFunc(list, func(a, b gramRow) int {
		return cmp.Or(strings.Compare(a.OrganizationID, b.OrganizationID), strings.Compare(a.Gram, b.Gram), strings.Compare(a.WorkspaceID, b.WorkspaceID))
	})
	return list
}
