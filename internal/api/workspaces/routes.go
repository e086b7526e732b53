// Package workspaces is the API of projects and workspaces: settings, locks, tags, variables,
// retention. It knows no run and no state: what documents include of them is handed in.
package workspaces

import (
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/app"
)

// Verbs is what is done with projects and workspaces, their tags, variables and retention.
type Verbs struct {
	App      *app.App
	Included *door.Inclusion[WorkspaceDoc] // what documents of workspaces include: nouns of other families
}

// routes is the routes of the family: each file has those that lead to its verbs.
var routes door.Table[Verbs]

// Routes is the routes of workspaces and projects, with tags, variables and retention.
func (a *Verbs) Routes() []door.Route { return routes.Of(a) }

// What lists are filtered by: what they read, and what published clients send to them.
var (
	projectFilters   = []string{"filter[names]", "filter[tagged][*][key]", "filter[tagged][*][value]", "filter[permissions][*]"}
	NamedFilters     = []string{"filter[organization][name]", "filter[workspace][name]", "filter[status]"}
	tagFilterNames   = []string{"filter[exclude][taggable][id]"}
	workspaceFilters = []string{
		"filter[project][id]", "filter[current-run][status]", "filter[current_run][status]", "filter[tagged][*][key]", "filter[tagged][*][value]",
		"filter[tag-union]", "filter[tag-value-default-null]",
	}
)

// The parameters of the larger lists, besides their filters. * stands for any text.
var (
	projectParameters   = []string{"q", "sort"}
	workspaceParameters = []string{"sort", "search[name]", "search[wildcard-name]", "search[tags]", "search[exclude-tags]"}
)
