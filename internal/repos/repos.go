// Package repos owns what repositories bring about: it takes what version-control services
// tell, makes the runs that follow, has commits fetched, and tells the services how the runs
// stand. What is to be done is written down first, and done by any replica, once: whoever dies
// in the middle leaves a claim that ends by itself.
//
// It never decides what a run does, and holds no row while it asks a service.
package repos

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/forge"
	"github.com/belayhq/belay/internal/background"
	"github.com/belayhq/belay/internal/egress"
	"github.com/belayhq/belay/internal/git"
	"github.com/belayhq/belay/internal/object"
	"github.com/belayhq/belay/internal/runs"
	"github.com/belayhq/belay/internal/seal"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/vcs"
)

// Config is what the room is built on.
type Config struct {
	DB      *store.DB
	Ring    *seal.Ring
	Objects *object.Room
	Runs    *runs.Room
	Fetcher *git.Fetcher
	Egress  egress.Policy    // which addresses services may have
	Log     *slog.Logger     // nil: nothing is logged
	Now     func() time.Time // the clock; time.Now when nil

	App        *vcs.App      // the server's GitHub App; nil: it is none
	PublicURL  string        // that services reach the server by; empty: hooks are made by hand
	MaxSize    int64         // bytes of an archive
	AllowForks bool          // pull requests from other repositories are planned
	Retry      time.Duration // the wait after the first failed try; 30 seconds when 0
	PollEvery  time.Duration // how often branches are looked at; 10 minutes when 0
}

// How much is done at once by one replica, and how it is timed.
const (
	fetchesAtOnce  = 2
	inboxAtOnce    = 4
	statusesAtOnce = 4
	hooksAtOnce    = 2
	pollsAtOnce    = 2

	claimFor   = time.Minute // renewed while the work goes on
	lookEvery  = 5 * time.Second
	pruneEvery = time.Hour
	askWithin  = 20 * time.Second // a service has to answer
	maxTries   = 5
	keepUnused = 7 * 24 * time.Hour // archives that no run needed

	share = 100 // workspaces that are looked at together
)

// Room does the work.
type Room struct {
	Config
	address string // of the server, for links
	client  *http.Client
	app     *vcs.AppClient // nil: there is none
	lent    lent
	appAt   time.Time // when GitHub was last asked who installed it
	working sync.WaitGroup
	freed   chan struct{} // holds one when a piece of work has ended since it was last read
	mu      sync.Mutex
	busy    map[string]int // how much of each kind is done now
	adopted bool           // every workspace had its hook
	pruned  time.Time
}

