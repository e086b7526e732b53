// Package deliver turns events into deliveries and sends them: webhooks and mail. It
// takes no input but the database, and runs on any replica at any time: what is to be
// sent was written with the change that it tells of, and is tried until it is taken or
// given up. It never decides who may be told, and never sends from inside a transaction.
package deliver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/background"
	"github.com/belayhq/belay/internal/egress"
	"github.com/belayhq/belay/internal/seal"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/trace"
	"github.com/belayhq/belay/notices"
)

// Options is what a deliverer is built on. Zero values are the defaults.
type Options struct {
	DB      *store.DB
	Ring    *seal.Ring // opens the tokens that sign
	Log     *slog.Logger
	Egress  egress.Policy // which addresses may be reached
	Mail    *Mail         // nil: nothing is mailed
	Retry   time.Duration // the wait after the first failed try; each further one is four times as long
	Timeout time.Duration // how long a destination may take to answer
}

// The defaults of Options, and what else is timed.
const (
	defaultRetry   = 30 * time.Second
	defaultTimeout = 10 * time.Second
	pollEvery      = 5 * time.Second // events of other replicas are found this often
	keepFor        = 14 * 24 * time.Hour
	pruneEvery     = time.Hour
)

// Deliverer sends what is due.
type Deliverer struct {
	Options
	links  string // what they begin with
	client *http.Client
	load   load
	freed  chan struct{} // holds one when a try has ended since it was last read
	trying sync.WaitGroup
}

// New makes a deliverer; Run starts it.
func New(o Options) *Deliverer {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Retry <= 0 {
		o.Retry = defaultRetry
	}
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	return &Deliverer{Options: o, client: newClient(o.Egress, o.Timeout), freed: make(chan struct{}, 1)}
}

// LinkTo says what links in messages begin with. It is called before anything is sent.
func (d *Deliverer) LinkTo(address string) { d.links = strings.TrimSuffix(address, "/") }

// claimFor is how long a try is this replica's own. A try ends well before; what a
// replica held that has died is due again when this has passed.
func (d *Deliverer) claimFor() time.Duration { return 2*d.Timeout + 5*time.Second }

// Run delivers until ctx ends, and then waits for the tries under way. It is woken by
// commits of this replica, by tries that end, and by time.
func (d *Deliverer) Run(ctx context.Context) {
	defer d.trying.Wait()
	wake, prune := time.NewTimer(0), time.NewTicker(pruneEvery)
	defer wake.Stop()
	defer prune.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-prune.C:
			d.note("old deliveries not pruned", d.prune(ctx))
		case <-wake.C:
		case <-d.DB.Queued():
		case <-d.freed:
		}
		wake.Reset(d.work(ctx))
	}
}

// prune forgets old deliveries, a part at a time.
func (d *Deliverer) prune(ctx context.Context) (err error) {
	for more := true; more && err == nil; {
		err = d.DB.Update(ctx, func(tx *store.Tx) (err error) {
			more, err = tx.PruneDeliveries(tx.Now.Add(-keepFor))
			return err
		})
	}
	return err
}

// work does all that can be done now, and says how long to wait for more.
func (d *Deliverer) work(ctx context.Context) time.Duration {
	if err := d.fanOut(ctx); err != nil {
		d.note("events not fanned out", err)
		return pollEvery
	}
	for ctx.Err() == nil {
		started, err := d.start(ctx)
		if err != nil {
			d.note("deliveries not claimed", err)
			return pollEvery
		}
		if started == 0 {
			break
		}
	}
	return d.untilNext(ctx)
}

func (d *Deliverer) note(what string, err error) {
	if err != nil {
		d.Log.Warn(what, "error", err)
	}
}

// untilNext is how long it is until something is due. What is due already waits for a
// place, and the end of a try wakes us then.
func (d *Deliverer) untilNext(ctx context.Context) time.Duration {
	var next time.Time
	err := d.DB.View(ctx, func(v *store.View) (err error) {
		next, err = v.NextDelivery()
		return err
	})
	wait := time.Until(next)
	if err != nil || next.IsZero() || wait <= 0 || wait > pollEvery {
		return pollEvery
	}
	return wait + time.Millisecond
}

// fanOut writes the deliveries of all events that wait, a batch in each transaction.
func (d *Deliverer) fanOut(ctx context.Context) error {
	for ctx.Err() == nil {
		var more bool
		err := d.DB.View(ctx, func(v *store.View) (err error) {
			more, err = v.EventsQueued()
			return err
		})
		if err != nil || !more {
			return err
		}
		err = d.DB.Update(ctx, func(tx *store.Tx) (err error) {
			more, err = tx.FanOut(d.Mail != nil)
			return err
		})
		if err != nil || !more {
			return err
		}
	}
	return nil
}

// lanesAtOnce is how many configurations one transaction claims deliveries of.
const lanesAtOnce = 32

// share is a lane and how many of its deliveries may be started.
type share struct {
	lane  store.Lane
	place place
	free  int
}

