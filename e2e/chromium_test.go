package e2e_test

import (
	"compress/gzip"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

//go:embed testdata/axe/axe.min.js.gz
var squeezedAxe string

// axe is the program that looks for what people with another way to see, hear or type can't use.
var axe = sync.OnceValues(func() (string, error) {
	plain, err := gzip.NewReader(strings.NewReader(squeezedAxe))
	if err != nil {
		return "", err
	}
	raw, err := io.ReadAll(plain)
	return string(raw), err
})

// chromium starts a real browser; its tabs have cookies of their own. Where there is none the
// test is skipped, but never in CI.
func chromium(t testing.TB, flags ...chromedp.ExecAllocatorOption) context.Context {
	t.Helper()
	path, err := exec.LookPath("chromium-headless-shell") // the same without windows of its own, for two thirds of the processor time
	if err != nil {
		path, err = exec.LookPath("chromium")
	}
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("there is no chromium")
		}
		t.Skip("there is no chromium on the path")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.WSURLReadTimeout(2*time.Minute), chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-quic", true), chromedp.Flag("hide-scrollbars", true))
	allocator, end := chromedp.NewExecAllocator(context.Background(), append(options, flags...)...)
	t.Cleanup(end)
	ctx, closeAll := chromedp.NewContext(allocator)
	t.Cleanup(closeAll)
	must(t, chromedp.Do(ctx))
	return ctx
}

// tab is a window of a real browser.
type tab struct {
	t    testing.TB
	ctx  context.Context
	base string

	mu   sync.Mutex
	said []string // what the browser complained of since it was last asked
}

// watching is told to every page before it begins: it keeps what the policy refuses.
const watching = `window.__refused = []; addEventListener("securitypolicyviolation", (e) => __refused.push(e.violatedDirective + " " + e.blockedURI));`

// tab opens a window with cookies of its own.
func (s *server) tab(t testing.TB, chromium context.Context) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(chromium, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	must(t, chromedp.Do(ctx))
	ctx, cancel = context.WithTimeout(ctx, 40*time.Minute)
	t.Cleanup(cancel)
	b := &tab{t: t, ctx: ctx, base: s.URL}
	must(t, chromedp.Listen(ctx, b.hear))
	call(b, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: watching})
	return b
}

// call sends the browser one command.
func call[P, R any](b *tab, command cdp.Command[P, R], params P) R {
	b.t.Helper()
	result, err := chromedp.Call(b.ctx, command, params)
	must(b.t, err)
	return result
}

// ask is what a script of the test finds on the page; a promise is waited for.
func ask[T any](b *tab, script string) T {
	b.t.Helper()
	found, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
	must(b.t, err)
	return found
}

// hear keeps what the browser complains of, and ends dialogs, which no page has.
func (b *tab) hear(event any) {
	switch e := event.(type) {
	case *page.EventJavascriptDialogOpening:
		b.complain("a dialog opened: " + e.Message)
		go func() {
			_, _ = chromedp.Call(b.ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{})
		}()
	case *runtime.EventExceptionThrown:
		b.complain("exception: " + e.ExceptionDetails.Text + " " + e.ExceptionDetails.URL)
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning || e.Type == runtime.ConsoleAPICalledTypeAssert {
			raw, _ := json.Marshal(e.Args)
			b.complain("console: " + string(raw))
		}
	case *log.EventEntryAdded:
		// A page that is not there is said to be so; tests look at its status.
		if (e.Entry.Level == log.EntryLevelError || e.Entry.Level == log.EntryLevelWarning) && !strings.HasSuffix(e.Entry.Text, "404 (Not Found)") {
			b.complain(fmt.Sprintf("%s: %s %s", e.Entry.Source, e.Entry.Text, e.Entry.URL))
		}
	}
}

func (b *tab) complain(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.said = append(b.said, text)
}

// heard is what the browser complained of since it was last asked.
func (b *tab) heard() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	said := b.said
	b.said = nil
	return said
}

// does has the browser do what a test names, which waits for what is not there yet.
func (b *tab) does(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	must(b.t, chromedp.Do(ctx, actions...))
}

// open goes to an address, and gives the status of the page; a file that is saved and no page is 0.
func (b *tab) open(path string) int {
	b.t.Helper()
	answer, err := chromedp.Run(b.ctx, chromedp.NavigateResponse(b.base+path))
	if err != nil && strings.Contains(err.Error(), "ERR_ABORTED") {
		return 0
	}
	if err != nil {
		b.t.Fatalf("%s: %v", path, err)
	}
	return int(answer.Status)
}

// looks sets the width of the window in pixels, and light or dark.
func (b *tab) looks(width int64, scheme string) {
	b.t.Helper()
	call(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: 900, DeviceScaleFactor: 1})
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}})
}

// signIn signs a person in by the form.
func (b *tab) signIn(name string) {
	b.t.Helper()
	b.open("/app/sign-in")
	b.does(chromedp.SendKeys("input[name=name]", name), chromedp.SendKeys("input[name=password]", password+"\r"), chromedp.WaitVisible(".shell"))
}

// fits complains of a page that is wider than its window, and names what stands out.
const fits = `(() => { const wide = document.documentElement.clientWidth;
	if (document.documentElement.scrollWidth <= wide) return "";
	const out = [...document.querySelectorAll("body *")].filter((e) => e.checkVisibility() && e.getBoundingClientRect().right > wide + 1).slice(0, 4);
	return document.documentElement.scrollWidth + " px in " + wide + ": " + out.map((e) => e.outerHTML.slice(0, 120)).join(" … "); })()`

// stays is what moved on the page by itself since it was read to its end, and "" where nothing did: what a slow machine
// shows of half a page is not asked.
const stays = `new Promise((done) => {
	const moved = [], read = performance.getEntriesByType("navigation")[0].domInteractive;
	new PerformanceObserver((list) => moved.push(...list.getEntries())).observe({ type: "layout-shift", buffered: true });
	setTimeout(() => done(moved.filter((m) => !m.hadRecentInput && m.startTime > read).flatMap((m) => m.sources).slice(0, 4).map((s) => {
		const was = s.previousRect, is = s.currentRect;
		return [was.x, was.y, was.width, was.height] + " to " + [is.x, is.y, is.width, is.height] + ": " + (s.node?.outerHTML ?? s.node?.textContent ?? "gone").slice(0, 160);
	}).join(" … ")), 150);
})`

// barriers is what axe finds by all its rules, by one of them, or by all but one ("-rule").
func (b *tab) barriers(rule string) []string {
	b.t.Helper()
	source, err := axe()
	must(b.t, err)
	only := ""
	if but, without := strings.CutPrefix(rule, "-"); without {
		only = fmt.Sprintf(`, rules: {%q: {enabled: false}}`, but)
	} else if rule != "" {
		only = fmt.Sprintf(`, runOnly: {type: "rule", values: [%q]}`, rule)
	}
	return ask[[]string](b, `window.axe || (() => {`+source+`})(); axe.run(document, {resultTypes: ["violations"], preload: false`+only+`}).then((r) =>
		r.violations.flatMap((v) => v.nodes.slice(0, 3).map((n) => v.id + ": " + n.html.slice(0, 160) + " " + (n.any[0] || n.all[0] || n.none[0] || {}).message)))`)
}
