package fair

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// served is a queue whose jobs take so long each, by a clock that is set by hand.
type served struct {
	*Queue[int]
	clock *hand
	each  time.Duration
	did   map[string]int
}

func newServed(each time.Duration) *served {
	h := &hand{at: time.Unix(0, 0)}
	return &served{NewQueue[int](New(h.now)), h, each, map[string]int{}}
}

// until serves the queue for a time, in which a tenant always has so many in it, and another asks for one thing after another.
func (s *served) until(end time.Duration, tenant string, many int, other string) {
	for stop := s.clock.at.Add(end); s.clock.at.Before(stop); {
		for s.open[tenant] < many {
			s.Push(As(context.Background(), tenant), 0)
		}
		if other != "" && s.open[other] == 0 {
			s.Push(As(context.Background(), other), 0)
		}
		who, _, found := s.Pop()
		if !found {
			s.clock.pass(50 * time.Microsecond)
			continue
		}
		took := s.each
		if who == other {
			took = min(took, 300*time.Microsecond)
		}
		s.did[who]++
		s.clock.pass(took)
		s.Used(who, took)
		s.Done(who)
		if who == other { // which thinks about it
			s.clock.pass(took)
		}
	}
}

func TestWhatTakesLongCountsBySquare(t *testing.T) {
	t.Parallel()
	for took, want := range map[time.Duration]time.Duration{
		100 * time.Microsecond: 100 * time.Microsecond, time.Millisecond: time.Millisecond, 3 * time.Millisecond: 9 * time.Millisecond, time.Second: 16 * time.Second,
	} {
		if got := weighed(took); got != want {
			t.Errorf("%s counts as %s, not %s", took, got, want)
		}
	}
}

func TestWhoSendsManyHasAnEighthWhileOthersAreThere(t *testing.T) {
	t.Parallel()
	for _, each := range []time.Duration{20 * time.Microsecond, 300 * time.Microsecond, 10 * time.Millisecond} {
		s := newServed(each)
		s.until(2*time.Second, "many", 32, "one")
		s.did = map[string]int{}
		s.until(10*time.Second, "many", 32, "one")
		had := time.Duration(s.did["many"]) * weighed(each)
		if had < 1150*time.Millisecond || had > 1270*time.Millisecond+weighed(each)-each { // what is long may have one more
			t.Errorf("jobs of %s: of ten seconds who sends many had %s", each, had)
		}
		if one := time.Duration(s.did["one"]) * each; each < longWork && one < 4*time.Second {
			t.Errorf("jobs of %s: who asks for one at a time had %s", each, one)
		}
	}
}

func TestWhoDidNotComeForLongHasCredit(t *testing.T) {
	t.Parallel()
	s := newServed(time.Millisecond)
	s.Push(As(context.Background(), "one"), 0)
	s.until(150*time.Millisecond, "many", 32, "")
	if n := s.did["many"]; n < 33 || n > 45 {
		t.Errorf("of 150 ms it had %d", n)
	}
}

func TestWhoIsAloneOrAsksForOneThingDoesNotRest(t *testing.T) {
	t.Parallel()
	alone := newServed(time.Millisecond)
	alone.until(time.Second, "many", 32, "")
	if n := alone.did["many"]; n != 1000 {
		t.Errorf("alone it had %d", n)
	}
	alone.did = map[string]int{}
	alone.until(5*time.Second, "many", 32, "one") // what it had alone is not made up for
	if n := alone.did["many"]; n < 580 || n > 640 {
		t.Errorf("since it is not alone it had %d", n)
	}
	single := newServed(300 * time.Microsecond)
	single.until(5*time.Second, "big", 1, "one")
	if n := single.did["big"]; n < 5000 {
		t.Errorf("who asks for one at a time had %d", n)
	}
	nobody := newServed(time.Millisecond)
	nobody.until(5*time.Second, "", 32, "one")
	if n := nobody.did[""]; n < 1500 {
		t.Errorf("nobody had %d", n)
	}
}

func TestWhoAsksForOneLongThingAfterAnotherRests(t *testing.T) {
	t.Parallel()
	s := newServed(25 * time.Millisecond)
	s.until(10*time.Second, "big", 1, "one")
	if n := s.did["big"]; n < 3 || n > 5 { // each counts 16 times, and an eighth of the time is theirs
		t.Errorf("in ten seconds it had %d", n)
	}
}

