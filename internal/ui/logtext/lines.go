// Package logtext owns how the text of a log is read: its lines, their colours, and what they tell of. It knows no page.
package logtext

import (
	"strconv"
	"strings"
)

// Range is some lines of a log that follow each other; the zero value is none.
type Range struct{ First, Last int }

func (l Range) has(n int) bool { return l.First > 0 && l.First <= n && n <= l.Last }

// Above is how many lines are shown above the one that is gone to.
const Above = 20

// Asked reads the lines that an address asks for, such as 120 or 120-140, either end first; none where it makes
// no sense.
func Asked(text string) Range {
	first, last, isRange := strings.Cut(text, "-")
	if !isRange {
		last = first
	}
	a, wrong := strconv.Atoi(first)
	b, alsoWrong := strconv.Atoi(last)
	if wrong != nil || alsoWrong != nil || min(a, b) < 1 {
		return Range{}
	}
	return Range{min(a, b), max(a, b)}
}
