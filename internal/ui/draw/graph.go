package draw

import (
	"fmt"
	"html/template"
	"slices"
	"strings"
)

// Node is one box of a graph: what it is called, a small word below, and where it leads.
type Node struct {
	Name, Note, Path string
	Class            string // mod, add, chg or on, several with blanks between
}

// Edge leads from one node to another that needs it, by their places.
type Edge struct{ From, To int }

// The boxes of a graph, and what is between them.
const (
	boxWide, boxHigh = 156, 36
	gapWide, gapHigh = 56, 14
	rim              = 8
	nameLong         = 21 // letters that fit into a box
)

// Graph draws nodes in layers, from what needs nothing at the left to what needs the most at
// the right. Edges that would lead in a circle are drawn, and count for no layer.
func Graph(label string, nodes []Node, edges []Edge) template.HTML {
	if len(nodes) == 0 {
		return ""
	}
	columns := order(layers(len(nodes), edges), edges)
	at, high := make([][2]int, len(nodes)), 0
	for _, column := range columns {
		high = max(high, len(column))
	}
	for x, column := range columns {
		for y, n := range column {
			at[n] = [2]int{rim + x*(boxWide+gapWide), rim + y*(boxHigh+gapHigh) + (high-len(column))*(boxHigh+gapHigh)/2}
		}
	}
	width, height := 2*rim+len(columns)*(boxWide+gapWide)-gapWide, 2*rim+high*(boxHigh+gapHigh)-gapHigh
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="graph" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" role="group" aria-label="%s">`, width, height, esc(label))
	for _, e := range edges {
		from, to := at[e.From], at[e.To]
		x1, y1, x2, y2 := from[0]+boxWide, from[1]+boxHigh/2, to[0], to[1]+boxHigh/2
		mid := (x1 + x2) / 2
		fmt.Fprintf(&b, `<path class="edge" d="M%d %dC%d %d %d %d %d %d"/>`, x1, y1, mid, y1, mid, y2, x2, y2)
	}
	for _, column := range columns {
		for _, n := range column {
			box(&b, &nodes[n], at[n])
		}
	}
	b.WriteString(`</svg>`)
	return template.HTML(b.String()) //nolint:gosec // made of numbers and escaped text
}

func box(b *strings.Builder, n *Node, at [2]int) {
	if n.Path != "" {
		fmt.Fprintf(b, `<a href="%s">`, esc(n.Path))
	}
	name := n.Name
	if letters := []rune(name); len(letters) > nameLong {
		name = "…" + string(letters[len(letters)-nameLong+1:])
	}
	fmt.Fprintf(b, `<g class="node %s"><title>%s</title><rect x="%d" y="%d" width="%d" height="%d" rx="4"/><text x="%d" y="%d">%s</text><text class="k" x="%[7]d" y="%[10]d">%s</text></g>`,
		esc(n.Class), esc(n.Name), at[0], at[1], boxWide, boxHigh, at[0]+8, at[1]+15, esc(name), at[1]+28, esc(n.Note))
	if n.Path != "" {
		b.WriteString(`</a>`)
	}
}

// layers is the layer of each node: the longest way to it, without edges that lead back.
func layers(n int, edges []Edge) []int {
	out := make([][]int, n)
	for _, e := range edges {
		if e.From != e.To {
			out[e.From] = append(out[e.From], e.To)
		}
	}
	const fresh, open, done = 0, 1, 2
	state, forward, last := make([]int, n), make([][]int, n), []int(nil)
	var visit func(int)
	visit = func(at int) {
		state[at] = open
		for _, to := range out[at] {
			if state[to] == open {
				continue // it leads back
			}
			forward[at] = append(forward[at], to)
			if state[to] == fresh {
				visit(to)
			}
		}
		state[at] = done
		last = append(last, at)
	}
	for i := range n {
		if state[i] == fresh {
			visit(i)
		}
	}
	layer := make([]int, n)
	for _, at := range slices.Backward(last) {
		for _, to := range forward[at] {
			layer[to] = max(layer[to], layer[at]+1)
		}
	}
	return layer
}

// order puts the nodes of each layer near those they are joined with: two sweeps, each by the
// middle of what is in the layer before.
func order(layer []int, edges []Edge) [][]int {
	columns := make([][]int, slices.Max(layer)+1)
	for n, l := range layer {
		columns[l] = append(columns[l], n)
	}
	place := make([]float64, len(layer))
	note := func(column []int) {
		for i, n := range column {
			place[n] = float64(i) - float64(len(column))/2
		}
	}
	for _, column := range columns {
		note(column)
	}
	sweep := func(column []int, before func(Edge) (of, from int)) {
		sum, joined := map[int]float64{}, map[int]int{}
		for _, e := range edges {
			of, from := before(e)
			sum[of] += place[from]
			joined[of]++
		}
		middle := func(n int) float64 {
			if joined[n] == 0 {
				return place[n]
			}
			return sum[n] / float64(joined[n])
		}
		slices.SortStableFunc(column, func(a, b int) int {
			switch x, y := middle(a), middle(b); {
			case x < y:
				return -1
			case x > y:
				return 1
			}
			return 0
		})
		note(column)
	}
	for _, column := range columns {
		sweep(column, func(e Edge) (int, int) { return e.To, e.From })
	}
	for _, column := range slices.Backward(columns) {
		sweep(column, func(e Edge) (int, int) { return e.From, e.To })
	}
	return columns
}
