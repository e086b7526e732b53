// Package markdown owns the one way that markdown becomes HTML. What people write comes
// out as formatted text and nothing that acts: no script, no style, no form, no frame, no
// image, no address but of the web or of mail. It never trusts what the first of its two
// steps gave to the second.
package markdown

import (
	"bytes"
	"html/template"
	"slices"
	"strings"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/util"
)

// converter knows no HTML: what looks like it in the text is text, of which nothing is
// lost. It leaves out addresses that act.
var converter = goldmark.New(
	goldmark.WithParser(parser.NewParser(
		parser.WithBlockParsers(without(parser.DefaultBlockParsers(), parser.NewHTMLBlockParser())...),
		parser.WithInlineParsers(without(parser.DefaultInlineParsers(), parser.NewRawHTMLParser())...),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
	)),
	goldmark.WithExtensions(extension.GFM),
)

func without(parsers []util.PrioritizedValue, one any) []util.PrioritizedValue {
	return slices.DeleteFunc(parsers, func(p util.PrioritizedValue) bool { return p.Value == one })
}

// policy is all that may stand in the HTML, whatever the parser wrote.
var policy = newPolicy()

func newPolicy() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "em", "strong", "del", "code", "pre",
		"blockquote", "ul", "ol", "li", "table", "thead", "tbody", "tr", "th", "td")
	p.AllowAttrs("href").OnElements("a")
	p.AllowAttrs("align").Matching(bluemonday.CellAlign).OnElements("th", "td")
	p.AllowURLSchemes("http", "https", "mailto")
	p.RequireParseableURLs(true)
	p.AllowRelativeURLs(false)
	p.RequireNoFollowOnLinks(true)
	p.RequireNoReferrerOnLinks(true)
	p.AddTargetBlankToFullyQualifiedLinks(true)
	return p
}

// tangled says that a text has more marks than any writer needs: the parser takes time
// with the square of them.
func tangled(text string) bool {
	if count(text, "[") > 1000 || count(text, "*_~") > 4000 {
		return true
	}
	for line := range strings.Lines(text) {
		if count(line, ">") > 50 || count(line, ".)") > 2000 {
			return true
		}
	}
	return false
}

// count is how many of the marks, each of one byte, a text has.
func count(text, marks string) (n int) {
	for i := range len(text) {
		if strings.IndexByte(marks, text[i]) >= 0 {
			n++
		}
	}
	return n
}

// HTML is the text as HTML that is safe to show on a page.
func HTML(text string) template.HTML {
	var rendered bytes.Buffer
	if tangled(text) {
		return template.HTML("<pre>" + template.HTMLEscapeString(text) + "</pre>") //nolint:gosec // it is escaped
	}
	if err := converter.Convert([]byte(text), &rendered); err != nil {
		return template.HTML(template.HTMLEscapeString(text)) //nolint:gosec // it is escaped
	}
	return template.HTML(policy.SanitizeBytes(rendered.Bytes())) //nolint:gosec // the policy is what makes it safe
}
