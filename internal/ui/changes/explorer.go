// Package changes owns the pages of the explorer, and of the change requests and campaigns that come of it.
package changes

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/backlog"
	"github.com/belayhq/belay/internal/explorer"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/internal/ui/workspaces"
)

// explorerPage is a question to an organization, and its answer.
type explorerPage struct {
	Title, Form, Path, Here string
	Views                   frame.Segs
	View                    string
	Conditions              []condition
	Fields                  []frame.Choice // that a condition may ask, and that a column may show
	Shown                   string         // the columns in their order
	Sort, By, Stack         string
	Asked                   bool // there is a question; else ready ones are offered
	Ready                   []frame.LinkRow
	Saved                   []frame.LinkRow
	Kept                    *keptView // the saved view that the question is
	Query                   string    // the question as JSON, to be kept or filed on
	Count                   string    // what was found, in words
	Chart                   *chartPart
	Columns                 columns
	Rows                    valueRows
	Turns                   frame.Turns
	CSV, Curl, File         string // where the answer is a file, the command that asks the API for it, and where change requests on it are filed; empty: not for the visitor
	Total                   int
	Drop                    *droppedPart // nothing fits: what would
}

type keptView struct{ ID, Name string }

type column struct {
	Name, Path, Order string // Order is "ascending", "descending" or empty
	Num, Rare         bool   // Rare: not on a telephone
}

type columns []column

// Draw writes their heads.
func (c columns) Draw(m *frame.Markup) {
	for i := range c {
		c[i].draw(m)
	}
}

func (c *column) draw(m *frame.Markup) {
	if m.Add(`<th scope="col" class="`).Column(c.Num, c.Rare).Add(`"`); c.Order != "" {
		m.Add(` aria-sort="`).Text(c.Order).Add(`"`)
	}
	m.Add(`><a href="`).Path(c.Path).Add(`">`).Text(c.Name)
	switch c.Order {
	case "descending":
		m.Icon("down")
	case "ascending":
		m.Icon("up")
	}
	m.Add("</a></th>")
}

// valueCell is one value of an answer.
type valueCell struct {
	Text, Path string
	At         time.Time
	Status     *workspaces.StatusWord
	Tags       []string
	Num, Head  bool
	Rare       bool // not on a telephone
}

// Draw writes it without its ends.
func (c *valueCell) Draw(m *frame.Markup) {
	switch {
	case c.Path != "":
		m.Link(c.Path, c.Text)
	case c.Status != nil:
		c.Status.Draw(m)
	case len(c.Tags) > 0:
		m.Tags(c.Tags)
	case c.Text != "":
		m.Text(c.Text)
	case !c.At.IsZero():
		m.Add(`<span class="faint nowrap">`).When(c.At).Add("</span>")
	default:
		m.Nothing("")
	}
}

// valueRow is a row of an answer.
type valueRow []valueCell

type valueRows []valueRow

