package sim_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/cryptotest"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/blob"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/runfile"
	"github.com/belayhq/belay/internal/runlog"
	"github.com/belayhq/belay/internal/runnerwire"
	"github.com/belayhq/belay/internal/runs"
	"github.com/belayhq/belay/internal/seal"
	"github.com/belayhq/belay/internal/state"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
	"github.com/belayhq/belay/run"
)

// world is everything that there is in one story.
type world struct {
	t      *testing.T
	chance *rand.Rand
	url    string
	blobs  string
	ring   *seal.Ring
	admin  belay.Principal
	rules  rules

	clock time.Time     // of the server
	mono  time.Duration // that has passed, whatever the clock says
	trace []string

	server     *server // nil: it is down
	reconciled time.Duration
	flushed    time.Duration
	machines   []*machine
	named      int // machines that there ever were
	strays     []*ask
	known      *book
	calm       bool // nothing goes wrong any more
	checks     bool // the runners of the story have checks
}

// server is one life of the server.
type server struct {
	db    *store.DB
	verbs *app.App
	runs  *runs.Room
	logs  *runlog.Room
	files *runfile.Room
	door  *runnerwire.Door

	dying int                // readings of the clock until it dies; 0: it lives on
	die   context.CancelFunc // of the call under way
	dead  bool
	wrote bool // a transaction was begun since everything was looked at
}

// scene is what every story begins with.
type scene struct {
	folder string // of the database and the blobs
	key    string
	admin  belay.Principal
	spaces []belay.Workspace
}

const (
	machines = 2 // at once
	slots    = 2 // of each
	spaces   = 3
)

var begin = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// newScene makes two organizations with workspaces that have a configuration.
func newScene(t *testing.T, url, folder string) scene {
	t.Helper()
	s := scene{folder: folder, key: seal.GenerateKey()}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ctx := t.Context()
	now := func() time.Time { return begin }
	db, err := store.Open(ctx, store.Options{URL: url, Now: now})
	must(err)
	ring, err := seal.Parse(s.key)
	must(err)
	blobs, err := blob.Open(ctx, "file://"+filepath.Join(folder, "blobs"), ring)
	must(err)
	verbs := app.New(app.Config{DB: db, Ring: ring, Blobs: blobs, Now: now})
	_, err = verbs.FirstStart(ctx, "the-admin")
	must(err)
	s.admin, err = verbs.Authenticate(ctx, "the-admin")
	must(err)
	for i := range spaces {
		organization := fmt.Sprintf("org%d", i%2)
		_, err := verbs.CreateOrganization(ctx, s.admin, belay.OrganizationPatch{Name: patch.Of(organization), Email: patch.Of("a@example.com")})
		if i < 2 {
			must(err)
		}
		w, err := verbs.CreateWorkspace(ctx, s.admin, organization, belay.WorkspacePatch{Name: patch.Of(fmt.Sprintf("space%d", i))})
		must(err)
		c := run.ConfigurationPatch{}.NewConfiguration(true, now())
		c.Status, c.Key = run.ConfigurationUploaded, "configurations/x"
		must(db.Update(ctx, func(tx *store.Tx) error { return tx.AddConfigurationVersion(&w.Workspace, &c) }))
		s.spaces = append(s.spaces, w.Workspace)
	}
	must(db.Close())
	return s
}

// newWorld begins a story. Everything random in it comes of the seed, the ids too.
func newWorld(t *testing.T, s scene, url, folder string, seed uint64) *world {
	t.Helper()
	cryptotest.SetGlobalRandom(t, seed)
	ring, err := seal.Parse(s.key)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{
		t: t, chance: rand.New(rand.NewPCG(seed, 0)), url: url, blobs: filepath.Join(folder, "blobs"), ring: ring,
		admin: s.admin, clock: begin, known: newBook(s.spaces),
	}
	w.rules.world, w.checks = w, w.chance.IntN(2) == 0
	w.start()
	for range machines {
		w.addMachine()
	}
	return w
}

// copyOf is a copy of a scene on SQLite, for one story.
func (s scene) copyOf(t *testing.T) (url, folder string) {
	t.Helper()
	folder = t.TempDir()
	if err := os.CopyFS(folder, os.DirFS(s.folder)); err != nil {
		t.Fatal(err)
	}
	return "sqlite:" + filepath.Join(folder, "belay.db"), folder
}

func freshScene(t *testing.T, engine string) (s scene, url string) {
	t.Helper()
	folder := t.TempDir()
	if engine != "sqlite" {
		url = storetest.URL(t, engine)
		return newScene(t, url, folder), url
	}
	file := filepath.Join(folder, "belay.db")
	storetest.FreshSQLite(t, file)
	return newScene(t, "sqlite:"+file, folder), "sqlite:" + file
}

