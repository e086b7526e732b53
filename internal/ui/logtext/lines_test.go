package logtext

import "testing"

func TestLinesAreAskedForByTheirEnds(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Range{
		"120": {120, 120}, "120-140": {120, 140}, "140-120": {120, 140}, "": {}, "0": {}, "0-3": {}, "-3": {}, "3-": {}, "1-2-3": {}, "x": {},
		"99999999999999999999": {}, "1-99999999999999999999": {},
	} {
		if got := Asked(text); got != want {
			t.Errorf("%q is %v, not %v", text, got, want)
		}
	}
	few := Range{2, 3}
	for n, want := range map[int]bool{0: false, 1: false, 2: true, 3: true, 4: false} {
		if few.has(n) != want || (Range{}).has(n) {
			t.Errorf("line %d", n)
		}
	}
}
