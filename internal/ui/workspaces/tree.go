package workspaces

import (
	"cmp"
	"slices"
	"strings"

	"github.com/belayhq/belay/internal/state"
	"github.com/belayhq/belay/internal/ui/frame"
)

// treePart is resources by module and type. What is too many to be on one page is behind the
// address of a part.
type treePart struct {
	Modules []treeModule
	Found   int // that the search leaves
	Rest    int // modules that are not shown
}

type treeModule struct {
	Name, Path string // Path is where its resources are; empty: here
	Count      int
	Marks      []mark
	Open       bool
	Types      []treeType
}

type treeType struct {
	Name, Path string
	Count      int
	Marks      []mark
	Open       bool
	Leaves     []treeLeaf
	Turns      frame.Turns
}

type treeLeaf struct {
	Name, Path string
	Mark       mark
	Here       bool
}

// mark is what became of something, or how much of it.
type mark struct {
	Class, Sign, Word string
	Count             int
}

// markOf is a change as a sign and a word.
func markOf(change state.StateChange) mark {
	switch change {
	case state.StateAdded:
		return mark{"good", "+", "added", 1}
	case state.StateChanged:
		return mark{"warn", "~", "changed", 1}
	case state.StateRemoved:
		return mark{"bad", "−", "removed", 1}
	}
	return mark{}
}

// The most of a state that stands on one page.
const (
	leavesAtOnce  = 300
	modulesAtOnce = 300
	opened        = 60 // so few stand open
)

// rootModule is what the module is called that has no name; no address of a module is like it.
const rootModule = "root"

// treeItem is one row with what became of it.
type treeItem struct {
	row    *state.StateRow
	change state.StateChange
}

// tree is resources as far as they fit the search of the page.
func (t *tabVisit) tree(path string, page *shownState, rows []state.StateRow, changes map[string]state.StateChange) treePart {
	var items []treeItem
	search := strings.ToLower(page.Search)
	for i := range rows {
		address := rows[i].Address()
		change := changes[address]
		if page.ChangedOnly && change == "" || search != "" && !strings.Contains(strings.ToLower(address), search) {
			continue
		}
		items = append(items, treeItem{&rows[i], change})
	}
	slices.SortStableFunc(items, func(a, b treeItem) int {
		return cmp.Or(cmp.Compare(a.row.Module, b.row.Module), cmp.Compare(a.row.Type, b.row.Type))
	})
	g := growing{t: t, path: path, all: len(items) <= leavesAtOnce, open: len(items) <= opened, at: t.Asked("at")}
	part := treePart{Found: len(items)}
	for group := range chunks(items, func(i treeItem) string { return i.row.Module }) {
		if len(part.Modules) == modulesAtOnce {
			part.Rest++
			continue
		}
		part.Modules = append(part.Modules, g.module(group))
	}
	return part
}

// growing is a tree on its way.
type growing struct {
	t         *tabVisit
	path, at  string
	all, open bool // everything is on the page; everything stands open
}

func (g *growing) module(items []treeItem) treeModule {
	name := cmp.Or(items[0].row.Module, rootModule)
	m := treeModule{Name: name, Count: len(items), Marks: marksOf(items)}
	if !g.all && g.t.Asked("module") != name {
		m.Path = Link(g.t.Visit, g.path, "module", name, "type", "", "page", "")
		return m
	}
	m.Open = g.open || !g.all || g.within(items)
	for group := range chunks(items, func(i treeItem) string { return i.row.Type }) {
		m.Types = append(m.Types, g.kind(name, group, len(items) <= leavesAtOnce))
	}
	return m
}

func (g *growing) kind(module string, items []treeItem, whole bool) treeType {
	k := treeType{Name: items[0].row.Type, Count: len(items), Marks: marksOf(items)}
	if !whole && g.t.Asked("type") != k.Name {
		k.Path = Link(g.t.Visit, g.path, "module", module, "type", k.Name, "page", "")
		return k
	}
	k.Open = g.open || !whole || g.within(items)
	if !whole {
		page := g.t.Page(leavesAtOnce)
		k.Turns = g.t.Turns(g.path, page, len(items))
		first := min(page.Offset(), len(items))
		items = items[first:min(first+page.Size, len(items))]
	}
	for _, i := range items {
		address := i.row.Address()
		k.Leaves = append(k.Leaves, treeLeaf{i.row.Name, Link(g.t.Visit, g.path, "at", address) + "#one", markOf(i.change), address == g.at})
	}
	return k
}

// within says whether the opened resource is among some.
func (g *growing) within(items []treeItem) bool {
	return g.at != "" && slices.ContainsFunc(items, func(i treeItem) bool { return i.row.Address() == g.at })
}

// marksOf is how many of some were added, changed and removed.
func marksOf(items []treeItem) (marks []mark) {
	counts := map[state.StateChange]int{}
	for _, i := range items {
		counts[i.change]++
	}
	for _, change := range []state.StateChange{state.StateAdded, state.StateChanged, state.StateRemoved} {
		if counts[change] > 0 {
			m := markOf(change)
			m.Count = counts[change]
			marks = append(marks, m)
		}
	}
	return marks
}

// chunks is the runs of a sorted list that have one key.
func chunks(items []treeItem, key func(treeItem) string) func(yield func([]treeItem) bool) {
	return func(yield func([]treeItem) bool) {
		for len(items) > 0 {
			end := 1
			for end < len(items) && key(items[end]) == key(items[0]) {
				end++
			}
			if !yield(items[:end]) {
				return
			}
			items = items[end:]
		}
	}
}
