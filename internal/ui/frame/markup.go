package frame

import (
	"html/template"
	"strings"
	"sync"
	"time"
)

// ours is markup of the program: only constants become it by themselves, so that nobody's text can be joined to it by
// accident.
type ours string

// Markup is HTML in the making, of what a page has by the hundred: a template asks by reflection for each value what it
// is, which costs many times of what writing it does.
type Markup struct {
	html []byte
	now  time.Time
}

// Drawn is what writes itself into a page.
type Drawn interface{ Draw(m *Markup) }

// markups are kept while a page is made of many: each has the room that the largest had.
var markups = sync.Pool{New: func() any { return new(Markup) }}

// draw is what is drawn, for a template.
func draw(d Drawn, now time.Time) template.HTML {
	m := markups.Get().(*Markup) //nolint:forcetypeassert // the pool holds nothing else
	defer markups.Put(m)
	m.html, m.now = m.html[:0], now
	d.Draw(m)
	return m.HTML()
}

// HTML is all that was written.
func (m *Markup) HTML() template.HTML { return template.HTML(m.html) } //nolint:gosec // ours, or escaped

// Add writes markup of ours.
func (m *Markup) Add(markup ours) *Markup {
	m.html = append(m.html, markup...)
	return m
}

// Made writes markup that was made elsewhere.
func (m *Markup) Made(markup template.HTML) *Markup {
	m.html = append(m.html, markup...)
	return m
}

// Text writes anybody's text: between tags, or into an attribute within double quotes.
func (m *Markup) Text(text string) *Markup {
	from := 0
	for i := range len(text) {
		escaped := escapes[text[i]]
		if escaped == "" {
			continue
		}
		m.html = append(append(m.html, text[from:i]...), escaped...)
		from = i + 1
	}
	m.html = append(m.html, text[from:]...)
	return m
}

// escapes is how bytes are written that mean something in HTML.
var escapes = [256]string{0: "\uFFFD", '"': "&#34;", '&': "&amp;", '\'': "&#39;", '<': "&lt;", '>': "&gt;"}

// Path writes where a link leads: an address of this site or one that begins as of the web.
func (m *Markup) Path(path string) *Markup {
	if scheme, _, found := strings.Cut(path, ":"); found && !strings.ContainsAny(scheme, "/?#") && !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https") && !strings.EqualFold(scheme, "mailto") {
		return m.Add("#ZgotmplZ") // as html/template has it
	}
	return m.Text(path)
}

// Link writes a link.
func (m *Markup) Link(path, text string) *Markup {
	return m.Add(`<a href="`).Path(path).Add(`">`).Text(text).Add("</a>")
}

// Links writes some, with commas between.
func (m *Markup) Links(links []Crumb) *Markup {
	for i, link := range links {
		if i > 0 {
			m.Add(", ")
		}
		m.Link(link.Path, link.Name)
	}
	return m
}

// Hidden writes a field of a form that nobody sees.
func (m *Markup) Hidden(name, value string) *Markup {
	return m.Add(`<input type="hidden" name="`).Text(name).Add(`" value="`).Text(value).Add(`">`)
}

// Count writes a number with its thousands apart.
func (m *Markup) Count(n int) *Markup { return m.Text(Count(n)) }

// Icon writes one of icons.
func (m *Markup) Icon(name string) *Markup { return m.Made(drawn[name]) }

// Tag writes a tag.
func (m *Markup) Tag(name string) *Markup {
	return m.Add(`<span class="tag">`).Text(name).Add("</span> ")
}

// Tags writes some.
func (m *Markup) Tags(names []string) *Markup {
	m.Add(`<span class="tags">`)
	for _, name := range names {
		m.Tag(name)
	}
	return m.Add("</span>")
}

// Nothing writes that there is nothing; hidden says so to those who hear the page.
func (m *Markup) Nothing(hidden ours) *Markup {
	if m.Add(`<span class="faint">–`); hidden != "" {
		m.Add(`<span class="hidden"> `).Add(hidden).Add("</span>")
	}
	return m.Add("</span>")
}

// When writes a moment, and how long it is past.
func (m *Markup) When(at time.Time) *Markup {
	if at.IsZero() {
		return m.Add("–")
	}
	m.Add(`<time datetime="`)
	m.html = at.AppendFormat(m.html, "2006-01-02T15:04:05Z07:00")
	m.Add(`" title="`)
	m.html = at.AppendFormat(m.html, time.DateTime)
	return m.Add(` UTC">`).Text(Ago(at, m.now)).Add("</time>")
}

// By writes the markup that is appended, which was made elsewhere as Made's is.
func (m *Markup) By(appended func(dst []byte) []byte) { m.html = appended(m.html) }

// Since writes how long ago a moment was in as few letters as a cell has room for.
func (m *Markup) Since(at time.Time) *Markup { return m.Text(Since(at, m.now)) }

// Pill writes a word in a pill.
func (m *Markup) Pill(class, icon, text string) *Markup {
	m.Add(`<span class="pill `).Text(class).Add(`">`)
	if icon != "" {
		m.Icon(icon)
	}
	return m.Text(text).Add("</span>")
}

