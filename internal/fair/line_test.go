package fair

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestALineIsGoneThroughOneByOne: of one name, while those of another do not wait for it.
func TestALineIsGoneThroughOneByOne(t *testing.T) {
	t.Parallel()
	tenants := New(time.Now)
	var all sync.WaitGroup
	var inside [2]atomic.Int32
	for i := range 40 {
		all.Go(func() {
			ctx, name := As(context.Background(), string(rune('a'+i%3))), i%2
			for range 50 {
				leave, err := tenants.Line(ctx, string(rune('x'+name)))
				if err != nil {
					t.Error(err)
					return
				}
				if n := inside[name].Add(1); n != 1 {
					t.Errorf("%d are in", n)
				}
				time.Sleep(10 * time.Microsecond)
				inside[name].Add(-1)
				leave()
			}
		})
	}
	all.Wait()
	if len(tenants.lines) != 0 || len(tenants.work) != 0 || len(tenants.at) != 0 {
		t.Errorf("%v are remembered, %v at work, %v at gates", tenants.lines, tenants.work, tenants.at)
	}
}

func TestWhoWaitsInLineHasNothing(t *testing.T) {
	t.Parallel()
	tenants := New(time.Now)
	first, err := tenants.Line(tenants.As(context.Background(), "a"), "x")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(tenants.As(context.Background(), "b"))
	if err := tenants.Turn(ctx); err != nil {
		t.Fatal(err)
	}
	other, err := tenants.Line(tenants.As(context.Background(), "c"), "y")
	if err != nil {
		t.Fatal(err)
	}
	other()
	gone := make(chan error)
	go func() {
		_, err := tenants.Line(ctx, "x")
		gone <- err
	}()
	for len(tenants.waitingFor("x")) == 0 {
		time.Sleep(time.Millisecond)
	}
	if WorkOf(ctx).turn.Load() != nil {
		t.Error("it has a turn at the processors while it waits")
	}
	cancel()
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Errorf("who went away: %v", err)
	}
	first()
	if len(tenants.lines) != 0 {
		t.Errorf("%v are remembered", tenants.lines)
	}
}

// waitingFor is who waits in a line.
func (t *Tenants) waitingFor(name string) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var list []string
	for tenant := range t.lines[name].waiting {
		list = append(list, tenant)
	}
	return list
}
