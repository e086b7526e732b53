package logtext

import (
	"html/template"
	"slices"
	"strings"
)

// styles is the class that stands for a colour or a weight of an engine's output; the others
// are left out.
var styles = map[string]string{"1": "b", "2": "d", "31": "r", "91": "r", "32": "g", "92": "g", "33": "y", "93": "y", "34": "c", "36": "c", "94": "c", "96": "c"}

// painter is the colour and the weight that are in force.
type painter struct{ classes []string }

// line is one line: its text escaped, its colours as spans. No other sequence of a terminal
// is let through.
func (p *painter) line(text string) template.HTML {
	var b strings.Builder
	for text != "" {
		plain, rest, found := strings.Cut(text, "\x1b[")
		p.write(&b, plain)
		if !found {
			break
		}
		end := strings.IndexFunc(rest, func(c rune) bool { return c >= '@' && c <= '~' })
		if end < 0 {
			break // it is cut short
		}
		if rest[end] == 'm' {
			p.take(rest[:end])
		}
		text = rest[end+1:]
	}
	return template.HTML(b.String()) //nolint:gosec // every part of it was escaped
}

func (p *painter) write(b *strings.Builder, text string) {
	text = template.HTMLEscapeString(strings.Map(printable, text))
	if text == "" || len(p.classes) == 0 {
		b.WriteString(text)
		return
	}
	b.WriteString(`<span class="` + strings.Join(p.classes, " ") + `">` + text + `</span>`)
}

func printable(c rune) rune {
	if c < ' ' && c != '\t' || c == 0x7f {
		return -1
	}
	return c
}

// take puts a colour or weight into force; 0, or nothing, ends them all.
func (p *painter) take(codes string) {
	for _, code := range strings.Split(codes, ";") {
		switch class := styles[strings.TrimLeft(code, "0")]; {
		case strings.Trim(code, "0") == "":
			p.classes = nil
		case class != "" && !slices.Contains(p.classes, class):
			p.classes = append(append([]string(nil), p.classes...), class)
		}
	}
}

// Bare is a line without any sequence of a terminal: what is searched in.
func Bare(line string) string {
	if !strings.ContainsRune(line, 0x1b) {
		return line
	}
	var b strings.Builder
	for {
		plain, rest, found := strings.Cut(line, "\x1b[")
		b.WriteString(plain)
		end := strings.IndexFunc(rest, func(c rune) bool { return c >= '@' && c <= '~' })
		if !found || end < 0 {
			return b.String()
		}
		line = rest[end+1:]
	}
}
