package draw_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/belayhq/belay/internal/ui/draw"
)

func TestGraphs(t *testing.T) {
	t.Parallel()
	if got := draw.Graph("x", nil, nil); got != "" {
		t.Errorf("a graph of nothing is %s", got)
	}
	got := string(draw.Graph(`a "b"`, []draw.Node{{Name: "<vpc>", Note: "1", Path: "?at=<vpc>", Class: "mod"}, {Name: "aws_a_name_that_is_far_too_long.x"}}, []draw.Edge{{0, 1}}))
	want := `<svg class="graph" width="384" height="52" viewBox="0 0 384 52" role="group" aria-label="a &#34;b&#34;"><path class="edge" d="M164 26C192 26 192 26 220 26"/>` +
		`<a href="?at=&lt;vpc&gt;"><g class="node mod"><title>&lt;vpc&gt;</title><rect x="8" y="8" width="156" height="36" rx="4"/><text x="16" y="23">&lt;vpc&gt;</text><text class="k" x="16" y="36">1</text></g></a>` +
		`<g class="node "><title>aws_a_name_that_is_far_too_long.x</title><rect x="220" y="8" width="156" height="36" rx="4"/><text x="228" y="23">…at_is_far_too_long.x</text><text class="k" x="228" y="36"></text></g></svg>`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestGraphsOfCircles: groups may need each other, and a graph of them ends all the same. What
// needs something stands right of it.
func TestGraphsOfCircles(t *testing.T) {
	t.Parallel()
	var nodes []draw.Node
	var edges []draw.Edge
	for i := range 40 {
		nodes = append(nodes, draw.Node{Name: fmt.Sprint("n", i)})
		for j := range 40 {
			edges = append(edges, draw.Edge{From: i, To: j})
		}
	}
	if got := string(draw.Graph("x", nodes, edges)); strings.Count(got, "<rect") != 40 || strings.Count(got, "<path") != 1600 {
		t.Error("a graph of circles lacks something")
	}
	chain := string(draw.Graph("x", nodes[:3], []draw.Edge{{2, 1}, {1, 0}, {2, 0}}))
	for i, x := range []string{"432", "220", "8"} {
		if want := fmt.Sprintf(`<title>n%d</title><rect x="%s"`, i, x); !strings.Contains(chain, want) {
			t.Errorf("%s is not in %s", want, chain)
		}
	}
}
