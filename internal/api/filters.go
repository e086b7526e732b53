package api

import (
	"net/url"
	"slices"
	"strings"

	"github.com/belayhq/belay"
)

// What lists are filtered by: what they read, and what published clients send to them.
var (
	ownFilters       = []string{"*"} // the handler checks them itself
	statusFilters    = []string{"filter[status]"}
	nameFilters      = []string{"filter[names]"}
	userFilters      = []string{"filter[admin]", "filter[suspended]"}
	versionFilters   = []string{"filter[version]"}
	memberFilters    = []string{"filter[email]", "filter[status]"}
	accessFilters    = []string{"filter[workspace][id]", "filter[project][id]"}
	projectFilters   = []string{"filter[names]", "filter[tagged][*][key]", "filter[tagged][*][value]", "filter[permissions][*]"}
	poolFilters      = []string{"filter[allowed_workspaces][name]", "filter[allowed_projects][name]"}
	agentFilters     = []string{"filter[last-ping-since]", "filter[status]"}
	namedFilters     = []string{"filter[organization][name]", "filter[workspace][name]", "filter[status]"}
	triggerFilters   = []string{"filter[run-trigger][type]"}
	tagFilterNames   = []string{"filter[exclude][taggable][id]"}
	workspaceFilters = []string{
		"filter[project][id]", "filter[current-run][status]", "filter[current_run][status]", "filter[tagged][*][key]", "filter[tagged][*][value]",
		"filter[tag-union]", "filter[tag-value-default-null]",
	}
)

// checkFilters refuses a filter that the list does not know: a slip of the pen must not show
// everything. What published clients send is known, even where it changes nothing.
func (row *route) checkFilters(q url.Values) error {
	if row.method != get || row.filters != nil && row.filters[0] == "*" {
		return nil
	}
	for name := range q {
		if strings.HasPrefix(name, "filter[") && !row.takes(name) {
			return belay.Refuse(belay.BadRequest, "%s is no filter of this list", name)
		}
	}
	return nil
}

func (row *route) takes(name string) bool {
	return slices.ContainsFunc(row.filters, func(known string) bool { return means(known, name) })
}

// means says whether a name is the known one, or is of its pattern.
func means(known, name string) bool {
	return known == name || alike(strings.Split(known, "["), strings.Split(name, "["))
}

// parameterNames is every parameter of the query that the route reads.
func (row *route) parameterNames() []string {
	if row.filters == nil || row.filters[0] == "*" {
		return row.query
	}
	return append(slices.Clone(row.query), row.filters...)
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
