package e2e_test

import (
	"strings"
	"testing"
)

// TestALogThroughARestartInARealBrowser: the server dies under a page that follows a log, and comes again. What the log
// says after that comes to the page by itself, in its place, and nothing is on it twice.
func TestALogThroughARestartInARealBrowser(t *testing.T) {
	slow(t)
	chrome := chromium(t)
	each(t, func(t *testing.T, s *server) {
		s.people()
		pool, runner := s.agents("acme")
		run := s.do("POST", "/runs", s.Token, runOf(s.onAgents(pool, "cluster"), `"message":"Grow"`)).want(t, 201).text("data.id")
		lease, _, log := s.begins(runner, "plan")
		const before, after = "said before\n", "said after\n"
		s.says(lease, log, before, 0).wantAny(t, 200, 202)
		s.signIn("olga") // gets the password
		h := &hand{tab: s.tab(t, chrome), t: t, scripts: true}
		h.looks(1280, "light")
		h.signsIn("olga")
		h.open("/app/acme/workspaces/cluster/runs/" + run)
		h.until(`document.querySelector(".log")?.textContent.includes("said before")`, "the log is there")
		s.kill()
		s.refuses(t)
		s.run()
		s.eventually(func() bool { // what was not safe when it died is brought again
			return s.says(lease, log, before, 0).wantAny(t, 200, 202, 416).Status != 0 && s.says(lease, log, after, len(before)).Status < 300
		}, "the runner goes on")
		h.until(`document.querySelector(".log")?.textContent.includes("said after")`, "the log goes on")
		if said := ask[string](h.tab, `document.querySelector(".log").textContent`); strings.Count(said, "said before") != 1 || strings.Count(said, "said after") != 1 {
			t.Errorf("the log is %q", said)
		}
	})
}
