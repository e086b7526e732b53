package throttle_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/throttle"
)

// clock is a clock that tests own.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func (c *clock) pass(d time.Duration) { c.at = c.at.Add(d) }

func newClock() *clock { return &clock{time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)} }

// stands is what the headers say of where a caller stands.
func stands(head http.Header) string {
	var list []string
	for _, name := range []string{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "Retry-After"} {
		list = append(list, head.Get(name))
	}
	return strings.TrimRight(strings.Join(list, " "), " ")
}

func TestACallerHasItsBurstAndThenItsRate(t *testing.T) {
	t.Parallel()
	c := newClock()
	limits := throttle.New(2, 3, c.now)
	take := func(step, caller string, let bool, want string) {
		t.Helper()
		head := http.Header{}
		err := limits.Take(caller, head)
		if let != (err == nil) || err != nil && belay.KindOf(err) != belay.TooMany {
			t.Errorf("%s: %v", step, err)
		}
		if got := stands(head); got != want {
			t.Errorf("%s: the headers say %q, want %q", step, got, want)
		}
	}
	take("the first", "ann", true, "3 2 0.000")
	take("the second", "ann", true, "3 1 0.000")
	take("the last of the burst", "ann", true, "3 0 0.500")
	take("one too many", "ann", false, "3 0 0.500 1")
	take("another caller", "bob", true, "3 2 0.000")
	c.pass(499 * time.Millisecond)
	take("just too early", "ann", false, "3 0 0.001 1")
	c.pass(time.Millisecond)
	take("in time: what was refused cost nothing", "ann", true, "3 0 0.500")
	c.pass(time.Hour)
	take("after a rest there is no more than the burst", "ann", true, "3 2 0.000")
}

func TestRetryAfterIsLongEnough(t *testing.T) {
	t.Parallel()
	c := newClock()
	limits := throttle.New(0.1, 1, c.now) // one in ten seconds
	head := http.Header{}
	if err := limits.Take("ann", head); err != nil {
		t.Fatal(err)
	}
	c.pass(2500 * time.Millisecond)
	if err := limits.Take("ann", head); err == nil || head.Get("Retry-After") != "8" || head.Get("X-RateLimit-Reset") != "7.500" {
		t.Fatalf("%v, %s", err, stands(head))
	}
	c.pass(8 * time.Second)
	if err := limits.Take("ann", head); err != nil {
		t.Errorf("who waited as long as told: %v", err)
	}
}

func TestWithoutARateNobodyIsHeldBack(t *testing.T) {
	t.Parallel()
	limits := throttle.New(0, 1, newClock().now)
	for range 100 {
		head := http.Header{}
		if err := limits.Take("ann", head); err != nil || len(head) > 0 {
			t.Fatalf("%v, %v", err, head)
		}
	}
}

// TestTriesAreHeldBackInTheirWords: a caller has its burst, then its rate, and is told when to come again.
func TestTriesAreHeldBackInTheirWords(t *testing.T) {
	t.Parallel()
	c := newClock()
	tries := throttle.New(10.0/60, 2, c.now)
	for _, want := range []time.Duration{0, 0, 6 * time.Second} {
		var refused *belay.Error
		err := tries.Hold("ann", "Too many tries.")
		if errors.As(err, &refused); (err == nil) != (want == 0) || want > 0 && (refused.Wait != want || refused.Kind != belay.TooMany || !strings.HasPrefix(refused.Detail, "Too many tries. ")) {
			t.Errorf("want a wait of %v, got %v", want, err)
		}
	}
	if err := tries.Hold("bob", "Too many tries."); err != nil {
		t.Errorf("another is held back: %v", err)
	}
	c.pass(6 * time.Second)
	if err := tries.Hold("ann", "Too many tries."); err != nil {
		t.Errorf("after the wait: %v", err)
	}
	if err := throttle.New(0, 0, c.now).Hold("ann", "Too many tries."); err != nil {
		t.Errorf("without a rate: %v", err)
	}
}

// TestTogetherNoMoreIsLetThroughThanOneByOne: a caller that is new to all of them gets one limit.
func TestTogetherNoMoreIsLetThroughThanOneByOne(t *testing.T) {
	t.Parallel()
	const callers, burst = 50, 5
	limits := throttle.New(1, burst, newClock().now)
	var let [callers]atomic.Int64
	var all sync.WaitGroup
	for i := range callers {
		for range 4 * burst {
			all.Go(func() {
				if limits.Take(fmt.Sprint(i), http.Header{}) == nil {
					let[i].Add(1)
				}
			})
		}
	}
	all.Wait()
	for i := range let {
		if n := let[i].Load(); n != burst {
			t.Errorf("caller %d was let through %d times, want %d", i, n, burst)
		}
	}
}

// TestOfVeryManyCallersTheLatestAreKnown: memory is bounded, and who came lately stays held back.
func TestOfVeryManyCallersTheLatestAreKnown(t *testing.T) {
	t.Parallel()
	limits := throttle.New(0.001, 1, newClock().now)
	const more = 65536 + 10
	for i := range more {
		if err := limits.Take(fmt.Sprint(i), http.Header{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := limits.Take(fmt.Sprint(more-1), http.Header{}); belay.KindOf(err) != belay.TooMany {
		t.Errorf("the latest asks again: %v", err)
	}
	if err := limits.Take("0", http.Header{}); err != nil {
		t.Errorf("the first of all is known no more: %v", err)
	}
}
