package e2e_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// hand is somebody who works in a browser: by mouse, or by nothing but the keyboard.
type hand struct {
	*tab
	t        *testing.T
	keyboard bool
	scripts  bool
}

// find marks what is visible, fits a selector and says a text; no text fits all.
const find = `((selector, text) => {
	document.querySelectorAll("[data-hand]").forEach((e) => e.removeAttribute("data-hand"));
	const one = [...document.querySelectorAll(selector)].find((e) => e.checkVisibility() && (!text || e.innerText.trim().replace(/\s+/g, " ").startsWith(text)));
	one?.setAttribute("data-hand", "");
	return one !== undefined; })(%q, %q)`

// until waits until something is so on the page.
func (h *hand) until(script, what string) {
	h.t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if is, err := chromedp.Run(h.ctx, chromedp.Evaluate[bool](script)); err == nil && is { // between two pages there is none
			return
		}
	}
	h.t.Fatalf("it never came to be: %s; the page says %.1500s", what, ask[string](h.tab, "document.body.innerText"))
}

func (h *hand) says(text string) {
	h.t.Helper()
	h.until(fmt.Sprintf(`document.body.innerText.includes(%q)`, text), "the page says "+text)
}

func (h *hand) at(part string) {
	h.t.Helper()
	h.until(fmt.Sprintf(`location.pathname.includes(%q) && document.readyState === "complete"`, part), "the browser is at "+part)
}

// reach goes to what fits: with the pointer, or step by step with the tabulator.
func (h *hand) reach(selector, text string) {
	h.t.Helper()
	h.until(fmt.Sprintf(find, selector, text), "there is "+selector+" "+text)
	if !h.keyboard {
		must(h.t, chromedp.Do(h.ctx, chromedp.Click("[data-hand]")))
		return
	}
	for range 300 {
		if ask[bool](h.tab, `document.activeElement.matches("[data-hand]")`) {
			return
		}
		must(h.t, chromedp.Do(h.ctx, chromedp.KeyEvent("\t")))
	}
	h.t.Fatalf("the keyboard does not come to %s %s", selector, text)
}

// press opens, folds out or sends what fits.
func (h *hand) press(selector, text string) {
	h.t.Helper()
	h.reach(selector, text)
	if h.keyboard {
		must(h.t, chromedp.Do(h.ctx, chromedp.KeyEvent("\r")))
	}
}

func (h *hand) write(selector, text string) {
	h.t.Helper()
	h.reach(selector, "")
	must(h.t, chromedp.Do(h.ctx, chromedp.KeyEvent(text)))
}

// keys presses single keys, wherever one is, once the page listens.
func (h *hand) keys(keys string, options ...chromedp.KeyOption) {
	h.t.Helper()
	h.until(`document.readyState === "complete"`, "the page is there")
	must(h.t, chromedp.Do(h.ctx, chromedp.KeyEvent(keys, options...)))
}

// TestJobsInARealBrowser does what people do most often, from signing in to a state that is
// there: by mouse, by keyboard alone, and by keyboard with scripts off.
func TestJobsInARealBrowser(t *testing.T) {
	slow(t)
	chrome := chromium(t)
	s := start(t, "sqlite")
	id := s.people()
	pool, runner := s.agents("acme")
	s.signIn("olga") // gets the password
	s.signIn("rita")
	s.hold(id, 1, thing("", "one", `"id":"i-1","size":1`, ""), "")
	s.hold(id, 2, thing("", "one", `"id":"i-1","size":2`, "")+","+thing("", "two", `"id":"i-2"`, ""), "")
	for _, way := range []struct {
		name              string
		keyboard, scripts bool
	}{{"mouse", false, true}, {"keyboard", true, true}, {"plain", true, false}} {
		t.Run(way.name, func(t *testing.T) {
			b := s.tab(t, chrome)
			b.looks(1280, "light")
			if !way.scripts {
				call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
			}
			h := &hand{tab: b, t: t, keyboard: way.keyboard, scripts: way.scripts}
			name := "job-" + way.name
			workspace := s.onAgents(pool, name)
			s.fileRequests("acme", "Upgrade by "+way.name, workspace)
			h.signsIn("olga")
			h.findsAndLocks(name)
			h.runs(s, runner, name)
			h.variable(name)
			h.archives(s, workspace, name)
			h.comparesStates()
			h.tags(s, workspace, name)
			if said := h.heard(); len(said) > 0 {
				t.Errorf("the browser says %q", said)
			}
		})
	}
	t.Run("reader", func(t *testing.T) {
		h := &hand{tab: s.tab(t, chrome), t: t, scripts: true}
		h.looks(1280, "light")
		h.signsIn("rita")
		h.open(networkPage)
		h.press(".tabs a", "State")
		h.at("/state")
		h.press(".tree .leaf", "one")
		h.says("i-1")
		if ask[int](h.tab, `[...document.querySelectorAll("main form[method=post]")].length`) != 0 {
			t.Error("a reader is offered forms")
		}
	})
}

