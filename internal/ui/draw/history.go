package draw

import (
	"fmt"
	"html/template"
	"strings"
)

// Past is one value of a history: what it is called below the line, what is told of it, and where it leads.
type Past struct {
	Value             int
	Name, Label, Path string
}

// mostPoints is how many points of a history lead somewhere, besides the picked ones.
const mostPoints = 14

// History is a line of values, oldest first, on 1000 by 144, with two of them picked by their place; a negative place
// picks none. Some points on the way lead to what they are of.
func History(label, newest string, past []Past, shown, compared int) template.HTML {
	if len(past) < 2 {
		return ""
	}
	high, last := 1, len(past)-1
	for i := range past {
		high = max(high, past[i].Value)
	}
	x := func(i int) float64 { return 8 + 984*float64(i)/float64(last) }
	y := func(i int) float64 { return 110 - 86*float64(past[i].Value)/float64(high) }
	var line, points strings.Builder
	point := func(i int, class string, r int) {
		circle := fmt.Sprintf(`<circle class="%s" cx="%.1f" cy="%.1f" r="%d"/>`, class, x(i), y(i), r)
		if past[i].Path == "" {
			points.WriteString(circle)
			return
		}
		fmt.Fprintf(&points, `<a href="%s" aria-label="%s"><title>%[2]s</title>%s</a>`, esc(past[i].Path), esc(past[i].Label), circle)
	}
	step := max(1, (len(past)+mostPoints-1)/mostPoints)
	for i := range past {
		fmt.Fprintf(&line, "%.1f,%.1f ", x(i), y(i))
		if i%step == 0 && i != shown && i != compared {
			point(i, "pt", 4)
		}
	}
	words := fmt.Sprintf(`<text x="8" y="130">%s</text><text x="992" y="130" text-anchor="end">%s</text><text x="992" y="12" text-anchor="end">%s</text>`, esc(past[0].Name), esc(past[last].Name), esc(newest))
	for _, pick := range []struct {
		at    int
		class string
	}{{compared, "pt with"}, {shown, "pt on"}} {
		if pick.at >= 0 && pick.at <= last {
			fmt.Fprintf(&points, `<path class="pick" d="M%.1f %.1fV110"/>`, x(pick.at), y(pick.at))
			point(pick.at, pick.class, 6)
		}
	}
	drawn := strings.TrimSpace(line.String())
	return template.HTML(fmt.Sprintf(`<svg class="chart history" viewBox="0 -8 1000 144" role="group" aria-label="%s"><path class="grid" d="M8 24h984M8 67h984M8 110h984"/>`+ //nolint:gosec // made of numbers and escaped text
		`<polygon class="area" points="8,110 %s 992,110"/><polyline class="line" points="%[2]s"/>%s%s</svg>`, esc(label), drawn, words, points.String()))
}
