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
	Seg    frame.Segs // by what the resources are grouped
	Groups []treeGroup
	Found  int // that the search leaves
	Rest   int // groups that are not shown
}

// treeGroup is a module, or a type where resources are grouped by that first.
type treeGroup struct {
	Name, Path string // Path is where its resources are; empty: here
	Count      int
	Marks      []mark
	Open       bool
	Parts      []treeBranch
}

type treeBranch struct {
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
	Value      string     // where it has what is searched
	Under      []treeLeaf // the instances of a resource that has many
	Marks      []mark     // of those
	Open       bool
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
	leavesAtOnce = 300
	groupsAtOnce = 300
	opened       = 60 // so few stand open
	foldedFrom   = 21 // so many instances of one resource are folded
)

// rootModule is what the module is called that has no name; no address of a module is like it.
const rootModule = "root"

// treeItem is one row with what became of it.
type treeItem struct {
	row    *state.StateRow
	change state.StateChange
}

// tree is resources as far as they fit the search of the page, by module and type or the other way round.
func (t *tabVisit) tree(path string, page *shownState, rows []state.StateRow, changes map[string]state.StateChange) treePart {
	var items []treeItem
	search := strings.ToLower(page.Search)
	for i := range rows {
		address := rows[i].Address()
		change := changes[address]
		_, holds := page.ByValue[address]
		if page.ChangedOnly && change == "" || search != "" && !holds && !strings.Contains(strings.ToLower(address), search) {
			continue
		}
		items = append(items, treeItem{&rows[i], change})
	}
	g := growing{t: t, path: path, values: page.ByValue, all: len(items) <= leavesAtOnce, open: len(items) <= opened, at: t.Asked("at"), levels: byModule}
	if t.Asked("by") == "type" {
		g.levels = byType
	}
	slices.SortStableFunc(items, func(a, b treeItem) int {
		return cmp.Or(cmp.Compare(g.levels[0].of(a), g.levels[0].of(b)), cmp.Compare(g.levels[1].of(a), g.levels[1].of(b)))
	})
	part := treePart{Found: len(items), Seg: frame.Segs{
		{Name: "Module", Path: Link(t.Visit, path, "by", "", "module", "", "type", "", "page", ""), Here: g.levels == byModule},
		{Name: "Type", Path: Link(t.Visit, path, "by", "type", "module", "", "type", "", "page", ""), Here: g.levels == byType},
	}}
	for group := range chunks(items, g.levels[0].of) {
		if len(part.Groups) == groupsAtOnce {
			part.Rest++
			continue
		}
		part.Groups = append(part.Groups, g.group(group))
	}
	return part
}

// level is what resources are grouped by: a part of the address of the page, and of a row.
type level struct{ name string }

// of is the group of a row.
func (l level) of(i treeItem) string {
	if l.name == "type" {
		return i.row.Type
	}
	return cmp.Or(i.row.Module, rootModule)
}

var (
	byModule = [2]level{{"module"}, {"type"}}
	byType   = [2]level{{"type"}, {"module"}}
)

// growing is a tree on its way.
type growing struct {
	t         *tabVisit
	path, at  string
	values    map[string]string
	levels    [2]level
	all, open bool // everything is on the page; everything stands open
}

func (g *growing) group(items []treeItem) treeGroup {
	outer, inner := g.levels[0], g.levels[1]
	name := outer.of(items[0])
	m := treeGroup{Name: name, Count: len(items), Marks: marksOf(items)}
	if !g.all && g.t.Asked(outer.name) != name {
		m.Path = Link(g.t.Visit, g.path, outer.name, name, inner.name, "", "page", "")
		return m
	}
	m.Open = g.open || !g.all || g.within(items)
	for group := range chunks(items, inner.of) {
		m.Parts = append(m.Parts, g.branch(name, group, len(items) <= leavesAtOnce))
	}
	return m
}

func (g *growing) branch(outer string, items []treeItem, whole bool) treeBranch {
	inner := g.levels[1]
	k := treeBranch{Name: inner.of(items[0]), Count: len(items), Marks: marksOf(items)}
	if !whole && g.t.Asked(inner.name) != k.Name {
		k.Path = Link(g.t.Visit, g.path, g.levels[0].name, outer, inner.name, k.Name, "page", "")
		return k
	}
	k.Open = g.open || !whole || g.within(items)
	if !whole {
		page := g.t.Page(leavesAtOnce)
		k.Turns = g.t.Turns(g.path, page, len(items))
		first := min(page.Offset(), len(items))
		items = items[first:min(first+page.Size, len(items))]
	}
	for of := range chunks(items, func(i treeItem) string { return i.row.Resource() }) {
		leaves := g.leaves(of)
		if len(of) < foldedFrom {
			k.Leaves = append(k.Leaves, leaves...)
			continue
		}
		open := g.within(of) || g.t.Asked("q") != "" || g.t.Asked("changed") != ""
		k.Leaves = append(k.Leaves, treeLeaf{Name: of[0].row.Resource(), Under: leaves, Marks: marksOf(of), Open: open})
	}
	return k
}

func (g *growing) leaves(items []treeItem) []treeLeaf {
	list := make([]treeLeaf, len(items))
	for n, i := range items {
		address := i.row.Address()
		list[n] = treeLeaf{Name: i.row.Name, Path: Link(g.t.Visit, g.path, "at", address) + "#one", Mark: markOf(i.change), Here: address == g.at, Value: g.values[address]}
	}
	return list
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
