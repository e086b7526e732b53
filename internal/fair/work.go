package fair

import (
	"context"
	"io"
	"sync/atomic"
	"time"
)

type key struct{}

// Work is what is done for a tenant, such as a request.
type Work struct {
	tenants *Tenants // nil: it never rests
	tenant  string
	itself  bool         // the server does it by itself: nobody asked
	rested  atomic.Int64 // when it last did, or began: nanoseconds since the tenants are known
	waited  atomic.Int64 // nanoseconds that it waited for turns

	gates int // that it waits at or has turns of: the tenants' lock holds it

	turn atomic.Pointer[func()] // ends its turn at the processors; nil: it has none
}

// As marks a context as the work of a tenant.
func As(ctx context.Context, tenant string) context.Context {
	return context.WithValue(ctx, key{}, &Work{tenant: tenant})
}

// As marks a context as the work of a tenant that rests for others, and who is there from now on: what was asked for may need no
// turn of anything, and others leave room for the next all the same. Without a tenant it is nobody's until Belongs says whose.
func (t *Tenants) As(ctx context.Context, tenant string) context.Context {
	now := t.now()
	t.mu.Lock()
	t.visited(tenant, now)
	t.mu.Unlock()
	w := &Work{tenants: t, tenant: tenant}
	w.rested.Store(t.elapsed())
	return context.WithValue(ctx, key{}, w)
}

// Belongs says whose work it is where that was not known when it began. It comes before anything that another hand does of it.
func (w *Work) Belongs(tenant string) {
	if !w.becomes(tenant) {
		return
	}
	w.tenants.mu.Lock()
	defer w.tenants.mu.Unlock()
	w.tenants.visited(tenant, w.tenants.now())
}

// For says for whom the server does it by itself where that was not known when it began, as Belongs does. It has that tenant's turns,
// and nobody leaves room for it: a tenant who asked for all that led to it would not be alone otherwise.
func (w *Work) For(tenant string) {
	if w.becomes(tenant) {
		w.itself = true
	}
}

// becomes makes it a tenant's, where it is nobody's and rests for others.
func (w *Work) becomes(tenant string) bool {
	if w == nil || w.tenants == nil || w.tenant != "" {
		return false
	}
	w.tenant = tenant
	return true
}

func (w *Work) unasked() bool { return w != nil && w.itself }

// Of is whose work a context is; empty: nobody's, such as what a server does by itself.
func Of(ctx context.Context) string {
	if w := WorkOf(ctx); w != nil {
		return w.tenant
	}
	return ""
}

// WorkOf is the work that a context is of; nil: nobody's.
func WorkOf(ctx context.Context) *Work {
	w, _ := ctx.Value(key{}).(*Work)
	return w
}

// Turn waits for a turn at the processors for the work of a context, until ctx ends. It has one at a time, and keeps it until Yield.
func (t *Tenants) Turn(ctx context.Context) error {
	w := WorkOf(ctx)
	if w == nil || w.turn.Load() != nil {
		return nil
	}
	leave, err := t.processors.Enter(ctx)
	if err == nil && !w.turn.CompareAndSwap(nil, &leave) {
		leave() // another hand of it was faster
	}
	return err
}

// Yield ends that turn, if there is one: none is held for a client, nor by who waits in line to write.
func (w *Work) Yield() {
	if w == nil {
		return
	}
	if leave := w.turn.Swap(nil); leave != nil {
		(*leave)()
	}
}

// effort is for how long work goes on before it rests.
const effort = 80 * time.Microsecond

// Rest lets those go first who wait for a processor, when the work goes on for long and another tenant is there. It is for
// loops: between two rows or resources, and never in a transaction.
func (w *Work) Rest() {
	if w.due() {
		giveWay()
		w.rested.Store(w.tenants.elapsed())
	}
}

// Reader rests between the pieces that are read.
func (w *Work) Reader(from io.Reader) io.Reader { return resting{from, w} }

type resting struct {
	io.Reader
	work *Work
}

func (r resting) Read(buf []byte) (int, error) {
	n, err := r.Reader.Read(buf)
	r.work.Rest()
	return n, err
}

// Others says whether another tenant is there.
func (w *Work) Others() bool {
	if w == nil || w.tenants == nil {
		return false
	}
	w.tenants.mu.Lock()
	defer w.tenants.mu.Unlock()
	return !w.tenants.alone(w.tenant)
}

// Synced counts for how long a disk wrote for the work, beside the turn at the processors that it was a part of: whoever else writes
// waits for the same disk.
func (w *Work) Synced(took time.Duration) {
	if w == nil || w.tenants == nil || w.tenant == "" {
		return
	}
	w.tenants.mu.Lock()
	defer w.tenants.mu.Unlock()
	w.tenants.processors.paces.worked(w.tenant, diskCounts*took)
}

// diskCounts is how many times more what a disk takes counts than what a processor does.
const diskCounts = 6

// due says whether it is time to rest. Of the many hands that a work may have one is told so.
func (w *Work) due() bool {
	if w == nil || w.tenants == nil {
		return false
	}
	now, last := w.tenants.elapsed(), w.rested.Load()
	return now-last >= int64(effort) && w.rested.CompareAndSwap(last, now) && w.Others()
}
