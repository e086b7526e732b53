// Package fair shares what is scarce among tenants by what they use of it, and not by how often they
// ask: whoever has used least comes next. It knows neither what is shared nor who a tenant is.
package fair

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"
	"time"
)

// active is how long a tenant is there after it asked for something.
const active = time.Second

// Tenants is what each tenant has used. Make one with New; its gates and queues know of each other.
type Tenants struct {
	mu    sync.Mutex
	now   func() time.Time
	began time.Time
	used  map[string]time.Duration // of those that wait for something or have it
	work  map[string]int           // how much each of them waits for or has
	at    map[string]int           // how many works of each are at gates
	clock time.Duration            // what whoever began last had used: who comes anew begins there
	last  [2]visit                 // the two tenants that asked last

	processors *Gate
}

type visit struct {
	tenant string
	at     time.Time
}

// New knows no tenant yet. Now is the clock that tells what they use.
func New(now func() time.Time) *Tenants {
	t := &Tenants{now: now, began: now(), used: map[string]time.Duration{}, work: map[string]int{}, at: map[string]int{}}
	n := runtime.NumCPU()
	t.processors = t.Gate(8*n, n/2)
	t.processors.paces.part, t.processors.paces.turn = processorsPart*float64(t.processors.shared), processorsTurn
	return t
}

// elapsed is how many nanoseconds the tenants are known, whatever becomes of the time of day.
func (t *Tenants) elapsed() int64 { return int64(t.now().Sub(t.began)) }

// processorsPart is a tenant's part of the time of the processors that it may have at once, and processorsTurn how long it has them before it
// rests: timers of less than a millisecond last that long.
const (
	processorsPart = 0.5
	processorsTurn = time.Millisecond
)

// Processors is the gate to this machine's processors, for what keeps one of them busy for long. While others are there one tenant has
// half of them, for half of the time: a small question is not noticed before a processor has nothing else to do.
func (t *Tenants) Processors() *Gate { return t.processors }

// visited notes that a tenant is there. What is nobody's is no tenant.
func (t *Tenants) visited(tenant string, now time.Time) {
	if tenant == "" {
		return
	}
	if t.last[0].tenant != tenant {
		t.last[1] = t.last[0]
	}
	t.last[0] = visit{tenant, now}
}

// comes notes that something is wanted for the tenant of a context, and that it is there where it asked for that.
func (t *Tenants) comes(ctx context.Context) {
	tenant := Of(ctx)
	if !WorkOf(ctx).unasked() {
		t.visited(tenant, t.now())
	}
	if t.work[tenant]++; t.work[tenant] == 1 {
		t.used[tenant] = max(t.used[tenant], t.clock)
	}
}

// goes notes that a tenant has what it wanted no more, and what that used.
func (t *Tenants) goes(tenant string, took time.Duration) {
	t.used[tenant] += took
	if t.work[tenant]--; t.work[tenant] == 0 {
		delete(t.work, tenant)
		if t.used[tenant] <= t.clock { // it would begin there again
			delete(t.used, tenant)
		} else if len(t.used) > most {
			t.forget()
		}
	}
}

// enters notes that a work waits at a gate or has a turn of it, of which it may have several; leaves that one is over.
func (t *Tenants) enters(w *Work) {
	if w.gates++; w.gates == 1 && !w.itself {
		t.at[w.tenant]++
	}
}

func (t *Tenants) leaves(w *Work) {
	if w.gates--; w.gates > 0 || w.itself {
		return
	}
	if t.at[w.tenant]--; t.at[w.tenant] == 0 {
		delete(t.at, w.tenant)
	}
}

// most is how many tenants that are away are remembered.
const most = 4096

// forget forgets those that are away: they have paid by waiting until there were so many others.
func (t *Tenants) forget() {
	for tenant := range t.used {
		if t.work[tenant] == 0 {
			delete(t.used, tenant)
		}
	}
}

// alone says that nobody else asked for anything lately.
func (t *Tenants) alone(tenant string) bool { return t.company(tenant) < 0 }

// company is for how long another tenant is there, unless it asks for more; less than nothing: none is.
func (t *Tenants) company(tenant string) time.Duration {
	other := t.last[0]
	if other.tenant == tenant {
		other = t.last[1]
	}
	if other.tenant == "" {
		return -1
	}
	return active - t.now().Sub(other.at)
}

// Several says that more than one tenant asked for something lately.
func (t *Tenants) Several() bool { return t.Others(context.Background()) }

// Others says that another tenant than whose work a context is asked for something lately, however long that work has waited. Of
// nobody's work: than the last who did.
func (t *Tenants) Others(ctx context.Context) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return !t.alone(cmp.Or(Of(ctx), t.last[0].tenant))
}

// least is whichever of the tenants that wait has used least.
func least[T any](t *Tenants, waiting map[string][]T, fits func(tenant string) bool) (tenant string, found bool) {
	for one := range waiting {
		if fits(one) && (!found || t.used[one] < t.used[tenant] || t.used[one] == t.used[tenant] && one < tenant) {
			tenant, found = one, true
		}
	}
	return tenant, found
}

// take takes the first of what a tenant waits for.
func take[T any](waiting map[string][]T, tenant string) T {
	first := waiting[tenant][0]
	if waiting[tenant] = waiting[tenant][1:]; len(waiting[tenant]) == 0 {
		delete(waiting, tenant)
	}
	return first
}

// Gate lets so many in at once.
type Gate struct {
	tenants  *Tenants
	size     int // at once
	shared   int // of one tenant while others are there
	inside   int
	each     map[string]int  // of those inside
	lines    map[string]bool // that somebody inside is in
	waiting  map[string][]waiter
	paces    paces
	database bool // only who has several works at gates rests
}

