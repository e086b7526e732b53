package fair

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestWorkRestsWhileAnotherTenantIsThere rests after some effort, and never where nobody else asked lately.
func TestWorkRestsWhileAnotherTenantIsThere(t *testing.T) {
	t.Parallel()
	clock := &hand{at: time.Unix(1, 0)}
	tenants := New(clock.now)
	gate := tenants.Gate(2, 1)
	asks := func(tenant string) {
		leave, err := gate.Enter(As(context.Background(), tenant))
		if err != nil {
			t.Fatal(err)
		}
		leave()
	}
	ctx := tenants.As(context.Background(), "one")
	work := WorkOf(ctx)
	if Of(ctx) != "one" {
		t.Errorf("the work is of %q", Of(ctx))
	}
	asks("one")
	if clock.pass(effort); work.due() {
		t.Error("it rests though nobody else is there")
	}
	asks("other")
	if work.due() {
		t.Error("it rests at once")
	}
	if clock.pass(effort); !work.due() {
		t.Error("it does not rest while another is there")
	}
	if work.due() {
		t.Error("two of its hands rest at once")
	}
	asks("one")
	if clock.pass(active - effort); !work.due() {
		t.Error("it does not rest though the other was there within a second")
	}
	if clock.pass(2 * effort); work.due() {
		t.Error("it rests for somebody who has gone")
	}
	for _, never := range []*Work{nil, WorkOf(context.Background()), WorkOf(As(context.Background(), "one"))} {
		if never.due() {
			t.Error("what rests for nobody rests")
		}
	}
}

// TestWhoIsThereAsksForNoTurn: as soon as work is a tenant's others leave room.
func TestWhoIsThereAsksForNoTurn(t *testing.T) {
	t.Parallel()
	clock := &hand{at: time.Unix(1, 0)}
	tenants := New(clock.now)
	tenants.As(context.Background(), "one")
	if tenants.As(context.Background(), ""); tenants.Several() {
		t.Error("what is nobody's is a tenant")
	}
	if tenants.As(context.Background(), "other"); !tenants.Several() {
		t.Error("two are there and not several")
	}
	waited := tenants.As(context.Background(), "one")
	clock.pass(2 * active)
	if tenants.As(context.Background(), "other"); !tenants.Others(waited) || tenants.Others(As(waited, "other")) || tenants.Several() {
		t.Error("another is there for who waited, and nobody for that one")
	}
	if clock.pass(2 * active); tenants.Several() {
		t.Error("who is there does not go")
	}
}

// TestWorkMayBelongToATenantLater is once, and of work that rests.
func TestWorkMayBelongToATenantLater(t *testing.T) {
	t.Parallel()
	clock := &hand{at: time.Unix(1, 0)}
	tenants := New(clock.now)
	tenants.As(context.Background(), "other")
	ctx := tenants.As(context.Background(), "")
	WorkOf(ctx).Belongs("")
	if Of(ctx) != "" || tenants.Several() {
		t.Errorf("what is nobody's is of %q", Of(ctx))
	}
	WorkOf(ctx).Belongs("one")
	if Of(ctx) != "one" || !tenants.Several() {
		t.Errorf("the work is of %q", Of(ctx))
	}
	if WorkOf(ctx).Belongs("two"); Of(ctx) != "one" {
		t.Errorf("the work was taken by %q", Of(ctx))
	}
	WorkOf(context.Background()).Belongs("one")
}

// TestWhoReadsRestsBetweenPieces reads pieces that take long each.
func TestWhoReadsRestsBetweenPieces(t *testing.T) {
	t.Parallel()
	clock := &hand{at: time.Unix(1, 0)}
	tenants := New(clock.now)
	work := WorkOf(tenants.As(context.Background(), "one"))
	tenants.As(context.Background(), "other")
	from := work.Reader(strings.NewReader("two pieces"))
	for _, want := range []string{"two p", "ieces"} {
		clock.pass(effort)
		buf := make([]byte, 5)
		if n, err := from.Read(buf); err != nil || string(buf[:n]) != want {
			t.Fatalf("read %q, %v", buf[:n], err)
		}
		if work.rested.Load() != tenants.elapsed() {
			t.Errorf("it does not rest after %q", want)
		}
	}
}

func TestWhatAServerDoesByItselfIsNobodyThere(t *testing.T) {
	t.Parallel()
	h := &hand{at: time.Unix(0, 0)}
	tenants := New(h.now)
	tenants.As(t.Context(), "one")
	ctx := tenants.As(t.Context(), "")
	WorkOf(ctx).For("its organization")
	WorkOf(ctx).For("another")
	leave, err := tenants.Processors().Enter(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer leave()
	q := NewQueue[int](tenants)
	q.Push(ctx, 0)
	if tenants.Several() || !q.Alone("one") {
		t.Error("who asked for it is not alone")
	}
	if Of(ctx) != "its organization" || !WorkOf(ctx).Others() {
		t.Errorf("it is the work of %q and rests for nobody", Of(ctx))
	}
	if who, _, _ := q.Pop(); who != "its organization" {
		t.Errorf("%q has its turn", who)
	}
}

// TestWhatIsWaitedForIsNotUsed has one wait for a turn of the database while it has one of the processors.
func TestWhatIsWaitedForIsNotUsed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tenants, ctx := New(time.Now), As(context.Background(), "one")
		database := tenants.Database(1, 1)
		others, _ := database.Enter(As(context.Background(), "another"))
		time.AfterFunc(time.Second, others)
		if err := tenants.Turn(ctx); err != nil {
			t.Fatal(err)
		}
		turn, _ := database.Enter(ctx)
		time.Sleep(time.Millisecond)
		turn()
		WorkOf(ctx).Yield()
		if used := tenants.used["one"]; used != 2*time.Millisecond {
			t.Errorf("of the database and the processors it used %s", used)
		}
	})
}

// TestAWorkHasOneTurn has many hands of one ask for it at once, and none of nobody's wait.
func TestAWorkHasOneTurn(t *testing.T) {
	t.Parallel()
	tenants := New(time.Now)
	ctx := tenants.As(context.Background(), "one")
	var hands sync.WaitGroup
	for range 20 {
		hands.Go(func() {
			if err := tenants.Turn(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	hands.Wait()
	if n := tenants.processors.each["one"]; n != 1 {
		t.Errorf("it has %d turns", n)
	}
	WorkOf(ctx).Yield()
	WorkOf(ctx).Yield()
	if n := tenants.processors.inside; n != 0 {
		t.Errorf("it left %d", n)
	}
	if err := tenants.Turn(context.Background()); err != nil {
		t.Error(err)
	}
	WorkOf(context.Background()).Yield()
}
