package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/belayhq/belay/internal/storetest"
)

// hand is somebody who works in a browser: by mouse, or by nothing but the keyboard.
type hand struct {
	*tab
	t        *testing.T
	way      string // what the way of working is called
	keyboard bool
	scripts  bool
	steps    int // that were taken: fields, buttons, links
}

// waysOn are the ways of working that are tried with an engine.
var waysOn = map[string][]hand{
	"sqlite":   {{way: "mouse", scripts: true}, {way: "plain", keyboard: true}},
	"postgres": {{way: "keyboard", keyboard: true, scripts: true}},
}

// ways does a job as people do it: by mouse, by keyboard alone, and by keyboard with scripts off,
// each in a window of its own: how somebody works changes nothing that an engine is asked, so each
// way has one. prepare fills a server, and says what the job is.
func ways(t *testing.T, prepare func(s *server) (job func(h *hand))) {
	t.Helper()
	slow(t)
	t.Parallel()
	chrome := chromium(t)
	t.Run("engines", func(t *testing.T) { // the browser ends when all are done
		for _, engine := range storetest.Outside(t) {
			t.Run(engine, func(t *testing.T) {
				t.Parallel()
				s := start(t, engine)
				job := prepare(s)
				for _, way := range waysOn[engine] {
					t.Run(way.way, func(t *testing.T) {
						h := s.hand(t, chrome, way)
						job(h)
						if said := h.heard(); len(said) > 0 {
							t.Errorf("the browser says %q", said)
						}
					})
				}
			})
		}
	})
}

// hand opens a window for somebody who works in it this way.
func (s *server) hand(t *testing.T, chrome context.Context, way hand) *hand {
	t.Helper()
	h := &hand{tab: s.tab(t, chrome), t: t, way: way.way, keyboard: way.keyboard, scripts: way.scripts}
	h.looks(1280, "light")
	if !h.scripts {
		call(h.tab, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	}
	return h
}

// find marks what is visible, fits a selector and says a text; no text fits all.
const find = `((selector, text) => {
	document.querySelectorAll("[data-hand]").forEach((e) => e.removeAttribute("data-hand"));
	const one = [...document.querySelectorAll(selector)].find((e) => e.checkVisibility() && (!text || e.innerText.trim().replace(/\s+/g, " ").startsWith(text)));
	one?.setAttribute("data-hand", "");
	return one !== undefined; })(%q, %q)`

// until waits until something is so on a page that is there whole: half of one may say it, too, and lack what is asked for next.
func (h *hand) until(script, what string) {
	h.t.Helper()
	if h.comes(script, patience) {
		return
	}
	h.t.Fatalf("it never came to be: %s; the page says %.1500s", what, ask[string](h.tab, "document.body.innerText"))
}

func (h *hand) comes(script string, in time.Duration) bool {
	script = `document.readyState === "complete" && (` + script + `)`
	for deadline := time.Now().Add(in); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if is, err := chromedp.Run(h.ctx, chromedp.Evaluate[bool](script)); err == nil && is { // between two pages there is none
			return true
		}
	}
	return false
}

func (h *hand) says(text string) {
	h.t.Helper()
	h.until(fmt.Sprintf(`document.body.innerText.includes(%q)`, text), "the page says "+text)
}

func (h *hand) at(part string) {
	h.t.Helper()
	h.until(fmt.Sprintf(`location.pathname.includes(%q)`, part), "the browser is at "+part)
}

// reach goes to what fits: with the pointer, or step by step with the tabulator.
func (h *hand) reach(selector, text string) {
	h.t.Helper()
	h.steps++
	h.until(fmt.Sprintf(find, selector, text), "there is "+selector+" "+text)
	if !h.keyboard {
		h.click(selector, text)
		return
	}
	for range 300 {
		if ask[bool](h.tab, `document.activeElement.matches("[data-hand]")`) {
			return
		}
		if !ask[bool](h.tab, `document.querySelector("[data-hand]") !== null`) { // see click
			h.until(fmt.Sprintf(find, selector, text), "there is still "+selector+" "+text)
		}
		h.does(chromedp.KeyEvent("\t"))
	}
	h.t.Fatalf("the keyboard does not come to %s %s", selector, text)
}

// click presses what was found. A page that changed by itself meanwhile has another in its place, which nobody found yet.
func (h *hand) click(selector, text string) {
	h.t.Helper()
	var err error
	for range 5 {
		ctx, cancel := context.WithTimeout(h.ctx, 20*time.Second)
		err = chromedp.Do(ctx, chromedp.Click("[data-hand]"))
		cancel()
		if err == nil {
			return
		}
		if !errors.Is(err, context.DeadlineExceeded) && !wentAway.MatchString(err.Error()) {
			must(h.t, err)
		}
		h.until(fmt.Sprintf(find, selector, text), "there is still "+selector+" "+text)
	}
	h.t.Fatalf("the pointer does not come to %s %s: %v", selector, text, err)
}

// wentAway is what is said of a part that went while the pointer was on its way to it.
var wentAway = regexp.MustCompile(`(?i)\bnode\b|content quads|dimensions`)

// press opens, folds out or sends what fits.
func (h *hand) press(selector, text string) {
	h.t.Helper()
	h.reach(selector, text)
	if h.keyboard {
		h.does(chromedp.KeyEvent("\r"))
	}
}

func (h *hand) write(selector, text string) {
	h.t.Helper()
	h.reach(selector, "")
	h.does(chromedp.KeyEvent(text))
}

// chord presses keys that belong together, which the page takes for that only when they come soon after another: again,
// until something is so.
func (h *hand) chord(keys, script, what string) {
	h.t.Helper()
	for range 30 {
		h.keys(keys)
		if h.comes(script, 5*time.Second) {
			return
		}
	}
	h.t.Fatalf("%s never led there: %s", keys, what)
}

// keys presses single keys, wherever one is, once the page listens.
func (h *hand) keys(keys string, options ...chromedp.KeyOption) {
	h.t.Helper()
	h.until(`true`, "the page is there")
	h.does(chromedp.KeyEvent(keys, options...))
}
