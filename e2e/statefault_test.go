package e2e_test

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/go-tfe"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"github.com/belayhq/belay/internal/storetest"
)

// failed demands an answer that says a fault of the server in the words of the API.
func failed(t testing.TB, r reply) {
	t.Helper()
	var document struct {
		Errors []struct{ Status, Title string }
	}
	if r.Status < 500 || json.Unmarshal([]byte(r.Body), &document) != nil || len(document.Errors) != 1 || document.Errors[0].Title == "" {
		t.Errorf("status %d, want a 5xx with one error object: %s", r.Status, r.Body)
	}
}

// bring sends a state inside its document.
func (s *server) bring(workspaceID string, serial int64) (reply, error) {
	return s.try("POST", "/workspaces/"+workspaceID+"/state-versions", s.Token, stateBody(stateWith(serial, 1), serial, lineage, true))
}

// reads demands that the current state of a workspace can be downloaded whole.
func (s *server) reads(workspaceID string, serial int64) {
	s.t.Helper()
	v := s.do("GET", "/workspaces/"+workspaceID+"/current-state-version", s.Token, "").want(s.t, 200)
	raw, err := fetch(v.text("data.attributes.hosted-state-download-url"))
	if err != nil || md5Of(raw) != md5Of(stateWith(serial, 1)) {
		s.t.Errorf("current state: %d bytes, %v", len(raw), err)
	}
}

func TestStatesWhileTheirFolderIsGone(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		id := s.workspace("acme", "network")
		s.lock(id)
		first := s.give(id, stateWith(1, 1), 1)
		s.unlock(id)
		s.lock(id)
		announced, err := s.admin().StateVersions.Create(t.Context(), id, tfe.StateVersionCreateOptions{
			MD5: tfe.String(md5Of(stateWith(2, 1))), Serial: tfe.Int64(2), Lineage: tfe.String(lineage),
		})
		must(t, err)
		folder := filepath.Join(s.args[4], "blobs")
		must(t, os.Rename(folder, folder+".away"))
		r, err := s.bring(id, 2)
		must(t, err)
		failed(t, r)
		if status := put(t, announced.UploadURL, stateWith(2, 1)); status != http.StatusServiceUnavailable {
			t.Errorf("upload: %d", status)
		}
		if _, err := fetch(first.DownloadURL); err == nil || !strings.Contains(err.Error(), "503") {
			t.Errorf("download: %v", err)
		}
		s.do("GET", "/workspaces/"+id, s.Token, "").want(t, 200) // all else goes on
		must(t, os.Rename(folder+".away", folder))
		if status := put(t, announced.UploadURL, stateWith(2, 1)); status != http.StatusOK {
			t.Errorf("upload after the folder came back: %d", status)
		}
		s.unlock(id)
		s.reads(id, 2)
	})
}

// bucket is an S3 that a test makes fail or wait.
type bucket struct {
	full, broken atomic.Bool
	delay        atomic.Int64
}

