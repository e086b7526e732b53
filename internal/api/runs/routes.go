// Package runs is the API of runs, of what they are of, and of who carries them out:
// configurations, plans, applies, assessments, engines, agents. It never moves a run on itself.
package runs

import (
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/configs"
	"github.com/belayhq/belay/internal/runfile"
	"github.com/belayhq/belay/internal/runlog"
	"github.com/belayhq/belay/internal/runs"
)

// Verbs is what is done with runs, with what they are of, and with who carries them out.
type Verbs struct {
	App     *app.App
	Configs *configs.Room // configuration versions
	Runs    *runs.Room
	Logs    *runlog.Room  // of plans and applies
	Files   *runfile.Room // that outlive runs
}

// routes is the routes of the family: each file has those that lead to its verbs.
var routes door.Table[Verbs]

// Routes is the routes of runs, what they are of, and who carries them out.
func (a *Verbs) Routes() []door.Route { return routes.Of(a) }

// What lists are filtered by: what they read, and what published clients send to them.
var (
	versionFilters = []string{"filter[version]"}
	poolFilters    = []string{"filter[allowed_workspaces][name]", "filter[allowed_projects][name]"}
	agentFilters   = []string{"filter[last-ping-since]", "filter[status]"}
	triggerFilters = []string{"filter[run-trigger][type]"}
)
