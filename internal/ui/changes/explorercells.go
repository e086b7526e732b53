package changes

import (
	"path"
	"slices"
	"strings"
	"time"

	"github.com/belayhq/belay/internal/explorer"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/internal/ui/workspaces"
	"github.com/belayhq/belay/run"
)

// CsvTimes is the layout of times in files, as the API has it.
const CsvTimes = "2006-01-02T15:04:05.000Z"

// fieldNames is what the fields are called that their own name does not tell well.
var fieldNames = map[string]string{
	"workspace_terraform_version": "Engine", "state_version_terraform_version": "Engine of the state", "workspace_name": "Workspace",
	"project_name": "Project", "current_run_status": "Run", "workspace_updated_at": "Last change", "workspace_created_at": "Created",
	"vcs_repo_identifier": "Repository", "external_id": "Id", "current_rum_count": "Managed resources", "current_run_external_id": "Id of the run",
	"project_external_id": "Id of the project", "unique_identifier": "Identifier",
}

// fieldName is what a field is called.
func fieldName(name string) string {
	if known := fieldNames[name]; known != "" {
		return known
	}
	text := strings.ReplaceAll(name, "_", " ")
	return strings.ToUpper(text[:1]) + text[1:]
}

func groupable(name string) bool { return slices.Contains(explorer.Groupable, name) }

func statusOfText(text string) run.Status { return run.Status(text) }

// fieldChoices is every field of a view, those on that are shown.
func fieldChoices(kind explorer.View, shown []string) (list []frame.Choice) {
	for _, f := range kind.Fields() {
		list = append(list, frame.Choice{Value: f.Name, Text: fieldName(f.Name), On: slices.Contains(shown, f.Name)})
	}
	return list
}

// Asking is the fields that a condition may ask, of which one is asked; empty: none.
func (p *explorerPage) Asking(field string) (list []frame.Choice) {
	for _, c := range p.Fields {
		c.On = c.Value == field
		list = append(list, c)
	}
	return list
}

// OfVersions says that a condition asks for versions.
func (p *explorerPage) OfVersions() bool {
	return slices.ContainsFunc(p.Conditions, func(c condition) bool { return c.Kind == string(explorer.Version) })
}

// with is the address with one parameter changed, from the first page on.
func with(t *frame.OrgVisit, name, value string) string {
	q := t.URL.Query()
	q.Del("page")
	q.Set(name, value)
	if !q.Has("type") {
		q.Set("type", string(explorer.Workspaces))
	}
	return t.Path + "?" + q.Encode()
}

// columnOf is the head of a column, which sorts by it.
func columnOf(t *frame.OrgVisit, f explorer.Field, sorted []explorer.Sort) column {
	c := column{Name: fieldName(f.Name), Num: f.Kind == explorer.Number}
	next := f.Name
	for _, s := range sorted {
		if s.Field == f {
			if c.Order = "ascending"; s.Descending {
				c.Order = "descending"
			} else {
				next = "-" + f.Name
			}
			break
		}
	}
	c.Path = with(t, "sort", next)
	return c
}

func number(value any) int64 {
	n, _ := value.(int64)
	return n
}

// shortSource is a source as people call it: its last two steps.
func shortSource(source string) string {
	dir, name := path.Split(source)
	if dir == "" {
		return source
	}
	return path.Join(path.Base(dir), name)
}

// cells is a row of an answer.
func cells(t *frame.OrgVisit, kind explorer.View, want explorer.Query, row explorer.Row) valueRow {
	cells := make(valueRow, len(row.Values))
	for i, value := range row.Values {
		cells[i] = valueCellOf(want.Fields[i], value)
		cells[i].Head, cells[i].Rare = i == 0, i >= phoneColumns
		switch name := want.Fields[i].Name; {
		case name == "workspace_name":
			cells[i].Path = frame.WorkspacePath(t.Org.Name, cells[i].Text)
		case kind.Wide() && (i == 0 || name == "workspace_count"):
			cells[i].Path = usersOf(t, kind, row.ID)
		}
	}
	return cells
}

// valueCellOf is one value as it is shown.
func valueCellOf(f explorer.Field, value any) valueCell {
	c := valueCell{Num: f.Kind == explorer.Number}
	switch v := value.(type) {
	case time.Time:
		c.At = v
	case int64:
		c.Text = frame.Count(int(v))
	case string:
		c.Text = frame.Cut(v, frame.LongestValue)
		switch f.Name {
		case "current_run_status":
			if word, known := workspaces.StatusWords[run.Status(v)]; known {
				c.Status = &word
			}
		case "tags":
			c.Tags = strings.Split(c.Text, ", ")
		}
	case bool:
		c.Text = map[bool]string{true: "yes", false: "no"}[v]
	}
	return c
}

// writeCSV answers with the whole answer as a file.
func writeCSV(t *frame.OrgVisit, kind explorer.View) error {
	want, err := question(t.Visit, kind)
	if err != nil {
		return err
	}
	var line []byte
	err = t.UI.App.ExploreAll(t.Context(), t.Principal, t.Org.Name, want, func(rows []explorer.Row) error {
		line = line[:0]
		if t.Status == 0 {
			t.Download("text/csv; charset=utf-8", string(want.View)+".csv")
			line = want.AppendHead(line)
		}
		for _, row := range rows {
			line = explorer.AppendRow(line, row, CsvTimes)
		}
		_, err := t.Writer.Write(line)
		return err
	})
	if t.Status != 0 { // a browser that has gone, or a database: the file ends short
		return nil
	}
	return err
}