// startWithBucket starts a server that keeps its states in a bucket.
func startWithBucket(t *testing.T, engine string) (*server, *bucket) {
	t.Helper()
	b := &bucket{}
	store := s3mem.New()
	must(t, store.CreateBucket("states"))
	s3 := gofakes3.New(store).Server()
	fake := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(time.Duration(b.delay.Load()))
		switch {
		case b.full.Load() && r.Method == http.MethodPut:
			w.WriteHeader(http.StatusInsufficientStorage)
		case b.broken.Load():
			w.WriteHeader(http.StatusForbidden)
		default:
			s3.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(fake.Close)
	return start(t, engine, "--blob-url", "s3://states?insecure=true&region=us-east-1&endpoint="+strings.TrimPrefix(fake.URL, "http://")), b
}

func TestStatesWhileTheirBucketFails(t *testing.T) {
	t.Parallel()
	for _, engine := range storetest.Outside(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s, b := startWithBucket(t, engine)
			s.organization("acme")
			id := s.workspace("acme", "network")
			s.lock(id)
			s.give(id, stateWith(1, 1), 1)
			s.unlock(id)
			s.reads(id, 1)
			s.lock(id)
			b.full.Store(true)
			r, err := s.bring(id, 2)
			must(t, err)
			failed(t, r)
			s.reads(id, 1)
			b.full.Store(false)
			b.broken.Store(true)
			v := s.do("GET", "/workspaces/"+id+"/current-state-version", s.Token, "").want(t, 200)
			if _, err := fetch(v.text("data.attributes.hosted-state-download-url")); err == nil || !strings.Contains(err.Error(), "50") {
				t.Errorf("download from a bucket that refuses: %v", err)
			}
			r, err = s.bring(id, 2)
			must(t, err)
			failed(t, r)
			b.broken.Store(false)
			b.delay.Store(int64(300 * time.Millisecond))
			if r, err = s.bring(id, 2); err != nil || r.Status != 201 {
				t.Errorf("slow bucket: %d %s, %v", r.Status, r.Body, err)
			}
			s.do("GET", "/workspaces/"+id, s.Token, "").want(t, 200)
			b.delay.Store(0)
			s.unlock(id)
			s.reads(id, 2)
		})
	}
}

// proxy stands between a server and its database, and can cut or freeze what passes.
type proxy struct {
	target string
	down   atomic.Bool
	mu     sync.Mutex
	open   map[net.Conn]bool
}

// newProxy gives a database URL that leads through a proxy.
func newProxy(t *testing.T, databaseURL string) (*proxy, string) {
	t.Helper()
	u, err := url.Parse(databaseURL)
	must(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	p := &proxy{target: u.Host, open: map[net.Conn]bool{}}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go p.pass(client)
		}
	}()
	u.Host = listener.Addr().String()
	return p, u.String()
}

func (p *proxy) pass(client net.Conn) {
	defer func() { _ = client.Close() }()
	if p.down.Load() {
		return
	}
	server, err := net.Dial("tcp", p.target)
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	p.keep(client, server)
	go func() { _, _ = io.Copy(server, client); _ = server.Close() }()
	_, _ = io.Copy(client, server)
}

func (p *proxy) keep(conns ...net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range conns {
		p.open[c] = true
	}
}

// cut ends every connection and lets no new one through.
func (p *proxy) cut() {
	p.down.Store(true)
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.open {
		_ = c.Close()
	}
	clear(p.open)
}

// TestStatesWhileTheDatabaseIsDown takes PostgreSQL away for at least ten seconds in the middle of
// uploads: clear errors, nothing lost, and no restart afterwards.
func TestStatesWhileTheDatabaseIsDown(t *testing.T) {
	slow(t)
	t.Parallel()
	p, through := newProxy(t, storetest.URL(t, "postgres"))
	s := start(t, "sqlite", "--database-url", through)
	s.organization("acme")
	id := s.workspace("acme", "network")
	s.lock(id)
	kept := map[string]int64{}
	serial, failures := int64(0), 0
	bring := func() (taken bool) {
		serial++
		r, err := s.bring(id, serial)
		must(t, err)
		if taken = r.Status == 201; taken {
			kept[r.text("data.id")] = serial
		} else {
			failures++
			failed(t, r)
		}
		return taken
	}
	waitFor(t, "some states", func() bool { return bring() && len(kept) > 3 })
	p.cut()
	for away := time.Now(); failures == 0 || time.Since(away) < 10*time.Second; time.Sleep(50 * time.Millisecond) {
		bring()
	}
	p.down.Store(false)
	waitFor(t, "a state after it came back", bring)
	for version, serial := range kept {
		v := s.do("GET", "/state-versions/"+version, s.Token, "").want(t, 200)
		raw, err := fetch(v.text("data.attributes.hosted-state-download-url"))
		if err != nil || md5Of(raw) != md5Of(stateWith(serial, 1)) {
			t.Errorf("serial %d: %d bytes, %v", serial, len(raw), err)
		}
	}
	s.unlock(id)
	t.Logf("%d states kept, %d requests failed while the database was away", len(kept), failures)
}
