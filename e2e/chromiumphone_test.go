package e2e_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/go-tfe"
)

// menus opens each menu of a page by itself, and names those of which a part is beside the screen or over what opened it.
const menus = `(async () => { const wide = document.documentElement.clientWidth, found = [];
	for (const s of document.querySelectorAll("details:is(.facet, .me) > summary")) {
		if (!s.checkVisibility()) continue;
		s.parentElement.open = false;
		s.click();
		await new Promise((done) => setTimeout(done, 30)); // the script of the page is told of it
		const drop = s.nextElementSibling.getBoundingClientRect(), below = s.getBoundingClientRect().bottom;
		const out = drop.left < 0 || drop.right > wide || drop.width < 150 || drop.top < below || drop.top > below + 12 || document.documentElement.scrollWidth > wide;
		s.click();
		if (out) found.push(s.textContent + " from " + drop.left + " to " + drop.right + ", " + (drop.top - below) + " below");
	}
	return found.join("; "); })()`

// TestMenusOnATelephoneInARealBrowser: menus open within the screen, wherever what opens them stands and however wide it is; what nobody can
// break into parts (a team of ninety Ws in a list to choose from, a button with a whole question on it, the kinds of lines
// of a log) stays within its page.
func TestMenusOnATelephoneInARealBrowser(t *testing.T) {
	slow(t)
	chrome := chromium(t)
	s := start(t, "sqlite")
	s.people()
	pool, runner := s.agents("acme")
	ws := s.onAgents(pool, "app")
	shown, _ := s.team("acme", strings.Repeat("W", 90), &tfe.OrganizationAccessOptions{})
	run := s.do("POST", "/runs", s.Token, runOf(ws, `"message":"m"`)).want(t, 201).text("data.id")
	s.plans(runner, planOf("x"), "Error: "+strings.Repeat("a value that is not allowed here, ", 9)+"\n")
	s.fileRequests("acme", "Upgrade", ws)
	s.lock(s.workspace("acme", "held"))
	s.signIn("olga") // gets the password
	b := s.tab(t, chrome)
	b.signIn("olga")
	b.open("/app/acme/changes")
	campaign := strings.TrimPrefix(ask[string](b, `document.querySelector(".campaigns tbody th a").href`), b.base)
	b.open("/app/acme/explorer")
	stale := strings.TrimPrefix(ask[string](b, `[...document.querySelectorAll("a")].find((a) => a.textContent == "No change for 90 days").href`), b.base)
	page := "/app/acme/workspaces/app"
	for _, width := range []int64{390, 720, 1280} {
		b.looks(width, "light")
		for _, path := range []string{
			page, page + "/access", page + "/runs/" + run, "/app/acme/workspaces", "/app/acme/workspaces/held", "/app/acme/explorer?type=workspaces", stale, campaign, "/app/acme/notifications/" + shown.ID, "/app/acme/workspaces?page=500",
		} {
			b.open(path)
			if wide := ask[string](b, fits); wide != "" {
				t.Errorf("%s: %s", path, wide)
			}
			if out := ask[string](b, menus); out != "" {
				t.Errorf("%s at %d px: %s", path, width, out)
			}
			if over := ask[string](b, `[...document.querySelectorAll("select, .log-index a > :first-child")].filter((e) => e.checkVisibility() && (e.getBoundingClientRect().height > 44 ||
				e.closest(".card") && e.getBoundingClientRect().right > e.closest(".card").getBoundingClientRect().right && !e.closest(".scroll"))).map((e) => e.outerHTML.slice(0, 120)).join(" … ")`); over != "" {
				t.Errorf("%s at %d px: over its card, or in lines of a letter: %s", path, width, over)
			}
		}
	}
}
