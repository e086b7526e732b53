package fair

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"
)

// hand is a clock that is set by hand.
type hand struct{ at time.Time }

func (h *hand) now() time.Time { return h.at }

func (h *hand) pass(d time.Duration) { h.at = h.at.Add(d) }

// line is who waits at a gate, in the order in which they came in.
type line struct {
	t    *testing.T
	g    *Gate
	mu   sync.Mutex
	in   []string
	left map[string]func()
	gone int
}

// comes has somebody wait, and returns when it waits or is in.
func (l *line) comes(name, tenant string) {
	l.t.Helper()
	l.g.tenants.mu.Lock()
	before := l.g.tenants.work[tenant]
	l.g.tenants.mu.Unlock()
	go func() {
		leave, err := l.g.Enter(As(context.Background(), tenant))
		if err != nil {
			panic(err)
		}
		l.mu.Lock()
		l.in, l.left[name] = append(l.in, name), leave
		l.mu.Unlock()
	}()
	for now := before; now <= before; time.Sleep(time.Millisecond) { // until it waits, or is in and noted
		l.g.tenants.mu.Lock()
		now = l.g.tenants.work[tenant]
		inside := l.g.inside
		l.g.tenants.mu.Unlock()
		l.mu.Lock()
		if len(l.in)-l.gone < inside {
			now = before
		}
		l.mu.Unlock()
	}
}

// goes ends somebody's turn, and returns when those are in whom that lets in.
func (l *line) goes(name string, want int) {
	l.t.Helper()
	l.mu.Lock()
	leave := l.left[name]
	l.gone++
	l.mu.Unlock()
	leave()
	for deadline := time.Now().Add(5 * time.Minute); ; time.Sleep(time.Millisecond) {
		l.mu.Lock()
		n := len(l.in)
		l.mu.Unlock()
		if n == want {
			return
		}
		if n > want || time.Now().After(deadline) {
			l.t.Fatalf("%d are in after %s went, want %d: %v", n, name, want, l.in)
		}
	}
}

func newLine(t *testing.T, size, shared int) (*line, *hand) {
	t.Helper()
	h := &hand{at: time.Unix(1_000_000, 0)}
	return &line{t: t, g: New(h.now).Gate(size, shared), left: map[string]func(){}}, h
}

func TestWhoHasUsedLeastComesNext(t *testing.T) {
	t.Parallel()
	l, h := newLine(t, 1, 1)
	l.comes("a1", "a")
	for _, name := range []string{"a2", "a3", "a4"} {
		l.comes(name, "a")
	}
	h.pass(time.Second)
	l.comes("b1", "b")
	l.comes("b2", "b")
	l.goes("a1", 2) // a has used a second, b nothing
	h.pass(100 * time.Millisecond)
	l.goes("b1", 3)
	h.pass(100 * time.Millisecond)
	l.goes("b2", 4)
	l.mu.Lock()
	defer l.mu.Unlock()
	if want := []string{"a1", "b1", "b2", "a2"}; !slices.Equal(l.in, want) {
		t.Errorf("they came in as %v, want %v", l.in, want)
	}
}

func TestNobodyTakesAllWhileOthersAreThere(t *testing.T) {
	t.Parallel()
	l, h := newLine(t, 3, 2)
	for _, name := range []string{"a1", "a2", "a3", "a4", "a5"} {
		l.comes(name, "a")
	}
	l.are(3, "who is alone has all turns")
	l.comes("b1", "b")
	l.are(3, "b waits for the end of what a began")
	l.goes("a1", 4)
	l.goes("b1", 4)
	l.are(2, "a has no third turn while b is there")
	l.goes("a2", 5)
	l.are(2, "a has its two")
	h.pass(2 * time.Second) // b has not been seen since
	l.comes("a6", "a")
	l.are(3, "a is alone again")
}

// are demands how many are inside.
func (l *line) are(want int, what string) {
	l.t.Helper()
	l.g.tenants.mu.Lock()
	defer l.g.tenants.mu.Unlock()
	if l.g.inside != want {
		l.t.Errorf("%s: %d are inside, want %d", what, l.g.inside, want)
	}
}

