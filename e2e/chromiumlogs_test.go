package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// faulty is a log of many lines in which two things are wrong.
func faulty() string {
	line := strings.Repeat("a line of a long log\n", 1500)
	return "\x1b[33m│\x1b[0m \x1b[33mWarning: \x1b[0mold <attribute>\n" + line + "│ Error: no such <zone>\n" + line
}

// TestWhatALogTellsOfStandsAboveIt: errors and warnings with ways to their lines, and when lines came.
func TestWhatALogTellsOfStandsAboveIt(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.people()
		pool, runner := s.agents("acme")
		run := s.do("POST", "/runs", s.Token, runOf(s.onAgents(pool, "cluster"), `"message":"Grow"`)).want(t, 201).text("data.id")
		s.plans(runner, planOf("v"), faulty())
		owner, page := s.signIn("olga"), "/app/acme/workspaces/cluster/runs/"+run
		const near, far = `href="#log-plan-1502"`, `from=1#log-plan-1"`
		owner.get(page).want(t, 200).has(t, "Errors and warnings in log-plan", "no such &lt;zone&gt;", "old &lt;attribute&gt;", near, far, `id="log-plan-1502"`, `class="came"><time`).
			hasNot(t, `id="log-plan-1"`).inert(t)
		owner.get(page+"?log=plan&from=1").want(t, 200).has(t, `href="#log-plan-1"`, near)
		lit := owner.get(page+"?log=plan&lines=1480-1460").want(t, 200).has(t, `id="log-plan-1440"`, `id="log-plan-1460" class="lit"`, `id="log-plan-1480" class="lit"`).hasNot(t, `id="log-plan-1439"`)
		if n := strings.Count(lit.Body, ` class="lit"`); n != 21 {
			t.Errorf("%d lines stand out", n)
		}
		for _, wrong := range []string{"0", "x-y", "99999999999999999999", "5000-6000"} {
			owner.get(page+"?log=plan&lines="+wrong).want(t, 200).hasNot(t, ` class="lit"`)
		}
		owner.get(page+"?log=plan&find=zone").want(t, 200).has(t, "from=1482#log-plan-1502", far).hasNot(t, near)
	})
}

