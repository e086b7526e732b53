// Package draw makes the small pictures of pages as SVG: bars, lines and heat strips.
// Colours are classes of the sheet, so that a page needs no style of its own. It knows no
// noun, and takes no text but labels, which it escapes.
package draw

import (
	"fmt"
	"html/template"
	"strconv"
	"strings"
)

// Part is one part of a bar: how much, in which of the sheet's fills (p0 to p5).
type Part struct {
	Of   int
	Fill string
}

// Bar is one bar of 100 units by 8 that the parts fill from the left; what is left over is
// the track. The class is strip or meter.
func Bar(class, label string, total int, parts ...Part) template.HTML {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="%s" viewBox="0 0 100 8" preserveAspectRatio="none" %s><rect class="track" width="100" height="8"/>`, esc(class), named(label))
	at := 0.0
	for _, part := range parts {
		if total <= 0 || part.Of <= 0 {
			continue
		}
		width := 100 * float64(part.Of) / float64(total)
		fmt.Fprintf(&b, `<rect class="%s" x="%.2f" width="%.2f" height="8"/>`, esc(part.Fill), at, width)
		at += width
	}
	b.WriteString(`</svg>`)
	return template.HTML(b.String()) //nolint:gosec // made of numbers and escaped text
}

// mostSquares is how many squares are drawn; of more the words say how many.
const mostSquares = 24

// Squares is a row of squares, of which some are taken.
func Squares(label string, taken, all int) template.HTML {
	all = min(max(all, taken), mostSquares)
	if all <= 0 {
		return ""
	}
	square := func(b *strings.Builder, from, to int) {
		for i := from; i < to; i++ {
			fmt.Fprintf(b, "M%d 1h9v9h-9z", 1+12*i)
		}
	}
	var full, free strings.Builder
	square(&full, 0, min(taken, all))
	square(&free, min(taken, all), all)
	return template.HTML(fmt.Sprintf(`<svg class="squares" width="%d" height="11" viewBox="0 0 %d 11" %s><path class="p1" d="%s"/><path class="free" d="%s"/></svg>`, //nolint:gosec // as above
		12*all, 12*all, named(label), full.String(), free.String()))
}

// Span is a bar of 100 units by 8 of which one part is filled: from a place on, so much of a whole. What
// is there is at least visible.
func Span(class, fill string, from, length, whole float64) template.HTML {
	if whole <= 0 {
		return ""
	}
	width := min(max(100*length/whole, 0.6), 100)
	at := min(max(100*from/whole, 0), 100-width)
	return template.HTML(fmt.Sprintf(`<svg class="%s" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="100" height="8"/><rect class="%s" x="%.2f" width="%.2f" height="8"/></svg>`, //nolint:gosec // as above
		esc(class), esc(fill), at, width))
}

// Spark is a line of values, oldest first, on 160 by 24.
func Spark(label string, values []int) template.HTML {
	if len(values) < 2 {
		return ""
	}
	low, high := values[0], values[0]
	for _, v := range values {
		low, high = min(low, v), max(high, v)
	}
	var line strings.Builder
	for i, v := range values {
		x := 160 * float64(i) / float64(len(values)-1)
		y := 22.5 - 21*float64(v-low)/float64(max(high-low, 1))
		fmt.Fprintf(&line, "%.1f,%.1f ", x, y)
	}
	points := strings.TrimSpace(line.String())
	return template.HTML(fmt.Sprintf(`<svg class="spark" viewBox="0 0 160 24" preserveAspectRatio="none" %s>`+ //nolint:gosec // as above
		`<polygon class="area" points="0,24 %s 160,24"/><polyline points="%[2]s" vector-effect="non-scaling-stroke"/></svg>`, named(label), points))
}

// Heat is a grid of squares of 9, by columns of so many rows, oldest first. One path a
// shade keeps a page of many strips small.
func Heat(label string, counts []int, rows int) template.HTML {
	return template.HTML(AppendHeat(nil, label, counts, rows)) //nolint:gosec // as above
}

// shades are how dark the squares of a heat strip are: of none, and of up to the most.
const shades = 5

// AppendHeat is Heat, written behind dst.
func AppendHeat(dst []byte, label string, counts []int, rows int) []byte {
	most := 1
	for _, n := range counts {
		most = max(most, n)
	}
	wide, high := int64(9*((len(counts)+rows-1)/rows)), int64(9*rows+1)
	dst = strconv.AppendInt(append(dst, `<svg class="heat" width="`...), wide, 10)
	dst = strconv.AppendInt(append(dst, `" height="`...), high, 10)
	dst = strconv.AppendInt(append(dst, `" viewBox="0 0 `...), wide, 10)
	dst = strconv.AppendInt(append(dst, ' '), high, 10)
	dst = append(append(append(dst, `" `...), named(label)...), '>')
	for shade := range shades {
		begun := false
		for i, n := range counts {
			if n = min(n, 1) * (1 + (shades-2)*(n-1)/max(most-1, 1)); n != shade {
				continue
			}
			if !begun {
				begun, dst = true, append(dst, `<path class="h`...)
				dst = append(strconv.AppendInt(dst, int64(shade), 10), `" d="`...)
			}
			dst = strconv.AppendInt(append(dst, 'M'), int64(9*(i/rows)+1), 10)
			dst = append(strconv.AppendInt(append(dst, ' '), int64(9*(i%rows)+1), 10), "h7v7h-7z"...)
		}
		if begun {
			dst = append(dst, `"/>`...)
		}
	}
	return append(dst, `</svg>`...)
}

// named is what a picture is called; one without a name is for eyes alone.
func named(label string) string {
	if label == "" {
		return `aria-hidden="true"`
	}
	return `role="img" aria-label="` + esc(label) + `"`
}

func esc(text string) string { return template.HTMLEscapeString(text) }
