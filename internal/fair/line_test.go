package fair

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestALineIsGoneThroughOneByOne: of one name, whoever gives up, while those of another do not wait for it.
func TestALineIsGoneThroughOneByOne(t *testing.T) {
	t.Parallel()
	tenants := New(time.Now)
	g := tenants.Gate(6, 3)
	var all sync.WaitGroup
	var inside [2]atomic.Int32
	for i := range 40 {
		all.Go(func() {
			r := rand.New(rand.NewPCG(2, uint64(i)))
			name := i % 3
			for range 100 {
				ctx, cancel := context.WithTimeout(As(context.Background(), string(rune('a'+i%5))), time.Duration(r.IntN(5000))*time.Microsecond)
				if name < 2 {
					ctx = InLine(ctx, string(rune('x'+name)))
				}
				if leave, err := g.EnterInLine(ctx); err == nil {
					if name < 2 {
						if n := inside[name].Add(1); n != 1 {
							t.Errorf("%d are in", n)
						}
					}
					time.Sleep(time.Duration(r.IntN(50)) * time.Microsecond)
					if name < 2 {
						inside[name].Add(-1)
					}
					leave()
				}
				cancel()
			}
		})
	}
	all.Wait()
	if g.inside != 0 || len(g.lines) != 0 || len(g.waiting) != 0 || len(tenants.work) != 0 || len(tenants.at) != 0 {
		t.Errorf("%d inside, %v in line, %v wait, %v at work, %v at gates", g.inside, g.lines, g.waiting, tenants.work, tenants.at)
	}
}

// TestWhoWaitsInLineIsPassed: by what its tenant asks for besides, and by others; who rests is in no line.
func TestWhoWaitsInLineIsPassed(t *testing.T) {
	t.Parallel()
	g := New(time.Now).Gate(4, 4)
	a, b := As(context.Background(), "a"), As(context.Background(), "b")
	first, err := g.EnterInLine(InLine(a, "x"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(a)
	gone, next := make(chan error), make(chan func())
	go func() {
		_, err := g.EnterInLine(InLine(ctx, "x"))
		gone <- err
	}()
	waiting := func(tenant string) int {
		g.tenants.mu.Lock()
		defer g.tenants.mu.Unlock()
		return len(g.waiting[tenant])
	}
	for waiting("a") == 0 {
		time.Sleep(time.Millisecond)
	}
	for _, passing := range []context.Context{a, b, InLine(a, "y")} {
		leave, err := g.EnterInLine(passing)
		if err != nil {
			t.Fatal(err)
		}
		leave()
	}
	go func() {
		leave, _ := g.EnterInLine(InLine(b, "x"))
		next <- leave
	}()
	for waiting("b") == 0 {
		time.Sleep(time.Millisecond)
	}
	cancel()
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Errorf("who went away: %v", err)
	}
	select {
	case <-next:
		t.Error("two are in the line")
	case <-time.After(10 * time.Millisecond):
	}
	first()
	(<-next)()
	if g.inside != 0 || len(g.lines) != 0 || len(g.waiting) != 0 {
		t.Errorf("%d inside, %v in line, %v wait", g.inside, g.lines, g.waiting)
	}
}
