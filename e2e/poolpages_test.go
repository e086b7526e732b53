package e2e_test

import (
	"html"
	"strings"
	"testing"
)

// TestAnEmptyPoolWaits: the page of a pool without an agent says how one begins, and is told when the first has come.
func TestAnEmptyPoolWaits(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.people()
		owner, stranger := s.signIn("olga"), s.signIn("stan")
		path := owner.post("/app/acme/agents", owner.get("/app/acme/agents").form("do", "new", "name", "west", "scoped", "yes")).want(t, 303).Header.Get("Location")
		page := owner.get(path).want(t, 200).has(t, "Waiting for the first agent.", "belay runner").inert(t)
		if strings.Count(page.Body, "belay runner") != 1 {
			t.Error("an empty pool says twice how an agent begins")
		}
		made := owner.post(path, page.form("do", "token", "description", "b")).want(t, 201).has(t, "data-offers")
		_, rest, _ := strings.Cut(made.Body, `<code class="value">`)
		token, _, _ := strings.Cut(rest, "<")
		live := html.UnescapeString(liveAddress.FindStringSubmatch(page.Body)[1])
		stranger.get(live).want(t, 404)
		_, next, stop := owner.listen(live, "")
		defer stop()
		if first := next("retry: 1000", "event: changed"); !strings.HasSuffix(first, "retry: 1000") {
			t.Fatalf("the stream begins with %q", first)
		}
		s.runnerCall(token, "register", `{"name":"build-1","boot_id":"b","slots":1,"engines":[{"product":"tofu","version":"1.12.6"}]}`).want(t, 201)
		if next("event: changed") == "" {
			t.Error("the page is not told of the first agent")
		}
		owner.get(path).want(t, 200).has(t, "build-1", "Begin an agent", `<span>0 of 1</span>`).hasNot(t, "Waiting for", "data-offers").inert(t)
	})
}
