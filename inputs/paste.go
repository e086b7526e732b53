package inputs

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/belayhq/belay"
)

// Pasted is one variable of a text that was pasted.
type Pasted struct {
	Key, Value string
	HCL        bool // the value is an expression
	Line       int  // where it begins, from 1
}

// reading is a text that is read from its beginning.
type reading struct {
	text string
	at   int
	line int
}

// wrong refuses what stands on a line.
func wrong(line int, format string, args ...any) error {
	args = append([]any{line}, args...)
	return belay.Refuse(belay.Invalid, "Line %d: "+format, args...)
}

func (r *reading) left() string         { return r.text[r.at:] }
func (r *reading) begins(s string) bool { return strings.HasPrefix(r.left(), s) }

// take goes on by so many bytes, and gives them.
func (r *reading) take(n int) string {
	taken := r.text[r.at : r.at+n]
	r.at += n
	r.line += strings.Count(taken, "\n")
	return taken
}

// takeAll goes on over all bytes of a kind.
func (r *reading) takeAll(of string) {
	r.take(len(r.left()) - len(strings.TrimLeft(r.left(), of)))
}

// takeTo goes on to a text, or to the end.
func (r *reading) takeTo(s string) string {
	if i := strings.Index(r.left(), s); i >= 0 {
		return r.take(i)
	}
	return r.take(len(r.left()))
}

// match goes on over what a pattern finds here, which begins with ^.
func (r *reading) match(pattern *regexp.Regexp) string {
	return r.take(len(pattern.FindString(r.left())))
}

// Paste reads a text with variables: of the environment the lines of an .env file, else those of a .tfvars file. A key
// stands there once.
func Paste(text, category string) ([]Pasted, error) {
	if !utf8.ValidString(text) {
		return nil, belay.Refuse(belay.Invalid, "The text is not UTF-8.")
	}
	text = strings.TrimPrefix(text, "\ufeff") // files of some editors begin with this mark, which nobody sees
	r := &reading{text: strings.ReplaceAll(text, "\r\n", "\n"), line: 1}
	next := r.definition
	if category == EnvironmentVariable {
		next = r.setting
	}
	var list []Pasted
	seen := map[string]int{}
	for {
		r.blank(category == EngineVariable)
		if r.left() == "" {
			break
		}
		one, err := next()
		if err != nil {
			return nil, err
		}
		if before := seen[one.Key]; before > 0 {
			return nil, wrong(one.Line, "%s stands on line %d already.", one.Key, before)
		}
		seen[one.Key] = one.Line
		list = append(list, one)
	}
	if len(list) == 0 {
		return nil, belay.Refuse(belay.Invalid, "There is no variable in it.")
	}
	return list, nil
}

// blank goes on over blanks, empty lines and comments.
func (r *reading) blank(slashes bool) {
	for {
		r.takeAll(" \t\n")
		switch {
		case r.begins("#"), slashes && r.begins("//"):
			r.takeTo("\n")
		case slashes && r.begins("/*"):
			r.takeTo("*/")
			r.take(min(len("*/"), len(r.left())))
		default:
			return
		}
	}
}

// ends goes on to the end of the line, where there may be a comment.
func (r *reading) ends(slashes bool, after string) error {
	r.takeAll(" \t")
	if r.begins("#") || slashes && r.begins("//") {
		r.takeTo("\n")
	}
	if r.left() != "" && !r.begins("\n") {
		return wrong(r.line, "something follows %s.", after)
	}
	return nil
}

var settingKey = regexp.MustCompile(`^(?:export[ \t]+)?([^=\s'"#]+)[ \t]*=[ \t]*`)

// setting is a line of an .env file. What stands in single quotes is as it is; nothing else is filled in anywhere.
func (r *reading) setting() (one Pasted, err error) {
	found := settingKey.FindStringSubmatch(r.left())
	if one.Line = r.line; found == nil {
		return one, wrong(r.line, "it is not KEY=VALUE.")
	}
	one.Key = found[1]
	r.take(len(found[0]))
	switch {
	case r.begins("'"):
		r.take(1)
		if one.Value = r.takeTo("'"); r.left() == "" {
			return one, wrong(one.Line, "the quote of %s has no end.", one.Key)
		}
		r.take(1)
		return one, r.ends(false, "the value of "+one.Key)
	case r.begins(`"`):
		if one.Value, err = r.quoted(settingEscapes, filledIn); err != nil {
			return one, err
		}
		return one, r.ends(false, "the value of "+one.Key)
	}
	value := " " + r.takeTo("\n")
	if i := strings.Index(value, " #"); i >= 0 {
		value = value[:i]
	}
	if one.Value = strings.Trim(value, " \t"); filledIn.MatchString(one.Value) {
		return one, wrong(one.Line, "another variable is filled in, which is not done here. Put the value into single quotes to have it as it is.")
	}
	return one, nil
}

var (
	filledIn     = regexp.MustCompile(`^\$[A-Za-z_({]|[^\\]\$[A-Za-z_({]`)
	interpolated = regexp.MustCompile(`(?:^|[^$])\$\{|(?:^|[^%])%\{`)

	settingEscapes    = map[byte]string{'n': "\n", 'r': "\r", 't': "\t", '"': `"`, '\\': `\`, '$': "$"}
	definitionEscapes = map[byte]string{'n': "\n", 'r': "\r", 't': "\t", '"': `"`, '\\': `\`}
)

// quoted is a text in double quotes, which has nothing filled in.
func (r *reading) quoted(escapes map[byte]string, fills *regexp.Regexp) (string, error) {
	begins, from := r.line, r.at+1
	var value strings.Builder
	r.take(1)
	for {
		value.WriteString(r.match(plainText))
		switch {
		case r.left() == "":
			return "", wrong(begins, "a quote has no end.")
		case r.begins(`"`):
			if fills.MatchString(r.text[from:r.at]) {
				return "", wrong(begins, "something is filled into the text, which is not done here.")
			}
			r.take(1)
			return value.String(), nil
		}
		if len(r.left()) < 2 {
			return "", wrong(begins, "a quote has no end.")
		}
		plain, known := escapes[r.left()[1]]
		if !known {
			return "", wrong(r.line, "\\%s in a text is not known.", string([]rune(r.left()[1:])[0]))
		}
		value.WriteString(plain)
		r.take(2)
	}
}

var plainText = regexp.MustCompile(`^[^"\\]*`)
