package door

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/belayhq/belay"
)

// StatusFilters is of lists that are filtered by a status alone, and OwnFilters of those whose
// handler looks at its filters itself.
var (
	StatusFilters = []string{"filter[status]"}
	OwnFilters    = []string{"*"}
)

// checkFilters refuses a filter that the list does not know: a slip of the pen must not show
// everything. What published clients send is known, even where it changes nothing.
func (row *Route) checkFilters(q url.Values) error {
	if row.Method != http.MethodGet || row.Filters != nil && row.Filters[0] == "*" {
		return nil
	}
	for name := range q {
		if strings.HasPrefix(name, "filter[") && !row.takes(name) {
			return belay.Refuse(belay.BadRequest, "%s is no filter of this list", name)
		}
	}
	return nil
}

func (row *Route) takes(name string) bool {
	return slices.ContainsFunc(row.Filters, func(known string) bool { return means(known, name) })
}

// means says whether a name is the known one, or is of its pattern.
func means(known, name string) bool {
	return known == name || alike(strings.Split(known, "["), strings.Split(name, "["))
}

// parameterNames is every parameter of the query that the route reads.
func (row *Route) parameterNames() []string {
	if row.Filters == nil || row.Filters[0] == "*" {
		return row.Query
	}
	return append(slices.Clone(row.Query), row.Filters...)
}

// alike says whether the parts of a name are those of a pattern.
func alike(pattern, parts []string) bool {
	if len(pattern) != len(parts) {
		return false
	}
	for i, part := range parts {
		if pattern[i] != "*]" && pattern[i] != part {
			return false
		}
	}
	return true
}
