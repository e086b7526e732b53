package ui

import (
	"html/template"
	"slices"
	"time"

	"github.com/belayhq/belay"
)

// sheet is a page made of cards: the one pattern that lists, forms and settings share. A page
// of this kind is one file of Go and no template.
type sheet struct {
	Title, Sub, Form, Here string
	Pill                   *dueWord // beside the title
	Acts                   []actLink
	Fresh                  *freshValue // a secret that is shown once
	Main, Side             []card
	Even                   bool // both columns are of one width
	Tabs                   []tabLink
	Search                 string // what was searched for, where the page can be searched
	Searchable             bool
}

// actLink is a way out of the head of a page.
type actLink struct {
	Text, Icon, Path string
	Main             bool
}

// freshValue is a secret that nobody can read again, and how it is used.
type freshValue struct{ Title, Value, Use string }

// card is one part of a page. What is empty is not shown.
type card struct {
	ID, Title, Note string
	Seg             []seg
	Text            string
	Facts           []setting
	Grid            *grid
	Rope            []happenedRow
	HTML            template.HTML
	Empty           string // what is said where there is no row
	Form            *formPart
	Closed          bool // its form is folded away
	Turns           turns
}

// grid is a table. Its columns say of what kind the cells below them are.
type grid struct {
	Label   string
	Columns []gridColumn
	Rows    []gridRow
	Acts    bool // a row may have forms
	Whole   bool // its cells are of words, which stay whole
}

type gridColumn struct {
	Name      string
	Num, Rare bool // Rare: not on a telephone
}

type gridRow struct {
	Cells []cell
	Forms []rowForm
}

// cell is one value of a row.
type cell struct {
	Text, Sub, Path, Icon, Pill, Level string
	At                                 time.Time
	Code, Person, Head                 bool
	Num, Rare                          bool
	Tags                               []string
	HTML                               template.HTML
}

// rowForm is a button of a row: what it does, and to what.
type rowForm struct {
	Do, Text, Icon, Of string // Of: what it is done to, for those who hear the page
	Risk               bool
	Hidden             []setting
	Choices            []choice // one of these goes with it, under the name "choice"
}

// formPart is a form of a page.
type formPart struct {
	Do, Submit, Note string
	Risk             bool
	Hidden           []setting
	Fields           []formField
}

// formField is one field of a form. Kind is text, area, password, email, date, number, select,
// check or checks.
type formField struct {
	Kind, Name, Label, Hint, Value string
	On, Required, Code             bool
	Max                            int
	Choices                        []choice
}

// newGrid is a table with columns; a name that begins with + is of numbers, one that begins
// with - is not for telephones.
func newGrid(label string, columns ...string) *grid {
	g := &grid{Label: label}
	for _, name := range columns {
		c := gridColumn{Name: name}
		for ; len(c.Name) > 0 && (c.Name[0] == '+' || c.Name[0] == '-'); c.Name = c.Name[1:] {
			c.Num, c.Rare = c.Num || c.Name[0] == '+', c.Rare || c.Name[0] == '-'
		}
		g.Columns = append(g.Columns, c)
	}
	return g
}

// row adds a row with its buttons.
func (g *grid) row(forms []rowForm, cells ...cell) {
	for i := range cells {
		if cells[i].Head = i == 0; i < len(g.Columns) {
			cells[i].Num, cells[i].Rare = g.Columns[i].Num, g.Columns[i].Rare
		}
	}
	g.Acts = g.Acts || len(forms) > 0
	g.Rows = append(g.Rows, gridRow{cells, forms})
}

// The cells that most rows are made of.
func words(text string) cell { return cell{Text: text} }

func link(text, path string) cell { return cell{Text: text, Path: path} }

func amount(n int) cell { return cell{Text: count(n)} }

func moment(at time.Time) cell { return cell{At: at} }

func person(name string) cell { return cell{Text: name, Person: true} }

func pill(text, class string) cell { return cell{Text: text, Pill: class} }

// yesNo is a truth as a word.
func yesNo(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}

// options are choices of which one is on.
func options(on string, pairs ...string) (list []choice) {
	for i := 0; i+1 < len(pairs); i += 2 {
		list = append(list, choice{pairs[i], pairs[i+1], pairs[i] == on})
	}
	return list
}

// optionsAsItIs are choices of which one is on: where it is of another page, or out of reach by now,
// one that leaves it as it is.
func optionsAsItIs(on string, pairs ...string) []choice {
	list := options(on, pairs...)
	if slices.ContainsFunc(list, func(c choice) bool { return c.On }) {
		return list
	}
	return append(list, choice{on, "as it is", true})
}

// sheetView is a sheet as a page. A form that was refused shows what was typed into it.
func (v *visit) sheetView(page *sheet, wrong string) *view {
	page.Form, page.Here = v.formSecret(), v.URL.RequestURI()
	for _, cards := range [][]card{page.Main, page.Side} {
		for i := range cards {
			if f := cards[i].Form; f != nil && wrong != "" && f.Do == v.PostFormValue("do") && v.sentBy(f) {
				cards[i].Closed = false
				v.refill(f)
			}
		}
	}
	return &view{template: "sheet", title: page.Title, body: page}
}

// sentBy says whether it was this form that came, of several that do the same.
func (v *visit) sentBy(f *formPart) bool {
	return !slices.ContainsFunc(f.Hidden, func(h setting) bool { return v.PostFormValue(h.Name) != h.Value })
}

// refill puts what was typed back into a form, but for secrets.
func (v *visit) refill(f *formPart) {
	for i := range f.Fields {
		field := &f.Fields[i]
		typed := v.PostForm[field.Name]
		switch field.Kind {
		case "password":
		case "check":
			field.On = len(typed) > 0
		case "select", "checks":
			for j := range field.Choices {
				field.Choices[j].On = slices.Contains(typed, field.Choices[j].Value)
			}
		default:
			field.Value = v.typed(field.Name)
		}
	}
}

// sheetView is a sheet as a page of the organization.
func (t *orgVisit) sheet(page *sheet) (*view, error) { return t.sheetView(page, t.wrong), nil }

// fresh shows the page again with a secret that was just made: no address leads to it.
func (t *orgVisit) fresh(value freshValue) (string, error) {
	t.secretMade = &value
	return "", nil
}

// showSheet shows a page that is of no organization.
func (v *visit) showSheet(s belay.Principal, page *sheet, status int, problem string, crumbs ...crumb) {
	shown := v.sheetView(page, problem)
	v.show(status, shown.template, frame{Title: shown.title, OwnHead: true, Error: problem, Visitor: s.Name, Crumbs: crumbs, Page: shown.body})
}

// answerCell is what a destination answered last.
func answerCell(r *belay.DeliveryResponse) cell {
	switch {
	case r == nil:
		return words("")
	case r.Successful:
		return cell{Text: orNone(r.Code), Pill: "ok", Icon: "check", Sub: cut(r.Body, 80)}
	case r.Code == "":
		return cell{Text: "no answer", Pill: "bad", Icon: "alert", Sub: cut(r.Body, 80)}
	default:
		return cell{Text: r.Code, Pill: "bad", Icon: "alert", Sub: cut(r.Body, 80)}
	}
}
