package api

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/belayhq/belay/internal/explorer"
	"github.com/belayhq/belay/internal/jsonapi"
)

// visible is the type of the rows of each view.
var visible = map[explorer.View]string{
	explorer.Workspaces: "visibility-workspace",
	explorer.Versions:   "visibility-tf-version",
	explorer.Providers:  "visibility-provider",
	explorer.Modules:    "visibility-module-version",
}

// explore answers the question in the URL.
func (a *API) explore(r *request) (*jsonapi.Document, error) {
	want, err := explorer.FromURL(r.URL.Query())
	if err != nil {
		return nil, err
	}
	return a.explored(r, want)
}

// explored is the document of one page of an answer.
func (a *API) explored(r *request, want explorer.Query) (*jsonapi.Document, error) {
	rows, total, err := a.App.Explore(r.Context(), r.subject, r.param("organization_name"), want, r.page())
	if err != nil {
		return nil, err
	}
	names := make([]string, len(want.Fields))
	for i, f := range want.Fields {
		names[i] = strings.ReplaceAll(f.Name, "_", "-")
	}
	return r.list(each(rows, func(row explorer.Row) *jsonapi.Resource {
		attributes := make(jsonapi.Object, len(names))
		for i, name := range names {
			attributes[i] = jsonapi.Member{Name: name, Value: row.Values[i]}
		}
		return &jsonapi.Resource{Type: visible[want.View], ID: row.ID, Attributes: attributes}
	}), total), nil
}

// exportCSV writes the whole answer to the question in the URL.
func (a *API) exportCSV(r *request) error {
	want, err := explorer.FromURL(r.URL.Query())
	if err != nil {
		return err
	}
	return a.writeCSV(r, want)
}

// writeCSV writes an answer page by page, as the client takes it.
func (a *API) writeCSV(r *request, want explorer.Query) error {
	var line []byte
	return a.App.ExploreAll(r.Context(), r.subject, r.param("organization_name"), want, func(rows []explorer.Row) error {
		line = line[:0]
		if !r.wrote {
			r.w.Header().Set("Content-Type", "text/csv; charset=utf-8")
			r.w.Header().Set("Content-Disposition", fmt.Sprintf(`attachment; filename="%s.csv"`, want.View))
			r.wrote = true
			for i, f := range want.Fields {
				line = append(appendComma(line, i), f.Name...)
			}
			line = append(line, '\n')
		}
		for _, row := range rows {
			for i, value := range row.Values {
				line = appendCell(appendComma(line, i), value)
			}
			line = append(line, '\n')
		}
		if _, err := r.w.Write(line); err != nil {
			return err
		}
		return http.NewResponseController(r.w).Flush()
	})
}

func appendComma(line []byte, i int) []byte {
	if i == 0 {
		return line
	}
	return append(line, ',')
}

// formula is what spreadsheets take for the beginning of one.
const formula = "=+-@\t\r\n＝＋－＠"

// appendCell writes a value in quotes, as every cell is; one that is missing is empty. A
// text that a spreadsheet would compute gets a ' before it.
func appendCell(line []byte, value any) []byte {
	line = append(line, '"')
	switch v := value.(type) {
	case string:
		if first, _ := utf8.DecodeRuneInString(v); v != "" && strings.ContainsRune(formula, first) {
			line = append(line, '\'')
		}
		line = append(line, strings.ReplaceAll(v, `"`, `""`)...)
	case int64:
		line = strconv.AppendInt(line, v, 10)
	case bool:
		line = strconv.AppendBool(line, v)
	case time.Time:
		line = v.AppendFormat(line, jsonapi.Timestamp)
	}
	return append(line, '"')
}
