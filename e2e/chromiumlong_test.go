package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
)

// TestALongLogInARealBrowser: of 50,000 lines a page has some, any range of them is at its own address, and on a telephone a
// touch says when something was.
func TestALongLogInARealBrowser(t *testing.T) {
	slow(t)
	chrome := chromium(t)
	s := start(t, "sqlite")
	s.people()
	pool, runner := s.agents("acme")
	run := s.do("POST", "/runs", s.Token, runOf(s.onAgents(pool, "cluster"), `"message":"Grow"`)).want(t, 201).text("data.id")
	s.plans(runner, planOf("v"), strings.Repeat("a line of a very long log\n", 50000))
	s.signIn("olga") // gets the password
	page := "/app/acme/workspaces/cluster/runs/" + run
	h := &hand{tab: s.tab(t, chrome), t: t, scripts: true}
	h.looks(1280, "light")
	h.signsIn("olga")
	h.open(page)
	h.until(`document.getElementById("log-plan-50000") !== null && document.getElementById("log-plan-48001") !== null && document.querySelectorAll(".log li").length === 2000`, "the page has the last lines")
	h.open(page + "?log=plan&lines=20000-20010#log-plan-20000")
	h.until(`document.querySelectorAll(".log .lit").length === 11 && document.querySelectorAll(".log li").length <= 2000`, "a range far away")
	h.open("/app/") // only the part behind # changes else
	h.open(page + "#L31000-L31020")
	h.until(`document.querySelectorAll(".log .lit").length === 21 && document.querySelector(":target")?.id === "log-plan-31000"`, "a range by its short name")

	h.looks(390, "light")
	call(h.tab, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true, MaxTouchPoints: 1})
	h.open(page)
	h.until(`matchMedia("(hover: none)").matches`, "nothing hovers")
	const one = `[...document.querySelectorAll("main time[title]")].find((t) => t.checkVisibility() && !t.closest("a, button, summary, label"))`
	h.until(fmt.Sprintf(`%s.textContent.endsWith("ago") || %[1]s.textContent === "now"`, one), "a time is told from now")
	if said := ask[string](h.tab, "(() => { const t = "+one+`; t.click(); return t.textContent === t.title && t.title.includes(" UTC") ? "" : t.outerHTML; })()`); said != "" { // it goes back by itself
		t.Errorf("a touch does not say the whole of it: %s", said)
	}
	if wide := ask[string](h.tab, fits); wide != "" {
		t.Errorf("too wide on a telephone: %s", wide)
	}
	if said := h.heard(); len(said) > 0 {
		t.Errorf("the browser says %q", said)
	}
}
