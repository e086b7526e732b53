package changes

import (
	"html/template"
	"strings"

	"github.com/belayhq/belay/internal/explorer"
	"github.com/belayhq/belay/internal/ui/draw"
	"github.com/belayhq/belay/internal/ui/frame"
)

// chartPart is the answer as bars, each a way to what it stands for.
type chartPart struct {
	Title string
	By    frame.Segs
	Bars  bars

	Stack  frame.Segs  // what the bars can be split by
	Legend []legendRow // of their parts; empty: they are whole
}

type barRow struct {
	Name, Path, Share string
	Count             int
	Bar               template.HTML
}

type bars []barRow

// Draw writes them.
func (b bars) Draw(m *frame.Markup) {
	for i := range b {
		if m.Add("<li>"); b[i].Path != "" {
			m.Add(`<a href="`).Path(b[i].Path).Add(`" title="`).Text(b[i].Name).Add(`">`).Text(b[i].Name).Add("</a>")
		} else {
			m.Add(`<span class="faint">`).Text(b[i].Name).Add("</span>")
		}
		m.Made(b[i].Bar).Add(`<span class="v">`).Count(b[i].Count).Add(` <span class="faint">(`).Text(b[i].Share).Add(")</span></span></li>\n")
	}
}

// mostBars is how many bars a chart has, and one for the others.
const mostBars = 12

// chart adds the answer as bars.
func chart(t *frame.OrgVisit, page *explorerPage, kind explorer.View, want explorer.Query, rows []explorer.Row) error {
	if kind != explorer.Workspaces {
		page.Chart = usedChart(t, kind, want, rows)
		return nil
	}
	chart := &chartPart{}
	by, known := explorer.Workspaces.Field(page.By)
	if !known || !groupable(page.By) {
		by, _ = explorer.Workspaces.Field(explorer.Groupable[0])
	}
	for _, name := range explorer.Groupable {
		chart.By = append(chart.By, frame.Seg{Name: fieldName(name), Path: with(t, "by", name), Here: name == by.Name})
	}
	groups, err := t.UI.App.ExploreGroups(t.Context(), t.Principal, t.Org.Name, want, by, mostBars)
	if err != nil || len(groups) == 0 {
		return err
	}
	chart.Title = "By " + strings.ToLower(fieldName(by.Name))
	split, err := splitOf(t, page, want, by, chart)
	if err != nil {
		return err
	}
	left := page.Total
	for _, g := range groups {
		left -= g.Count
		condition := "filter[" + nextIndex(t.URL.Query()) + "][" + by.Name + "][is][0]"
		chart.add(valueName(by, g.Value), with(t, condition, g.Value), g.Count, groups[0].Count, page.Total, split.parts(g)...)
	}
	if left > 0 {
		chart.add("others", "", left, max(groups[0].Count, left), page.Total)
	}
	page.Chart = chart
	return nil
}

// add adds a bar, whole or in parts.
func (c *chartPart) add(name, path string, n, most, total int, parts ...draw.Part) {
	if parts == nil {
		parts = []draw.Part{{Of: n, Fill: "p0"}}
	}
	c.Bars = append(c.Bars, barRow{Name: name, Path: path, Count: n, Share: share(n, total), Bar: draw.Bar("meter", c.labelOf(parts), most, parts...)})
}

// share is a part of a whole in per cent.
func share(n, total int) string {
	if total == 0 {
		return ""
	}
	return frame.Count((100*n+total/2)/total) + " %"
}

// usedChart is the rows of the page that most workspaces use.
func usedChart(t *frame.OrgVisit, kind explorer.View, want explorer.Query, rows []explorer.Row) *chartPart {
	at := -1
	for i, f := range want.Fields {
		if f.Name == "workspace_count" {
			at = i
		}
	}
	if at < 0 || len(rows) == 0 {
		return nil
	}
	chart, most := &chartPart{Title: "Used most on this page"}, 1
	for _, row := range rows {
		most = max(most, int(number(row.Values[at])))
	}
	for _, row := range rows[:min(len(rows), mostBars)] {
		n := int(number(row.Values[at]))
		chart.add(shortSource(row.ID), usersOf(t, kind, row.ID), n, most, t.Org.WorkspaceCount)
	}
	return chart
}
