package plan

import (
	"maps"
	"slices"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/base"
)

// A search for what many names have is counted once, and follows the names then: its total changes by those that came and
// went, and no name that it finds comes before the first, but for new ones. Reading all names for each that moves is what
// grows with the organization.

// followed is what is known of a search in a generation.
type followed struct {
	at    map[int]int64
	total int
	first [2]string // by the order: up and down. Empty: not known
	few   bool      // names is all that it finds
	names []string
}

// following is a search that is followed: what is known of it now, if anything is.
type following struct {
	key   string
	now   followed
	known bool
	fresh string // the first name of a page that was found without being known before
	all   []string
	ended bool // all is every name that was found
}

// mostNames is of how many names all are known at the most.
const mostNames = 100

// longestFollowed is how many bytes a part of a name has at the most that is followed.
const longestFollowed = 256

// follows says that what a list finds can be told from names alone, and that telling is worth it.
func (v *View) follows(l *listing) bool {
	want := l.want
	part := want.Search + want.Wildcard
	want.Search, want.Wildcard = "", ""
	return part != "" && len(part) <= longestFollowed && !strings.ContainsRune(part, 0) && want.Unfiltered() && want.Countable() &&
		l.o.WorkspaceCount >= gramsFrom && !v.InTx()
}

// follow finds out what is known of a search: what was known before, and the names that have moved since.
func (v *View) follow(l *listing) {
	at, whole := partsOf(&l.o)
	if !whole || !v.follows(l) {
		return
	}
	s := &following{key: l.o.ID + ":" + l.want.Search + "\x00" + l.want.Wildcard}
	l.search = s
	before, known := v.db.followed.Get(s.key)
	if !known {
		return
	}
	if !maps.Equal(before.at, at) {
		t, walked := v.db.trails.Get(l.o.ID)
		if !walked {
			return
		}
		names, all := t.between(before.at, at)
		if !all {
			return
		}
		before = before.moved(&l.want, names)
		before.at = at
		v.db.followed.Add(s.key, before)
	}
	s.now, s.known = before, true
}

// knows says that all names are known that a list finds.
func (l *listing) knows() bool { return l.search != nil && l.search.now.few }

// moved is what is known after some names have moved.
func (f followed) moved(want *belay.WorkspaceQuery, names []base.NameMoved) followed {
	f.names = slices.Clone(f.names) // others read them
	for _, n := range names {
		if n.Before != "" && fits(want, n.Before) {
			f.total--
			f.names = slices.DeleteFunc(f.names, func(name string) bool { return name == n.Before })
		}
		if n.Now == "" || !fits(want, n.Now) {
			continue
		}
		f.total++
		if f.few {
			f.names = append(f.names, n.Now)
		}
		if f.first[0] != "" {
			f.first[0] = min(f.first[0], n.Now)
		}
		if f.first[1] != "" {
			f.first[1] = max(f.first[1], n.Now)
		}
	}
	if f.few = f.few && len(f.names) == f.total && f.total <= mostNames; !f.few {
		f.names = nil
	}
	return f
}

// addKnown appends the workspaces of names that are all known, as f.
func addKnown(q *query, l *listing) {
	q.Add("(WITH s AS MATERIALIZED (SELECT "+listed+" FROM workspaces m WHERE m.organization_id = ?", l.o.ID)
	q.In(" AND m.name", l.search.now.names).Add(") SELECT * FROM s) f WHERE 1 = 1")
}

// addFirst appends that nothing comes before the first name.
func (l *listing) addFirst(q *query, d origin, w window) {
	if !l.leads(w) || d.kind != byRow || !l.search.known {
		return
	}
	switch {
	case l.want.Sort.Descending && l.search.now.first[1] != "":
		q.Add(" AND f.name <= ?", l.search.now.first[1])
	case !l.want.Sort.Descending && l.search.now.first[0] != "":
		q.Add(" AND f.name >= ?", l.search.now.first[0])
	}
}

// leads says that a page is the first by name of a search that is followed.
func (l *listing) leads(w window) bool {
	return l.search != nil && l.want.Sort.ByName() && w.first()
}

// found notes what a page that was read by its conditions says of all names: which is the first, or all of them.
func (l *listing) found(w window, list []belay.Workspace) {
	if l.leads(w) && len(list) > 0 {
		l.search.fresh = list[0].Name
	}
	if l.search != nil && w.first() && len(list) < w.size {
		l.search.ended = true
		l.search.all = base.IDsOf(list, func(w *belay.Workspace) string { return w.Name })
	}
}

// learn keeps what was counted and found, unless something moved meanwhile: then it is not known of which generation it is.
func (v *View) learn(l *listing, total int, counted bool) error {
	s := l.search
	if s == nil {
		return nil
	}
	way := 0
	if l.want.Sort.Descending {
		way = 1
	}
	news := s.fresh != "" && s.now.first[way] == ""
	if !counted && !(s.known && news) {
		return nil
	}
	at, still, err := v.still(&l.o)
	if err != nil || !still {
		return err
	}
	known := s.now
	known.at = at
	if counted {
		known.total = total
		known.few, known.names = s.ended && len(s.all) == total && total <= mostNames, s.all
	}
	if news {
		known.first[way] = s.fresh
	}
	v.db.followed.Add(s.key, known)
	return nil
}

// still is the generation in which an organization was read, and whether it is in it now.
func (v *View) still(o *belay.Organization) (at map[int]int64, still bool, err error) {
	at, whole := partsOf(o)
	later, err := sqldb.Collect(v, v.SQL("SELECT generation, "+base.Beside("organizations.id")+" FROM organizations WHERE id = ?", o.ID), func(o *belay.Organization) []any {
		return []any{&o.Generation, base.AddBeside{To: o}}
	})
	if err != nil || !whole || len(later) == 0 {
		return nil, false, err
	}
	now, whole := partsOf(&later[0])
	return at, whole && maps.Equal(at, now), nil
}

// learnNone keeps that no name has what is searched for, where its grams say so.
func (v *View) learnNone(l *listing) error {
	if l.search == nil || l.search.known || l.grams == nil || l.grams.size > 0 {
		return nil
	}
	l.search.ended = true
	return v.learn(l, 0, true)
}

// fits says of a name what LIKE says of it.
func fits(want *belay.WorkspaceQuery, name string) bool {
	name = sqldb.LowerEach([]string{name})[0]
	if !strings.Contains(name, sqldb.LowerEach([]string{want.Search})[0]) {
		return false
	}
	if want.Wildcard == "" {
		return true
	}
	parts := strings.Split(sqldb.LowerEach([]string{want.Wildcard})[0], "*")
	first, rest := parts[0], parts[1:]
	if len(rest) == 0 {
		return name == first
	}
	name, begins := strings.CutPrefix(name, first)
	for _, part := range rest[:len(rest)-1] {
		_, after, has := strings.Cut(name, part)
		begins, name = begins && has, after
	}
	return begins && strings.HasSuffix(name, rest[len(rest)-1])
}
