package frame

import (
	"bytes"
	"html"
	"html/template"
	"strings"
	"testing"
	"time"
)

// TestMarkupEscapesAsTemplatesDo: what anybody wrote is the same text in a browser, whether a template or markup made in Go
// has written it, and nothing in it is markup.
func TestMarkupEscapesAsTemplatesDo(t *testing.T) {
	t.Parallel()
	page := template.Must(template.New("").Parse(`<p title="{{.}}">{{.}}</p>`))
	texts := []string{"", "plain", `<script>alert(1)</script>`, `" onmouseover="x`, `'x' & "y" &amp; &#34;`, "a+b=`c`", "\xff\xfe<b>", "日本語<i>", "\u2028</p>"}
	for i := range 256 {
		texts = append(texts, "a"+string(rune(i))+"b")
	}
	for _, text := range texts {
		var made bytes.Buffer
		if err := page.Execute(&made, text); err != nil {
			t.Fatal(err)
		}
		m := &Markup{}
		got := string(m.Add(`<p title="`).Text(text).Add(`">`).Text(text).Add("</p>").HTML())
		if html.UnescapeString(got) != html.UnescapeString(made.String()) {
			t.Errorf("%q is written as %s, and by a template as %s", text, got, made.String())
		}
		if inside := strings.TrimSuffix(strings.TrimPrefix(got, `<p title="`), "</p>"); strings.Count(inside, "<")+strings.Count(inside, `"`)+strings.Count(inside, ">") != 2 {
			t.Errorf("%q opens something: %s", text, got)
		}
	}
}

// TestMarkupLeadsNowhereThatRuns: an address that a browser would run is not written.
func TestMarkupLeadsNowhereThatRuns(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/app/acme/workspaces/a": "/app/acme/workspaces/a", "?run=none": "?run=none", "https://example.com/a?b&c": "https://example.com/a?b&amp;c", "/a:b": "/a:b",
		"javascript:alert(1)": "#ZgotmplZ", "JaVaScript:alert(1)": "#ZgotmplZ", " javascript:alert(1)": "#ZgotmplZ", "java\nscript:alert(1)": "#ZgotmplZ", "data:text/html,x": "#ZgotmplZ",
	} {
		if got := string(new(Markup).Path(path).HTML()); got != want {
			t.Errorf("%q leads to %s, not %s", path, got, want)
		}
	}
}

// TestCellsSayTheirOneThing draws each kind of cell.
func TestCellsSayTheirOneThing(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 27, 9, 0, 0, 0, time.UTC)
	const when = `<time datetime="2026-11-27T06:00:00Z" title="2026-11-27 06:00:00 UTC">3 h ago</time>`
	at := now.Add(-3 * time.Hour)
	for want, cell := range map[string]Cell{
		`<span class="faint">–</span>`:                                          {},
		`&lt;b&gt;<p class="small faint">&lt;i&gt;</p>`:                         {Text: "<b>", Sub: "<i>"},
		`<a href="/a">&lt;b&gt;</a>`:                                            {Text: "<b>", Path: "/a"},
		`<a href="/a" rel="noreferrer"><code>&lt;b&gt;</code></a>`:              {Text: "<b>", Path: "/a", Code: true},
		`<a href="/a">b</a>, <a href="/c">d</a>`:                                {Links: []Crumb{{"b", "/a"}, {"d", "/c"}}},
		`<span class="tags"><span class="tag">&lt;b&gt;</span> </span>`:         {Tags: []string{"<b>"}},
		`<span class="pill ok">b</span><p class="small faint">` + when + `</p>`: {Text: "b", Pill: "ok", At: at},
		`<span class="lvl l1">read</span>`:                                      {Text: "read", Level: "l1"},
		`<span class="faint nowrap">` + when + `</span>`:                        {At: at},
		`<i>ours</i>`: {HTML: "<i>ours</i>"},
		`<span class="icon-cell"><i>ours</i><span>1 &lt; 2</span></span>`:                       {HTML: "<i>ours</i>", Text: "1 < 2"},
		`<span class="icon-cell"><span class="avatar s" aria-hidden="true">an</span>ann</span>`: {Text: "ann", Person: true},
	} {
		if got := string(draw(cell, now)); got != want {
			t.Errorf("%+v is drawn as %s, not %s", cell, got, want)
		}
	}
}

// TestButtonsOfARowSendWhatTheySay draws one that does nothing, one with a choice and one that is a risk.
func TestButtonsOfARowSendWhatTheySay(t *testing.T) {
	t.Parallel()
	got := string(draw(rowButtons{"/app/a?b=c&d", "s<", []RowForm{
		{Text: "in use <"},
		{Do: "move", Text: "Move", Of: `"a"`, Hidden: []Setting{{Name: "id", Value: "<1>"}}, Choices: []Choice{{Value: "x", Text: "X"}, {Value: "y", Text: "Y", On: true}}},
		{Do: "end", Text: "End", Risk: true},
	}}, time.Time{}))
	const form = `<form method="post" action="/app/a?b=c&amp;d"><input type="hidden" name="form" value="s&lt;"><input type="hidden" name="do" value="`
	want := `<span class="small faint">in use &lt;</span> ` +
		form + `move"><input type="hidden" name="id" value="&lt;1&gt;"><select name="choice" class="slim" aria-label="Move &#34;a&#34;"><option value="x">X</option><option value="y" selected>Y</option></select> ` +
		`<button class="btn tiny">Move<span class="hidden"> &#34;a&#34;</span></button></form> ` +
		form + `end"><button class="btn tiny risk">End<span class="hidden"> </span></button></form> `
	if got != want {
		t.Errorf("drawn as\n%s\nnot\n%s", got, want)
	}
}
