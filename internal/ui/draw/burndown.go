package draw

import (
	"fmt"
	"html/template"
	"strings"
)

// Burn is a heap of work that gets smaller: how much was left at the end of each day.
type Burn struct {
	Label           string
	Left            []int   // by day, from the first
	Pace            float64 // how much goes in a day; 0: nothing is drawn ahead
	Due             int     // the day on which nothing is to be left; negative: none
	First, Now, End string  // what the first day, today and the last day are called
}

// The frame of a burn-down, and what is left around it for words.
const (
	burnWidth, burnHeight = 640, 230
	burnLeft, burnRight   = 44, 624
	burnTop, burnBottom   = 14, 196
)

// BurnDown is what is left by the day on 640 by 230, with the even line to the day that it is
// due, and the line ahead at the pace.
func BurnDown(b Burn) template.HTML {
	if len(b.Left) == 0 {
		return ""
	}
	today, most := len(b.Left)-1, max(1, b.Left[0])
	for _, n := range b.Left {
		most = max(most, n)
	}
	days := max(1, today, b.Due)
	if b.Due < 0 && b.Pace > 0 {
		days = min(today+int(float64(b.Left[today])/b.Pace)+1, 2*today+14)
	}
	x := func(day float64) float64 { return burnLeft + (burnRight-burnLeft)*day/float64(days) }
	y := func(n float64) float64 { return burnBottom - (burnBottom-burnTop)*n/float64(most) }
	var s strings.Builder
	fmt.Fprintf(&s, `<svg class="chart" viewBox="0 0 %d %d" %s>`, burnWidth, burnHeight, named(b.Label))
	step := gridStep(most)
	for n := 0; n <= most; n += step {
		fmt.Fprintf(&s, `<path class="grid" d="M%d %.1fH%d"/><text x="%d" y="%.1f" text-anchor="end">%d</text>`, burnLeft, y(float64(n)), burnRight, burnLeft-8, y(float64(n))+4, n)
	}
	var line strings.Builder
	for day, n := range b.Left {
		fmt.Fprintf(&line, "%.1f,%.1f ", x(float64(day)), y(float64(n)))
	}
	left := float64(b.Left[today])
	fmt.Fprintf(&s, `<polygon class="area" points="%d,%d %s%.1f,%d"/><polyline class="line" points="%s"/>`,
		burnLeft, burnBottom, line.String(), x(float64(today)), burnBottom, strings.TrimSpace(line.String()))
	if b.Due > 0 {
		fmt.Fprintf(&s, `<path class="ideal" d="M%.1f %.1fL%.1f %d"/>`, x(0), y(float64(b.Left[0])), x(float64(b.Due)), burnBottom)
	}
	if b.Pace > 0 && left > 0 {
		ends, rest := float64(today)+left/b.Pace, 0.0
		if ends > float64(days) {
			ends, rest = float64(days), left-b.Pace*float64(days-today)
		}
		fmt.Fprintf(&s, `<path class="ahead" d="M%.1f %.1fL%.1f %.1f"/>`, x(float64(today)), y(left), x(ends), y(rest))
	}
	fmt.Fprintf(&s, `<circle class="pt on" cx="%.1f" cy="%.1f" r="5"/>`, x(float64(today)), y(left))
	fmt.Fprintf(&s, `<text x="%d" y="%d">%s</text>`, burnLeft, burnHeight-12, esc(b.First))
	if at := x(float64(today)); at > burnLeft+90 && at < burnRight-90 {
		fmt.Fprintf(&s, `<text x="%.1f" y="%d" text-anchor="middle">%s</text>`, at, burnHeight-12, esc(b.Now))
	}
	fmt.Fprintf(&s, `<text x="%d" y="%d" text-anchor="end">%s</text></svg>`, burnRight, burnHeight-12, esc(b.End))
	return template.HTML(s.String()) //nolint:gosec // made of numbers and escaped text
}

// gridStep is how far the lines of a grid are apart, so that there are about four.
func gridStep(most int) int {
	for step := 1; ; step *= 10 {
		for _, factor := range []int{1, 2, 5} {
			if most/(step*factor) <= 5 {
				return step * factor
			}
		}
	}
}
