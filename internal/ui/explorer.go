package ui

import (
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/explorer"
	"github.com/belayhq/belay/internal/ui/draw"
)

// explorerPage is a question to an organization, and its answer.
type explorerPage struct {
	Title, Form, Path, Here string
	Views                   []seg
	View                    string
	Conditions              []condition
	Fields                  []choice // that a condition may ask, and that a column may show
	Sort, By                string
	Asked                   bool // there is a question; else ready ones are offered
	Ready                   []linkRow
	Saved                   []linkRow
	Kept                    *keptView // the saved view that the question is
	Query                   string    // the question as JSON, to be kept or filed on
	Count                   string    // what was found, in words
	Chart                   *chartPart
	Columns                 []column
	Rows                    [][]valueCell
	Turns                   turns
	CSV, Curl, File         string // where the answer is a file, the same in the API, and where change requests on it are filed; empty: not for the visitor
	Total                   int
}

type keptView struct{ ID, Name string }

// chartPart is the answer as bars, each a way to what it stands for.
type chartPart struct {
	Title string
	By    []seg
	Bars  []barRow
}

type barRow struct {
	Name, Path, Share string
	Count             int
	Bar               template.HTML
}

type column struct {
	Name, Path, Order string // Order is "ascending", "descending" or empty
	Num, Rare         bool   // Rare: not on a telephone
}

// valueCell is one value of an answer.
type valueCell struct {
	Text, Path string
	At         time.Time
	Status     *statusWord
	Tags       []string
	Num, Head  bool
	Rare       bool // not on a telephone
}

// viewNames is what the views are called.
var viewNames = map[explorer.View]string{
	explorer.Workspaces: "Workspaces", explorer.Versions: "Engines", explorer.Providers: "Providers", explorer.Modules: "Modules",
	explorer.Resources: "Resources",
}

// usualFields is the columns of a view until others are chosen.
var usualFields = map[explorer.View][]string{
	explorer.Workspaces: {"workspace_name", "workspace_terraform_version", "project_name", "current_run_status", "resource_count", "tags", "workspace_updated_at"},
	explorer.Versions:   {"version", "workspace_count"},
	explorer.Providers:  {"name", "source", "registry_type", "workspace_count"},
	explorer.Modules:    {"name", "source", "workspace_count"},
	explorer.Resources:  {"address", "type", "workspace_name", "project_name", "provider"},
}

var explorerActs = map[string]act{"ask": (*orgVisit).ask, "keep": (*orgVisit).keepView, "forget": (*orgVisit).forgetView}

// explorer is the page of the explorer.
func (t *orgVisit) explorer() (*view, error) {
	if t.id != "" {
		return nil, t.openView()
	}
	q := t.URL.Query()
	page := &explorerPage{Title: "Explorer", Form: t.formSecret(), Path: t.path, Here: t.URL.RequestURI(), By: q.Get("by"), Sort: q.Get("sort")}
	page.Asked = q.Has("type")
	kind := explorer.View(q.Get("type"))
	if viewNames[kind] == "" {
		kind = explorer.Workspaces
	}
	page.View = string(kind)
	for _, view := range explorer.Views {
		page.Views = append(page.Views, seg{viewNames[view], t.path + "?type=" + string(view), view == kind})
	}
	page.Conditions = conditionsOf(kind, q)
	out := &view{template: "explorer", title: "Explorer", body: page}
	if err := t.savedViews(page); err != nil {
		return nil, err
	}
	if !page.Asked {
		page.Ready = readyQuestions(t.path, t.ui.Now())
	}
	err := t.answer(page, kind)
	if status, problem := describe(err); err != nil && status != http.StatusInternalServerError && status != http.StatusNotFound {
		out.status, out.problem, err = status, problem, nil
	}
	if out.title = page.Title; q.Has("csv") && err == nil && out.status == 0 {
		return nil, t.writeCSV(kind)
	}
	return out, err
}

// question is the checked question of the address.
func (v *visit) question(kind explorer.View) (explorer.Query, error) {
	q := v.URL.Query()
	q.Set("type", string(kind))
	if !q.Has("fields") {
		q.Set("fields", strings.Join(usualFields[kind], ","))
	}
	if !q.Has("sort") && kind.Wide() {
		q.Set("sort", "-workspace_count")
	}
	return explorer.FromURL(q)
}

// answer finds what the question asks for.
func (t *orgVisit) answer(page *explorerPage, kind explorer.View) error {
	want, err := t.question(kind)
	page.Fields = fieldChoices(kind, want.Fields)
	if err != nil {
		return err
	}
	at := t.page(pageSize)
	rows, total, err := t.ui.App.Explore(t.Context(), t.s, t.o.Name, want, at)
	if err != nil {
		return err
	}
	page.Query, page.Total, page.Turns = string(want.JSON()), total, t.turns(t.path, at, total)
	page.Count = foundText(kind, total, t.o.WorkspaceCount)
	for i, f := range want.Fields {
		page.Columns = append(page.Columns, t.column(f, want.Sort))
		page.Columns[i].Rare = i >= phoneColumns
	}
	for _, row := range rows {
		page.Rows = append(page.Rows, t.cells(kind, want, row))
	}
	asked := t.addressOf(kind)
	page.CSV = t.path + "?" + asked + "&csv"
	page.Curl = "/api/v2/organizations/" + url.PathEscape(t.o.Name) + "/explorer?" + asked
	if kind == explorer.Workspaces && total > 0 && t.may(belay.CreateChangeRequests) && t.ui.offersRequests() {
		page.File = organizationPath(t.o.Name, "change-requests/new?query=") + url.QueryEscape(page.Query)
	}
	return t.chart(page, kind, want, rows)
}

