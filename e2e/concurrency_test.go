package e2e_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// together runs fn n times at once and counts the statuses.
func together(n int, fn func(i int) int) map[int]int {
	var mu sync.Mutex
	var all sync.WaitGroup
	begin := make(chan struct{})
	counts := map[int]int{}
	for i := range n {
		all.Go(func() {
			<-begin
			status := fn(i)
			mu.Lock()
			defer mu.Unlock()
			counts[status]++
		})
	}
	close(begin)
	all.Wait()
	return counts
}

func TestOfHundredLockersOneWins(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		id := s.workspace("acme", "contended")
		for range 3 {
			counts := together(100, func(int) int {
				r, err := s.try("POST", "/workspaces/"+id+"/actions/lock", s.Token, `{"reason":"race"}`)
				if err != nil {
					return 0
				}
				return r.Status
			})
			if counts[200] != 1 || counts[409] != 99 {
				t.Fatalf("statuses %v, want one 200 and 99 times 409", counts)
			}
			s.do("POST", "/workspaces/"+id+"/actions/unlock", s.Token, "").want(t, 200)
		}
	})
}

func TestOfTwoCreatesOfOneNameOneWins(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		for round := range 20 {
			body := fmt.Sprintf(`{"data":{"type":"workspaces","attributes":{"name":"w%d"}}}`, round)
			counts := together(2, func(int) int {
				r, err := s.try("POST", "/organizations/acme/workspaces", s.Token, body)
				if err != nil {
					return 0
				}
				return r.Status
			})
			if counts[201] != 1 || counts[422] != 1 {
				t.Fatalf("round %d: statuses %v, want one 201 and one 422", round, counts)
			}
		}
		if total := s.do("GET", "/organizations/acme/workspaces", s.Token, "").at("meta.pagination.total-count"); total != 20.0 {
			t.Errorf("%v workspaces are counted, want 20", total)
		}
	})
}

// TestNothingAnsweredIsLostByAKill kills the program again and again under creates and
// locks. What was answered 2xx must be there, whole, after the restart.
func TestNothingAnsweredIsLostByAKill(t *testing.T) {
	slow(t)
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		var mu sync.Mutex
		kept := map[string]bool{} // id → locked
		var names atomic.Int64
		for range 4 {
			var writers sync.WaitGroup
			for range 8 {
				writers.Go(func() { s.createAndLock(&mu, kept, &names) })
			}
			before := names.Load() // each writer begins with one
			waitFor(t, "creates to be under way", func() bool { return names.Load() > before+16 })
			time.Sleep(time.Duration(rand.IntN(200)) * time.Millisecond)
			s.kill()
			writers.Wait()
			s.run()
			for id, locked := range kept {
				got := s.do("GET", "/workspaces/"+id, s.Token, "").want(t, 200)
				if locked && got.at("data.attributes.locked") != true {
					t.Errorf("the lock of %s was answered and is lost", id)
				}
				if got.at("data.attributes.locked") == true && got.at("data.relationships.locked-by.data") == nil {
					t.Errorf("%s is locked by nobody", id)
				}
			}
		}
		if len(kept) == 0 {
			t.Fatal("nothing was created between the kills")
		}
		// The counter and the rows agree: nothing was half done.
		listed := s.do("GET", "/organizations/acme/workspaces", s.Token, "").at("meta.pagination.total-count")
		searched := s.do("GET", "/organizations/acme/workspaces?search%5Bname%5D=k", s.Token, "").at("meta.pagination.total-count")
		if listed != searched {
			t.Errorf("the counter says %v, the rows say %v", listed, searched)
		}
		t.Logf("%d workspaces were answered and are there", len(kept))
	})
}

// createAndLock creates and locks until the server is gone, and notes what was answered.
func (s *server) createAndLock(mu *sync.Mutex, kept map[string]bool, names *atomic.Int64) {
	for {
		made, err := s.try("POST", "/organizations/acme/workspaces", s.Token,
			fmt.Sprintf(`{"data":{"type":"workspaces","attributes":{"name":"k%d"}}}`, names.Add(1)))
		if err != nil {
			return
		}
		if made.Status != 201 {
			continue
		}
		id := made.text("data.id")
		mu.Lock()
		kept[id] = false
		mu.Unlock()
		locked, err := s.try("POST", "/workspaces/"+id+"/actions/lock", s.Token, "")
		if err != nil {
			return
		}
		if locked.Status == 200 {
			mu.Lock()
			kept[id] = true
			mu.Unlock()
		}
	}
}