func (h *hand) signsIn(name string) {
	h.t.Helper()
	h.open("/app/sign-in")
	h.write("input[name=name]", name)
	h.write("input[name=password]", password)
	h.press("main button", "Sign in")
	h.until(`document.querySelector(".shell") !== null`, "somebody is signed in")
}

// findsAndLocks looks for a workspace by its name, locks it with a reason, and opens it again.
func (h *hand) findsAndLocks(name string) {
	h.t.Helper()
	h.open("/app/acme")
	switch {
	case h.keyboard && h.scripts:
		h.keys("k", chromedp.KeyModifiers(chromedp.ModifierCtrl))
		h.until(`document.activeElement.matches("dialog.palette input")`, "the palette is open")
		h.keys(name)
		h.until(fmt.Sprintf(`document.querySelector("dialog.palette [aria-selected=true]")?.innerText.startsWith(%q) === true`, name), "the palette finds the workspace")
		if found := h.barriers(""); len(found) > 0 {
			h.t.Errorf("in the palette: %q", found)
		}
		h.keys("\r")
	default:
		h.write(".find input[type=search]", name+"\r")
		h.at("/~/search")
		h.press(".links a", name)
	}
	h.at("/workspaces/" + name)
	h.press("summary", "Lock")
	h.write("#reason", "a drill")
	h.press("form[action$='/lock'] button", "Lock")
	h.says("a drill")
	h.press("form[action$='/unlock'] button", "Unlock")
	h.says("Unlocked")
}

// runs begins a run, reads its plan, says something, confirms it, and discards another.
func (h *hand) runs(s *server, runner, name string) {
	h.t.Helper()
	begin := func(message string) {
		h.open("/app/acme/workspaces/" + name)
		h.press("summary", "Start run")
		h.write("#run-message", message)
		h.press("form[action$='/start'] button", "Start")
		h.at("/runs/run-")
		s.plans(runner, planOf("v"), "it is planned\n")
		if !h.scripts {
			h.press(".acts a", "Look again")
		}
		h.until(`document.querySelector("h1").innerText.includes("Waiting for confirmation")`, "the page tells that the plan waits")
	}
	begin("Grow it")
	h.says("1 resource is replaced, and 1 resource is destroyed.")
	h.press(".sums a", "1 destroy")
	h.until(`document.querySelectorAll(".res").length === 1`, "only what is destroyed is shown")
	h.write("#comment", "looks **fine**")
	h.press("form[action$='/comment'] button", "Comment")
	h.until(`document.querySelector(".prose strong")?.innerText === "fine"`, "the comment is shown")
	if h.keyboard && h.scripts {
		h.keys("c")
		h.until(`document.activeElement.id === "why"`, "c leads to the decision")
		h.keys("go")
	} else {
		h.write("#why", "go")
	}
	h.press("button", "Confirm and apply")
	h.at("/runs/run-")
	s.carry(runner, "apply", map[string]string{"state": string(stateHolding(1, instances("random_pet", 2), "")), "log": "done\n"}, `{"outcome":"succeeded","state_home":true}`)
	if !h.scripts {
		h.open("/app/acme/workspaces/" + name + "/runs")
		h.press(".table a", "Grow it")
	}
	h.until(`document.querySelector("h1 .pill")?.innerText.includes("Applied")`, "the page tells that it is applied")
	begin("Not this")
	h.press("button", "Discard")
	h.until(`document.querySelector("h1 .pill")?.innerText.includes("Discarded")`, "the run is discarded")
}

// variable adds a variable of the workspace.
func (h *hand) variable(name string) {
	h.t.Helper()
	h.press("nav.crumbs a", name)
	h.at("/workspaces/" + name)
	h.press(".tabs a", "Variables")
	h.at("/variables")
	h.press("a", "Add a variable")
	h.write("#key", "region")
	h.write("#value", "eu-central-1")
	h.press("button", "Add")
	h.until(`document.querySelector("td .value")?.innerText === "eu-central-1"`, "the variable is shown")
}

// archives reads a change request of the workspace and archives it.
func (h *hand) archives(s *server, workspace, name string) {
	h.t.Helper()
	s.eventually(func() bool {
		return s.do("GET", "/workspaces/"+workspace+"/change-requests", s.Token, "").at("data.0.id") != nil
	}, "the change request is filed")
	h.open("/app/acme/workspaces/" + name)
	h.press(".tabs a", "Change requests")
	h.at("/change-requests")
	h.press("button", "Archive")
	h.says("Archived")
}

