// Package api is the door for programs, put together: every family of nouns gives its routes to
// the one table, and what documents include of other families is chosen here. It asks app for
// everything and never reaches a database.
package api

import (
	"context"
	"log/slog"
	"time"

	"github.com/belayhq/belay/internal/api/changes"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/organizations"
	"github.com/belayhq/belay/internal/api/people"
	"github.com/belayhq/belay/internal/api/runs"
	"github.com/belayhq/belay/internal/api/states"
	"github.com/belayhq/belay/internal/api/workspaces"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/configs"
	"github.com/belayhq/belay/internal/repos"
	"github.com/belayhq/belay/internal/runfile"
	"github.com/belayhq/belay/internal/runlog"
	rooms "github.com/belayhq/belay/internal/runs"
)

// Config is what the door is built on.
type Config struct {
	App       *app.App
	Configs   *configs.Room // configuration versions
	Runs      *rooms.Room
	Logs      *runlog.Room  // of plans and applies
	Files     *runfile.Room // that outlive runs
	Repos     *repos.Room   // that workspaces are connected to
	Log       *slog.Logger
	PublicURL string        // what links carry; taken from the request when empty
	Snapshots time.Duration // how often a client may bring its state in the middle of an apply; 0: never
	Observe   func(route string, status int, took time.Duration)
}

// API answers requests.
type API struct {
	*door.Door
	app           *app.App
	configs       *configs.Room
	files         *runfile.Room
	people        *people.Verbs
	organizations *organizations.Verbs
	workspaces    *workspaces.Verbs
	runs          *runs.Verbs
	states        *states.Verbs
	changes       *changes.Verbs
}

// New builds the door from what the families of nouns give.
func New(c Config) *API {
	a := &API{app: c.App, configs: c.Configs, files: c.Files}
	a.people = &people.Verbs{App: c.App}
	a.organizations = organizations.New(c.App, c.Runs, c.Repos)
	a.workspaces = &workspaces.Verbs{App: c.App, Included: a.withWorkspaces()}
	a.runs = &runs.Verbs{App: c.App, Configs: c.Configs, Runs: c.Runs, Logs: c.Logs, Files: c.Files}
	a.states = &states.Verbs{App: c.App, Runs: a.runs, Snapshots: c.Snapshots}
	a.changes = &changes.Verbs{App: c.App}
	a.Door = door.New(door.Config{App: c.App, Log: c.Log, PublicURL: c.PublicURL, Observe: c.Observe}, a.routes(), includable)
	return a
}

// Ready says whether the server can serve.
func (a *API) Ready(ctx context.Context) error { return a.app.Ready(ctx) }
