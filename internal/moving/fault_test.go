package moving_test

import (
	"fmt"
	"io"
	"math/rand"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/belayhq/belay/internal/storetest"
)

// unreliable is a way to a server that now and then answers 429 or 500 in its place, breaks
// the connection before the request or in the middle of the answer, or lets the request
// through and loses the answer.
type unreliable struct {
	mu     sync.Mutex
	chance *rand.Rand
	share  int // one request in so many fails
	failed atomic.Int64
}

func (u *unreliable) throw() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.chance.Intn(u.share) > 0 {
		return 0
	}
	return 1 + u.chance.Intn(6)
}

func (u *unreliable) before(to string) string {
	server := httptest.NewServer(u.handler(to))
	return server.URL
}

func (u *unreliable) handler(to string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fault := u.throw()
		if r.URL.Path == "/api/v2/ping" {
			fault = 0 // go-tfe asks it without trying again
		}
		if fault > 0 {
			u.failed.Add(1)
		}
		switch fault {
		case 1:
			w.Header().Set("Retry-After", "0.01")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		case 2:
			w.WriteHeader(http.StatusInternalServerError)
			return
		case 3:
			panic(http.ErrAbortHandler)
		}
		onward, err := http.NewRequestWithContext(r.Context(), r.Method, to+r.URL.RequestURI(), r.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		onward.Header, onward.ContentLength = r.Header.Clone(), r.ContentLength
		answer, err := requests.Transport.RoundTrip(onward)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		defer func() { _ = answer.Body.Close() }()
		switch fault {
		case 4:
			w.WriteHeader(http.StatusInternalServerError)
			return
		case 5:
			panic(http.ErrAbortHandler)
		}
		whole, _ := io.ReadAll(answer.Body)
		for name, values := range answer.Header {
			w.Header()[name] = values
		}
		w.WriteHeader(answer.StatusCode)
		if fault == 6 {
			_, _ = w.Write(whole[:len(whole)/2])
			panic(http.ErrAbortHandler)
		}
		_, _ = w.Write(whole)
	})
}

// TestAnUnreliableWayMakesNothingTwice moves everything over a way that fails every seventh
// request. What fails in the end is run again, as a person would.
func TestAnUnreliableWayMakesNothingTwice(t *testing.T) {
	storetest.NeedsSlow(t)
	t.Parallel()
	from, to := serve(t, "sqlite"), serve(t, "sqlite")
	from.fill("acme")
	for n := range 10 {
		ws := from.do("POST", "organizations/acme/workspaces", thing("workspaces", object{"name": fmt.Sprintf("w%d", n)}))
		from.do("POST", "workspaces/"+ws+"/notification-configurations", thing("notification-configurations", object{
			"name": "mail", "destination-type": "email", "triggers": []string{"run:errored"}, "email-addresses": []string{"a@example.com"},
		}))
		for serial := range 3 {
			from.state(ws, serial+1, "line", false)
		}
	}
	file := secrets(t, "acme")
	u := &unreliable{chance: rand.New(rand.NewSource(7)), share: 7}
	status := 1
	journal := filepath.Join(t.TempDir(), "journal")
	for try := 0; status != 0 && try < 20; try++ {
		var errOut string
		_, errOut, status = belay("import", "--from", u.before(from.URL), "--from-token", adminToken, "--to", u.before(to.URL), "--token", adminToken, "--secrets", file, "--journal", journal)
		if status != 0 {
			t.Logf("try %d: %s", try, errOut)
			if strings.Contains(errOut, "another import") {
				journal += "." // the address of the way is another each time
			}
		}
	}
	if r, verified := bring(t, from.URL, to.URL, "verify", "--compare-files"); verified != 0 {
		t.Errorf("after %d faults: %+v", u.failed.Load(), r.Differences)
	}
	if r, _ := bring(t, from.URL, to.URL, "--secrets", file); status != 0 || r.touched() != 0 {
		t.Errorf("once more: %d %+v", status, r)
	}
	if u.failed.Load() < 30 { // how many requests there are to fail depends on the time
		t.Errorf("only %d faults", u.failed.Load())
	}
}
