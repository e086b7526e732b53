package e2e_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestFindingOnesWayInARealBrowser comes from a slip in an address to the page that was meant, does with the palette what
// may be done, and ticks rows: by mouse, by keyboard alone, and by keyboard with scripts off.
func TestFindingOnesWayInARealBrowser(t *testing.T) {
	ways(t, func(s *server) func(h *hand) {
		s.people()
		for i := range 4 {
			s.workspace("acme", fmt.Sprintf("net-%d", i))
		}
		s.signIn("olga") // gets the password
		return func(h *hand) {
			h.signsIn("olga")
			h.comesFromASlip()
			h.locksByName()
			h.press(".nav-main a", "Home")
			h.press(".seg a", "Mine")
			h.until(`location.search === "?of=mine"`, "one's own is shown")
			if h.scripts {
				h.comesBack()
				h.ticksRows()
			}
		}
	})
}

// comesFromASlip opens an address with a slip in it, and goes on to what was meant.
func (h *hand) comesFromASlip() {
	h.t.Helper()
	for _, look := range []struct {
		width  int64
		scheme string
	}{{390, "light"}, {1280, "dark"}, {1280, "light"}} {
		h.looks(look.width, look.scheme)
		if status := h.open("/app/acme/workspaces/netwrok"); status != 404 { //nolint:misspell // that it is found all the same is what is asked
			h.t.Errorf("what is not there answers %d", status)
		}
		if wide := ask[string](h.tab, fits); wide != "" {
			h.t.Errorf("at %d pixels: %s", look.width, wide)
		}
		if h.scripts { // axe is one
			if found := h.barriers(""); len(found) > 0 {
				h.t.Errorf("at %d pixels, %s: %q", look.width, look.scheme, found)
			}
		}
	}
	for !ask[bool](h.tab, `[...document.querySelectorAll(".problem a")].some((a) => a.innerText.includes("network"))`) { // a server with much to do has no time for guesses
		h.open("/app/acme/workspaces/netwrok") //nolint:misspell // as above
	}
	h.press(".problem a", "network")
	h.at("/workspaces/network")
}

// palette opens the palette and types.
func (h *hand) palette(words, best string) {
	h.t.Helper()
	h.keys("k", chromedp.KeyModifiers(chromedp.ModifierCtrl))
	h.until(`document.activeElement.matches("dialog.palette input")`, "the palette is open")
	h.keys(words)
	h.until(fmt.Sprintf(`document.querySelector("dialog.palette [aria-selected=true]")?.innerText.startsWith(%q) === true`, best), "the palette offers "+best)
}

// locksByName locks a workspace and unlocks it, by what the search offers.
func (h *hand) locksByName() {
	h.t.Helper()
	for _, act := range []struct{ words, offer, says string }{{">lock network", "Lock network", "Locked by you"}, {">unlock network", "Unlock network", "Unlocked"}} {
		h.open("/app/acme")
		if h.scripts {
			h.palette(act.words, act.offer)
			if found := h.barriers(""); len(found) > 0 {
				h.t.Errorf("in the palette: %q", found)
			}
			h.keys("\r")
		} else {
			h.write(".find input[type=search]", act.words+"\r")
			h.at("/~/search")
			h.press(".links button", act.offer)
		}
		h.at("/workspaces/network")
		h.says(act.says)
	}
}

// comesBack finds in the palette where it went before, and nothing of it after signing out.
func (h *hand) comesBack() {
	h.t.Helper()
	h.open("/app/acme")
	h.palette("net-2", "net-2")
	h.keys("\r")
	h.at("/workspaces/net-2")
	h.open("/app/acme")
	h.keys("k", chromedp.KeyModifiers(chromedp.ModifierCtrl))
	h.until(`document.querySelector("dialog.palette [aria-label=Recent] [role=option]")?.innerText.startsWith("net-2") === true`, "the palette remembers")
	h.keys("\x1b")
	h.press(".me summary", "")
	h.press(".me button", "Sign out")
	h.at("/sign-in")
	h.until(`localStorage.getItem("recent") === null`, "nothing is remembered of who went")
	h.signsIn("olga")
}

// ticksRows ticks rows of the list, sees how many, and takes the ticks away.
func (h *hand) ticksRows() {
	h.t.Helper()
	h.open("/app/acme/workspaces")
	if h.keyboard {
		h.keys("j")
		h.keys("x")
		h.keys("j")
		h.keys("j")
		h.keys("X")
		h.until(`document.querySelector(".bulk b").innerText === "3 selected"`, "three rows are ticked")
		h.keys("c")
		h.until(`document.querySelector(".facet[open] input[name=columns]") !== null`, "c folds the columns out")
		h.keys("\x1b")
	} else {
		h.press("td.box input[aria-label=net-0]", "")
		h.press("td.box input[aria-label=net-1]", "")
		h.until(`document.querySelector(".bulk b").innerText === "2 selected"`, "two rows are ticked")
	}
	h.press(".bulk [data-clear]", "")
	h.until(`document.querySelectorAll(".box input:checked").length === 0 && !document.querySelector(".bulk").checkVisibility()`, "no row is ticked")
}
