package frame

import (
	"cmp"
	"html/template"
	"net/url"
	"slices"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/notices"
)

// Sheet is a page made of cards: the one pattern that lists, forms and settings share. A page
// of this kind is one file of Go and no template.
type Sheet struct {
	Title, Sub, Form, Here string
	Pill                   *DueWord // beside the title
	Acts                   []ActLink
	Fresh                  *FreshValue // a secret that is shown once
	Main, Side             []Card
	Left                   []Card // a narrow column before the others: what there is to choose from
	Deck                   []Card // small ones beside each other, before the others
	Turns                  Turns  // of the deck
	Alerts                 []Alert
	Even                   bool // both columns are of one width
	Tabs                   []TabLink
	Search                 string // what was searched for, where the page can be searched
	Searchable             bool
	Narrow                 []FormField // what else it can be narrowed by: of the kinds search, select and hidden
	Narrowed               bool        // it is, by these
}

// ActLink is a way out of the head of a page.
type ActLink struct {
	Text, Icon, Path string
	Main             bool
}

// Alert is what stands above all cards, and what may be done about it.
type Alert struct {
	Class, Icon, Text string
	Form              *RowForm
}

// CardLink is something to choose from: a name, and what there is to know about it.
type CardLink struct {
	Name, Sub, Path, Icon, Class string
	Here                         bool
}

// FreshValue is a secret that nobody can read again, and how it is used.
type FreshValue struct {
	Title, Value string
	Uses         []Setting // each a place, and what stands there
}

// Card is one part of a page. What is empty is not shown.
type Card struct {
	ID, Title, Note string
	Path            string // where its title leads; empty: nowhere
	Seg             Segs
	Text            string
	Facts           []Setting
	Grid            *Grid
	Rope            []HappenedRow
	Links           []CardLink
	HTML            template.HTML
	Copy            string    // to be copied: a command
	Texts           []Setting // long ones, each with what it is
	Empty           string    // what is said where there is no row
	Waits           string    // what the card waits for; its page is told when it comes
	Form            *FormPart
	Closed          bool // its form is folded away
	Foot            string
	Turns           Turns
}

// Grid is a table. Its columns say of what kind the cells below them are.
type Grid struct {
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
	Cells []Cell
	Forms []RowForm
}

// Cell is one value of a row.
type Cell struct {
	Text, Sub, Path, Icon, Pill, Level string
	More                               string // folded below: long
	At                                 time.Time
	Code, Person, Head                 bool
	Num, Rare                          bool
	Tags                               []string
	Links                              []Crumb
	HTML                               template.HTML // before the text, if there is one
}

// RowForm is a button of a row: what it does, and to what. One that does nothing says why there is none.
type RowForm struct {
	Do, Text, Icon, Of string // Of: what it is done to, for those who hear the page
	Risk               bool
	Hidden             []Setting
	Choices            []Choice // one of these goes with it, under the name "choice"
}

// FormPart is a form of a page.
type FormPart struct {
	Do, Submit, Note string
	TryDo, Try       string // a second button, which tries what is typed and keeps nothing; empty: there is none
	Risk             bool
	Asks             string // what is said before it is done, and asked; empty: it is done at once
	Changes          bool   // what there is: what the fields show goes with it
	Was              string
	Hidden           []Setting
	Fields           []FormField
}

// FormField is one field of a form. Kind is text, area, password, email, date, number, select,
// check or checks.
type FormField struct {
	Kind, Name, Label, Hint, Value string
	Icon                           string // of a search field
	On, Required, Code             bool
	Max                            int
	Choices                        []Choice
}

// NewGrid is a table with columns; a name that begins with + is of numbers, one that begins
// with - is not for telephones.
func NewGrid(label string, columns ...string) *Grid {
	g := &Grid{Label: label}
	for _, name := range columns {
		c := gridColumn{Name: name}
		for ; len(c.Name) > 0 && (c.Name[0] == '+' || c.Name[0] == '-'); c.Name = c.Name[1:] {
			c.Num, c.Rare = c.Num || c.Name[0] == '+', c.Rare || c.Name[0] == '-'
		}
		g.Columns = append(g.Columns, c)
	}
	return g
}

// Row adds a row with its buttons.
func (g *Grid) Row(forms []RowForm, cells ...Cell) {
	for i := range cells {
		if cells[i].Head = i == 0; i < len(g.Columns) {
			cells[i].Num, cells[i].Rare = g.Columns[i].Num, g.Columns[i].Rare
		}
	}
	g.Acts = g.Acts || len(forms) > 0
	g.Rows = append(g.Rows, gridRow{cells, forms})
}

// Words is a cell with a text.
func Words(text string) Cell { return Cell{Text: text} }

// Link is a cell with a link.
func Link(text, path string) Cell { return Cell{Text: text, Path: path} }

// Amount is a cell with a number.
func Amount(n int) Cell { return Cell{Text: Count(n)} }

// Moment is a cell with a time.
func Moment(at time.Time) Cell { return Cell{At: at} }

// Person is a cell with a username.
func Person(name string) Cell { return Cell{Text: name, Person: true} }

// Pill is a cell with a word in a pill; without a class it is a grey one.
func Pill(text, class string) Cell { return Cell{Text: text, Pill: cmp.Or(class, "plain")} }

