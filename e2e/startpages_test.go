package e2e_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestStartOfARunWithItsOwnVariables replaces resources and sets variables for one run, which "Run again" does once more.
func TestStartOfARunWithItsOwnVariables(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.people()
		ws, owner := s.runnable("cluster"), s.signIn("olga")
		const cluster = "/app/acme/workspaces/cluster"
		start := func(shown reply, more ...string) string {
			to := owner.post(cluster+"/start", shown.form(more...)).want(t, 303).Header.Get("Location")
			return to[strings.LastIndex(to, "/")+1:]
		}
		one := start(owner.get(cluster), "message", "Grow", "kind", "", "targets", "", "replaces", "a.b[\"c d\"]\r\n\r\na.e\r\n", "variables", "size = 3\r\nzone = \"a=b\"\r\n")
		asked := func(id string) {
			t.Helper()
			of := s.do("GET", "/runs/"+id, s.Token, "").want(t, 200)
			if got := fmt.Sprint(of.at("data.attributes.replace-addrs"), of.at("data.attributes.variables")); got != `[a.b["c d"] a.e] [map[key:size value:3] map[key:zone value:"a=b"]]` {
				t.Errorf("the run is asked for %s", got)
			}
		}
		asked(one)
		s.do("POST", "/runs/"+one+"/actions/cancel", s.Token, "").want(t, 202)
		shown := owner.get(cluster+"/runs/"+one).want(t, 200).has(t, "Run again").inert(t)
		asked(start(shown))
		// Values of several lines fit no line of the form.
		more := s.do("POST", "/runs", s.Token, runOf(ws, `"variables":[{"key":"text","value":"<<E\nx\nE"}]`)).want(t, 201).text("data.id")
		s.do("POST", "/runs/"+more+"/actions/cancel", s.Token, "").want(t, 202)
		owner.get(cluster+"/runs/"+more).want(t, 200).hasNot(t, "Run again")
	})
}
