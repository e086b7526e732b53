package workspaces

import (
	"html/template"
	"slices"
	"strings"

	"github.com/belayhq/belay/internal/state"
	"github.com/belayhq/belay/internal/ui/draw"
	"github.com/belayhq/belay/internal/ui/frame"
)

// graphPart is what the resources of a state need, as a picture and as a list.
type graphPart struct {
	Seg     frame.Segs
	Note    string
	Picture template.HTML
	Rows    []graphRow
	Ask     string // the address that draws it; empty: it is drawn
}

// graphRow is one box, and those that it needs.
type graphRow struct {
	Name, Note, Path string
	Needs            []string
}

// The most that a graph of a state shows.
const (
	mostBoxes   = 40
	mostEdges   = 300
	byName      = 25 // resources of a module that have a box of their own; of more, each type has
	nearSteps   = 2
	drawnAtOnce = 300 // resources of a state whose graph nobody has to ask for
)

// graph draws what the shown state's resources need: modules folded, one of them open, or what is
// near a resource. Of a large state it is read only when the address asks for it.
func (t *tabVisit) graph(path string, now *state.StateOutline) (*graphPart, error) {
	if !t.URL.Query().Has("graph") && len(now.Rows) > drawnAtOnce {
		return &graphPart{Ask: Link(t.Visit, path, "graph", "modules") + "#graph"}, nil
	}
	links, more, err := t.UI.App.StateLinks(t.Context(), now)
	if err != nil {
		return nil, err
	}
	inside, near := t.URL.Query().Get("graph"), t.Asked("near")
	if !strings.HasPrefix(inside, "module.") {
		inside = ""
	}
	g := newGraph(links)
	if near != "" {
		g.around(near)
	} else {
		g.within(state.ModuleCalls(inside))
	}
	part := &graphPart{Seg: frame.Segs{{Name: "Modules folded", Path: Link(t.Visit, path, "graph", "modules", "near", "") + "#graph", Here: inside == "" && near == ""}}}
	if inside != "" {
		part.Seg = append(part.Seg, frame.Seg{Name: frame.Cut(inside, 40), Path: Link(t.Visit, path, "near", "") + "#graph", Here: near == ""})
	}
	if row, there := now.Row(t.Asked("at")); there && near != configured(row) {
		part.Seg = append(part.Seg, frame.Seg{Name: "This resource", Path: Link(t.Visit, path, "near", configured(row)) + "#graph"})
	}
	if near != "" {
		part.Seg = append(part.Seg, frame.Seg{Name: "Near " + frame.Cut(near, 40), Path: t.URL.RequestURI() + "#graph", Here: true})
	}
	g.show(part, func(changed ...string) string { return Link(t.Visit, path, changed...) + "#graph" })
	if part.Note = frame.Many(len(part.Rows), "group", "groups") + ", " + frame.Many(len(now.Rows), "resource", "resources"); more {
		part.Note += "; the state has more than is read of it"
	}
	return part, nil
}

// configured is the address of an instance's resource in its configuration.
func configured(row *state.StateRow) string {
	name, _, _ := strings.Cut(row.Name, "[")
	return strings.Join(append(state.ModuleCalls(row.Module), row.Type, name), ".")
}

// stateGraph is boxes of resources, and which needs which.
type stateGraph struct {
	links []state.StateLink
	at    map[string]int // resources by address
	boxes []graphBox
	known map[string]int // boxes by key
	edges map[draw.Edge]bool
}

type graphBox struct {
	name, module, near string // module: it opens that; near: it leads to what is near
	resources          int
	here               bool
}

func newGraph(links []state.StateLink) *stateGraph {
	g := &stateGraph{links: links, at: make(map[string]int, len(links)), known: map[string]int{}, edges: map[draw.Edge]bool{}}
	for i := range links {
		g.at[links[i].Address()] = i
	}
	return g
}

// box is the place of a box, which is made the first time.
func (g *stateGraph) box(b graphBox) int {
	key := b.module + " " + b.near + " " + b.name
	place, known := g.known[key]
	if !known {
		place = len(g.boxes)
		g.known[key], g.boxes = place, append(g.boxes, b)
	}
	return place
}

// join notes that what is in one box needs what is in another.
func (g *stateGraph) join(to, from int) {
	if to != from {
		g.edges[draw.Edge{From: from, To: to}] = true
	}
}

// within groups by the modules and types below a module, and has what those need or are needed
// by elsewhere in groups of its own.
func (g *stateGraph) within(inside []string) {
	direct := 0
	for i := range g.links {
		if slices.Equal(g.links[i].Module, inside) {
			direct++
		}
	}
	belongs := func(l *state.StateLink) bool {
		return len(l.Module) >= len(inside) && slices.Equal(l.Module[:len(inside)], inside)
	}
	groupOf := func(l *state.StateLink) graphBox { return groupIn(l, inside, direct <= byName) }
	for i := range g.links {
		if l := &g.links[i]; belongs(l) {
			g.boxes[g.box(groupOf(l))].resources += l.Instances
		}
	}
	for i := range g.links {
		l := &g.links[i]
		for _, need := range l.Needs {
			other, there := g.at[need]
			if !there || !belongs(l) && !belongs(&g.links[other]) {
				continue
			}
			of := &g.links[other]
			g.join(g.box(groupOf(l)), g.box(groupOf(of)))
		}
	}
}