// TestLogsInARealBrowser goes from error to error, and to both ends of a log: by mouse, by keyboard
// alone, and by keyboard with scripts off.
func TestLogsInARealBrowser(t *testing.T) {
	slow(t)
	chrome := chromium(t)
	s := start(t, "sqlite")
	s.people()
	pool, runner := s.agents("acme")
	run := s.do("POST", "/runs", s.Token, runOf(s.onAgents(pool, "cluster"), `"message":"Grow"`)).want(t, 201).text("data.id")
	s.plans(runner, planOf("v"), faulty())
	s.signIn("olga") // gets the password
	page := "/app/acme/workspaces/cluster/runs/" + run
	for _, way := range []struct {
		name              string
		keyboard, scripts bool
	}{{"mouse", false, true}, {"keyboard", true, true}, {"plain", true, false}} {
		t.Run(way.name, func(t *testing.T) {
			h := &hand{tab: s.tab(t, chrome), t: t, keyboard: way.keyboard, scripts: way.scripts}
			h.looks(1280, "light")
			if !way.scripts {
				call(h.tab, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
			}
			h.signsIn("olga")
			h.open(page)
			switch {
			case way.scripts && way.keyboard:
				h.goesThroughALog()
			default:
				h.press(".log-index a", "Error")
				h.until(`document.querySelector(":target")?.id === "log-plan-1502"`, "the line of the error is gone to")
				h.open(page)
				h.press(".log-index a", "Warning")
				h.until(`document.querySelector(":target")?.id === "log-plan-1" && location.search.includes("from=1")`, "the warning is gone to, on another page")
				h.choosesLines(page)
			}
			if way.scripts && !way.keyboard {
				h.sound(page + "?log=plan&find=zone") // with the whole log it would take axe minutes
			}
			if said := h.heard(); len(said) > 0 {
				t.Errorf("the browser says %q", said)
			}
		})
	}
}

// choosesLines goes to lines of a log by their address, which the page alone need not show, and has others in the address.
func (h *hand) choosesLines(page string) {
	h.t.Helper()
	const lit = `[...document.querySelectorAll(".log .lit")].map((l) => l.id.split("-")[2])`
	if !h.scripts {
		h.open(page + "?log=plan&lines=120-140#log-plan-120")
		h.until(lit+`.join() === Array.from({ length: 21 }, (_, i) => 120 + i).join()`, "the lines stand out without scripts")
		return
	}
	h.open("/app/") // only the part behind # changes else
	h.open(page + "#L120-L140")
	h.until(lit+`.length === 21 && location.search === "?log=plan&lines=120-140" && document.querySelector(":target")?.id === "log-plan-120"`, "lines that are not on the page are gone to")
	h.does(chromedp.Click("#log-plan-125 > a"))
	h.until(lit+`.length === 0 && location.search === "?log=plan" && location.hash === "#log-plan-125"`, "one line is chosen")
	call(h.tab, runtime.Evaluate, runtime.EvaluateParams{Expression: `document.querySelector("#log-plan-130 > a").dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, shiftKey: true }))`})
	h.until(lit+`.join() === "125,126,127,128,129,130" && location.search === "?log=plan&lines=125-130" && location.hash === "#log-plan-125"`, "all up to another are in the address")
	h.open(page + "#L3001")
	h.until(lit+`.join() === "3001"`, "the short name of a line on the page")
}

// TestStatesInARealBrowser goes through the versions of a state by keys, and stays where it is when a newer one comes.
func TestStatesInARealBrowser(t *testing.T) {
	slow(t)
	chrome := chromium(t)
	s := start(t, "sqlite")
	id := s.people()
	for n := 1; n <= 3; n++ {
		s.hold(id, n, thing("", "one", fmt.Sprintf(`"id":"i-1","size":%d,"password":"p%[1]d"`, n), `,"dependencies":["random_pet.some"]`)+","+instances("random_pet", 19+n), "")
	}
	s.signIn("olga") // gets the password
	h := &hand{tab: s.tab(t, chrome), t: t, keyboard: true, scripts: true}
	h.looks(1280, "light")
	h.signsIn("olga")
	h.open(statePath)
	h.keys("\u0302") // ArrowLeft
	h.at("/state/2")
	h.keys("\u0303") // ArrowRight
	h.at("/state/3")
	h.keys("c")
	h.until(`location.search === "?from=2"`, "it is compared with the one before")
	h.keys("c")
	h.until(`location.search === ""`, "it is not compared")
	h.keys("G")
	h.until(`document.querySelector(".graph") !== null`, "the graph is drawn")
	h.keys("G")
	h.until(`document.activeElement?.getAttribute("aria-label") === "Graph of dependencies"`, "the graph has the focus")
	h.open(statePath + "?at=aws_thing.one")
	s.hold(id, 4, thing("", "one", `"id":"i-1","size":4`, ""), "")
	h.says("#4 arrived")
	h.says("Showing #3")
	h.press(".note a", "Show")
	h.says("Showing #4")
	h.open(statePath + "/3?at=aws_thing.one")
	h.press(".attributes a", "Show")
	h.press(".attributes button", "Show password")
	h.says(`"p3"`)
	for _, address := range []string{statePath + "/3?at=aws_thing.one&from=2&reveal=password", statePath} {
		h.sound(address)
	}
	if said := h.heard(); len(said) > 0 {
		t.Errorf("the browser says %q", said)
	}
}

// goesThroughALog uses the keys of a run's page.
func (h *hand) goesThroughALog() {
	h.t.Helper()
	focused := func(selector, what string) {
		h.t.Helper()
		h.until(fmt.Sprintf(`document.activeElement?.matches(%q) === true`, selector), what)
	}
	h.keys("n")
	focused("details.res > summary", "the first change has the focus")
	h.keys("p")
	focused("details.res > summary", "there is none before it")
	h.keys("o")
	h.until(`![...document.querySelectorAll("details.res")].some((d) => d.open)`, "all changes are closed")
	h.keys("o")
	h.until(`[...document.querySelectorAll("details.res")].every((d) => d.open)`, "all changes are open")
	h.keys("L")
	focused("[role=region][aria-label='Lines of log-plan']", "the log has the focus")
	const top = `document.querySelector(".log").scrollTop`
	h.chord("gg", top+" === 0", "the log is at its beginning")
	h.keys("G")
	h.until(top+" > 1000", "the log is at its end")
	for range len(ask[[]string](h.tab, `[...document.querySelectorAll("details.res")].map((d) => d.id)`)) {
		h.keys("n")
	}
	h.keys("n") // the warning, which is on another page
	h.until(`location.search.includes("from=1")`, "the warning is gone to")
	h.keys("n")
	focused("#log-plan-1502 > a", "the error has the focus")
	h.keys("p")
	focused("#log-plan-1 > a", "the warning has the focus")
	h.keys("d")
	focused("button[formaction$='/discard']", "discarding is gone to")
}

// sound holds a page to what is held of all, in light, dark and on a telephone.
func (h *hand) sound(address string) {
	h.t.Helper()
	for _, look := range []struct {
		width  int64
		scheme string
	}{{390, "light"}, {390, "dark"}, {1280, "dark"}, {1280, "light"}} {
		h.looks(look.width, look.scheme)
		h.open(address)
		if wide := ask[string](h.tab, fits); wide != "" {
			h.t.Errorf("at %d pixels: %s", look.width, wide)
		}
		if found := h.barriers(""); len(found) > 0 {
			h.t.Errorf("at %d pixels, %s: %q", look.width, look.scheme, found)
		}
		h.picture(visitor{name: "olga"}, address, fmt.Sprint(look.width, look.scheme))
	}
}