// Draw writes them.
func (rows valueRows) Draw(m *frame.Markup) {
	for _, row := range rows {
		m.Add("<tr>")
		for i := range row {
			m.Cell(row[i].Head, row[i].Num, row[i].Rare, &row[i])
		}
		m.Add("</tr>\n")
	}
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

// ExplorerActs is what the forms of the explorer do.
var ExplorerActs = map[string]frame.Act{"ask": ask, "keep": keepView, "forget": forgetView}

// Explorer is the page of the explorer.
func Explorer(t *frame.OrgVisit) (*frame.View, error) {
	if t.ID != "" {
		return nil, openView(t)
	}
	q := t.URL.Query()
	page := &explorerPage{Title: "Explorer", Form: t.FormSecret(), Path: t.Path, Here: t.URL.RequestURI(), By: q.Get("by"), Stack: q.Get("stack"), Sort: q.Get("sort")}
	page.Asked = q.Has("type")
	kind := explorer.View(q.Get("type"))
	if viewNames[kind] == "" {
		kind = explorer.Workspaces
	}
	page.View = string(kind)
	for _, view := range explorer.Views {
		page.Views = append(page.Views, frame.Seg{Name: viewNames[view], Path: t.Path + "?type=" + string(view), Here: view == kind})
	}
	page.Conditions = conditionsOf(kind, q)
	out := &frame.View{Template: "explorer", Title: "Explorer", Body: page}
	saved := frame.SoonList(t.Visit, func() ([]backlog.SavedView, int, error) {
		return t.UI.App.SavedViews(t.Context(), t.Principal, t.Org.Name, belay.Page{Number: 1, Size: savedViewsShown})
	})
	if !page.Asked {
		page.Ready = readyQuestions(t.Path, t.UI.Now())
	}
	err := answer(t, page, kind)
	list, _, unread := saved()
	if unread != nil {
		return nil, unread
	}
	page.addSaved(t, list)
	if status, problem := t.Describe(err); err != nil && status != http.StatusInternalServerError && status != http.StatusNotFound {
		out.Status, out.Problem, err = status, problem, nil
	}
	if out.Title = page.Title; q.Has("csv") && err == nil && out.Status == 0 {
		return nil, writeCSV(t, kind)
	}
	return out, err
}

// question is the checked question of the address.
func question(v *frame.Visit, kind explorer.View) (explorer.Query, error) {
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

// orderVersions puts all rows of engine versions into the order of versions, where that is asked for: the API has
// texts, of which 1.10 comes before 1.9.
func orderVersions(q *explorer.Query, rows []explorer.Row) {
	at := slices.IndexFunc(q.Fields, func(f explorer.Field) bool { return f.Name == "version" })
	if q.View != explorer.Versions || at < 0 || len(q.Sort) == 0 || q.Sort[0].Field.Name != "version" {
		return
	}
	versions := make([]string, len(rows))
	for i, row := range rows {
		versions[i], _ = row.Values[at].(string)
	}
	belay.NewestFirst(versions)
	if !q.Sort[0].Descending {
		slices.Reverse(versions)
	}
	place := map[any]int{}
	for i, version := range versions {
		place[version] = i
	}
	slices.SortStableFunc(rows, func(a, b explorer.Row) int { return place[a.Values[at]] - place[b.Values[at]] })
}

// answer finds what the question asks for.
func answer(t *frame.OrgVisit, page *explorerPage, kind explorer.View) error {
	page.Shown = strings.Join(usualFields[kind], ",")
	if q := t.URL.Query(); q.Has("fields") {
		page.Shown = q.Get("fields")
	}
	page.Fields = fieldChoices(kind, frame.Commas(page.Shown))
	want, err := question(t.Visit, kind)
	if err != nil {
		if told := tellVersions(page.Conditions, 0); told != nil { // in the words of the page
			return told
		}
		return err
	}
	at := t.Page(frame.PageSize)
	rows, total, err := t.UI.App.Explore(t.Context(), t.Principal, t.Org.Name, want, at)
	if err != nil {
		return err
	}
	if err := tellVersions(page.Conditions, total); err != nil {
		return err
	}
	if total == len(rows) {
		orderVersions(&want, rows)
	}
	page.Query, page.Total, page.Turns = string(want.JSON()), total, t.Turns(t.Path, at, total)
	page.Count = foundText(kind, total, t.Org.WorkspaceCount)
	for i, f := range want.Fields {
		page.Columns = append(page.Columns, columnOf(t, f, want.Sort))
		page.Columns[i].Rare = i >= phoneColumns
	}
	for _, row := range rows {
		page.Rows = append(page.Rows, cells(t, kind, want, row))
	}
	asked := addressOf(t.Visit, kind)
	page.CSV = t.Path + "?" + asked + "&csv"
	page.Curl = `curl -H "Authorization: Bearer $TOKEN" '` + t.Scheme() + t.HostName() + "/api/v2/organizations/" + url.PathEscape(t.Org.Name) + "/explorer?" + asked + "'"
	if kind == explorer.Workspaces && total > 0 && t.May(belay.CreateChangeRequests) && t.UI.OffersRequests() {
		page.File = frame.OrganizationPath(t.Org.Name, "change-requests/new?query=") + url.QueryEscape(page.Query)
	}
	if total == 0 {
		if page.Drop, err = dropping(t, want); err != nil {
			return err
		}
	}
	return chart(t, page, kind, want, rows)
}

// foundText is how many rows were found.
func foundText(kind explorer.View, total, workspaces int) string {
	switch {
	case kind != explorer.Workspaces:
		return frame.Many(total, strings.ToLower(strings.TrimSuffix(viewNames[kind], "s")), strings.ToLower(viewNames[kind]))
	case total == workspaces:
		return frame.Many(total, "workspace", "workspaces")
	default:
		return frame.Count(total) + " of " + frame.Many(workspaces, "workspace", "workspaces")
	}
}

// phoneColumns is how many columns a telephone shows.
const phoneColumns = 3

// addressOf is the question of the address with the parameters that the API has, and no other.
func addressOf(v *frame.Visit, kind explorer.View) string {
	kept := url.Values{"type": {string(kind)}}
	for name, values := range v.URL.Query() {
		if strings.HasPrefix(name, "filter") || name == "sort" || name == "fields" {
			kept[name] = values
		}
	}
	return kept.Encode()
}

// usersOf is the question for the workspaces that use one row of another view.
func usersOf(t *frame.OrgVisit, kind explorer.View, id string) string {
	field := map[explorer.View]string{
		explorer.Versions: "workspace_terraform_version][is", explorer.Providers: "providers][contains", explorer.Modules: "modules][contains",
	}[kind]
	return t.Path + "?" + url.Values{"type": {"workspaces"}, "filter[0][" + field + "][0]": {id}}.Encode()
}

// readyQuestions is what many ask first.
func readyQuestions(path string, now time.Time) []frame.LinkRow {
	ask := func(values url.Values) string { return path + "?" + values.Encode() }
	return []frame.LinkRow{
		{Name: "Old engines", Note: "which versions run, the oldest first", Path: ask(url.Values{"type": {"tf_versions"}, "sort": {"version"}})},
		{Name: "Modules by version", Note: "which module and version, used by how many", Path: ask(url.Values{"type": {"modules"}, "fields": {"name,version,source,workspace_count"}})},
		{Name: "Providers by version", Note: "which provider and version, used by how many", Path: ask(url.Values{"type": {"providers"}, "fields": {"name,version,source,workspace_count"}})},
		{Name: "No change for 90 days", Note: "nobody touched them", Path: ask(url.Values{
			"type": {"workspaces"}, "sort": {"workspace_updated_at"}, "filter[0][workspace_updated_at][is_before][0]": {now.AddDate(0, 0, -90).Format(time.DateOnly)},
		})},
		{Name: "Failed last", Note: "whose current run failed", Path: ask(url.Values{"type": {"workspaces"}, "filter[0][current_run_status][is][0]": {"errored"}})},
		{Name: "Most resources", Note: "the largest workspaces first", Path: ask(url.Values{"type": {"workspaces"}, "sort": {"-resource_count"}})},
	}
}
