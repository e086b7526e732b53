package e2e_test

import "testing"

// TestSingleKeysAreAChoiceInARealBrowser: who turns single keys off in the profile presses letters, and nothing happens but at ?.
func TestSingleKeysAreAChoiceInARealBrowser(t *testing.T) {
	slow(t)
	chrome := chromium(t)
	s := start(t, "sqlite")
	s.people()
	s.signIn("olga") // gets the password
	h := s.hand(t, chrome, hand{way: "mouse", scripts: true})
	h.signIn("olga")
	const (
		keysShown = `(document.querySelector("dialog.keys[open]")?.innerText.includes("Only Ctrl K and ? work") ?? null)`
		rows      = `document.addEventListener("focusin", (e) => { if (e.target.closest("tbody")) window.__rows = (window.__rows ?? 0) + 1; })`
	)
	look := func(off bool) {
		t.Helper()
		h.open("/app/acme/workspaces")
		ask[any](h.tab, rows)
		h.keys("j")
		if !off {
			h.until("window.__rows === 1", "j goes to a row")
		}
		h.keys("?") // comes after it
		h.until(keysShown+" === "+map[bool]string{true: "true", false: "false"}[off], "the keys are shown, and whether they are off")
		if moved := ask[bool](h.tab, "window.__rows > 0"); moved == off {
			t.Errorf("off %v, and j goes to a row: %v", off, moved)
		}
	}
	choose := func(value string) {
		t.Helper()
		h.press("dialog.keys a", "")
		h.until(`location.pathname === "/app/~/profile" && location.hash === "#looks"`, "the keys lead to the choice")
		h.until(`document.querySelector("select[name=keys]") !== null`, "it is there")
		ask[any](h.tab, `document.querySelector("select[name=keys]").value = "`+value+`"; document.querySelector("select[name=keys]").form.requestSubmit()`)
		h.until(`(document.documentElement.dataset.keys ?? "") === "`+value+`" && document.querySelector("select[name=keys]")?.value === "`+value+`"`, "it is kept")
	}
	look(false)
	choose("off")
	look(true)
	choose("")
	look(false)
	if said := h.heard(); len(said) > 0 {
		t.Errorf("the browser says %q", said)
	}
}
