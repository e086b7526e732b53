// Package organizations is the API of the site, of organizations, and of what belongs to them
// alone: plans, connections, notifications, SSH keys, the audit trail. It keeps nothing.
package organizations

import (
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/repos"
	"github.com/belayhq/belay/internal/runs"
)

// Verbs is what is done with the site, with organizations, and with what belongs to them alone.
type Verbs struct {
	App   *app.App
	Runs  *runs.Room  // which may be none
	Repos *repos.Room // that workspaces are connected to

	hooked hookLimits // of what services tell of repositories
}

// New makes the verbs, with the limits of what they make the server do.
func New(a *app.App, known *runs.Room, r *repos.Room) *Verbs {
	return &Verbs{App: a, Runs: known, Repos: r, hooked: newHookLimits(a.RateLimit(), a.Now)}
}

// routes is the routes of the family: each file has those that lead to its verbs.
var routes door.Table[Verbs]

// Routes is the routes of the site, organizations, and what belongs to them alone.
func (a *Verbs) Routes() []door.Route { return routes.Of(a) }
