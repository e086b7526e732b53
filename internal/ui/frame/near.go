package frame

import (
	"cmp"
	"slices"
	"strings"
)

// apart is how many letters have to be put in, left out, changed or swapped with their neighbour to make
// one text of the other, case aside; more than most is only said to be more.
func apart(one, other string, most int) int {
	a, b := []rune(strings.ToLower(one)), []rune(strings.ToLower(other))
	if d := len(a) - len(b); d > most || -d > most {
		return most + 1
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range a {
		row[0] = i + 1
		for j := range b {
			step := 1
			if a[i] == b[j] {
				step = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+step)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

// mostNear is how many near names are told.
const mostNear = 3

// nearest is those of some names that somebody may have meant, the nearest first.
func nearest(meant string, names []string) (near []string) {
	most := min(1+len([]rune(meant))/5, 3)
	far := map[string]int{}
	for _, name := range names {
		if _, known := far[name]; known || name == meant {
			continue
		}
		if far[name] = apart(meant, name, most); far[name] <= most {
			near = append(near, name)
		}
	}
	slices.SortFunc(near, func(a, b string) int { return cmp.Or(far[a]-far[b], cmp.Compare(a, b)) })
	return near[:min(len(near), mostNear)]
}

// pieces is parts of a name of which at least one is whole where the name has one slip in it, the
// longest first: what few have in them is found quickest.
func pieces(name string) (list []string) {
	letters := []rune(name)
	n := len(letters)
	for _, piece := range [][]rune{letters[:n*3/4], letters[n/4:], letters[:n/2], letters[n/2:]} {
		if text := string(piece); len(piece) > 1 && !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}
