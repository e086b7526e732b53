package frame

import (
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestSideBarsThatAreReadLate are kept for the pages after, read once for all that ask, and not kept when what
// they say was changed meanwhile.
func TestSideBarsThatAreReadLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s sides
		var read atomic.Int64
		slow := func() (side, error) {
			n := read.Add(1)
			time.Sleep(time.Second)
			return side{waits: waitCount{n: int(n)}}, nil
		}
		for range 3 {
			if _, ok := s.read("ann acme", sideWait, slow); ok {
				t.Error("a page waited for longer than a moment")
			}
		}
		time.Sleep(time.Second)
		if said, ok := s.get("ann acme"); !ok || said.waits.n != 1 || read.Load() != 1 {
			t.Errorf("what came late is %v, %t, read %d times", said.waits, ok, read.Load())
		}
		s.read("ann acme", sideWait, slow)
		s.forget("ann acme")
		if said, ok := s.read("ann acme", time.Minute, slow); !ok || said.waits.n != 3 {
			t.Errorf("what was read before a change is told after it: %v, %t", said.waits, ok)
		}
		if said, _ := s.get("ann acme"); said.waits.n != 3 {
			t.Errorf("what was read before a change is kept: %v", said.waits)
		}
		if _, ok := s.read("bob acme", time.Minute, func() (side, error) { return side{}, errors.New("gone") }); ok || len(s.reading) > 0 {
			t.Errorf("what failed is told, or still read: %v", s.reading)
		}
	})
}