// note adds a line to the trace.
func (w *world) note(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	w.trace = append(w.trace, fmt.Sprintf("%4d %s %s", len(w.trace), w.clock.Format("02 15:04:05"), line))
}

// fail ends the story, and tells how it came to that.
func (w *world) fail(format string, args ...any) {
	w.t.Helper()
	panic(broken(fmt.Sprintf(format, args...)))
}

// broken is a rule that does not hold.
type broken string

func (w *world) told() string { return strings.Join(w.trace, "\n") }

// now is the clock of the server. A server that is to die does so between two
// transactions: the one that reads the clock is kept, and nothing begins after it.
func (s *server) now(w *world) time.Time {
	if s.dying > 0 {
		if s.dying--; s.dying == 0 && s.die != nil {
			s.dead = true
			s.die()
		}
	}
	return w.clock
}

func (w *world) start() {
	s := &server{}
	now := func() time.Time { return s.now(w) }
	ctx := context.Background()
	must := func(err error) {
		if err != nil {
			w.fail("the server does not start: %v", err)
		}
	}
	var err error
	s.db, err = store.Open(ctx, store.Options{URL: w.url, Now: func() time.Time {
		s.wrote = true
		return now()
	}})
	must(err)
	blobs, err := blob.Open(ctx, "file://"+w.blobs, w.ring)
	must(err)
	s.verbs = app.New(app.Config{DB: s.db, Ring: w.ring, Blobs: blobs, Now: now})
	s.logs = runlog.New(runlog.Config{DB: s.db, Objects: s.verbs.Objects(), Ring: w.ring, Now: now, Short: 250})
	s.files = runfile.New(runfile.Config{DB: s.db, Objects: s.verbs.Objects(), Now: now})
	s.runs = runs.New(runs.Config{
		DB: s.db, Ring: w.ring, Now: now, Logs: s.logs, Files: s.files, Engines: s.verbs.Engines, Finalize: state.FinalizeOrGiveUp,
		Carries: true, Address: "https://belay.example.com", DefaultEngine: "auto", SnapshotInterval: 10 * time.Second,
		SpeculativeLimit: 1, RunLimit: 3, FinishBytes: 1000, StateBytes: 1000, StoreLast: s.verbs.StoreLast,
	})
	s.door = runnerwire.New(runnerwire.Config{
		Runs: s.runs, States: s.verbs, Files: s.files, Logs: s.logs,
		Pool: func(_ context.Context, token string) (string, string, error) {
			if token != "the-pool" {
				return "", "", belay.ErrUnauthenticated
			}
			return "", "", nil
		},
	})
	w.server, w.flushed, w.reconciled = s, w.mono, w.mono
	w.act("recover", s.runs.Recover)
}

// kill ends the server: what it had only in memory is gone.
func (w *world) kill(why string) {
	w.note("the server dies %s", why)
	if err := w.server.db.Close(); err != nil {
		w.fail("the database does not close: %v", err)
	}
	w.server = nil
}

// within gives a call its context, in which the server may die between two transactions.
func (w *world) within(do func(ctx context.Context)) (survived bool) {
	s := w.server
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s.die = cancel
	if !w.calm && w.chance.IntN(60) == 0 {
		s.dying = 1 + w.chance.IntN(8)
	}
	do(ctx)
	s.die, s.dying = nil, 0
	if s.dead {
		w.kill("in the middle of it")
		return false
	}
	return true
}

// act does something of the server's own.
func (w *world) act(what string, do func(context.Context) error) {
	var err error
	if w.within(func(ctx context.Context) { err = do(ctx) }) && err != nil {
		w.fail("%s: %v", what, err)
	}
}

// tick lets time pass, with what the server does by the clock.
func (w *world) tick(d time.Duration) {
	for d > 0 {
		step := min(d, time.Second)
		if d > time.Minute {
			step = 5 * time.Second
		}
		d -= step
		w.clock, w.mono = w.clock.Add(step), w.mono+step
		w.timers()
	}
}

// timers does what is due at the server. Logs are written every second, the rest is looked
// at every five.
func (w *world) timers() {
	if w.server != nil && w.mono-w.flushed >= time.Second {
		w.flushed = w.mono
		w.act("flush", w.server.logs.Flush)
		if w.server != nil {
			w.act("pour", w.server.logs.Pour)
		}
	}
	if w.server != nil && w.mono-w.reconciled >= 5*time.Second {
		w.reconciled = w.mono
		w.act("reconcile", w.server.runs.Reconcile)
		if w.server != nil {
			w.rules.reconciled()
		}
	}
}
