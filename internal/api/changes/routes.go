// Package changes is the API of the explorer, of change requests, and of the bulk actions that
// file them. It parses what is asked, and never looks for it itself.
package changes

import (
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/app"
)

// Verbs is what is done with the explorer, with change requests and with bulk actions.
type Verbs struct {
	App *app.App
}

// routes is the routes of the family: each file has those that lead to its verbs.
var routes door.Table[Verbs]

// Routes is the routes of the explorer, change requests, and the bulk actions that file them.
func (a *Verbs) Routes() []door.Route { return routes.Of(a) }

// explorerParameters is what a question in the address may say. * stands for any text.
var explorerParameters = []string{"type", "sort", "fields", "filter[*][*][*][*]"}