// start claims what is due where there is room, and starts trying it. Each destination
// has its own room: one that hangs holds up nobody else.
func (d *Deliverer) start(ctx context.Context) (int, error) {
	var lanes []store.Lane
	err := d.DB.View(ctx, func(v *store.View) (err error) {
		lanes, err = v.DueLanes(time.Now())
		return err
	})
	if err != nil {
		return 0, err
	}
	rand.Shuffle(len(lanes), func(i, j int) { lanes[i], lanes[j] = lanes[j], lanes[i] })
	shares := d.load.reserve(lanes, lanesAtOnce)
	if len(shares) == 0 {
		return 0, nil
	}
	claimed := make([][]notices.Delivery, len(shares))
	err = d.DB.Update(ctx, func(tx *store.Tx) error {
		for i, s := range shares {
			if claimed[i], err = tx.Claim(s.lane, s.free, tx.Now.Add(d.claimFor())); err != nil {
				return err
			}
		}
		return nil
	})
	started := 0
	for i, s := range shares {
		if err != nil {
			claimed[i] = nil
		}
		d.load.release(s.place, s.free-len(claimed[i]))
		for _, row := range claimed[i] {
			started++
			d.trying.Go(func() { d.try(context.WithoutCancel(ctx), s.place, row) })
		}
	}
	return started, err
}

// try sends one delivery and writes what came of it.
func (d *Deliverer) try(ctx context.Context, at place, row notices.Delivery) {
	defer func() {
		if panicked := recover(); panicked != nil {
			d.Log.Error("delivery failed", "delivery", row.ID, "error", fmt.Sprintf("panic: %v\n%s", panicked, debug.Stack()))
		}
		d.load.release(at, 1)
		select {
		case d.freed <- struct{}{}:
		default:
		}
	}()
	ctx, span := trace.Root(ctx, "delivery", trace.Text("belay.delivery.id", row.ID), trace.Text("belay.notification.id", row.NotificationID))
	answer, err := d.send(ctx, &row)
	if answer != nil {
		span.Set(trace.Text("belay.delivery.code", answer.Code))
	}
	defer func() { span.End(failed(answer, err)) }()
	if err != nil {
		d.note("delivery not made", err) // it is due again when the claim ends
		return
	}
	d.load.learn(at, answer == nil || answer.Successful)
	err = d.DB.Update(ctx, func(tx *store.Tx) error {
		if answer == nil {
			return tx.DropDelivery(&row)
		}
		ended := row
		ended.Response = answer
		d.settle(&ended, tx.Now)
		return tx.FinishDelivery(&ended)
	})
	d.note("delivery not noted", err)
}

// errNotTaken says to whoever records tries that a destination did not take one.
var errNotTaken = errors.New("the destination did not take it")

func failed(answer *notices.DeliveryResponse, err error) error {
	if err == nil && answer != nil && !answer.Successful {
		return errNotTaken
	}
	return err
}

// settle says how a delivery stands after a try: taken, due again, or given up.
func (d *Deliverer) settle(row *notices.Delivery, now time.Time) {
	row.NextAt = now
	switch {
	case row.Response.Successful:
		row.Status = notices.DeliveryDelivered
	case row.Attempts >= notices.MaxDeliveryAttempts:
		row.Status = notices.DeliveryDeadLettered
	default:
		row.NextAt = now.Add(background.Again(d.Retry, row.Attempts))
	}
}

// errNothing means that there is nothing left to tell: what it was about is gone, or
// nobody is mailed here.
var errNothing = belay.Refuse(belay.NotFound, "there is nothing to tell")

// send sends one delivery. No answer and no error mean that there is nothing left to tell.
func (d *Deliverer) send(ctx context.Context, row *notices.Delivery) (*notices.DeliveryResponse, error) {
	var n notices.Notification
	var what story
	var addresses []string
	err := d.DB.View(ctx, func(v *store.View) (err error) {
		if n, err = v.Notification(row.NotificationID); err != nil {
			return err
		}
		if what, err = d.story(v, &n, row); err != nil || n.Destination.Webhook() {
			return err
		}
		addresses, err = v.MailAddresses(&n, row.Trigger)
		return err
	})
	if belay.KindOf(err) == belay.NotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, d.Timeout)
	defer cancel()
	if !n.Destination.Webhook() {
		answer := d.mail(ctx, row.ID, addresses, what.letter())
		return &answer, nil
	}
	token, err := d.token(&n)
	if err != nil {
		return nil, err
	}
	body, err := payload(&n, what)
	if err != nil {
		return nil, err
	}
	answer := d.post(ctx, &n, row.ID, token, body)
	return &answer, nil
}

func (d *Deliverer) token(n *notices.Notification) (string, error) {
	if n.SealedToken == "" {
		return "", nil
	}
	plain, err := d.Ring.Unseal(n.SealedToken, n.ID)
	if err != nil {
		return "", fmt.Errorf("open the token of %s: %w", n.ID, err)
	}
	return string(plain), nil
}

// Probe sends a verification message to a destination, once.
func (d *Deliverer) Probe(ctx context.Context, n *notices.Notification, token string, addresses []string) notices.DeliveryResponse {
	ctx, cancel := context.WithTimeout(ctx, d.Timeout)
	defer cancel()
	id := belay.NewID("dlv")
	if n.Destination == notices.EmailDestination {
		return d.mail(ctx, id, addresses, d.mailToVerify(n))
	}
	body, err := d.verification(n)
	if err != nil {
		return notices.DeliveryResponse{URL: n.URL, Body: err.Error(), SentAt: time.Now().UTC()}
	}
	return d.post(ctx, n, id, token, body)
}
