package cli

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"crypto/tls"
	"log/slog"
	"os"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/blob"
	"github.com/belayhq/belay/internal/cli/data"
	"github.com/belayhq/belay/internal/configs"
	"github.com/belayhq/belay/internal/deliver"
	"github.com/belayhq/belay/internal/inventory"
	"github.com/belayhq/belay/internal/oidc"
	"github.com/belayhq/belay/internal/replicas"
	"github.com/belayhq/belay/internal/repos"
	"github.com/belayhq/belay/internal/runfile"
	"github.com/belayhq/belay/internal/runlog"
	"github.com/belayhq/belay/internal/runner"
	"github.com/belayhq/belay/internal/runnerwire"
	"github.com/belayhq/belay/internal/runs"
	"github.com/belayhq/belay/internal/seal"
	"github.com/belayhq/belay/internal/state"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
	"github.com/belayhq/belay/site"
)

// house is the rooms of the server, each built once.
type house struct {
	db        *store.DB
	log       *slog.Logger
	deliverer *deliver.Deliverer
	verbs     *app.App
	configs   *configs.Room
	runs      *runs.Room
	logs      *runlog.Room
	files     *runfile.Room
	repos     *repos.Room
	inventory *inventory.Room

	objectTimes  *prometheus.HistogramVec
	certificates *tls.Config // nil: it serves without TLS

	wire     *runnerwire.Door
	ending   chan struct{}  // closed when the server stops: what waits for something ends
	embedded *runner.Config // the runner inside; nil: there is none
	secret   string         // that the runner inside registers with
}

// house builds the rooms.
func (s *settings) house(db *store.DB, ring *seal.Ring, blobs blob.Store, log *slog.Logger) *house {
	h := &house{db: db, log: log, deliverer: s.deliverer(db, ring, log), ending: make(chan struct{}), secret: rand.Text(), objectTimes: newObjectTimes()}
	blobs = timedStore{blobs, h.objectTimes}
	edition := site.Edition(s.edition)
	h.verbs = app.New(s.signIn.into(app.Config{
		DB: db, Log: log, Edition: edition, Ring: ring, Blobs: blobs, Probe: h.deliverer.Probe, Told: h.deliverer.Message, Recoverable: s.recoverable, Address: s.publicURL,
		DefaultEngine: s.defaultEngine, RateLimit: s.rateLimit, Letters: h.deliverer, Workloads: oidc.NewWorkloads(h.deliverer.Client(oidc.AskWithin)),
		Facts: func() site.ServerFacts { return h.facts(s.DataDir) },
	}))
	objects := h.verbs.Objects()
	h.logs = runlog.New(runlog.Config{DB: db, Objects: objects, Ring: ring, Log: log, Limit: s.logLimit})
	h.inventory = inventory.New(inventory.Config{DB: db, Objects: objects, Ring: ring, Log: log})
	h.files = runfile.New(runfile.Config{
		DB: db, Objects: objects, Log: log, Edition: edition,
		Secrets: func(ctx context.Context, r *run.Run) ([]string, error) { return h.runs.Secrets(ctx, r) },
	})
	h.runs = runs.New(s.rules(runs.Config{
		DB: db, Ring: ring, Log: log, Logs: h.logs, Files: h.files, Engines: h.verbs.Engines, Finalize: state.FinalizeOrGiveUp, Edition: edition,
		SnapshotInterval: cmp.Or(s.snapshots, -1), // below a millisecond: only at the end
		FinishBytes:      runfile.DefaultShort, StateBytes: runs.DefaultStateBytes, StoreLast: h.verbs.StoreLast,
		Head: func(ctx context.Context, w *belay.Workspace) (*runs.Head, error) { return h.repos.Head(ctx, w) },
	}))
	h.repos = s.repositories.room(s, repos.Config{DB: db, Ring: ring, Objects: objects, Runs: h.runs, Log: log, PublicURL: s.publicURL, MaxSize: s.maxConfiguration})
	h.configs = configs.New(configs.Config{
		DB: db, Objects: objects, Ring: ring, Log: log, MaxSize: s.maxConfiguration, Edition: edition, Queue: h.runs.QueueFor,
	})
	h.wire = runnerwire.New(runnerwire.Config{
		Runs: h.runs, States: h.verbs, Configurations: h.configs, Files: h.files, Logs: h.logs, Fetches: h.repos, Pool: h.pool, Ending: h.ending, Log: log,
	})
	return h
}

// facts is what the server knows of itself.
func (h *house) facts(dataDir string) site.ServerFacts {
	facts := site.ServerFacts{Version: Version, Commit: commit(), DiskFree: -1}
	if free, err := data.FreeBytes(dataDir); err == nil {
		facts.DiskFree = free
	}
	if h.certificates != nil && h.certificates.GetCertificate != nil {
		if pair, err := h.certificates.GetCertificate(nil); err == nil {
			facts.CertificateEnds = pair.Leaf.NotAfter
		}
	}
	return facts
}

// pool is the pool that a token registers runners of: an agent pool's own, or that of the
// server, which only the runner inside can name and has no token of.
func (h *house) pool(ctx context.Context, token string) (pool, tokenID string, err error) {
	if h.embedded != nil && subtle.ConstantTimeCompare([]byte(token), []byte(h.secret)) == 1 {
		return "", "", nil
	}
	s, err := h.verbs.Authenticate(ctx, token)
	if err == nil && s.Kind != belay.AgentPrincipal {
		err = belay.ErrUnauthenticated
	}
	return s.ID, s.TokenID, err
}

// reached is told where the server is reached, by those whom no request brings there.
func (h *house) reached(address string) {
	h.deliverer.LinkTo(address)
	h.repos.LinkTo(address)
	h.runs.Address = address
}

// engage takes the runner that was prepared, if there is one.
func (h *house) engage(c *runner.Config, err error) error {
	h.embedded = c
	h.runs.Carries = c != nil
	return err
}

// work begins what no request waits for. It ends with ctx.
func (h *house) work(ctx context.Context, behind *sync.WaitGroup) {
	ctx = store.Background(ctx)
	behind.Go(func() { h.verbs.Run(ctx) })
	host, _ := os.Hostname() // empty where there is none
	behind.Go(func() { replicas.New(h.db, h.log, host, Version).Run(ctx) })
	behind.Go(func() { h.configs.Run(ctx) })
	behind.Go(func() { h.deliverer.Run(ctx) })
	behind.Go(func() { h.runs.Run(ctx) })
	behind.Go(func() { h.repos.Run(ctx) })
	behind.Go(func() { h.logs.Run(ctx) })
	behind.Go(func() { h.files.Run(ctx) })
	behind.Go(func() { h.inventory.Run(ctx) })
}

// carry begins to carry out runs, and ends with ctx: engines go on without. It returns when
// the engines of the runner inside are known.
func (h *house) carry(ctx context.Context, behind *sync.WaitGroup) {
	if h.embedded == nil {
		return
	}
	known := make(chan struct{})
	var once sync.Once
	behind.Go(func() { carryOut(ctx, h.embedded, h.wire, h.secret, func() { once.Do(func() { close(known) }) }) })
	untilKnown(ctx, known)
}