// foundText is how many rows were found.
func foundText(kind explorer.View, total, workspaces int) string {
	switch {
	case kind != explorer.Workspaces:
		return many(total, strings.ToLower(strings.TrimSuffix(viewNames[kind], "s")), strings.ToLower(viewNames[kind]))
	case total == workspaces:
		return many(total, "workspace", "workspaces")
	default:
		return count(total) + " of " + many(workspaces, "workspace", "workspaces")
	}
}

// phoneColumns is how many columns a telephone shows.
const phoneColumns = 3

// addressOf is the question of the address with the parameters that the API has, and no other.
func (v *visit) addressOf(kind explorer.View) string {
	kept := url.Values{"type": {string(kind)}}
	for name, values := range v.URL.Query() {
		if strings.HasPrefix(name, "filter") || name == "sort" || name == "fields" {
			kept[name] = values
		}
	}
	return kept.Encode()
}

// mostBars is how many bars a chart has, and one for the others.
const mostBars = 12

// chart adds the answer as bars.
func (t *orgVisit) chart(page *explorerPage, kind explorer.View, want explorer.Query, rows []explorer.Row) error {
	if kind != explorer.Workspaces {
		page.Chart = t.usedChart(kind, want, rows)
		return nil
	}
	chart := &chartPart{}
	by, known := explorer.Workspaces.Field(page.By)
	if !known || !groupable(page.By) {
		by, _ = explorer.Workspaces.Field(explorer.Groupable[0])
	}
	for _, name := range explorer.Groupable {
		chart.By = append(chart.By, seg{fieldName(name), t.with("by", name), name == by.Name})
	}
	groups, err := t.ui.App.ExploreGroups(t.Context(), t.s, t.o.Name, want, by, mostBars)
	if err != nil || len(groups) == 0 {
		return err
	}
	chart.Title = "By " + strings.ToLower(fieldName(by.Name))
	left := page.Total
	for _, g := range groups {
		left -= g.Count
		name := g.Value
		condition := "filter[" + nextIndex(t.URL.Query()) + "][" + by.Name + "][is][0]"
		if by.Name == "current_run_status" && name != "" {
			name = statusWords[statusOfText(name)].Text
		}
		chart.add(orNone(name), t.with(condition, g.Value), g.Count, groups[0].Count, page.Total)
	}
	if left > 0 {
		chart.add("others", "", left, max(groups[0].Count, left), page.Total)
	}
	page.Chart = chart
	return nil
}

func (c *chartPart) add(name, path string, n, most, total int) {
	c.Bars = append(c.Bars, barRow{
		Name: name, Path: path, Count: n, Share: share(n, total), Bar: draw.Bar("meter", "", most, draw.Part{Of: n, Fill: "p0"}),
	})
}

// share is a part of a whole in per cent.
func share(n, total int) string {
	if total == 0 {
		return ""
	}
	return count((100*n+total/2)/total) + " %"
}

// usedChart is the rows of the page that most workspaces use.
func (t *orgVisit) usedChart(kind explorer.View, want explorer.Query, rows []explorer.Row) *chartPart {
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
		chart.add(shortSource(row.ID), t.usersOf(kind, row.ID), n, most, t.o.WorkspaceCount)
	}
	return chart
}

// usersOf is the question for the workspaces that use one row of another view.
func (t *orgVisit) usersOf(kind explorer.View, id string) string {
	field := map[explorer.View]string{
		explorer.Versions: "workspace_terraform_version][is", explorer.Providers: "providers][contains", explorer.Modules: "modules][contains",
	}[kind]
	return t.path + "?" + url.Values{"type": {"workspaces"}, "filter[0][" + field + "][0]": {id}}.Encode()
}

// readyQuestions is what many ask first.
func readyQuestions(path string, now time.Time) []linkRow {
	ask := func(values url.Values) string { return path + "?" + values.Encode() }
	return []linkRow{
		{"Engines in use", "which versions run, and where", ask(url.Values{"type": {"tf_versions"}})},
		{"Providers", "used by most workspaces first", ask(url.Values{"type": {"providers"}})},
		{"Modules", "used by most workspaces first", ask(url.Values{"type": {"modules"}})},
		{"Most resources", "the largest workspaces first", ask(url.Values{"type": {"workspaces"}, "sort": {"-resource_count"}})},
		{"Quiet for 90 days", "nobody touched them", ask(url.Values{
			"type": {"workspaces"}, "sort": {"workspace_updated_at"}, "filter[0][workspace_updated_at][is_before][0]": {now.AddDate(0, 0, -90).Format(time.DateOnly)},
		})},
		{"Failed last", "whose current run failed", ask(url.Values{"type": {"workspaces"}, "filter[0][current_run_status][is][0]": {"errored"}})},
	}
}
