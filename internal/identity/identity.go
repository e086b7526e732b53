// Package identity owns who somebody is: users and their passwords, sessions, sign-in with a
// password, by an identity provider or for a terminal, links that come by mail, tokens with what
// they may be made for and how long they last, and the workloads that are taken for a team. It
// turns what a request brings into a principal.
//
// It never says what a principal may do: that is asked at the gate. It knows no HTTP and no SQL,
// and what a provider says is checked before it comes here.
package identity

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/background"
	"github.com/belayhq/belay/internal/seal"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/signin"
)

// Room is the verbs of who somebody is.
type Room struct {
	db   *store.DB
	ring *seal.Ring
	log  *slog.Logger
	now  func() time.Time

	used       uses[belay.TokenUse] // of tokens
	browsers   uses[signin.Browser] // of sessions
	tries      *tries
	refused    refusals
	providers  Providers
	workloads  Workloads
	recheck    time.Duration
	breakGlass string

	letters Letters
	writing sync.WaitGroup // letters under way
	waiting chan struct{}  // holds one for each of them
	sending chan struct{}  // and one for each that is being sent
}

// Config is what the verbs are built on.
type Config struct {
	DB   *store.DB
	Ring *seal.Ring // seals what is kept of a provider
	Log  *slog.Logger
	Now  func() time.Time

	Providers  Providers     // nil: nobody signs in by one
	Workloads  Workloads     // check the tokens of jobs; nil: none is taken
	Recheck    time.Duration // how often they are asked again about somebody; DefaultRecheck when 0
	BreakGlass string        // the one username that signs in with a password; empty: everybody may
	Letters    Letters       // sends mail with links; nil where none is sent
}

// New makes the verbs.
func New(c Config) *Room {
	return &Room{
		db: c.DB, ring: c.Ring, log: c.Log, now: c.Now, tries: newTries(),
		providers: c.Providers, workloads: c.Workloads, recheck: cmp.Or(c.Recheck, DefaultRecheck), breakGlass: c.BreakGlass,
		letters: c.Letters, waiting: make(chan struct{}, mostLettersWaiting), sending: make(chan struct{}, lettersAtOnce),
	}
}

// Jobs is what no request waits for.
func (m *Room) Jobs() []background.Job {
	jobs := []background.Job{
		{Every: 10 * time.Second, Do: m.noteUsedTokens},
		{Every: 10 * time.Second, Do: m.noteBrowsers},
		{Every: sweepEvery, Do: m.sweepExpired},
	}
	if m.providers != nil {
		jobs = append(jobs, background.Job{Every: recheckEvery, Do: m.RecheckPeople})
	}
	return jobs
}

// Finish does what must not be left undone when the server stops.
func (m *Room) Finish(ctx context.Context) {
	m.Written()
	m.noteUsedTokens(ctx)
	m.noteBrowsers(ctx)
}

// Written waits until the letters under way are sent.
func (m *Room) Written() { m.writing.Wait() }