// comparesStates opens a state, one of its resources, and what became of it since an earlier state.
func (h *hand) comparesStates() {
	h.t.Helper()
	h.open(networkPage)
	h.press(".tabs a", "State")
	h.at("/state")
	h.press("a", "Compare")
	h.until(`location.search.includes("from=1")`, "two states are compared")
	h.press(".tree .leaf", "one")
	h.until(`document.querySelector(".attributes .differs") !== null`, "the difference is shown")
}

// tags ticks workspaces of the list and gives them a tag.
func (h *hand) tags(s *server, workspace, name string) {
	h.t.Helper()
	h.open("/app/acme/workspaces?search=" + name)
	h.reach(fmt.Sprintf("td.box input[aria-label=%q]", name), "")
	if h.keyboard {
		h.keys(" ")
	}
	h.write(".bulk input[name=tags]", "by-hand")
	h.press(".bulk button", "Tag")
	h.says("1 workspace tagged")
	if got := s.do("GET", "/workspaces/"+workspace, s.Token, "").want(h.t, 200).Body; !strings.Contains(got, "by-hand") {
		h.t.Errorf("it has no tag: %s", got)
	}
	if h.keyboard && h.scripts {
		h.open("/app/acme/workspaces")
		h.keys("j")
		h.until(`document.activeElement.matches(".table tbody th a")`, "j leads to the first row")
		h.keys("x")
		h.until(`document.querySelector(".table tbody .box input").checked`, "x ticks it")
		h.keys("g")
		h.keys("r")
		h.at("/app/acme/runs")
		h.keys("?")
		h.until(`document.querySelector("dialog.keys[open]") !== null`, "? shows the keys")
		if found := h.barriers(""); len(found) > 0 {
			h.t.Errorf("in the list of keys: %q", found)
		}
	}
}

// TestForgedFormsAndFramesInARealBrowser tries what another site may try with the browser of
// somebody who is signed in, and weighs what a first visit brings.
func TestForgedFormsAndFramesInARealBrowser(t *testing.T) {
	slow(t)
	chrome := chromium(t)
	s := start(t, "sqlite")
	id := s.people()
	s.signIn("olga")
	b := s.tab(t, chrome)
	h := &hand{tab: b, t: t, scripts: true}
	b.looks(1280, "light")
	weight := 0.0
	must(t, chromedp.Listen(b.ctx, func(event any) {
		if e, ok := event.(*network.EventLoadingFinished); ok {
			b.mu.Lock()
			weight += e.EncodedDataLength
			b.mu.Unlock()
		}
	}))
	call(b, network.Enable, network.EnableParams{})
	h.signsIn("olga")
	b.mu.Lock()
	if t.Logf("signing in brings %.0f bytes", weight); weight > 60<<10 {
		t.Errorf("a first visit weighs %.0f bytes", weight)
	}
	b.mu.Unlock()
	for _, forged := range []string{
		fmt.Sprintf(`<form method="post" action="%s%s/lock"><input name="reason" value="forged"></form>`, s.URL, networkPage),
		fmt.Sprintf(`<form method="post" enctype="text/plain" action="%s%s/lock"><input name="reason" value="forged"></form>`, s.URL, networkPage),
	} {
		must(t, chromedp.Do(b.ctx, chromedp.Navigate("data:text/html,"+strings.NewReplacer("%", "%25", "#", "%23").Replace(forged+`<script>document.forms[0].submit()</script>`))))
		h.until(fmt.Sprintf(`location.href.startsWith(%q)`, s.URL), "the forged form was answered")
		if locked := s.do("GET", "/workspaces/"+id, s.Token, "").at("data.attributes.locked"); locked != false {
			t.Fatal("a forged form locked the workspace")
		}
	}
	must(t, chromedp.Do(b.ctx, chromedp.Navigate(fmt.Sprintf(`data:text/html,<iframe src="%s%s"></iframe><p>around`, s.URL, networkPage))))
	h.says("around")
	time.Sleep(time.Second)
	if ask[bool](b, `(() => { try { return document.querySelector("iframe").contentDocument.body.innerText.includes("network"); } catch { return false; } })()`) {
		t.Error("another site holds the page in a frame")
	}
	if policy := s.signIn("olga").get(networkPage).want(t, 200).Header.Get("Content-Security-Policy"); !strings.Contains(policy, "frame-ancestors 'none'") {
		t.Errorf("the page may be framed: %s", policy)
	}
}
