package e2e_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/go-tfe"
)

// stateBody is the document that brings a state, or with inline false announces it.
func stateBody(raw []byte, serial int64, lineage string, inline bool) string {
	state := ""
	if inline {
		state = `,"state":"` + base64.StdEncoding.EncodeToString(raw) + `"`
	}
	return fmt.Sprintf(`{"data":{"type":"state-versions","attributes":{"serial":%d,"md5":%q,"lineage":%q%s}}}`, serial, md5Of(raw), lineage, state)
}

func TestWrongWritersNeverChangeTheCurrentState(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		id := s.workspace("acme", "network")
		_, team := s.team("acme", "ops", &tfe.OrganizationAccessOptions{ManageWorkspaces: tfe.Bool(true)})
		path := "/workspaces/" + id + "/state-versions"
		s.lock(id)
		right := s.give(id, stateWith(10, 3), 10)
		s.unlock(id)
		wrong := stateWith(12, 9)
		attack := func() map[int]int {
			return together(32, func(i int) int {
				token := s.Token
				var body string
				switch i % 4 {
				case 0: // not the holder of the lock
					token, body = team, stateBody(wrong, 12, lineage, i%8 == 0)
				case 1: // a stale serial
					body = stateBody(wrong, 9, lineage, i%8 == 1)
				case 2: // the same serial, another state
					body = stateBody(wrong, 10, lineage, i%8 == 2)
				default: // another lineage
					body = stateBody(wrong, 12, "another", i%8 == 3)
				}
				r, err := s.try("POST", path, token, body)
				if err != nil {
					return 0
				}
				return r.Status
			})
		}
		if counts := attack(); counts[409] != 32 {
			t.Errorf("without a lock: %v", counts)
		}
		s.lock(id)
		if counts := attack(); counts[409] != 32 {
			t.Errorf("under a lock: %v", counts)
		}
		w := s.unlock(id)
		if w.CurrentStateVersion.ID != right.ID || w.ResourceCount != 3 {
			t.Errorf("the current state is now %+v", w)
		}
		if n := s.do("GET", "/state-versions?filter[organization][name]=acme&filter[workspace][name]=network", s.Token, "").at("meta.pagination.total-count"); n != 1.0 {
			t.Errorf("%v state versions, want 1", n)
		}
	})
}

// crash drives uploads under locks against a server that is killed over and over.
type crash struct {
	*server
	up       sync.RWMutex // held for reading by every request, for writing while the server is down
	mu       sync.Mutex
	answered map[string][]byte // what a 2xx promised to keep, by the id of its state version
	uploads  int
}

// TestStatesSurviveCrashes kills the server at random moments during 200 uploads.
func TestStatesSurviveCrashes(t *testing.T) {
	slow(t)
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		c := &crash{server: s, answered: map[string][]byte{}}
		var workspaces []string
		for i := range 4 {
			workspaces = append(workspaces, s.workspace("acme", fmt.Sprint("w", i)))
		}
		stop := make(chan struct{})
		var writers sync.WaitGroup
		for _, id := range workspaces {
			writers.Go(func() { c.write(id, stop) })
		}
		kills := 0
		for c.count() < 200 {
			enough := c.count() + 1 + rand.IntN(20)
			waitFor(t, "some uploads", func() bool { return c.count() >= enough })
			time.Sleep(time.Duration(rand.IntN(50)) * time.Millisecond) // somewhere in one
			s.kill()                                                    // while requests are under way
			kills++
			c.up.Lock()
			s.run()
			for _, id := range workspaces {
				c.check(t, id)
			}
			c.up.Unlock()
		}
		close(stop)
		writers.Wait()
		for _, id := range workspaces {
			c.check(t, id)
		}
		t.Logf("%d uploads answered, %d kills", c.count(), kills)
	})
}

func (c *crash) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.uploads
}

// write gives a workspace one state after another, each under a lock of its own.
func (c *crash) write(id string, stop chan struct{}) {
	for serial := int64(1); ; serial++ {
		select {
		case <-stop:
			return
		default:
			c.once(id, serial)
		}
	}
}

func (c *crash) once(id string, serial int64) {
	path := "/workspaces/" + id
	c.request("POST", path+"/actions/force-unlock", "") // what an operator does after a crash
	if r, ok := c.request("POST", path+"/actions/lock", ""); !ok || r.Status != 200 {
		return
	}
	raw := append(stateWith(serial, int(serial%5)), bytes.Repeat([]byte(" "), rand.IntN(20000))...)
	inline := serial%2 == 0
	r, ok := c.request("POST", path+"/state-versions", stateBody(raw, serial, lineage, inline))
	if !ok || r.Status != 201 {
		return
	}
	if inline {
		c.promised(r.text("data.id"), raw)
	} else if c.put(r.text("data.attributes.hosted-state-upload-url"), raw) {
		c.promised(r.text("data.id"), raw)
	}
	if serial%3 != 0 {
		c.request("POST", path+"/actions/unlock", "")
	}
}