// waiter is somebody who waits at a gate.
type waiter struct {
	turn chan struct{}
	line string // that it is in; empty: in none
}

// Gate makes a gate for so many at once, of which one tenant has no more than shared while others are
// there: then nobody waits for the end of what it has begun. Both are at least 1.
func (t *Tenants) Gate(size, shared int) *Gate {
	g := &Gate{tenants: t, size: max(1, size), shared: max(1, min(shared, size)), each: map[string]int{}, lines: map[string]bool{}, waiting: map[string][]waiter{}}
	g.paces = paces{long: mostRest, now: t.now, each: map[string]*pace{}, wake: g.rested}
	return g
}

// Database makes a gate to a database, as Gate does. A tenant with several works at gates at once has an eighth of the time of those
// that it may have while others are there, as in a queue. One of them does not rest, however many parts of a page it reads at once, and
// nor does who asks for one thing after another.
func (t *Tenants) Database(size, shared int) *Gate {
	g := t.Gate(size, shared)
	g.paces.part, g.paces.turn, g.database = severalPart*float64(g.shared), severalTurn, true
	return g
}

// Enter waits for a turn, until ctx ends. What runs for nobody does not wait. Leave must be called
// once, at the end of what the turn was for, which may not enter the same gate again.
func (g *Gate) Enter(ctx context.Context) (leave func(), err error) { return g.enter(ctx, "") }

// EnterInLine is Enter, and waits for whoever has a turn in the context's line, too.
func (g *Gate) EnterInLine(ctx context.Context) (leave func(), err error) {
	return g.enter(ctx, lineOf(ctx))
}

func (g *Gate) enter(ctx context.Context, line string) (leave func(), err error) {
	w, tenant := WorkOf(ctx), Of(ctx)
	if tenant == "" {
		return func() {}, nil
	}
	one := waiter{line: line}
	t := g.tenants
	t.mu.Lock()
	t.comes(ctx)
	t.enters(w)
	if len(g.waiting[tenant]) == 0 && g.fits(tenant) && !g.lines[one.line] {
		g.begin(tenant, one.line)
		t.mu.Unlock()
		return g.leaver(w, one.line), nil
	}
	one.turn = make(chan struct{})
	g.waiting[tenant] = append(g.waiting[tenant], one)
	g.admit() // it may be alone since, and have more, or pass those who wait for others in their line
	came := t.now()
	t.mu.Unlock()
	select {
	case <-one.turn:
		w.waited.Add(int64(t.now().Sub(came)))
		return g.leaver(w, one.line), nil
	case <-ctx.Done():
		g.giveUp(w, one)
		return nil, ctx.Err()
	}
}

func (g *Gate) fits(tenant string) bool {
	company := g.tenants.company(tenant)
	return g.inside < g.size && (company < 0 || g.each[tenant] < g.shared && !g.paces.rests(tenant, company))
}

// rested lets in who has rested.
func (g *Gate) rested() {
	g.tenants.mu.Lock()
	defer g.tenants.mu.Unlock()
	g.admit()
}

func (g *Gate) begin(tenant, line string) {
	g.inside++
	g.each[tenant]++
	if line != "" {
		g.lines[line] = true
	}
	g.tenants.clock = max(g.tenants.clock, g.tenants.used[tenant])
}

// leaver ends a turn, and lets the next ones in. What the work waited meanwhile for turns of a database was no use of one at the processors.
func (g *Gate) leaver(w *Work, line string) func() {
	began, waited := g.tenants.now(), w.waited.Load()
	return func() {
		g.tenants.mu.Lock()
		defer g.tenants.mu.Unlock()
		took := g.tenants.now().Sub(began)
		if !g.database {
			took = max(0, took-time.Duration(w.waited.Load()-waited))
		}
		g.end(w, line, took)
	}
}

func (g *Gate) end(w *Work, line string, took time.Duration) {
	tenant := w.tenant
	g.inside--
	delete(g.lines, line)
	if g.each[tenant]--; g.each[tenant] == 0 {
		delete(g.each, tenant)
	}
	if !g.database || g.tenants.at[tenant] > 1 {
		g.paces.worked(tenant, took)
	}
	g.tenants.goes(tenant, took)
	g.tenants.leaves(w)
	g.admit()
}

// admit lets in whoever is next, as far as there is room.
func (g *Gate) admit() {
	for {
		next, found := least(g.tenants, g.waiting, func(tenant string) bool { return g.fits(tenant) && g.next(tenant) >= 0 })
		if !found {
			return
		}
		i := g.next(next)
		one := g.waiting[next][i]
		g.remove(next, i)
		g.begin(next, one.line)
		close(one.turn)
	}
}

// next is the first of those whom a tenant has waiting that waits for nobody in its line; -1: there is none.
func (g *Gate) next(tenant string) int {
	return slices.IndexFunc(g.waiting[tenant], func(one waiter) bool { return !g.lines[one.line] })
}

func (g *Gate) remove(tenant string, i int) {
	if g.waiting[tenant] = slices.Delete(g.waiting[tenant], i, i+1); len(g.waiting[tenant]) == 0 {
		delete(g.waiting, tenant)
	}
}

// giveUp takes somebody out of the line who waits no longer.
func (g *Gate) giveUp(w *Work, gone waiter) {
	g.tenants.mu.Lock()
	defer g.tenants.mu.Unlock()
	if i := slices.Index(g.waiting[w.tenant], gone); i >= 0 {
		g.remove(w.tenant, i)
		g.tenants.goes(w.tenant, 0)
		g.tenants.leaves(w)
		return
	}
	g.end(w, gone.line, 0) // its turn had just come
}