// TestWhoComesAnewHasNoCredit: who was away does not get all turns for as long as it was away.
func TestWhoComesAnewHasNoCredit(t *testing.T) {
	t.Parallel()
	h := &hand{at: time.Unix(1_000_000, 0)}
	q := NewQueue[string](New(h.now))
	for range 100 {
		q.Push(As(context.Background(), "a"), "a")
		tenant, _, _ := q.Pop()
		q.Used(tenant, time.Microsecond)
	}
	for range 10 {
		q.Push(As(context.Background(), "a"), "a")
		q.Push(As(context.Background(), "b"), "b")
	}
	var got string
	for range 10 {
		tenant, what, _ := q.Pop()
		got += what
		q.Used(tenant, time.Microsecond)
	}
	if got != "babababab"+"a" {
		t.Errorf("they came as %s", got)
	}
	if q.Len() != 10 {
		t.Errorf("%d wait", q.Len())
	}
}

func TestWhatIsNobodysWaitsForNobody(t *testing.T) {
	t.Parallel()
	l, _ := newLine(t, 1, 1)
	l.comes("a1", "a")
	leave, err := l.g.Enter(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	leave()
	q := NewQueue[string](l.g.tenants)
	for range 3 {
		q.Push(As(context.Background(), ""), "nobody")
		q.Push(As(context.Background(), "a"), "a")
	}
	for range 3 {
		tenant, _, _ := q.Pop()
		if tenant != "" {
			t.Errorf("%s came before what is nobody's", tenant)
		}
		q.Used(tenant, time.Hour)
	}
}

func TestWhoGivesUpLeavesTheLine(t *testing.T) {
	t.Parallel()
	l, _ := newLine(t, 1, 1)
	l.comes("a1", "a")
	ctx, cancel := context.WithCancel(As(context.Background(), "b"))
	done := make(chan error)
	go func() {
		_, err := l.g.Enter(ctx)
		done <- err
	}()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	l.comes("c1", "c")
	l.goes("a1", 2)
	l.goes("c1", 2)
	if l.g.inside != 0 || len(l.g.waiting) != 0 || len(l.g.tenants.work) != 0 {
		t.Errorf("%d inside, %v wait, %v at work", l.g.inside, l.g.waiting, l.g.tenants.work)
	}
}

// TestManyAtOnce has many come, give up and go at once: never more are in than may be, and in the end
// nobody waits.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	tenants := New(time.Now)
	g := tenants.Gate(4, 2)
	var mu sync.Mutex
	inside := map[string]int{}
	var all sync.WaitGroup
	for i := range 40 {
		all.Go(func() {
			r := rand.New(rand.NewPCG(1, uint64(i)))
			tenant := string(rune('a' + i%5))
			for range 200 {
				ctx, cancel := context.WithTimeout(As(context.Background(), tenant), time.Duration(r.IntN(3000))*time.Microsecond)
				if leave, err := g.Enter(ctx); err == nil {
					mu.Lock()
					inside[tenant]++
					sum := 0
					for _, n := range inside {
						sum += n
					}
					if sum > 4 {
						t.Errorf("%v are in", inside)
					}
					mu.Unlock()
					time.Sleep(time.Duration(r.IntN(100)) * time.Microsecond)
					mu.Lock()
					inside[tenant]--
					mu.Unlock()
					leave()
				}
				cancel()
			}
		})
	}
	all.Wait()
	if g.inside != 0 || len(g.waiting) != 0 || len(g.each) != 0 || len(tenants.work) != 0 {
		t.Errorf("%d inside, %v wait, %v of each, %v at work", g.inside, g.waiting, g.each, tenants.work)
	}
}

// TestThoseWhoAreAwayAreForgotten: memory does not grow with how many there ever were.
func TestThoseWhoAreAwayAreForgotten(t *testing.T) {
	t.Parallel()
	tenants := New(time.Now)
	q := NewQueue[int](tenants)
	for i := range 3 * most {
		q.Push(As(context.Background(), string(rune(i+0x100))), i)
		tenant, _, _ := q.Pop()
		q.Used(tenant, time.Second)
	}
	if len(tenants.used) > most+1 {
		t.Errorf("%d are remembered", len(tenants.used))
	}
}

// TestOneTenantHasHalfOfTheProcessors holds that who works long leaves room for who comes with a small question.
func TestOneTenantHasHalfOfTheProcessors(t *testing.T) {
	g := New((&hand{}).now).Processors()
	if half := max(1, runtime.NumCPU()/2); g.shared != half || g.size <= half {
		t.Errorf("one of %d at once has %d of %d processors", g.size, g.shared, runtime.NumCPU())
	}
}
