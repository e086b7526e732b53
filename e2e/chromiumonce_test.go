package e2e_test

import (
	"fmt"
	"testing"
)

// olgasHand has olga, who owns an organization, sign in in a browser and do something there, on each database.
func olgasHand(t *testing.T, test func(t *testing.T, s *server, h *hand)) {
	t.Helper()
	slow(t)
	chrome := chromium(t)
	each(t, func(t *testing.T, s *server) {
		s.people()
		s.signIn("olga") // gets the password
		h := s.hand(t, chrome, hand{scripts: true})
		h.signsIn("olga")
		test(t, s, h)
	})
}

// TestAFormIsSentOnceInARealBrowser: a second click on a button while the answer is on its way does nothing, so that no
// token is made whose value nobody saw, and nobody hears that a thing is done already.
func TestAFormIsSentOnceInARealBrowser(t *testing.T) {
	olgasHand(t, func(t *testing.T, _ *server, h *hand) {
		for _, path := range []string{"/app/settings/tokens", "/app/acme/workspaces/network", "/app/acme/members"} {
			h.open(path)
			for forms, goes := range map[string]string{`form[method=post]:not([action='/app/~/theme'])`: "true,false", `form:not([method=post])`: "true,true"} {
				script := `[...document.querySelectorAll("` + forms + `")].map((f) => [1, 2].map(() => f.dispatchEvent(new SubmitEvent("submit", {bubbles: true, cancelable: true}))).join()).find((goes) => goes !== "` + goes + `") ?? ""`
				if got := ask[string](h.tab, script); got != "" {
					t.Errorf("of %s on %s two clicks go %s, not %s", forms, path, got, goes)
				}
			}
		}
	})
}

// TestWhatIsTypedOutlivesTheThemeInARealBrowser changes the theme beside a form that is half written.
func TestWhatIsTypedOutlivesTheThemeInARealBrowser(t *testing.T) {
	olgasHand(t, func(t *testing.T, _ *server, h *hand) {
		h.open("/app/acme/change-requests/new")
		h.write("#subject", "Rotate keys")
		for _, theme := range []string{"light", "dark", ""} {
			h.press("button[name=theme]", "")
			h.until(fmt.Sprintf(`document.documentElement.dataset.theme === %q`, theme), "theme "+theme)
			h.until(`document.getElementById("subject").value === "Rotate keys"`, "what was typed")
		}
		h.press("button[name=theme]", "")
		h.until(`document.documentElement.dataset.theme === "light"`, "theme light")
		h.open("/app/acme/workspaces")
		h.until(`document.documentElement.dataset.theme === "light"`, "the theme on the next page")
	})
}

// TestWhoLeavesARowOutDoesNotActOnAllInARealBrowser ticks all that match, and then not one of them.
func TestWhoLeavesARowOutDoesNotActOnAllInARealBrowser(t *testing.T) {
	olgasHand(t, func(t *testing.T, s *server, h *hand) {
		s.workspace("acme", "other")
		s.workspace("acme", "third")
		h.open("/app/acme/workspaces")
		ticked := func(said, boxes string) {
			t.Helper()
			h.until(fmt.Sprintf(`document.querySelector("[data-ticked]").innerText === %q && [...document.querySelectorAll(".list .box input")].map((b) => Number(b.checked)).join("") === %q`, said, boxes), said)
		}
		h.press("thead .box input", "")
		ticked("3 selected", "1111")
		h.press("tbody .box input", "")
		ticked("2 selected", "0011")
	})
}
