package changes

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/paths"
	"github.com/belayhq/belay/internal/explorer"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/openapi"
)

// visible is the type of the rows of each view.
var visible = map[explorer.View]string{
	explorer.Workspaces: "visibility-workspace",
	explorer.Versions:   "visibility-tf-version",
	explorer.Providers:  "visibility-provider",
	explorer.Modules:    "visibility-module-version",
	explorer.Resources:  "visibility-resource",
}

// exploring answers rows of any of the views.
func exploring(run func(*door.Request) (*jsonapi.Document, error), query ...string) door.Action {
	return door.Action{Run: run, Query: append(query, "page[number]", "page[size]"), Gives: func(d *doc.Describer) *openapi.Schema {
		return doc.PageOf(d, d.Named("ExplorerRow", explorerRow))
	}}
}

// explorerRow is the schema of a row: the question says which attributes it has.
func explorerRow() *openapi.Schema {
	is := openapi.Object().Add("id", openapi.Of[string](), true)
	is.Add("type", openapi.Of[string]().One(slices.Sorted(maps.Values(visible))...), true)
	return is.Add("attributes", &openapi.Schema{Type: openapi.Types{"object"}}, true)
}

var _ = routes.Join(func(a *Verbs) []door.Route {
	return []door.Route{
		{Method: http.MethodGet, Path: paths.Explorer, Status: http.StatusOK, Do: exploring(a.explore, explorerParameters...), Lists: paths.OrganizationName, Filters: door.OwnFilters, Needs: belay.ReadExplorer, Does: "Ask about all workspaces"},
		{Method: http.MethodGet, Path: paths.Explorer + "/export/csv", Status: http.StatusOK, Raw: a.exportCSV, Query: explorerParameters, Media: "text/csv", Filters: door.OwnFilters, Needs: belay.ReadExplorer, Does: "Ask about all workspaces, as CSV"},
	}
})

// explore answers the question in the URL.
func (a *Verbs) explore(r *door.Request) (*jsonapi.Document, error) {
	want, err := explorer.FromURL(r.URL.Query())
	if err != nil {
		return nil, err
	}
	return a.explored(r, want)
}

// explored is the document of one page of an answer.
func (a *Verbs) explored(r *door.Request, want explorer.Query) (*jsonapi.Document, error) {
	rows, total, err := a.App.Explore(r.Context(), r.Principal, r.Param("organization_name"), want, r.Page())
	if err != nil {
		return nil, err
	}
	names := make([]string, len(want.Fields))
	for i, f := range want.Fields {
		names[i] = strings.ReplaceAll(f.Name, "_", "-")
	}
	return r.List(door.Each(rows, func(row explorer.Row) *jsonapi.Resource {
		attributes := make(jsonapi.Object, len(names))
		for i, name := range names {
			attributes[i] = jsonapi.Member{Name: name, Value: row.Values[i]}
		}
		return &jsonapi.Resource{Type: visible[want.View], ID: row.ID, Attributes: attributes}
	}), total), nil
}

// exportCSV writes the whole answer to the question in the URL.
func (a *Verbs) exportCSV(r *door.Request) error {
	want, err := explorer.FromURL(r.URL.Query())
	if err != nil {
		return err
	}
	return a.writeCSV(r, want)
}

// writeCSV writes an answer page by page, as the client takes it.
func (a *Verbs) writeCSV(r *door.Request, want explorer.Query) error {
	var line []byte
	work := r.Work()
	return a.App.ExploreAll(r.Context(), r.Principal, r.Param("organization_name"), want, func(rows []explorer.Row) error {
		if err := r.Turn(); err != nil {
			return err
		}
		line = line[:0]
		if !r.Wrote {
			r.Writer.Header().Set("Content-Type", "text/csv; charset=utf-8")
			r.Writer.Header().Set("Content-Disposition", fmt.Sprintf(`attachment; filename="%s.csv"`, want.View))
			r.Wrote = true
			line = want.AppendHead(line)
		}
		for _, row := range rows {
			line = explorer.AppendRow(line, row, jsonapi.Timestamp)
			work.Rest()
		}
		r.Yield()
		if _, err := r.Writer.Write(line); err != nil {
			return err
		}
		return http.NewResponseController(r.Writer).Flush()
	})
}