// YesNo is a truth as a word.
func YesNo(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}

// Options are choices of which one is on.
func Options(on string, pairs ...string) (list []Choice) {
	for i := 0; i+1 < len(pairs); i += 2 {
		list = append(list, Choice{pairs[i], pairs[i+1], pairs[i] == on})
	}
	return list
}

// OptionsAsItIs are choices of which one is on: where it is of another page, or out of reach by now,
// one that leaves it as it is.
func OptionsAsItIs(on string, pairs ...string) []Choice {
	list := Options(on, pairs...)
	if slices.ContainsFunc(list, func(c Choice) bool { return c.On }) {
		return list
	}
	return append(list, Choice{on, "as it is", true})
}

// sheetView is a sheet as a page. A form that comes again shows what was typed into it.
func (v *Visit) sheetView(page *Sheet, again bool) *View {
	page.Form, page.Here = v.FormSecret(), v.URL.RequestURI()
	for _, cards := range [][]Card{page.Left, page.Main, page.Side} {
		for i := range cards {
			f := cards[i].Form
			if f != nil && f.Changes {
				f.Was = ShownIn(f.Fields)
			}
			if f != nil && again && slices.Contains([]string{f.Do, f.TryDo}, v.PostFormValue("do")) && v.sentBy(f) {
				cards[i].Closed = false
				v.refill(f)
			}
		}
	}
	return &View{Template: "sheet", Title: page.Title, Body: page}
}

// sentBy says whether it was this form that came, of several that do the same.
func (v *Visit) sentBy(f *FormPart) bool {
	return !slices.ContainsFunc(f.Hidden, func(h Setting) bool { return v.PostFormValue(h.Name) != h.Value })
}

// refill puts what was typed back into a form, but for secrets, and for what was left as it was shown.
func (v *Visit) refill(f *FormPart) {
	for i := range f.Fields {
		field := &f.Fields[i]
		typed := v.PostForm[field.Name]
		switch kind := field.Kind; {
		case kind == "password" || v.Kept(field.Name):
		case kind == "check":
			field.On = len(typed) > 0
		case kind == "select" || kind == "checks":
			for j := range field.Choices {
				if c := &field.Choices[j]; kind == "select" || !v.KeptChoice(field.Name, c.Value) {
					c.On = slices.Contains(typed, c.Value)
				}
			}
		default:
			field.Value = v.Typed(field.Name)
		}
	}
}

// Sheet is a sheet as a page of the organization.
func (t *OrgVisit) Sheet(page *Sheet) (*View, error) {
	if do := t.Asked("sure"); do != "" {
		for i := range page.Side {
			if f := page.Side[i].Form; f != nil && f.Do == do && f.Asks != "" {
				page.Alerts = append(page.Alerts, Alert{Class: "wait", Icon: "alert", Text: f.Asks, Form: &RowForm{Do: "agree-" + do, Text: f.Submit}})
			}
		}
	}
	return t.sheetView(page, t.wrong+t.tried != ""), nil
}

// AskFirst leads to what a form of the page does, before it is done.
func AskFirst(t *OrgVisit) (string, error) {
	return t.Here() + "?" + url.Values{"sure": {t.PostFormValue("do")}}.Encode(), nil
}

// Tried shows the page again with what was typed, and says what came of trying it.
func (t *OrgVisit) Tried(text string) (string, error) {
	t.tried = text
	return "", nil
}

// Fresh shows the page again with a secret that was just made: no address leads to it.
func (t *OrgVisit) Fresh(value FreshValue) (string, error) {
	t.secretMade = &value
	return "", nil
}

// ShowSheet shows a page that is of no organization.
func (v *Visit) ShowSheet(s belay.Principal, page *Sheet, status int, problem string, crumbs ...Crumb) {
	shown := v.sheetView(page, problem != "")
	v.Show(status, shown.Template, Frame{Title: shown.Title, OwnHead: true, Error: problem, Visitor: s.Name, Crumbs: crumbs, Page: shown.Body})
}

// An answer is folded above the one length, and cut at the other.
const shortAnswer, longAnswer = 60, 2000

// AnswerCell is what a destination answered last.
func AnswerCell(r *notices.DeliveryResponse) Cell {
	var c Cell
	switch {
	case r == nil:
		return c
	case r.Successful:
		c = Cell{Text: OrNone(r.Code), Pill: "ok", Icon: "check"}
	case r.Code == "":
		c = Cell{Text: "no answer", Pill: "bad", Icon: "alert"}
	default:
		c = Cell{Text: r.Code, Pill: "bad", Icon: "alert"}
	}
	if c.Sub = Cut(r.Body, shortAnswer); c.Sub != r.Body {
		c.Sub, c.More = "", Cut(r.Body, longAnswer)
	}
	return c
}

// deliveryPills are the states of deliveries in words.
var deliveryPills = map[notices.DeliveryStatus][2]string{
	notices.DeliveryPending: {"waits", "wait"}, notices.DeliveryDelivered: {"delivered", "ok"}, notices.DeliveryDeadLettered: {"given up", "bad"},
}

// DeliveryCell is how far a delivery has come, and since when.
func DeliveryCell(d *notices.Delivery) Cell {
	p := deliveryPills[d.Status]
	state := Pill(p[0], p[1])
	state.At = d.UpdatedAt
	return state
}
