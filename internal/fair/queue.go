package fair

import (
	"context"
	"time"
)

// Queue is a line from which whoever serves it takes what is next. A tenant who has several things in it at once, or long ones, has
// an eighth of its time while others are there: with less than all of it they rarely meet a server that is busy.
type Queue[T any] struct {
	tenants *Tenants
	waiting map[string][]T
	length  int
	open    map[string]int // how many of each tenant are not done
	paces   paces
	hurries bool
	more    chan struct{}
}

// longWork is from when on something counts of who asks for one thing after another, too: whoever comes meanwhile waits for its end.
const longWork = 500 * time.Microsecond

// unnoticed is how long something may take that others hardly notice, and mostWeight how many times more counts what takes longer.
const (
	unnoticed  = time.Millisecond
	mostWeight = 16
)

// weighed is what counts of something: what takes longer is met by more and waited for longer, so it counts by the square.
func weighed(took time.Duration) time.Duration {
	return time.Duration(float64(took) * min(max(1, float64(took)/float64(unnoticed)), mostWeight))
}

// NewQueue makes a queue.
func NewQueue[T any](t *Tenants) *Queue[T] {
	q := &Queue[T]{tenants: t, waiting: map[string][]T{}, open: map[string]int{}, more: make(chan struct{}, 1)}
	q.paces = paces{part: severalPart, turn: severalTurn, long: mostWeighed, now: t.now, each: map[string]*pace{}, wake: q.wake}
	return q
}

// Push puts something of a context's tenant into the line.
func (q *Queue[T]) Push(ctx context.Context, what T) {
	tenant := Of(ctx)
	q.tenants.mu.Lock()
	q.tenants.comes(ctx)
	q.waiting[tenant] = append(q.waiting[tenant], what)
	q.open[tenant]++
	q.length++
	q.tenants.mu.Unlock()
	q.wake()
}

func (q *Queue[T]) wake() {
	select {
	case q.more <- struct{}{}:
	default:
	}
}

// More is ready when there may be something in the line.
func (q *Queue[T]) More() <-chan struct{} { return q.more }

// Alone says that no other tenant asked for anything lately. What is nobody's is always.
func (q *Queue[T]) Alone(tenant string) bool {
	q.tenants.mu.Lock()
	defer q.tenants.mu.Unlock()
	return tenant == "" || q.tenants.alone(tenant)
}

// Len is how many wait.
func (q *Queue[T]) Len() int {
	q.tenants.mu.Lock()
	defer q.tenants.mu.Unlock()
	return q.length
}

// Pop takes what is next: the first of whoever has used least, of those who do not rest. Used must be called with its tenant, and
// Done. Where all who wait rest it finds nothing, and More tells when there is something again.
func (q *Queue[T]) Pop() (tenant string, what T, found bool) {
	q.tenants.mu.Lock()
	defer q.tenants.mu.Unlock()
	tenant, found = least(q.tenants, q.waiting, func(one string) bool { return !q.rests(one) })
	if !found {
		return "", what, false
	}
	q.tenants.clock = max(q.tenants.clock, q.tenants.used[tenant])
	q.length--
	return tenant, take(q.waiting, tenant), true
}

// Used says what came of the line has used, at its end, and tells whether the tenant is to rest for it: not who asks for one short
// thing after another. What is nobody's pays nothing: it is never long, and many wait for it.
func (q *Queue[T]) Used(tenant string, took time.Duration) (counts bool) {
	q.tenants.mu.Lock()
	defer q.tenants.mu.Unlock()
	if tenant == "" {
		took = 0
	}
	if counts = tenant != "" && (q.open[tenant] > 1 || took >= longWork); counts {
		q.paces.worked(tenant, weighed(took))
	}
	q.tenants.goes(tenant, took)
	return counts
}

// UsedTogether says what was used at once for several who are to rest for it: each for an equal part.
func (q *Queue[T]) UsedTogether(tenants []string, took time.Duration) {
	q.tenants.mu.Lock()
	defer q.tenants.mu.Unlock()
	for _, tenant := range tenants {
		q.paces.worked(tenant, weighed(took)/time.Duration(len(tenants)))
	}
}

// Done says that something of a tenant is over, whoever asked for it has the answer.
func (q *Queue[T]) Done(tenant string) {
	q.tenants.mu.Lock()
	defer q.tenants.mu.Unlock()
	if q.open[tenant]--; q.open[tenant] == 0 {
		delete(q.open, tenant)
	}
}

// Hurry has nobody rest any more: the end of the line is served.
func (q *Queue[T]) Hurry() {
	q.tenants.mu.Lock()
	defer q.tenants.mu.Unlock()
	q.hurries = true
}

// rests says whether a tenant does.
func (q *Queue[T]) rests(tenant string) bool {
	return tenant != "" && !q.hurries && q.paces.rests(tenant, q.tenants.company(tenant))
}