// New makes the room; Run starts it.
func New(c Config) *Room {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Retry <= 0 {
		c.Retry = 30 * time.Second
	}
	if c.PollEvery <= 0 {
		c.PollEvery = 10 * time.Minute
	}
	c.PublicURL = strings.TrimSuffix(c.PublicURL, "/")
	dialer := &net.Dialer{Timeout: askWithin, Control: c.Egress.Control}
	client := &http.Client{
		Timeout: askWithin,
		Transport: &http.Transport{
			DialContext: dialer.DialContext, TLSHandshakeTimeout: askWithin, ResponseHeaderTimeout: askWithin,
			MaxResponseHeaderBytes: 64 << 10, MaxIdleConnsPerHost: 4, IdleConnTimeout: 30 * time.Second, ForceAttemptHTTP2: true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	r := &Room{Config: c, address: c.PublicURL, client: client, freed: make(chan struct{}, 1), busy: map[string]int{}, lent: lent{of: map[loan]*lending{}}}
	if c.App != nil {
		var err error
		if r.app, err = vcs.OpenApp(*c.App, client, c.Now); err != nil {
			c.Log.Error("the GitHub App can't be used", "error", err)
		}
	}
	return r
}

// LinkTo says what links begin with. It is called before anything is sent.
func (r *Room) LinkTo(address string) { r.address = strings.TrimSuffix(address, "/") }

// Run works until ctx ends, and then waits for what is under way.
func (r *Room) Run(ctx context.Context) {
	defer r.working.Wait()
	told, stop := r.DB.Watch(store.ReposWake)
	defer stop()
	for ctx.Err() == nil {
		for ctx.Err() == nil && r.Work(ctx) > 0 {
		}
		pause := time.NewTimer(r.untilNext(ctx))
		select {
		case <-told:
		case <-r.freed:
		case <-pause.C:
		case <-ctx.Done():
		}
		pause.Stop()
	}
}

// untilNext is how long it is until something is due. What is due already waits for a place.
func (r *Room) untilNext(ctx context.Context) time.Duration {
	var next time.Time
	err := r.DB.View(ctx, func(v *store.View) (err error) {
		next, err = v.NextWork()
		return err
	})
	wait := next.Sub(r.Now())
	if err != nil || next.IsZero() || wait <= 0 || wait > lookEvery {
		return lookEvery
	}
	return wait + time.Millisecond
}

// Work begins all that can be begun now, and says how much that was.
func (r *Room) Work(ctx context.Context) (begun int) {
	for _, do := range []func(context.Context) (int, error){
		r.adopt, r.workApp, r.workHooks, r.workInbox, r.settle, r.takeBack, r.workFetches, r.workStatuses, r.poll, r.prune,
	} {
		n, err := do(ctx)
		if err != nil && ctx.Err() == nil {
			r.Log.Warn("work on repositories not begun", "error", err)
		}
		begun += n
	}
	return begun
}

// Wait waits for what is under way.
func (r *Room) Wait() { r.working.Wait() }

// free is how many more pieces of a kind may be done at once.
func (r *Room) free(kind string, most int) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return most - r.busy[kind]
}

// begin does a piece of work beside everything else.
func (r *Room) begin(ctx context.Context, kind string, do func(context.Context) error) {
	r.mu.Lock()
	r.busy[kind]++
	r.mu.Unlock()
	ctx = context.WithoutCancel(ctx)
	r.working.Go(func() {
		defer func() {
			if panicked := recover(); panicked != nil {
				r.Log.Error("work on repositories failed", "kind", kind, "panic", panicked)
			}
			r.mu.Lock()
			r.busy[kind]--
			r.mu.Unlock()
			r.poke()
		}()
		if err := do(ctx); err != nil { // it is due again when its claim ends
			r.Log.Warn("work on repositories not done", "kind", kind, "error", err)
		}
	})
}

// poke has Run look again whether something can be begun.
func (r *Room) poke() {
	select {
	case r.freed <- struct{}{}:
	default:
	}
}

// claim takes due work of a kind: of each organization in turn, so that none waits behind the
// many of another.
func (r *Room) claim(ctx context.Context, kind string, of store.Work, most int, do func(ctx context.Context, id, claim string) error) (int, error) {
	free := r.free(kind, most)
	if free <= 0 {
		return 0, nil
	}
	var lanes []string
	err := r.DB.View(ctx, func(v *store.View) (err error) {
		lanes, err = v.WorkLanes(of, r.Now())
		return err
	})
	if err != nil || len(lanes) == 0 {
		return 0, err
	}
	rand.Shuffle(len(lanes), func(i, j int) { lanes[i], lanes[j] = lanes[j], lanes[i] })
	lanes = lanes[:min(len(lanes), free)]
	claim := belay.NewID("claim")
	var ids []string
	err = r.DB.Update(ctx, func(tx *store.Tx) error {
		ids = nil
		for i, lane := range lanes {
			part := free / len(lanes)
			if i < free%len(lanes) {
				part++
			}
			some, err := tx.ClaimWork(of, lane, claim, tx.Now.Add(claimFor), part)
			if err != nil {
				return err
			}
			ids = append(ids, some...)
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	for _, id := range ids {
		r.begin(ctx, kind, func(ctx context.Context) error {
			return r.renewing(ctx, of, id, claim, func(ctx context.Context) error { return do(ctx, id, claim) })
		})
	}
	return len(ids), nil
}

// renewing keeps a claim while work goes on, and ends the work when another has it.
func (r *Room) renewing(ctx context.Context, of store.Work, id, claim string, do func(context.Context) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var renewed sync.WaitGroup
	defer renewed.Wait()
	defer stop()
	renewed.Go(func() {
		tick := time.NewTicker(claimFor / 3)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			mine := true
			err := r.DB.Update(context.WithoutCancel(ctx), func(tx *store.Tx) (err error) {
				mine, err = tx.RenewWork(of, id, claim, tx.Now.Add(claimFor))
				return err
			})
			if err == nil && !mine {
				stop()
				return
			}
		}
	})
	return do(ctx)
}

// after is when something is tried again that failed so often.
func (r *Room) after(tries int, now time.Time) time.Time {
	return now.Add(background.Again(r.Retry, tries))
}

// prune forgets what is old, now and then.
func (r *Room) prune(ctx context.Context) (int, error) {
	now := r.Now()
	if now.Sub(r.pruned) < pruneEvery {
		return 0, nil
	}
	r.pruned = now
	for more := true; more && ctx.Err() == nil; {
		err := r.DB.Update(ctx, func(tx *store.Tx) (err error) {
			more, err = tx.PruneRepositories(tx.Now.Add(-keepDeliveries), tx.Now.Add(-forge.KeepVCSEvents), tx.Now.Add(-keepUnused))
			return err
		})
		if err != nil {
			return 0, err
		}
	}
	return 0, ctx.Err()
}

// keepDeliveries is how long a repeated delivery is known as one, and may be worked on again.
const keepDeliveries = 3 * 24 * time.Hour

// tell writes down what those are to know who look after the connection of a hook.
func (r *Room) tell(ctx context.Context, s *service, level string, messages ...string) {
	err := r.DB.Update(ctx, func(tx *store.Tx) error {
		var list []forge.VCSEvent
		for _, message := range messages {
			list = append(list, s.event(level, message, tx.Now))
		}
		if err := tx.AddVCSEvents(list); err != nil {
			return err
		}
		return s.noteToken(tx)
	})
	if err != nil {
		r.Log.Warn("a VCS event was not written", "messages", messages, "error", err)
	}
}