func TestWhatIsUsedTogetherCounts(t *testing.T) {
	t.Parallel()
	h := &hand{at: time.Unix(0, 0)}
	q := NewQueue[int](New(h.now))
	for _, tenant := range []string{"many", "many", "most", "most", "most", "one"} {
		q.Push(As(context.Background(), tenant), 0)
	}
	for range 2 {
		if who, _, _ := q.Pop(); !q.Used(who, time.Millisecond) {
			t.Fatalf("what %s has does not count", who)
		}
	}
	if who, _, _ := q.Pop(); who != "one" || q.Used(who, 100*time.Microsecond) || q.Used("", time.Hour) {
		t.Fatalf("what %s has counts", who)
	}
	q.UsedTogether([]string{"many", "most"}, 2*credit)
	if _, _, found := q.Pop(); found {
		t.Error("they do not rest for it")
	}
	h.pass(2 * credit * mostWeight / 2 * 8)
	q.Push(As(context.Background(), "one"), 0)
	q.Pop()
	if who, _, found := q.Pop(); !found {
		t.Errorf("%s rests for longer than it takes", who)
	}
}

func TestALongDebtIsNotForgottenForASmallOne(t *testing.T) {
	t.Parallel()
	h := &hand{at: time.Unix(0, 0)}
	p := paces{part: 1, turn: 1, long: time.Hour, now: h.now, each: map[string]*pace{}, wake: func() {}}
	p.worked("one", 5*credit)
	p.worked("one", 1)
	if debt := p.of("one").debt; debt != 4*credit {
		t.Errorf("it owes %s", debt)
	}
}

func TestWhoeverServesIsToldWhenSomebodyHasRested(t *testing.T) {
	t.Parallel()
	q := NewQueue[int](New(time.Now))
	q.Push(As(context.Background(), "one"), 0)
	q.Push(As(context.Background(), "many"), 1)
	q.Push(As(context.Background(), "many"), 2)
	q.Push(As(context.Background(), "many"), 3)
	for range 2 {
		who, _, _ := q.Pop()
		q.Used(who, 6*time.Millisecond)
	}
	if who, _, found := q.Pop(); found {
		t.Fatalf("%s has its turn, though it used much", who)
	}
	for found := false; !found; _, _, found = q.Pop() {
		select {
		case <-q.More():
		case <-time.After(time.Minute):
			t.Fatal("nothing is told")
		}
	}
	q.Used("many", 6*time.Millisecond)
	if _, _, found := q.Pop(); found {
		t.Fatal("it does not rest")
	}
	q.Hurry()
	if _, _, found := q.Pop(); !found {
		t.Fatal("it rests at the end, too")
	}
}

func TestPacesOfThoseWhoAreAwayAreForgotten(t *testing.T) {
	t.Parallel()
	q := NewQueue[int](New(time.Now))
	for range 3 * most {
		tenant := time.Now().String()
		q.Push(As(context.Background(), tenant), 0)
		q.Pop()
		q.Used(tenant, 1)
		q.Done(tenant)
	}
	if len(q.paces.each) > most || len(q.open) > 0 {
		t.Errorf("%d paces and %d open are remembered", len(q.paces.each), len(q.open))
	}
}

// gatePart is what a tenant worked at the processors in a second, in pieces of 3 ms, of which a disk took as much again.
func gatePart(disk bool, other string) time.Duration {
	h := &hand{at: time.Unix(0, 0)}
	tenants, had := New(h.now), time.Duration(0)
	g := tenants.processors
	g.shared, g.paces.part = 1, processorsPart
	work := WorkOf(tenants.As(context.Background(), "many"))
	const each = 3 * time.Millisecond
	for end := h.at.Add(time.Second); h.at.Before(end); h.pass(50 * time.Microsecond) {
		if other != "" {
			tenants.As(context.Background(), other)
		}
		tenants.mu.Lock()
		fits := g.fits("many")
		tenants.mu.Unlock()
		if !fits {
			continue
		}
		leave, _ := g.Enter(As(context.Background(), "many"))
		h.pass(each)
		if had += each; disk {
			work.Synced(each)
		}
		leave()
	}
	return had
}