// moment is a time that is drawn.
type moment time.Time

// Draw writes it.
func (t moment) Draw(m *Markup) { m.When(time.Time(t)) }

// Draw writes a cell of a table without its ends.
func (c Cell) Draw(m *Markup) {
	c.drawValue(m)
	if c.Sub != "" {
		m.Add(`<p class="small faint">`).Made(soft(c.Sub)).Add("</p>")
	}
	if c.More != "" {
		m.Add(`<details class="small"><summary class="faint">the answer</summary><pre tabindex="0" role="region" aria-label="The answer">`).Text(c.More).Add("</pre></details>")
	}
}

func (c Cell) drawValue(m *Markup) {
	switch {
	case c.HTML != "":
		c.drawMade(m)
	case c.Person:
		person(c.Text).Draw(m)
	case c.Pill != "":
		if m.Pill(c.Pill, c.Icon, c.Text); !c.At.IsZero() {
			m.Add(`<p class="small faint">`).When(c.At).Add("</p>")
		}
	case c.Level != "":
		m.Add(`<span class="lvl `).Text(c.Level).Add(`">`).Text(c.Text).Add("</span>")
	case c.Path != "":
		c.drawLink(m)
	case len(c.Links) > 0:
		m.Links(c.Links)
	case len(c.Tags) > 0:
		m.Tags(c.Tags)
	case c.Code && c.Text != "":
		m.Add("<code>").Made(soft(c.Text)).Add("</code>")
	case c.Text != "":
		m.Made(soft(c.Text))
	case !c.At.IsZero():
		m.Add(`<span class="faint nowrap">`).When(c.At).Add("</span>")
	default:
		m.Nothing("")
	}
}

func (c Cell) drawMade(m *Markup) {
	if c.Text == "" {
		m.Made(c.HTML)
		return
	}
	m.Add(`<span class="icon-cell">`).Made(c.HTML).Add("<span>").Text(c.Text).Add("</span></span>")
}

func (c Cell) drawLink(m *Markup) {
	m.Add(`<a href="`).Path(c.Path)
	switch {
	case c.Code:
		m.Add(`" rel="noreferrer"><code>`).Made(soft(c.Text)).Add("</code></a>")
	case c.Icon != "":
		m.Add(`">`).Icon(c.Icon).Text(c.Text).Add("</a>")
	default:
		m.Add(`">`).Text(c.Text).Add("</a>")
	}
}

// person is a username that is drawn with its letters; empty: the server.
type person string

// Draw writes it.
func (p person) Draw(m *Markup) {
	name := string(p)
	if name == "" {
		m.Add(`<span class="icon-cell faint">`).Icon("clock").Add("the server</span>")
		return
	}
	m.Add(`<span class="icon-cell"><span class="avatar s" aria-hidden="true">`).Text(FirstLetters(name, 2)).Add("</span>").Text(name).Add("</span>")
}

// Draw writes the cells of a row, without its buttons.
func (r gridRow) Draw(m *Markup) {
	for i := range r.Cells {
		c := &r.Cells[i]
		m.Cell(c.Head, c.Num, c.Rare, c)
	}
}

// rowButtons is the buttons of a row, and the page that their forms are sent to with its secret.
type rowButtons struct {
	here, secret string
	forms        []RowForm
}

// Draw writes them.
func (b rowButtons) Draw(m *Markup) {
	for i := range b.forms {
		if f := &b.forms[i]; f.Do == "" {
			m.Add(`<span class="small faint">`).Text(f.Text).Add("</span> ")
		} else {
			m.Add(`<form method="post" action="`).Path(b.here).Add(`">`).Hidden("form", b.secret)
			f.draw(m)
			m.Add("</form> ")
		}
	}
}

// draw writes what is in the form of a button.
func (f *RowForm) draw(m *Markup) {
	m.Hidden("do", f.Do)
	for _, h := range f.Hidden {
		m.Hidden(h.Name, h.Value)
	}
	if len(f.Choices) > 0 {
		m.Add(`<select name="choice" class="slim" aria-label="`).Text(f.Text).Add(" ").Text(f.Of).Add(`">`)
		options(f.Choices).Draw(m)
		m.Add("</select> ")
	}
	if m.Add(`<button class="btn tiny`); f.Risk {
		m.Add(" risk")
	}
	m.Add(`">`).Text(f.Text).Add(`<span class="hidden"> `).Text(f.Of).Add("</span></button>")
}

// Cell writes a cell of a table: the head of its row, or one of numbers or that is not for telephones.
func (m *Markup) Cell(head, num, rare bool, of Drawn) {
	if head {
		m.Add(`<th scope="row">`)
		of.Draw(m)
		m.Add("</th>")
		return
	}
	m.Add(`<td class="`).Column(num, rare).Add(`">`)
	of.Draw(m)
	m.Add("</td>")
}

// Column writes the classes of what stands in a column of numbers, or in one that is not for telephones.
func (m *Markup) Column(num, rare bool) *Markup {
	if num {
		m.Add("num")
	}
	if rare {
		m.Add(" opt-col")
	}
	return m
}
