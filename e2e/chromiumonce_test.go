package e2e_test

import "testing"

// TestAFormIsSentOnceInARealBrowser: a second click on a button while the answer is on its way does nothing, so that no
// token is made whose value nobody saw, and nobody hears that a thing is done already.
func TestAFormIsSentOnceInARealBrowser(t *testing.T) {
	slow(t)
	chrome := chromium(t)
	each(t, func(t *testing.T, s *server) {
		s.people()
		s.signIn("olga") // gets the password
		h := &hand{tab: s.tab(t, chrome), t: t, scripts: true}
		h.looks(1280, "light")
		h.signsIn("olga")
		for _, path := range []string{"/app/settings/tokens", "/app/acme/workspaces/network", "/app/acme/members"} {
			h.open(path)
			for forms, goes := range map[string]string{`form[method=post]`: "true,false", `form:not([method=post])`: "true,true"} {
				script := `[...document.querySelectorAll("` + forms + `")].map((f) => [1, 2].map(() => f.dispatchEvent(new SubmitEvent("submit", {bubbles: true, cancelable: true}))).join()).find((goes) => goes !== "` + goes + `") ?? ""`
				if got := ask[string](h.tab, script); got != "" {
					t.Errorf("of %s on %s two clicks go %s, not %s", forms, path, got, goes)
				}
			}
		}
	})
}
