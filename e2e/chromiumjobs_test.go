package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// desk is what somebody works with: a workspace of their own whose runs a runner carries out.
type desk struct {
	*server
	runner, workspace, name string
}

// jobs are what people do most often, in the order of a day.
var jobs = []struct {
	what string
	do   func(h *hand, d *desk)
}{
	{"sign in", func(h *hand, _ *desk) { h.signsIn("olga") }},
	{"find a workspace and lock it", (*hand).findsAndLocks},
	{"narrow the list and keep the view", (*hand).narrows},
	{"review a plan, comment and confirm", (*hand).confirms},
	{"discard a run", (*hand).discards},
	{"add and change a variable", (*hand).variable},
	{"do a change request", (*hand).archives},
	{"compare two states", (*hand).comparesStates},
	{"roll a state back", (*hand).rollsBack},
	{"tag what is ticked", (*hand).tags},
	{"ask why somebody may", (*hand).asksWhy},
	{"sign out", (*hand).signsOut},
}

// TestJobsInARealBrowser does what people do most often in every way of working.
func TestJobsInARealBrowser(t *testing.T) {
	ways(t, func(s *server) func(h *hand) {
		id := s.people()
		pool, runner := s.agents("acme")
		s.signIn("olga") // gets the password
		s.hold(id, 1, thing("", "one", `"id":"i-1","size":1`, ""), "")
		s.hold(id, 2, thing("", "one", `"id":"i-1","size":2`, "")+","+thing("", "two", `"id":"i-2"`, ""), "")
		return func(h *hand) {
			d := &desk{s, runner, s.onAgents(pool, "job-"+h.way), "job-" + h.way}
			s.fileRequests("acme", "Upgrade by "+h.way, d.workspace)
			for _, job := range jobs {
				if !h.t.Run(job.what, func(t *testing.T) {
					own := *h
					own.t = t
					job.do(&own, d)
				}) {
					return
				}
			}
		}
	})
}

