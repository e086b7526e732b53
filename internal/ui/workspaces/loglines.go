package workspaces

import (
	"strconv"
	"strings"
)

// lines is some lines of a log that follow each other; the zero value is none.
type lines struct{ first, last int }

func (l lines) has(n int) bool { return l.first > 0 && l.first <= n && n <= l.last }

// linesAbove is how many lines are shown above the one that is gone to.
const linesAbove = 20

// linesAsked reads the lines that an address asks for, such as 120 or 120-140, either end first; none where it makes
// no sense.
func linesAsked(text string) lines {
	first, last, isRange := strings.Cut(text, "-")
	if !isRange {
		last = first
	}
	a, wrong := strconv.Atoi(first)
	b, alsoWrong := strconv.Atoi(last)
	if wrong != nil || alsoWrong != nil || min(a, b) < 1 {
		return lines{}
	}
	return lines{min(a, b), max(a, b)}
}
