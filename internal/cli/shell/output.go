package shell

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/belayhq/belay/internal/remote"
)

// Outputs is the forms that -o takes.
const Outputs = "table, json or name"

// Table writes rows in columns.
func (p *Program) Table(heads []string, rows [][]string) error {
	w := tabwriter.NewWriter(p.Out, 0, 4, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, strings.Join(heads, "\t"))
	for _, row := range rows {
		_, _ = fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	return w.Flush()
}

// Write writes things in the form that was asked for. Columns are attributes, or id.
func (p *Program) Write(form string, columns []string, by string, list []remote.Resource) error {
	switch form {
	case "json":
		if list == nil {
			list = []remote.Resource{}
		}
		return p.json(list)
	case "name":
		for i := range list {
			_, _ = fmt.Fprintln(p.Out, Cell(&list[i], by))
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
			row = append(row, Cell(&list[i], column))
		}
		rows = append(rows, row)
	}
	return p.Table(heads, rows)
}

func (p *Program) json(value any) error {
	encoder := json.NewEncoder(p.Out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}

// Cell is an attribute in one line; what is not there is a dash.
func Cell(r *remote.Resource, column string) string {
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
		return OneLine(fmt.Errorf("%s", value))
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
