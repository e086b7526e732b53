package frame

import (
	"html/template"
	"regexp"
	"strings"
)

// wholeUpTo is how many bytes a text has that no line of a telephone is too short for.
const wholeUpTo = 18

var aName = regexp.MustCompile(`^[A-Za-z0-9@_./:-]+$`)

var softly = strings.NewReplacer("@", "@<wbr>", "_", "_<wbr>", ".", ".<wbr>", "/", "/<wbr>", ":", ":<wbr>")

// soft is a text that lines may end in, behind what parts an address or the name of an event: else they would end
// within its words.
func soft(text string) template.HTML {
	if len(text) <= wholeUpTo || !aName.MatchString(text) {
		return template.HTML(template.HTMLEscapeString(text)) //nolint:gosec // it is escaped
	}
	return template.HTML(softly.Replace(text)) //nolint:gosec // there is nothing to escape in a name
}
