package workspaces

import (
	"slices"
	"strings"
	"testing"

	"github.com/belayhq/belay/internal/state"
	"github.com/belayhq/belay/internal/ui/draw"
)

// edges is pairs of numbers as edges.
func edges(pairs [][2]int) (list []draw.Edge) {
	for _, p := range pairs {
		list = append(list, draw.Edge{From: p[0], To: p[1]})
	}
	return list
}

func TestGraphsOfStatesSayNothingTwice(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ edges, want [][2]int }{
		"a way round":     {[][2]int{{0, 1}, {0, 2}, {1, 2}}, [][2]int{{0, 1}, {1, 2}}},
		"a long one":      {[][2]int{{0, 1}, {0, 3}, {1, 2}, {2, 3}}, [][2]int{{0, 1}, {1, 2}, {2, 3}}},
		"each other":      {[][2]int{{0, 1}, {1, 0}}, [][2]int{{0, 1}, {1, 0}}},
		"behind a circle": {[][2]int{{0, 1}, {1, 0}, {0, 2}, {1, 2}}, [][2]int{{0, 1}, {1, 0}, {0, 2}, {1, 2}}},
	} {
		if got := reduced(4, edges(c.edges)); !slices.Equal(got, edges(c.want)) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestGraphsOfStatesFoldWhatIsElsewhere(t *testing.T) {
	t.Parallel()
	links := []state.StateLink{
		{Type: "vpc", Name: "main", Instances: 1},
		{Module: []string{"module.net"}, Type: "subnet", Name: "a", Instances: 3, Needs: []string{"vpc.main"}},
		{Module: []string{"module.net", "module.dns"}, Type: "zone", Name: "z", Instances: 1, Needs: []string{"vpc.main", "module.net.subnet.a", "gone.away"}},
		{Module: []string{"module.app"}, Type: "server", Name: "s", Instances: 2, Needs: []string{"module.net.subnet.a"}},
	}
	link := func(changed ...string) string { return "?" + strings.Join(changed, "=") }
	for name, c := range map[string]struct {
		draw func(*stateGraph)
		want string
	}{
		"modules folded": {func(g *stateGraph) { g.within(nil) }, "vpc.main 1 resource []; module.net 4 resources [vpc.main]; module.app 2 resources [module.net]"},
		"one of them": {func(g *stateGraph) { g.within([]string{"module.net"}) },
			"subnet.a 3 resources [vpc]; module.net.module.dns 1 resource [subnet.a]; vpc elsewhere []; module.app elsewhere [subnet.a]"},
		"near one": {func(g *stateGraph) { g.around("module.app.server.s") },
			"module.app.server.s 2 resources [module.net.subnet.a]; module.net.subnet.a 3 resources [vpc.main]; vpc.main 1 resource []"},
		"near nothing": {func(g *stateGraph) { g.around("nothing") }, ""},
	} {
		g, part := newGraph(links), &graphPart{}
		c.draw(g)
		g.show(part, link)
		var rows []string
		for _, r := range part.Rows {
			rows = append(rows, r.Name+" "+r.Note+" ["+strings.Join(r.Needs, " ")+"]")
		}
		if got := strings.Join(rows, "; "); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, c.want)
		}
	}
}
