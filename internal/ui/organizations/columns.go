package organizations

import (
	"slices"
	"strings"

	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/internal/ui/workspaces"
)

// columnsCookie keeps which columns a browser shows of the list of workspaces.
const columnsCookie = "belay-columns"

// columnsLast is for how many seconds: a year.
const columnsLast = 365 * 24 * 60 * 60

// listColumns are the columns of the list of workspaces, after the name; those that are on are shown unless
// somebody chooses.
var listColumns = []frame.Choice{
	{Value: "run", Text: "Run", On: true}, {Value: "project", Text: "Project", On: true}, {Value: "lock", Text: "Lock", On: true}, {Value: "resources", Text: "Resources", On: true},
	{Value: "engine", Text: "Engine", On: true}, {Value: "requests", Text: "Requests", On: true}, {Value: "weeks", Text: "12 weeks", On: true}, {Value: "tags", Text: "Tags", On: false},
	{Value: "team", Text: "Team", On: false}, {Value: "description", Text: "Description", On: false}, {Value: "repository", Text: "Repository", On: false}, {Value: "pool", Text: "Agent pool", On: false},
	{Value: "drift", Text: "Drift", On: false}, {Value: "created", Text: "Made", On: false}, {Value: "id", Text: "ID", On: false}, {Value: "changed", Text: "Last change", On: true},
}

// columns is the columns that the address chooses, which the browser keeps; else those that it
// kept, else the usual ones.
func columns(v *frame.Visit, requests bool) (list []frame.Choice, shown map[string]bool) {
	asked := v.URL.Query()["columns"]
	kept := asked
	if len(asked) == 0 {
		kept = strings.Split(v.ReadCookie(columnsCookie), ".")
	}
	known := func(name string) bool {
		return slices.ContainsFunc(listColumns, func(c frame.Choice) bool { return c.Value == name })
	}
	kept = slices.DeleteFunc(slices.Clone(kept), func(name string) bool { return !known(name) })
	shown = map[string]bool{}
	for _, c := range listColumns {
		if c.Value == "requests" && !requests {
			continue
		}
		if len(kept) > 0 {
			c.On = slices.Contains(kept, c.Value)
		}
		shown[c.Value] = c.On
		list = append(list, c)
	}
	if len(asked) > 0 && len(kept) > 0 {
		v.SetCookie(columnsCookie, strings.Join(slices.Compact(slices.Sorted(slices.Values(kept))), "."), columnsLast)
	}
	return list, shown
}

// rowHeights is how high the rows of the list may be.
var rowHeights = []frame.Choice{{Value: "usual", Text: "Usual rows", On: false}, {Value: "low", Text: "Low rows", On: false}}

// heights is the heights of rows with the one on that the address chooses, which the browser keeps; else
// the one that it kept.
func heights(v *frame.Visit) (list []frame.Choice, low bool) {
	asked := v.Asked("rows")
	known := func(value string) bool {
		return slices.ContainsFunc(rowHeights, func(c frame.Choice) bool { return c.Value == value })
	}
	if known(asked) {
		v.SetCookie(frame.RowsCookie, asked, columnsLast)
	} else if asked = v.ReadCookie(frame.RowsCookie); !known(asked) {
		asked = rowHeights[0].Value
	}
	for _, c := range rowHeights {
		c.On = c.Value == asked
		list = append(list, c)
	}
	return list, asked == "low"
}

// workspaceTable is the rows of the list, which write themselves: a template took most of the time of a page.
type workspaceTable struct {
	rows  []workspaceRow
	shows map[string]bool
	ticks bool // a row can be ticked
}

// Table is the rows of the page.
func (p workspacesPage) Table() frame.Drawn {
	return workspaceTable{p.Workspaces, p.Shows, p.Bulk != nil}
}

// Draw writes the rows.
func (t workspaceTable) Draw(m *frame.Markup) {
	var cells []func(*frame.Markup, *workspaceRow)
	for _, c := range listColumns {
		if t.shows[c.Value] {
			cells = append(cells, drawColumns[c.Value])
		}
	}
	for i := range t.rows {
		r := &t.rows[i]
		if m.Add("<tr>"); t.ticks {
			m.Add(`<td class="box"><input type="checkbox" name="id" value="`).Text(r.ID).Add(" ").Text(r.Name).Add(`"`)
			if r.Ticked {
				m.Add(" checked")
			}
			m.Add(` aria-label="`).Text(r.Name).Add(`"></td>`)
		}
		m.Add(`<th scope="row">`).Link(r.Path, r.Name).Add("</th>\n")
		for _, draw := range cells {
			draw(m, r)
		}
		m.Add("</tr>\n")
	}
}

