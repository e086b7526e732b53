package inputs

import (
	"regexp"
	"strings"
)

var (
	definitionKey = regexp.MustCompile(`^([\p{L}_][\p{L}\p{N}_-]*)[ \t]*=[ \t]*`)
	literal       = regexp.MustCompile(`^(-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?|true|false)\b`)
	undoubled     = strings.NewReplacer("$${", "${", "%%{", "%{") // what would begin something filled in stands there twice
	hereBegins    = regexp.MustCompile(`^<<(-?)([\p{L}_][\p{L}\p{N}_-]*)[ \t]*\n`)
)

// definition is one variable of a .tfvars file: a text, a number, a truth, or a list or a map, which stays as it is
// written. What is worked out, as by a function, is not read.
func (r *reading) definition() (one Pasted, err error) {
	found := definitionKey.FindStringSubmatch(r.left())
	if one.Line = r.line; found == nil {
		return one, wrong(r.line, `it is not name = value.`)
	}
	one.Key = found[1]
	r.take(len(found[0]))
	switch {
	case r.begins(`"`):
		if one.Value, err = r.quoted(definitionEscapes, interpolated); err != nil {
			return one, err
		}
		if r.line != one.Line {
			return one, wrong(one.Line, "a text in quotes ends on its line.")
		}
		one.Value = undoubled.Replace(one.Value)
	case r.begins("<<"):
		if one.Value, err = r.here(); err != nil {
			return one, err
		}
	case r.begins("["), r.begins("{"):
		one.HCL = true
		if one.Value, err = r.collection(); err != nil {
			return one, err
		}
	default:
		if one.Value, one.HCL = r.match(literal), true; one.Value == "" {
			return one, wrong(r.line, "the value of %s is none that can be read: a text in quotes, a number, true, false, a list or a map.", one.Key)
		}
	}
	return one, r.ends(true, "the value of "+one.Key)
}

// here is a text of several lines, up to one that has its mark alone.
func (r *reading) here() (string, error) {
	begins, found := r.line, hereBegins.FindStringSubmatch(r.left())
	if found == nil {
		return "", wrong(begins, "it is not <<MARK.")
	}
	r.take(len(found[0]))
	var lines []string
	for {
		line := r.takeTo("\n")
		if strings.TrimSpace(line) == found[2] {
			break
		}
		if r.left() == "" {
			return "", wrong(begins, "%s does not come.", found[2])
		}
		r.take(1)
		lines = append(lines, line+"\n")
	}
	if found[1] != "" {
		lines = outdented(lines)
	}
	text := strings.Join(lines, "")
	if interpolated.MatchString(text) {
		return "", wrong(begins, "something is filled into the text, which is not done here.")
	}
	return undoubled.Replace(text), nil
}

// outdented is lines without the blanks that all of them begin with.
func outdented(lines []string) []string {
	least := -1
	for _, line := range lines {
		if n := len(line) - len(strings.TrimLeft(line, " ")); strings.TrimSpace(line) != "" && (least < 0 || n < least) {
			least = n
		}
	}
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = line[min(max(least, 0), len(line)-len(strings.TrimLeft(line, " "))):]
	}
	return out
}

// CheckCollection refuses a list or a map that does not end. Of any other expression it says nothing.
func CheckCollection(text string) error {
	r := &reading{text: strings.ReplaceAll(text, "\r\n", "\n"), line: 1}
	r.blank(true)
	if !r.begins("[") && !r.begins("{") {
		return nil
	}
	_, err := r.collection()
	return err
}

var closes = map[byte]byte{'[': ']', '{': '}', '(': ')'}

// collection is a list or a map, as it is written.
func (r *reading) collection() (string, error) {
	begins, from := r.line, r.at
	var open []byte
	for {
		r.blank(true)
		if r.left() == "" {
			return "", wrong(begins, "a list or a map has no end.")
		}
		switch c := r.left()[0]; {
		case closes[c] != 0:
			open = append(open, closes[c])
			r.take(1)
		case len(open) > 0 && c == open[len(open)-1]:
			r.take(1)
			if open = open[:len(open)-1]; len(open) == 0 {
				return r.text[from:r.at], nil
			}
		case c == ']' || c == '}' || c == ')':
			return "", wrong(r.line, "%c closes nothing.", c)
		case c == '"':
			if _, err := r.quoted(definitionEscapes, interpolated); err != nil {
				return "", err
			}
		case r.begins("<<"):
			if _, err := r.here(); err != nil {
				return "", err
			}
		default:
			r.take(1)
		}
	}
}