// TestAReaderInARealBrowser looks as somebody who may read one workspace.
func TestAReaderInARealBrowser(t *testing.T) {
	ways(t, func(s *server) func(h *hand) {
		id := s.people()
		s.signIn("rita")
		s.hold(id, 1, thing("", "one", `"id":"i-1","size":1`, ""), "")
		return func(h *hand) {
			h.signsIn("rita")
			h.open(networkPage)
			h.press(".tabs a", "State")
			h.at("/state")
			h.press(".tree .leaf", "one")
			h.says("i-1")
			if ask[int](h.tab, `[...document.querySelectorAll("main form[method=post]")].length`) != 0 {
				h.t.Error("a reader is offered forms")
			}
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
func (h *hand) findsAndLocks(d *desk) {
	h.t.Helper()
	name := d.name
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

// begins starts a run of the workspace, and waits until its plan waits for somebody.
func (h *hand) begins(d *desk, message string) {
	h.t.Helper()
	h.open("/app/acme/workspaces/" + d.name)
	h.press("summary", "Start run")
	h.write("#run-message", message)
	h.press("form[action$='/start'] button", "Start")
	h.at("/runs/run-")
	d.plans(d.runner, planOf("v"), "it is planned\n")
	if !h.scripts {
		h.press(".acts a", "Look again")
	}
	h.until(`document.querySelector("h1").innerText.includes("Waiting for confirmation")`, "the page tells that the plan waits")
}

// confirms reads what a plan destroys, says something, and confirms it.
func (h *hand) confirms(d *desk) {
	h.t.Helper()
	h.begins(d, "Grow it")
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
	d.carry(d.runner, "apply", map[string]string{"state": string(stateHolding(1, instances("random_pet", 2), "")), "log": "done\n"}, `{"outcome":"succeeded","state_home":true}`)
	if !h.scripts {
		h.open("/app/acme/workspaces/" + d.name + "/runs")
		h.press(".table a", "Grow it")
	}
	h.until(`document.querySelector("h1 .pill")?.innerText.includes("Applied")`, "the page tells that it is applied")
}

func (h *hand) discards(d *desk) {
	h.t.Helper()
	h.begins(d, "Not this")
	h.press("button", "Discard")
	h.until(`document.querySelector("h1 .pill")?.innerText.includes("Discarded")`, "the run is discarded")
}

// variable adds a variable of the workspace, and gives it another value.
func (h *hand) variable(d *desk) {
	h.t.Helper()
	h.press("nav.crumbs a", d.name)
	h.at("/workspaces/" + d.name)
	h.press(".tabs a", "Variables")
	h.at("/variables")
	h.press("a", "Add a variable")
	h.write("#key", "region")
	h.write("#value", "eu-central-1")
	h.press("button", "Add")
	h.until(`document.querySelector("td .value")?.innerText === "eu-central-1"`, "the variable is shown")
	h.press("td a", "Change")
	h.write("#description", "where it is")
	h.press("button", "Save")
	h.says("where it is")
}

// archives reads a change request of the workspace and archives it.
func (h *hand) archives(d *desk) {
	h.t.Helper()
	d.eventually(func() bool {
		return d.do("GET", "/workspaces/"+d.workspace+"/change-requests", d.Token, "").at("data.0.id") != nil
	}, "the change request is filed")
	h.open("/app/acme/workspaces/" + d.name)
	h.press(".tabs a", "Change requests")
	h.at("/change-requests")
	h.press("button", "Archive")
	h.until(`![...document.querySelectorAll("button")].some((e) => e.innerText.trim().startsWith("Archive"))`, "nothing is left to archive")
}

// comparesStates opens a state, one of its resources, and what became of it since an earlier state.
func (h *hand) comparesStates(*desk) {
	h.t.Helper()
	h.open(networkPage)
	h.press(".tabs a", "State")
	h.at("/state")
	h.press("a", "Compare")
	h.until(`location.search.includes("from=1")`, "two states are compared")
	h.press(".tree .leaf", "one")
	h.until(`document.querySelector(".attributes .differs") !== null`, "the difference is shown")
}

// rollsBack looks at what rolling a state back would do, and does it.
func (h *hand) rollsBack(d *desk) {
	h.t.Helper()
	d.hold(d.workspace, 2, instances("random_pet", 3), "")
	h.open("/app/acme/workspaces/" + d.name + "/state")
	h.press("summary", "Lock")
	h.press("form[action$='/lock'] button", "Lock")
	h.says("Locked by you")
	h.open("/app/acme/workspaces/" + d.name + "/state")
	h.press(".rope a", "#1")
	h.at("/state/1")
	h.press("a", "Roll back")
	h.says("No infrastructure changes by it")
	h.press("button", "Roll back to #1")
	h.until(`location.pathname.endsWith("/state")`, "it is rolled back")
	h.press("form[action$='/unlock'] button", "Unlock")
	h.says("Unlocked")
	h.open("/app/acme/workspaces/" + d.name + "/state")
	h.until(`document.querySelector(".rope b")?.innerText === "#3"`, "the earlier state is the current one")
}

// narrows asks the list for what has a lock, and keeps the question as a view.
func (h *hand) narrows(d *desk) {
	h.t.Helper()
	d.lock(d.workspace)
	defer d.unlock(d.workspace)
	h.open("/app/acme/workspaces")
	h.press(".facet summary", "Lock")
	if h.keyboard {
		h.reach(".facet[open] input[name=lock]:checked", "")
		h.keys(kb.ArrowDown)
	} else {
		h.press(".facet[open] input[name=lock][value=locked]", "")
	}
	h.press(".facet[open] button", "Show")
	h.until(`location.search.includes("lock=") && document.querySelectorAll(".table tbody tr").length === 1`, "one row is left")
	h.press("summary[data-key=v]", "")
	h.write("#view-name", "Locked, "+h.way)
	h.press(".facet[open] button", "Save this view")
	h.until(fmt.Sprintf(`[...document.querySelectorAll(".views a")].some((a) => a.innerText === %q)`, "Locked, "+h.way), "the view is kept")
}

// asksWhy asks who may confirm runs, and by which way.
func (h *hand) asksWhy(*desk) {
	h.t.Helper()
	h.open("/app/acme/access")
	h.write("#subject", "olga")
	h.write("#on", "network")
	h.press("main button", "Ask")
	h.until(`document.querySelector(".note[role=status]")?.innerText.startsWith("Yes")`, "the question is answered")
	if !ask[bool](h.tab, `document.querySelector("ol.chain") !== null`) {
		h.t.Error("no way to the right is shown")
	}
}

func (h *hand) signsOut(*desk) {
	h.t.Helper()
	h.press(".me summary", "")
	h.press(".me button", "Sign out")
	h.at("/sign-in")
	if status := h.open("/app/acme"); ask[bool](h.tab, `document.querySelector(".shell") !== null`) {
		h.t.Errorf("somebody who went sees a page: %d", status)
	}
}

// tags ticks workspaces of the list and gives them a tag.
func (h *hand) tags(d *desk) {
	h.t.Helper()
	h.open("/app/acme/workspaces?search=" + d.name)
	h.reach(fmt.Sprintf("td.box input[aria-label=%q]", d.name), "")
	if h.keyboard {
		h.keys(" ")
	}
	h.write(".bulk input[name=tags]", "by-hand")
	h.press(".bulk button", "Tag")
	h.says("1 workspace tagged")
	if got := d.do("GET", "/workspaces/"+d.workspace, d.Token, "").want(h.t, 200).Body; !strings.Contains(got, "by-hand") {
		h.t.Errorf("it has no tag: %s", got)
	}
	if h.keyboard && h.scripts {
		h.keysOfTheList()
	}
}

// keysOfTheList goes through the list by single keys.
func (h *hand) keysOfTheList() {
	h.t.Helper()
	h.open("/app/acme/workspaces")
	h.keys("j")
	h.until(`document.activeElement.matches(".table tbody th a")`, "j leads to the first row")
	h.keys("x")
	h.until(`document.querySelector(".table tbody .box input").checked`, "x ticks it")
	h.chord("gr", `location.pathname === "/app/acme/runs"`, "the runs")
	h.at("/app/acme/runs")
	h.keys("?")
	h.until(`document.querySelector("dialog.keys[open]") !== null`, "? shows the keys")
	if found := h.barriers(""); len(found) > 0 {
		h.t.Errorf("in the list of keys: %q", found)
	}
}
