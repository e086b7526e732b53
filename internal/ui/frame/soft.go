package frame

import (
	"html/template"
	"regexp"
	"strings"
)

// wholeUpTo is how many bytes a text has that no line of a telephone is too short for.
const wholeUpTo = 18

// aName is what has parts that lines may end behind; aWordy one is of words, none of which is too long for a line.
var (
	aName  = regexp.MustCompile(`^[A-Za-z0-9@_./:-]+$`)
	aWordy = regexp.MustCompile(`^[A-Za-z]{2,14}([@_./:-][A-Za-z0-9]{1,14})+$`)
)

var softly = strings.NewReplacer("@", "@<wbr>", "_", "_<wbr>", ".", ".<wbr>", "/", "/<wbr>", ":", ":<wbr>")

// soft is a text that lines may end in, behind what parts an address or the name of an event: else they would end
// within its words. Of one whose words are short they end nowhere else.
func soft(text string) template.HTML {
	switch {
	case aWordy.MatchString(text):
		return template.HTML(`<span class="wordy">` + softly.Replace(text) + "</span>") //nolint:gosec // there is nothing to escape in a name
	case len(text) > wholeUpTo && aName.MatchString(text):
		return template.HTML(softly.Replace(text)) //nolint:gosec // there is nothing to escape in a name
	default:
		return template.HTML(template.HTMLEscapeString(text)) //nolint:gosec // it is escaped
	}
}
