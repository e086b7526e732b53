// Package app owns the verbs: one method for each thing a principal can do, and each
// method is one transaction. It decides who may do it. It knows no HTTP and no SQL, and
// never lets a row go before it has been asked who wants it.
package app

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/background"
	"github.com/belayhq/belay/internal/blob"
	"github.com/belayhq/belay/internal/changes"
	"github.com/belayhq/belay/internal/connections"
	"github.com/belayhq/belay/internal/fair"
	"github.com/belayhq/belay/internal/identity"
	"github.com/belayhq/belay/internal/notify"
	"github.com/belayhq/belay/internal/object"
	"github.com/belayhq/belay/internal/once"
	"github.com/belayhq/belay/internal/seal"
	"github.com/belayhq/belay/internal/state"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/tags"
	"github.com/belayhq/belay/internal/variables"
	"github.com/belayhq/belay/site"
)

// The rooms of the verbs. Each is built on what it needs, and knows nothing of the others.
type (
	// States is the verbs of states.
	States = state.Room
	// People is the verbs of who somebody is.
	People = identity.Room
	// Vars is the verbs of variables and their sets.
	Vars = variables.Room
	// Copying is what a copy of variables is asked for.
	Copying = variables.Copying
	// Notices is the verbs of who is told of what.
	Notices = notify.Room

	// Requests is the verbs of what is asked of workspaces, and of their people.
	Requests = changes.Room
	// Connections is the verbs of how repositories are reached.
	Connections = connections.Room
	// Tagging is the verbs of tags, their bindings and reserved keys.
	Tagging = tags.Room
	// Answers is what requests that come twice were answered.
	Answers = once.Room
)

// App is the house's verbs over one database: those of the rooms that it is made of, and the rest.
type App struct {
	*States
	*People
	*Vars
	*Notices
	*Requests
	*Connections
	*Tagging
	*Answers

	db            *store.DB
	log           *slog.Logger
	edition       site.Edition
	ring          *seal.Ring
	objects       *object.Room
	now           func() time.Time
	rateLimit     float64
	engines       atomic.Pointer[knownEngines]
	engineCounts  atomic.Pointer[engineCounts]
	defaultEngine string
	health        siteHealth
	serverFacts   func() site.ServerFacts // nil: none are known

	recoverable time.Duration // how long a deleted workspace can be brought back
	address     string        // of the server, where one was given

	erase   background.Signal // what is in a deleted organization is to be erased
	expired background.Signal // a deleted workspace is to be erased
	resolve background.Signal // the known engine versions have changed
}

// Config is what the verbs are built on.
type Config struct {
	DB      *store.DB
	Log     *slog.Logger
	Edition site.Edition
	Ring    *seal.Ring       // seals secrets at rest; nil where no secret is touched
	Blobs   blob.Store       // where files lie; nil where none is touched
	Probe   notify.Probe     // sends verification messages; nil where none is sent
	Told    notify.Told      // makes a message again; nil where none is sent
	Now     func() time.Time // the clock; time.Now when nil

	Providers  identity.Providers // nil: nobody signs in by one
	Workloads  identity.Workloads // check the tokens of jobs; nil: none is taken
	Recheck    time.Duration      // how often they are asked again about somebody; DefaultRecheck when 0
	BreakGlass string             // the one username that signs in with a password; empty: everybody may

	Letters identity.Letters // sends mail with links; nil where none is sent

	Facts func() site.ServerFacts // what the server knows of itself; nil: nothing

	Recoverable   time.Duration // how long a deleted workspace can be brought back; belay.DefaultRecoverable when 0
	RateLimit     float64       // requests a second of each user; 0: nobody is held back
	Address       string        // of the server, for those who reach it from elsewhere; empty: not known
	DefaultEngine string        // of workspaces that name none: tofu, terraform, or whichever there is
}

// New makes the verbs.
func New(c Config) *App {
	a := &App{db: c.DB, log: c.Log, edition: c.Edition, ring: c.Ring, now: c.Now, rateLimit: c.RateLimit, defaultEngine: c.DefaultEngine}
	a.erase, a.expired, a.resolve = background.NewSignal(), background.NewSignal(), background.NewSignal()
	a.address = strings.TrimSuffix(c.Address, "/")
	a.recoverable = cmp.Or(c.Recoverable, belay.DefaultRecoverable)
	a.serverFacts = c.Facts
	if a.log == nil {
		a.log = slog.New(slog.DiscardHandler)
	}
	if a.edition == "" {
		a.edition = site.EditionAll
	}
	if a.now == nil {
		a.now = time.Now
	}
	a.objects = object.New(object.Config{Blobs: c.Blobs, Ring: c.Ring, Log: a.log, Now: a.now, Reached: a.reached, Held: a.held})
	a.States = state.New(state.Config{DB: a.db, Ring: a.ring, Objects: a.objects, Edition: a.edition, Log: a.log, Now: a.now})
	a.Vars, a.Notices = variables.New(a.db, a.ring, a.now), notify.New(a.db, a.ring, a.now, c.Probe, c.Told, c.RateLimit > 0)
	a.Requests, a.Connections = changes.New(a.db, a.ring, a.log, a.now), connections.New(a.db, a.ring, a.log)
	a.Tagging, a.Answers = tags.New(a.db, a.log), once.New(a.db, a.ring, a.log, a.now)
	a.People = identity.New(identity.Config{
		DB: a.db, Ring: a.ring, Log: a.log, Now: a.now, Providers: c.Providers, Workloads: c.Workloads, Recheck: c.Recheck,
		BreakGlass: c.BreakGlass, Letters: c.Letters,
	})
	return a
}

// Objects is where the files lie that the verbs keep beside the database.
func (a *App) Objects() *object.Room { return a.objects }

// Tenants are those who share the server.
func (a *App) Tenants() *fair.Tenants { return a.db.Tenants() }

// Now is the time by the server's clock.
func (a *App) Now() time.Time { return a.now() }

// RateLimit is how many requests a second of each user are let through; 0: nobody is held back.
func (a *App) RateLimit() float64 { return a.rateLimit }

// Edition is the edition that the server runs as.
func (a *App) Edition() site.Edition { return a.edition }

// Ready says whether the server can serve: its database and its blobs answer.
func (a *App) Ready(ctx context.Context) error {
	return errors.Join(a.db.Ping(ctx), a.objects.Ping(ctx))
}

// WithRequest notes which request what is done under the context belongs to.
func WithRequest(ctx context.Context, id string) context.Context { return store.WithRequest(ctx, id) }

// Sitting has what is read under the context for one page read each organization, project and workspace once, and call
// who holds a lock by names that are known.
func Sitting(ctx context.Context, names store.CalledLately) context.Context {
	return store.Sitting(ctx, names)
}
