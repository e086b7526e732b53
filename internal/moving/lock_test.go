package moving_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"sync"
	"testing"
)

// counting is a way to a server that counts what is posted to it. An earlier server knew no
// state that was the workspace's at once.
type counting struct {
	mu      sync.Mutex
	posted  map[string]int
	earlier bool
}

func (c *counting) before(t *testing.T, to string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		if c.earlier {
			raw = bytes.Replace(raw, []byte(`"intermediate":false`), []byte(`"intermediate":null`), 1)
		}
		if r.Method == http.MethodPost {
			c.mu.Lock()
			c.posted[path.Base(r.URL.Path)]++
			c.mu.Unlock()
		}
		onward, err := http.NewRequestWithContext(r.Context(), r.Method, to+r.URL.RequestURI(), bytes.NewReader(raw))
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		onward.Header = r.Header.Clone()
		answer, err := requests.Transport.RoundTrip(onward)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		defer func() { _ = answer.Body.Close() }()
		for name, values := range answer.Header {
			w.Header()[name] = values
		}
		w.WriteHeader(answer.StatusCode)
		_, _ = io.Copy(w, answer.Body)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// TestAWorkspaceIsLockedOnceForAllItsStates counts what an import asks of a server, and of an
// earlier one, where each state needs a lock of its own.
func TestAWorkspaceIsLockedOnceForAllItsStates(t *testing.T) {
	t.Parallel()
	from := serve(t, "sqlite")
	from.do("POST", "organizations", thing("organizations", object{"name": "acme", "email": "a@example.com"}))
	for n := range 3 {
		ws := from.do("POST", "organizations/acme/workspaces", thing("workspaces", object{"name": fmt.Sprintf("w%d", n)}))
		for serial := range 10 {
			from.state(ws, serial+1, "line", false)
		}
	}
	for name, want := range map[string]int{"this server": 3, "an earlier one": 30} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			to, c := serve(t, "sqlite"), &counting{posted: map[string]int{}, earlier: want > 3}
			if r, status := bring(t, from.URL, c.before(t, to.URL)); status != 0 || len(r.Left) > 0 {
				t.Fatalf("import: %d %+v", status, r)
			}
			if c.posted["lock"] != want || c.posted["unlock"] != want || c.posted["state-versions"] != 30 {
				t.Errorf("asked for %v", c.posted)
			}
			if r, status := bring(t, from.URL, to.URL, "verify", "--compare-files"); status != 0 {
				t.Errorf("verify: %+v", r.Differences)
			}
		})
	}
}
