package e2e_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/belayhq/belay/internal/forgetest"
)

// The flood: how many deliveries by how many clients at once. Of ten each, one is new, three repeat one
// another, three are forged, one means nothing, one is of another repository and one goes to no hook.
const (
	floodOf      = 10_000
	floodClients = 8
)

// flood is one client that sends its share of the flood, and what it was answered.
type flood struct {
	client  *http.Client
	hook    forgetest.Hook
	first   string // a commit that has its run
	mu      sync.Mutex
	answers map[string]int // "kind status"
}

// delivery is the i-th one.
func (f *flood) delivery(i int) (kind string, request *http.Request, err error) {
	event, id, secret, at := "push", fmt.Sprint("flood ", i), f.hook.Secret, f.hook.URL
	body := forgetest.Push("refs/heads/main", strings.Repeat("0", 40), f.first, "main.tf")
	switch i % 10 {
	case 0:
		kind = "new"
	case 1, 2, 3:
		kind, id = "repeated", "flood again"
	case 4, 5, 6:
		kind, secret = "forged", "another"
	case 7:
		kind, event = "meaningless", "issues"
	case 8:
		kind, at = "lost", at+"x"
	default:
		kind = "strange"
		body["repository"] = map[string]any{"full_name": "evil/app"}
	}
	header, raw, err := forgetest.Signed([]byte(secret), event, id, body)
	if err != nil {
		return kind, nil, err
	}
	if request, err = http.NewRequestWithContext(context.Background(), http.MethodPost, at, bytes.NewReader(raw)); err == nil {
		request.Header = header
		request.Header.Set("Content-Type", "application/json")
	}
	return kind, request, err
}

func (f *flood) send(kind string, request *http.Request) error {
	answer, err := f.client.Do(request)
	if err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, answer.Body)
	_ = answer.Body.Close()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answers[fmt.Sprint(kind, " ", answer.StatusCode)]++
	return nil
}

// pour sends all of it, and calls half when half is answered.
func (f *flood) pour(t *testing.T, half func()) {
	t.Helper()
	var next, done atomic.Int64
	var clients, between sync.WaitGroup
	for range floodClients {
		clients.Go(func() {
			for i := next.Add(1) - 1; i < floodOf; i = next.Add(1) - 1 {
				kind, request, err := f.delivery(int(i))
				if err == nil {
					err = f.send(kind, request)
				}
				if err != nil {
					t.Errorf("delivery %d is not answered: %v", i, err)
					return
				}
				if done.Add(1) == floodOf/2 {
					between.Go(half)
				}
			}
		})
	}
	clients.Wait()
	between.Wait()
}

// TestAFloodOfHooks sends ten thousand deliveries over HTTP: each is answered as it deserves and none by a
// fault, what is new is written down once, no run comes of what made one before, and a neighbour who is told
// of a push in the middle has its run.
func TestAFloodOfHooks(t *testing.T) {
	eachForged(t, func(t *testing.T, h *forged) {
		h.organization("neighbour")
		id := h.connected("neighbour", "beside")
		var beside forgetest.Hook
		h.awaits(func() bool {
			h.forge.Lock()
			defer h.forge.Unlock()
			beside = h.forge.Hooks["2"]
			return beside.URL != ""
		}, "the neighbour's hook")
		h.awaits(func() bool { // of what is there now: one that comes later would be of the second
			return h.do("GET", "/workspaces/"+id, h.Token, "").want(t, 200).at("data.relationships.current-run.data.id") != nil
		}, "the neighbour's first run")
		first := h.forge.Git(forgetest.Repository+".git", "rev-parse", "HEAD")
		second := h.forge.Commit("main.tf", "# the second")
		f := &flood{
			client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: floodClients, ExpectContinueTimeout: time.Hour}},
			hook:   h.hook, first: first, answers: map[string]int{},
		}
		f.pour(t, func() {
			status, err := h.tell(beside, "beside", forgetest.Push("refs/heads/main", first, second, "main.tf"))
			if err != nil || status != 200 {
				t.Errorf("in the middle the neighbour is answered %d, %v", status, err)
			}
		})
		h.awaits(func() bool {
			return strings.Contains(h.do("GET", "/organizations/neighbour/vcs-events?filter%5Blevels%5D=info", h.Token, "").want(t, 200).Body, "made run")
		}, "the neighbour's run")
		for range 20 { // none of them is read
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.hook.URL, strings.NewReader("{}"))
			must(t, err)
			request.ContentLength, request.Body = 26<<20, io.NopCloser(unread{t})
			request.Header.Set("Expect", "100-continue")
			must(t, f.send("oversized", request))
		}
		want := map[string]int{
			"new 200": floodOf / 10, "repeated 200": floodOf * 3 / 10, "forged 401": floodOf * 3 / 10, "meaningless 200": floodOf / 10,
			"strange 200": floodOf / 10, "lost 404": floodOf / 10, "oversized 413": 20,
		}
		limited := 0 // one hook is heard sixty times a second
		for kind, n := range want {
			name, _, _ := strings.Cut(kind, " ")
			slower := f.answers[name+" 429"]
			if limited += slower; f.answers[kind]+slower != n {
				t.Errorf("%s: %d and %d that came too often, want %d of %v", kind, f.answers[kind], slower, n, f.answers)
			}
		}
		again := min(1, f.answers["repeated 200"])
		if n := h.number("SELECT count(*) FROM vcs_inbox WHERE delivery_id LIKE 'flood %' AND hook_id = '" + path.Base(h.hook.URL) + "'"); n != f.answers["new 200"]+again {
			t.Errorf("%d deliveries are written down, of %d new ones and %d that repeat", n, f.answers["new 200"], again)
		}
		if n := len(h.runs("network")); n != 1 {
			t.Errorf("the flood made %d runs of a commit that had one", n-1)
		}
		t.Logf("%d of %d came too often", limited, floodOf)
	})
}

// unread is a body that nobody may ask for.
type unread struct{ t *testing.T }

func (u unread) Read([]byte) (int, error) {
	u.t.Error("the body of a delivery that is too large is read")
	return 0, io.EOF
}