// drawColumns is how the columns of listColumns are written.
var drawColumns = map[string]func(*frame.Markup, *workspaceRow){
	"run": func(m *frame.Markup, r *workspaceRow) {
		m.Add(`<td class="run">`)
		switch {
		case r.Status != nil:
			r.Status.Draw(m)
		case r.Lock.Held: // which stands in its place on a telephone
			m.Add(`<span class="opt-col">`).Nothing("").Add("</span>")
		default:
			m.Nothing("")
		}
		if r.Lock.Held {
			m.Add(`<span class="only-phone"> `)
			r.Lock.Draw(m)
			m.Add("</span>")
		}
		m.Add("</td>")
	},
	"project": func(m *frame.Markup, r *workspaceRow) {
		m.Add(`<td class="opt-col quiet project" title="`).Text(r.Project).Add(`">`).Text(r.Project).Add("</td>")
	},
	"lock": func(m *frame.Markup, r *workspaceRow) {
		m.Add(`<td class="opt-col nowrap">`)
		r.Lock.Draw(m)
		m.Add("</td>")
	},
	"resources": func(m *frame.Markup, r *workspaceRow) {
		m.Add(`<td class="num opt-col">`).Count(r.Resources).Add("</td>")
	},
	"engine": func(m *frame.Markup, r *workspaceRow) {
		if !r.Old {
			m.Add(`<td class="opt-col">`).Text(r.Engine).Add("</td>")
			return
		}
		m.Add(`<td class="opt-col warn" title="No longer supported">`).Text(r.Engine).Add(`<span class="hidden">, no longer supported</span></td>`)
	},
	"requests": func(m *frame.Markup, r *workspaceRow) {
		if m.Add(`<td class="num opt-col">`); r.MayReadOpen {
			m.Count(r.OpenRequests)
		} else {
			m.Nothing("hidden")
		}
		m.Add("</td>")
	},
	"weeks": func(m *frame.Markup, r *workspaceRow) {
		if m.Add(`<td class="opt-col">`); r.Weeks != nil {
			drawWeeks(m, r.Weeks)
		} else {
			m.Nothing("hidden")
		}
		m.Add("</td>")
	},
	"tags": func(m *frame.Markup, r *workspaceRow) {
		m.Add(`<td class="opt-col">`)
		workspaces.TagsPart{Tags: r.Tags, Bindings: r.Bindings}.Draw(m)
		m.Add("</td>")
	},
	"team":       quiet(func(r *workspaceRow) string { return r.Team() }),
	"repository": quiet(func(r *workspaceRow) string { return r.Repository }),
	"pool":       quiet(func(r *workspaceRow) string { return r.Pool }),
	"description": func(m *frame.Markup, r *workspaceRow) {
		m.Add(`<td class="opt-col quiet cut">`).Text(r.Description).Add("</td>")
	},
	"drift": func(m *frame.Markup, r *workspaceRow) {
		if m.Add(`<td class="opt-col nowrap">`); r.Drift == nil {
			m.Nothing("not known").Add("</td>")
			return
		}
		m.Add(`<a href="`).Path(r.Path).Add(`/health" title="`).Text(r.Drifted).Add(`">`)
		r.Drift.Draw(m)
		m.Add(`</a> <span class="small faint">`).When(r.Assessed).Add("</span></td>")
	},
	"created": func(m *frame.Markup, r *workspaceRow) {
		m.Add(`<td class="opt-col faint nowrap">`).When(r.Made).Add("</td>")
	},
	"id": func(m *frame.Markup, r *workspaceRow) {
		m.Add(`<td class="opt-col"><code>`).Text(r.ID).Add("</code></td>")
	},
	"changed": func(m *frame.Markup, r *workspaceRow) {
		if m.Add(`<td class="faint nowrap latest">`); r.Untouched() {
			m.Add("made ")
		}
		m.When(r.Changed).Add("</td>")
	},
}

// quiet writes a column of words that are not looked at first.
func quiet(word func(*workspaceRow) string) func(*frame.Markup, *workspaceRow) {
	return func(m *frame.Markup, r *workspaceRow) { m.Add(`<td class="opt-col quiet">`).Text(word(r)).Add("</td>") }
}
