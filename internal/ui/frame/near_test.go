package frame

import (
	"slices"
	"strings"
	"testing"
)

func TestNearestIsWhatSomebodyMayHaveMeant(t *testing.T) {
	t.Parallel()
	names := []string{"eks-prod", "eks-staging", "eks-addons-prod", "EKS-PRDX", "dns-prod", "a", ""}
	for meant, want := range map[string][]string{
		"eks-prdo":               {"EKS-PRDX", "eks-prod"},
		"eks-prod":               {"EKS-PRDX", "dns-prod"}, // the same is no other
		"eks-stagng":             {"eks-staging"},
		"b":                      {"", "a"},
		"":                       {"a"},
		"network":                nil,
		strings.Repeat("x", 200): nil,
	} {
		if got := nearest(meant, names); !slices.Equal(got, want) {
			t.Errorf("near %q are %q, not %q", meant, got, want)
		}
	}
	for _, c := range []struct {
		one, other string
		apart      int
	}{{"abc", "abc", 0}, {"abc", "acb", 1}, {"abc", "ab", 1}, {"äbc", "abc", 1}, {"abc", "xyz", 3}, {"abcdef", "a", 4}} {
		if got := apart(c.one, c.other, 3); got != c.apart {
			t.Errorf("%q and %q are %d apart, not %d", c.one, c.other, got, c.apart)
		}
	}
}

// TestAPieceIsWholeWhereverTheSlipIs puts one slip at every place of a name.
func TestAPieceIsWholeWhereverTheSlipIs(t *testing.T) {
	t.Parallel()
	const name = "observability-prod"
	for i := range name {
		slipped := name[:i] + "?" + name[i+1:]
		if !slices.ContainsFunc(pieces(slipped), func(piece string) bool { return strings.Contains(name, piece) }) {
			t.Errorf("no piece of %q is in %q: %q", slipped, name, pieces(slipped))
		}
	}
	if got := pieces("ä"); got != nil {
		t.Errorf("a letter has the pieces %q", got)
	}
}