func TestATenantHasHalfOfTheTimeOfItsProcessorsWhileOthersAreThere(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		disk   bool
		other  string
		at, to time.Duration
	}{
		{false, "", 960 * time.Millisecond, time.Second},
		{false, "one", 500 * time.Millisecond, 530 * time.Millisecond},
		{true, "one", 65 * time.Millisecond, 85 * time.Millisecond},
	} {
		if had := gatePart(c.disk, c.other); had < c.at || had > c.to {
			t.Errorf("with a disk %v, beside %q: it worked %s", c.disk, c.other, had)
		}
	}
}

// databaseTime is what a tenant had of a database in ten seconds, by so many works of so many hands that ask for one thing after another,
// beside another tenant.
func databaseTime(t *testing.T, works, hands int, each time.Duration) (had time.Duration) {
	t.Helper()
	synctest.Test(t, func(*testing.T) {
		g := New(time.Now).Database(2, 1)
		end, all := time.Now().Add(10*time.Second), atomic.Int64{}
		hand := func(ctx context.Context, each, thinks time.Duration) {
			for time.Now().Before(end) {
				leave, _ := g.Enter(ctx)
				time.Sleep(each)
				if leave(); Of(ctx) == "many" {
					all.Add(int64(each))
				}
				time.Sleep(thinks)
			}
		}
		for range works {
			work := As(context.Background(), "many")
			for range hands {
				go hand(work, each, 0)
			}
		}
		hand(As(context.Background(), "one"), 100*time.Microsecond, 10*time.Millisecond)
		time.Sleep(time.Minute)
		had = time.Duration(all.Load())
	})
	return had
}

func TestWhoAsksADatabaseForSeveralThingsHasAnEighth(t *testing.T) {
	t.Parallel()
	for _, each := range []time.Duration{100 * time.Microsecond, time.Millisecond, 30 * time.Millisecond} {
		if had := databaseTime(t, 2, 1, each); had < 1150*time.Millisecond || had > 1500*time.Millisecond {
			t.Errorf("things of %s: of ten seconds it had %s", each, had)
		}
		for _, hands := range []int{1, 4} { // a script, and a page
			if had := databaseTime(t, 1, hands, each); had < 9*time.Second {
				t.Errorf("things of %s: one work after another, of %d hands, had %s", each, hands, had)
			}
		}
	}
	if had := databaseTime(t, 4, 1, time.Second); had < 6*time.Second {
		t.Errorf("things of a second: of ten it had %s: it rests for longer than half a second", had)
	}
}

func TestWhoHasRestedIsLetIn(t *testing.T) {
	t.Parallel()
	tenants := New(time.Now)
	g := tenants.Processors()
	g.paces.part = processorsPart // as of two
	ctx := tenants.As(context.Background(), "many")
	leave, err := g.Enter(ctx)
	if err != nil {
		t.Fatal(err)
	}
	WorkOf(ctx).Synced(time.Second)
	leave()
	tenants.As(context.Background(), "one")
	began := time.Now()
	leave, err = g.Enter(ctx) // by the timer: nobody else comes or goes
	if err != nil {
		t.Fatal(err)
	}
	leave()
	if time.Since(began) < 10*time.Millisecond {
		t.Error("it did not rest")
	}
	WorkOf(context.Background()).Synced(time.Second) // nobody's
}

// TestNobodyRestsForWhoHasGone has one write long things while another is there, which then leaves for good.
func TestNobodyRestsForWhoHasGone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := NewQueue[int](New(time.Now))
		q.Push(As(context.Background(), "another"), 0)
		began := time.Now()
		for i := range 3 {
			q.Push(As(context.Background(), "long"), i)
		}
		for range 2 {
			who, _, _ := q.Pop()
			q.Used(who, 100*time.Millisecond)
		}
		for _, _, found := q.Pop(); !found; _, _, found = q.Pop() {
			<-q.More()
		}
		if rested := time.Since(began); rested < active || rested > active+10*time.Millisecond {
			t.Errorf("it rested for %s, and the other was there for %s", rested, active)
		}
	})
}
