package draw

import (
	"fmt"
	"html/template"
	"strings"
)

// Column is one bar of a chart that stands: what it is of, in its parts from below, and where it leads.
type Column struct {
	Label, Path string
	Parts       []Part
}

// Columns is bars that stand side by side on 640 by 150, oldest first. The first and the last have
// words below them, and the highest has its own beside its top.
func Columns(label string, columns []Column, first, last string, say func(int) string) template.HTML {
	most := 1
	for _, c := range columns {
		sum := 0
		for _, p := range c.Parts {
			sum += p.Of
		}
		most = max(most, sum)
	}
	const bottom, height = 124, 106
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="chart columns" viewBox="0 0 640 150" role="group" aria-label="%s"><path class="grid" d="M8 18h624M8 71h624M8 124h624"/><text x="632" y="12" text-anchor="end">%s</text>`, esc(label), esc(say(most)))
	step := 624 / float64(max(len(columns), 1))
	for i, c := range columns {
		at, y := 8+step*float64(i)+step*.12, float64(bottom)
		fmt.Fprintf(&b, `<a href="%s" aria-label="%s"><title>%[2]s</title><rect class="whole" x="%.1f" y="18" width="%.1f" height="106"/>`, esc(c.Path), esc(c.Label), at, step*.76)
		for _, p := range c.Parts {
			if p.Of <= 0 {
				continue
			}
			h := max(height*float64(p.Of)/float64(most), 1.5)
			y -= h
			fmt.Fprintf(&b, `<rect class="%s" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>`, esc(p.Fill), at, y, step*.76, h)
		}
		b.WriteString(`</a>`)
	}
	fmt.Fprintf(&b, `<text x="8" y="144">%s</text><text x="632" y="144" text-anchor="end">%s</text></svg>`, esc(first), esc(last))
	return template.HTML(b.String()) //nolint:gosec // made of numbers and escaped text
}