// groupIn is the group of a resource where a module is looked into: the module below it that
// it is in, or its type; each on its own where they are few.
func groupIn(l *state.StateLink, inside []string, few bool) graphBox {
	common := 0
	for common < len(inside) && common < len(l.Module) && inside[common] == l.Module[common] {
		common++
	}
	switch {
	case common < len(l.Module):
		module := strings.Join(l.Module[:common+1], ".")
		return graphBox{name: module, module: module}
	case common == len(inside) && few:
		return graphBox{name: l.Type + "." + l.Name, near: l.Address()}
	case common == 0:
		return graphBox{name: l.Type}
	}
	return graphBox{name: strings.Join(l.Module, ".") + "." + l.Type}
}

// around has a resource and what is some steps before and behind it.
func (g *stateGraph) around(address string) {
	start, there := g.at[address]
	if !there {
		return
	}
	used := make([][]int, len(g.links))
	needs := make([][]int, len(g.links))
	for i := range g.links {
		for _, need := range g.links[i].Needs {
			if other, there := g.at[need]; there {
				needs[i], used[other] = append(needs[i], other), append(used[other], i)
			}
		}
	}
	found := []int{start}
	for _, next := range [][][]int{needs, used} {
		from := []int{start}
		for range nearSteps {
			var further []int
			for _, i := range from {
				for _, n := range next[i] {
					if len(found) < mostBoxes && !slices.Contains(found, n) {
						found, further = append(found, n), append(further, n)
					}
				}
			}
			from = further
		}
	}
	for _, i := range found {
		l := &g.links[i]
		g.boxes[g.box(graphBox{name: l.Address(), near: l.Address(), here: i == start})].resources = l.Instances
	}
	for _, i := range found {
		for _, n := range needs[i] {
			if slices.Contains(found, n) {
				g.join(slices.Index(found, i), slices.Index(found, n))
			}
		}
	}
}

// show draws the boxes, the most joined ones where there are too many, and lists them.
func (g *stateGraph) show(part *graphPart, link func(...string) string) {
	kept, edges := g.fewer()
	edges = reduced(len(kept), edges)
	nodes := make([]draw.Node, len(kept))
	for i, of := range kept {
		b := graphBox{name: "others"}
		if of >= 0 {
			b = g.boxes[of]
		}
		n := draw.Node{Name: b.name}
		switch {
		case of < 0:
			n.Note, n.Class = frame.Many(len(g.boxes)-len(kept)+1, "group", "groups"), "mod"
		case b.module != "":
			n.Path, n.Class = link("graph", b.module, "near", ""), "mod"
		case b.near != "":
			n.Path = link("near", b.near)
		}
		if b.resources > 0 {
			n.Note = frame.Many(b.resources, "resource", "resources")
		} else if of >= 0 {
			n.Note = "elsewhere"
		}
		if b.here {
			n.Class += " on"
		}
		nodes[i] = n
		part.Rows = append(part.Rows, graphRow{Name: n.Name, Note: n.Note, Path: n.Path})
	}
	for _, e := range edges {
		row := &part.Rows[e.To]
		row.Needs = append(row.Needs, nodes[e.From].Name)
	}
	part.Picture = draw.Graph("What needs what, what is needed first at the left", nodes, edges[:min(len(edges), mostEdges)])
}

// fewer is the places of the boxes that are drawn, -1 for the rest, and the edges between them.
func (g *stateGraph) fewer() (kept []int, edges []draw.Edge) {
	joined := make([]int, len(g.boxes))
	for e := range g.edges {
		joined[e.From]++
		joined[e.To]++
	}
	for i := range g.boxes {
		kept = append(kept, i)
	}
	if len(kept) > mostBoxes {
		slices.SortStableFunc(kept, func(a, b int) int { return joined[b] - joined[a] })
		kept = kept[:mostBoxes-1]
		slices.Sort(kept)
		kept = append(kept, -1)
	}
	place := make([]int, len(g.boxes))
	for i := range place {
		if place[i] = slices.Index(kept, i); place[i] < 0 {
			place[i] = len(kept) - 1
		}
	}
	drawn := map[draw.Edge]bool{}
	for e := range g.edges {
		if e = (draw.Edge{From: place[e.From], To: place[e.To]}); e.From != e.To {
			drawn[e] = true
		}
	}
	for e := range drawn {
		edges = append(edges, e)
	}
	slices.SortFunc(edges, func(a, b draw.Edge) int {
		if a.From != b.From {
			return a.From - b.From
		}
		return a.To - b.To
	})
	return kept, edges
}

// reduced leaves out the edges that others say already: engines write down whatever a resource
// needs, however far away. What needs each other keeps all.
func reduced(n int, edges []draw.Edge) (left []draw.Edge) {
	reach := make([][]bool, n)
	for i := range reach {
		reach[i] = make([]bool, n)
	}
	for _, e := range edges {
		reach[e.From][e.To] = true
	}
	for k := range n {
		for i := range n {
			for j := range n {
				reach[i][j] = reach[i][j] || reach[i][k] && reach[k][j]
			}
		}
	}
	for _, e := range edges {
		if !said(e, reach) {
			left = append(left, e)
		}
	}
	return left
}

// said is whether an edge follows from others: by way of a box that is in no ring with its ends.
func said(e draw.Edge, reach [][]bool) bool {
	for w := range reach {
		if w != e.From && w != e.To && reach[e.From][w] && reach[w][e.To] && !reach[w][e.From] && !reach[e.To][w] {
			return true
		}
	}
	return false
}
