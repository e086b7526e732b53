// Package states is the API of states, their outputs and their resources. It never reads a state
// itself: app does, as a stream.
package states

import (
	"time"

	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/runs"
	"github.com/belayhq/belay/internal/app"
)

// Verbs is what is done with states.
type Verbs struct {
	App       *app.App
	Runs      *runs.Verbs   // whose runs documents of states include
	Snapshots time.Duration // how often a client may bring its state in the middle of an apply; 0: never
}

// routes is the routes of the family: each file has those that lead to its verbs.
var routes door.Table[Verbs]

// Routes is the routes of states of workspaces and what stands in them.
func (a *Verbs) Routes() []door.Route { return routes.Of(a) }
