// Package people is the API of users, members and teams: what they may, and their tokens. It
// never decides who may: app does.
package people

import (
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/app"
)

// Verbs is what is done with users, members, teams and their tokens.
type Verbs struct {
	App *app.App
}

// routes is the routes of the family: each file has those that lead to its verbs.
var routes door.Table[Verbs]

// Routes is the routes of users, members, teams, what they may, and their tokens.
func (a *Verbs) Routes() []door.Route { return routes.Of(a) }

// What lists are filtered by: what they read, and what published clients send to them.
var (
	nameFilters   = []string{"filter[names]"}
	userFilters   = []string{"filter[admin]", "filter[suspended]"}
	memberFilters = []string{"filter[email]", "filter[status]"}
	accessFilters = []string{"filter[workspace][id]", "filter[project][id]"}
)
