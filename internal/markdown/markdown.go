// Package markdown owns the one way that markdown becomes HTML. What people write comes
// out as formatted text and nothing that acts: no script, no style, no form, no frame, no
// image, no address but of the web or of mail. It never trusts what the first of its two
// steps gave to the second.
package markdown

import (
	"bytes"
	"html/template"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
)

// parser leaves out HTML that stands in the text, and addresses that act.
var parser = goldmark.New(goldmark.WithExtensions(extension.GFM))

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

// HTML is the text as HTML that is safe to show on a page.
func HTML(text string) template.HTML {
	var rendered bytes.Buffer
	if err := parser.Convert([]byte(text), &rendered); err != nil {
		return template.HTML(template.HTMLEscapeString(text)) //nolint:gosec // it is escaped
	}
	return template.HTML(policy.SanitizeBytes(rendered.Bytes())) //nolint:gosec // the policy is what makes it safe
}
