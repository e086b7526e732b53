package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/belayhq/belay/internal/remote"
)

// outputs is the forms that -o takes.
const outputs = "table, json or name"

// table writes rows in columns.
func (p *program) table(heads []string, rows [][]string) error {
	w := tabwriter.NewWriter(p.out, 0, 4, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, strings.Join(heads, "\t"))
	for _, row := range rows {
		_, _ = fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	return w.Flush()
}

// write writes things in the form that was asked for. Columns are attributes, or id.
func (p *program) write(form string, columns []string, by string, list []remote.Resource) error {
	switch form {
	case "json":
		if list == nil {
			list = []remote.Resource{}
		}
		return p.json(list)
	case "name":
		for i := range list {
			_, _ = fmt.Fprintln(p.out, cell(&list[i], by))
		}
		return nil
	}
	heads, rows := []string{}, [][]string{}
	for _, column := range columns {
		heads = append(heads, strings.ToUpper(column))
	}
	for i := range list {
		row := []string{}
		for _, column := range columns {
			row = append(row, cell(&list[i], column))
		}
		rows = append(rows, row)
	}
	return p.table(heads, rows)
}

func (p *program) json(value any) error {
	encoder := json.NewEncoder(p.out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}

// cell is an attribute in one line; what is not there is a dash.
func cell(r *remote.Resource, column string) string {
	if column == "id" {
		return r.ID
	}
	switch value := r.Attributes[column].(type) {
	case nil:
		return "-"
	case string:
		if value == "" {
			return "-"
		}
		return oneLine(fmt.Errorf("%s", value))
	case bool, float64:
		return fmt.Sprint(value)
	default:
		raw, err := json.Marshal(value)
		if err != nil {
			return "?"
		}
		return string(raw)
	}
}
