package sqldb

import (
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/belayhq/belay/internal/fair"
)

// opened is an empty database of the test's own.
func opened(t *testing.T) *sqliteEngine {
	t.Helper()
	e, err := openSQLite(t.Context(), filepath.Join(t.TempDir(), "x.db"), 1<<20, true, fair.New(time.Now))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.close() })
	return e
}

// TestABatchOfSeveralTenantsEndsEarly has a tenant write once while another has a line: it is answered before so much of the
// other's is done as a batch has otherwise.
func TestABatchOfSeveralTenantsEndsEarly(t *testing.T) {
	t.Parallel()
	e := opened(t)
	var all sync.WaitGroup
	waits := 0
	write := func(tenant string, fn, answered func()) {
		all.Go(func() {
			err := e.update(fair.As(t.Context(), tenant), func(conn) error { fn(); return nil })
			if err != nil {
				t.Error(err)
			}
			answered()
		})
		for waits++; e.jobs.Len() < waits-1; { // the first is not in the line any more
			time.Sleep(50 * time.Microsecond)
		}
	}
	nothing := func() {}
	begins, begin, answered := make(chan struct{}), make(chan struct{}), make(chan struct{})
	write("one", func() { close(begins); <-begin }, nothing)
	<-begins
	write("one", func() { time.Sleep(sharedTime + sharedTime/2) }, nothing)
	write("one", func() {
		select {
		case <-answered:
		case <-time.After(5 * time.Second):
			t.Error("who wrote once waits for what another has much of")
		}
	}, nothing)
	write("two", func() { e.commit = 0 /* of a disk that is quick */ }, func() { close(answered) })
	close(begin)
	all.Wait()
}

// TestWhatIsNobodysLeavesABatchAsLongAsItIs: a tenant who is alone shares a commit with what the server does by itself.
// Of several tenants a batch follows the last commit, within its bounds.
func TestWhatIsNobodysLeavesABatchAsLongAsItIs(t *testing.T) {
	t.Parallel()
	e, err := openSQLite(t.Context(), filepath.Join(t.TempDir(), "x.db"), 1<<20, true, fair.New(time.Now))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = e.close() }()
	for _, tenant := range []string{"", "one", ""} {
		if err := e.update(fair.As(t.Context(), tenant), func(conn) error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	e.commit = time.Second // of a disk that hangs
	if !e.jobs.Alone("one") || !e.jobs.Alone("") || e.long("one") != batchTime {
		t.Error("what is nobody's makes batches short")
	}
	if n := e.journal.copiedAt(); n != copiedAt {
		t.Errorf("of one tenant the journal is copied at %d pages", n)
	}
	if err := e.update(fair.As(t.Context(), "two"), func(conn) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if e.jobs.Alone("one") || e.jobs.Alone("two") || !e.jobs.Alone("") {
		t.Error("two tenants do not share")
	}
	if n := e.journal.copiedAt(); n != copiedBesideOthers {
		t.Errorf("of two tenants the journal is copied at %d pages", n)
	}
	for took, long := range map[time.Duration]time.Duration{0: sharedTime, time.Millisecond: time.Millisecond, time.Second: sharedMost} {
		if e.commit = took; e.long("one") != long {
			t.Errorf("after a commit of %s a batch is %s long, not %s", took, e.long("one"), long)
		}
	}
}
