package organizations

import (
	"net/url"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/explorer"
	"github.com/belayhq/belay/internal/ui/changes"
	"github.com/belayhq/belay/internal/ui/frame"
)

// rowsOfFile is how many workspaces are read at once for a file: it is written as it is read.
const rowsOfFile = 500

// asFile is the address of the list that is shown, whole and as a file, which a parameter asks for.
func asFile(v *frame.Visit, parameter, value string) string {
	query := v.URL.Query()
	query.Del("page")
	query.Set(parameter, value)
	return (&url.URL{Path: v.URL.Path, RawQuery: query.Encode()}).String()
}

// writeWorkspaces answers with every workspace that fits what the address asks for, as a file.
func writeWorkspaces(v *frame.Visit, s belay.Principal, o *app.OrganizationView, page *workspacesPage) error {
	want, err := wanted(v, s, o.Name, page)
	if err == nil && page.Wrong != "" {
		err = belay.Refuse(belay.BadRequest, "%s", page.Wrong)
	}
	if err == nil {
		page.projects, err = offered(v, s, o.Name)()
	}
	for number, left := 1, true; left && err == nil; number++ {
		want.Page = belay.Page{Number: number, Size: rowsOfFile}
		var rows []workspaceRow
		if rows, left, err = rowsAt(v, s, o.Name, want, page.projects); err != nil {
			break
		}
		var lines []byte
		if number == 1 {
			v.Download("text/csv; charset=utf-8", "workspaces.csv")
			lines = []byte("workspace,run,project,lock,resources,engine,open_change_requests,tags,last_change,health,drifted_resources,assessed\n")
		}
		for i := range rows {
			lines = explorer.AppendRow(lines, rows[i].line(page.Requests), changes.CsvTimes)
		}
		_, err = v.Writer.Write(lines)
	}
	if v.Status != 0 { // a browser that has gone, or a database: the file ends short
		return nil
	}
	return err
}

// rowsAt is one page of workspaces, and whether there are more.
func rowsAt(v *frame.Visit, s belay.Principal, organization string, want belay.WorkspaceQuery, projects []app.ProjectView) ([]workspaceRow, bool, error) {
	list, total, err := v.UI.App.Workspaces(v.Context(), s, organization, want)
	if err != nil {
		return nil, false, err
	}
	rows, err := workspaceRows(v, s, organization, list, projects, map[string]bool{"project": true, "tags": true, "drift": true})
	return rows, len(list) > 0 && want.Page.Offset()+len(list) < total, err
}

// line is the row as values of a file; what the visitor may not see is missing.
func (r *workspaceRow) line(requests bool) explorer.Row {
	var status, lock, open, health, drifted, assessed any
	if r.Status != nil {
		status = r.Status.Text
	}
	if r.Lock.Held {
		lock = "locked by " + r.Lock.By
	}
	if requests && r.MayReadOpen {
		open = int64(r.OpenRequests)
	}
	if r.Drift != nil {
		health, assessed = r.Drift.Text, r.Assessed.UTC()
		if r.Found {
			drifted = int64(r.DriftedCount)
		}
	}
	tags := append([]string{}, r.Tags...)
	for _, b := range r.Bindings {
		tags = append(tags, b.Key+"="+b.Value)
	}
	return explorer.Row{Values: []any{
		r.Name, status, r.Project, lock, int64(r.Resources), r.Engine, open, strings.Join(tags, ", "), r.Changed.UTC(), health, drifted, assessed,
	}}
}