func (c *crash) promised(id string, raw []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.uploads++
	c.answered[id] = raw
}

func (c *crash) request(method, path, body string) (reply, bool) {
	c.up.RLock()
	defer c.up.RUnlock()
	r, err := c.try(method, path, c.Token, body)
	return r, err == nil
}

func (c *crash) put(url string, raw []byte) bool {
	c.up.RLock()
	defer c.up.RUnlock()
	request, err := http.NewRequest(http.MethodPut, url, bytes.NewReader(raw))
	if err != nil {
		return false
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	_ = answer.Body.Close()
	return answer.StatusCode == http.StatusOK
}

// check looks at a workspace after a crash: every state that was answered is there byte
// for byte, none is half there, and unlocking does what its table says.
func (c *crash) check(t *testing.T, id string) {
	t.Helper()
	w := c.do("GET", "/workspaces/"+id, c.Token, "").want(t, 200)
	list := c.do("GET", "/state-versions?filter[organization][name]=acme&page[size]=100&filter[workspace][name]="+w.text("data.attributes.name"), c.Token, "").want(t, 200)
	versions, _ := list.at("data").([]any)
	for i := range versions {
		at := func(name string) string { return list.text(fmt.Sprintf("data.%d.attributes.%s", i, name)) }
		if at("status") != "finalized" {
			continue
		}
		raw, err := fetch(at("hosted-state-download-url"))
		if err != nil || md5Of(raw) != at("md5") {
			t.Errorf("a state is half there: %d bytes, %v", len(raw), err)
		}
	}
	c.checkAnswered(t)
	c.checkUnlock(t, id, w, list)
}

// checkAnswered reads what was promised since the last crash.
func (c *crash) checkAnswered(t *testing.T) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, want := range c.answered {
		v := c.do("GET", "/state-versions/"+id, c.Token, "").want(t, 200)
		if v.text("data.attributes.status") != "finalized" {
			t.Errorf("answered and then %s", v.text("data.attributes.status"))
			continue
		}
		raw, err := fetch(v.text("data.attributes.hosted-state-download-url"))
		if err != nil || !bytes.Equal(raw, want) {
			t.Errorf("answered, then read back as %d bytes of %d: %v", len(raw), len(want), err)
		}
	}
	clear(c.answered)
}

func (c *crash) checkUnlock(t *testing.T, id string, w, list reply) {
	t.Helper()
	unlock := "/workspaces/" + id + "/actions/unlock"
	switch {
	case w.at("data.attributes.locked") != true:
		c.do("POST", unlock, c.Token, "").want(t, 409)
	case list.text("data.0.attributes.status") == "pending":
		if r := c.do("POST", unlock, c.Token, "").want(t, 503); !strings.Contains(r.Body, "latest state version is still pending") {
			t.Errorf("unlock with a state on its way: %s", r.Body)
		}
		c.do("POST", "/workspaces/"+id+"/actions/force-unlock", c.Token, "").want(t, 200)
	default:
		got := c.do("POST", unlock, c.Token, "").want(t, 200)
		for i := range 100 {
			if list.text(fmt.Sprintf("data.%d.attributes.status", i)) != "finalized" {
				continue
			}
			if newest := list.text(fmt.Sprintf("data.%d.id", i)); got.text("data.relationships.current-state-version.data.id") != newest {
				t.Errorf("unlocked to %s, want %s", got.text("data.relationships.current-state-version.data.id"), newest)
			}
			return
		}
	}
}

// fetch reads a URL whole.
func fetch(url string) ([]byte, error) {
	answer, err := http.Get(url)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return nil, errors.New(answer.Status)
	}
	return io.ReadAll(answer.Body)
}

// TestALargeStateIsKnownAfterACrash kills the server right after it took a large state.
func TestALargeStateIsKnownAfterACrash(t *testing.T) {
	slow(t)
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		id := s.workspace("acme", "network")
		s.lock(id)
		state := func(w io.Writer) { bigState(w, 1) }
		_, sum := measured(state)
		if _, err := s.giveLarge(id, sum, false, state); err != nil {
			t.Fatal(err)
		}
		s.kill()
		s.run()
		if w := s.unlock(id); w.ResourceCount != 50000 {
			t.Errorf("resource-count %d, want 50000", w.ResourceCount)
		}
	})
}
