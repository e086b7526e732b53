package runner

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/belayhq/belay/internal/engine"
	"github.com/belayhq/belay/internal/isolate"
	"github.com/belayhq/belay/run"
)

// TestMain lets the test binary be a runner.
func TestMain(m *testing.M) {
	if len(os.Args) == 5 && os.Args[1] == runnerArgument {
		os.Exit(runRunner(os.Args[2:]))
	}
	os.Exit(m.Run())
}

// fakeServer is the server's half of the wire, in memory and for one job at a time.
type fakeServer struct {
	t       *testing.T
	mu      sync.Mutex
	queue   []run.ClaimedJob
	specs   map[string]*run.JobSpec
	files   map[run.FileKind][]byte // what the job gets, and what it brought
	order   map[string]run.Order
	log     []byte
	ends    []run.End
	steps   []run.StepName
	gone    bool                    // the lease is over
	locked  bool                    // its run has the lock all the same
	deleted bool                    // the workspace is
	fault   func(*http.Request) int // a status to answer instead; 0: none
	brought []run.FileKind
	checked []run.Check // at the gate
}

func newFakeServer(t *testing.T) *fakeServer {
	return &fakeServer{t: t, specs: map[string]*run.JobSpec{}, files: map[run.FileKind][]byte{}, order: map[string]run.Order{}}
}

// faults lets calls be answered so from now on; the runner may be calling already.
func (s *fakeServer) faults(fault func(*http.Request) int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = fault
}

// give queues a job for a configuration.
func (s *fakeServer) give(kind run.JobKind, change func(*run.JobSpec)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := fmt.Sprintf("job-%d", len(s.specs)+1)
	spec := &run.JobSpec{
		ID: id, Kind: kind, Attempt: 1, RunID: "run-1", Organization: "acme", Project: "default",
		Workspace: run.JobWorkspace{ID: "ws-1", Name: "prod"}, Engine: run.JobEngine{Product: "tofu", Version: "1.12.6"},
		Plan: run.PlanOptions{Refresh: true}, Environment: map[string]string{"TFC_RUN_ID": "run-1"},
		Address: "http://belay.example.com", RunToken: "the-token-of-the-run", LogID: "log-" + id,
		Limits: run.JobLimits{TimeoutSeconds: 60, KillAfterSeconds: 1, SnapshotMillis: 50},
	}
	for kind, content := range s.files {
		sum := sha256.Sum256(content)
		spec.Files = append(spec.Files, run.JobFile{Kind: kind, Size: int64(len(content)), SHA256: hex.EncodeToString(sum[:])})
	}
	if change != nil {
		change(spec)
	}
	s.specs[id] = spec
	s.log, s.steps, s.brought = nil, nil, nil
	s.queue = append(s.queue, run.ClaimedJob{ID: id, Kind: kind, Attempt: spec.Attempt, RunID: spec.RunID, WorkspaceID: "ws-1", Lease: "the-lease-of-" + id})
}

func (s *fakeServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	fault := s.fault
	s.mu.Unlock()
	if fault != nil {
		if status := fault(r); status != 0 {
			w.WriteHeader(status)
			return
		}
	}
	path := strings.TrimPrefix(r.URL.Path, run.WirePath+"/")
	parts := strings.Split(path, "/")
	answer := func(v any) { _ = json.NewEncoder(w).Encode(v) }
	switch {
	case path == "register":
		answer(run.Registered{ID: "runner-1", Token: "runner", HeartbeatMillis: 1000, WaitSeconds: 1})
	case path == "claim":
		answer(run.Claimed{Jobs: s.claimed(r.Context())})
	case path == "heartbeat", path == "orders":
		answer(run.Orders{Jobs: s.orders()})
		time.Sleep(20 * time.Millisecond)
	case path == "exit":
		w.WriteHeader(http.StatusNoContent)
	case s.over(r):
		w.WriteHeader(http.StatusConflict)
	case parts[0] == "logs":
		s.takeLog(w, r)
	case parts[2] == "start":
		s.mu.Lock()
		defer s.mu.Unlock()
		answer(s.specs[parts[1]])
	case parts[2] == "about":
		answer(run.About{Message: "Open the gates", CreatedBy: "alice"})
	case parts[2] == "step":
		var step run.Step
		_ = json.NewDecoder(r.Body).Decode(&step)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.checked = append(s.checked, step.Checks...)
		s.steps = append(s.steps, step.Step)
		w.WriteHeader(http.StatusNoContent)
	case parts[2] == "files":
		s.file(w, r, run.FileKind(parts[3]))
	case parts[2] == "finish":
		var finish run.Finish
		_ = json.NewDecoder(r.Body).Decode(&finish)
		s.finished(&finish)
		answer(run.EndAnswer{})
	case parts[2] == "end":
		var end run.End
		_ = json.NewDecoder(r.Body).Decode(&end)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.ends = append(s.ends, end)
		answer(run.EndAnswer{})
	}
}

// finished takes an end with what came with it.
func (s *fakeServer) finished(f *run.Finish) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f.Log != nil {
		s.log = append(s.log[:f.Log.From:f.Log.From], f.Log.Data...)
	}
	for _, file := range f.Files {
		s.files[file.Kind] = file.Data
		s.brought = append(s.brought, file.Kind)
	}
	s.ends = append(s.ends, f.End)
}

// over says whether the call is about a lease that is over, and no rescue.
func (s *fakeServer) over(r *http.Request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	home := strings.HasSuffix(r.URL.Path, string(run.StateFile)) || s.locked && strings.HasSuffix(r.URL.Path, "/end")
	return s.gone && !home // both kinds of state end so
}

func (s *fakeServer) claimed(ctx context.Context) []run.ClaimedJob {
	for range 20 {
		s.mu.Lock()
		jobs := s.queue
		s.queue = nil
		s.mu.Unlock()
		if len(jobs) > 0 {
			return jobs
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(5 * time.Millisecond):
		}
	}
	return nil
}

func (s *fakeServer) orders() (all []run.JobOrder) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, order := range s.order {
		all = append(all, run.JobOrder{ID: id, Order: order, Deleted: s.deleted})
	}
	return all
}

func (s *fakeServer) takeLog(w http.ResponseWriter, r *http.Request) {
	piece, _ := io.ReadAll(r.Body)
	var from, to int
	_, _ = fmt.Sscanf(r.Header.Get("Content-Range"), "bytes %d-%d/*", &from, &to)
	s.mu.Lock()
	defer s.mu.Unlock()
	status := http.StatusAccepted
	if len(piece) == 0 {
		s.t.Error("a piece of the log is empty")
	}
	safe := len(s.log) // what came before is safe by now
	if from != len(s.log) || to != from+len(piece)-1 {
		status = http.StatusRequestedRangeNotSatisfiable
	} else {
		s.log = append(s.log, piece...)
	}
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(run.LogAnswer{Have: int64(len(s.log)), Safe: int64(safe), IntervalMillis: 10})
}

func (s *fakeServer) file(w http.ResponseWriter, r *http.Request, kind run.FileKind) {
	s.mu.Lock()
	content := s.files[kind]
	s.mu.Unlock()
	if r.Method == http.MethodGet {
		_, _ = w.Write(content)
		return
	}
	content, err := io.ReadAll(r.Body)
	if err != nil {
		return // the runner was killed
	}
	sum := sha256.Sum256(content)
	if hex.EncodeToString(sum[:]) != r.Header.Get(run.SHA256Header) {
		s.t.Errorf("the %s has another checksum", kind)
	}
	said := run.FileAnswer{Size: int64(len(content)), Kept: "current"}
	s.mu.Lock()
	if kind == run.StateFile && s.gone && !s.locked {
		kind, said.Kept = run.RescuedFile, keptRescued
	}
	s.files[kind] = content
	s.brought = append(s.brought, kind)
	s.mu.Unlock()
	w.WriteHeader(http.StatusCreated)
	_ = json.NewEncoder(w).Encode(said)
}

// ended waits for the next end of a job.
func (s *fakeServer) ended() run.End {
	s.t.Helper()
	for range 30_000 {
		s.mu.Lock()
		if len(s.ends) > 0 {
			end := s.ends[0]
			s.ends = s.ends[1:]
			s.mu.Unlock()
			return end
		}
		s.mu.Unlock()
		time.Sleep(10 * time.Millisecond)
	}
	s.t.Fatalf("no job ended; the log is %q", s.said())
	return run.End{}
}

// kept is a file as it is now at the server; nil: there is none.
func (s *fakeServer) kept(kind run.FileKind) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.files[kind]
}

// came is what was brought, in that order.
func (s *fakeServer) came() []run.FileKind {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.brought)
}

// gate is which checks it was asked to pass with.
func (s *fakeServer) gate() []run.Check {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.checked)
}

func (s *fakeServer) said() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.log)
}

// hears waits for words in the log.
func (s *fakeServer) hears(words string) {
	s.t.Helper()
	for range 30_000 {
		if strings.Contains(s.said(), words) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	s.t.Fatalf("the log never said %q: %q", words, s.said())
}

// awaits waits until something holds.
func (s *fakeServer) awaits(what string, holds func() bool) {
	s.t.Helper()
	for range 30_000 {
		s.mu.Lock()
		ok := holds()
		s.mu.Unlock()
		if ok {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	s.t.Fatalf("%s never came; the log is %q", what, s.said())
}

// archive is a configuration.
func archive(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var raw bytes.Buffer
	zipped := gzip.NewWriter(&raw)
	packed := tar.NewWriter(zipped)
	for name, content := range files {
		if err := packed.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeReg, Size: int64(len(content)), Mode: 0o644}); err != nil {
			t.Fatal(err)
		}
		_, _ = packed.Write([]byte(content))
	}
	if err := packed.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	return raw.Bytes()
}

// fakeEngine is a folder of engines with one that a script plays: main.tf is the script.
func fakeEngine(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	place := filepath.Join(folder, "tofu", "1.12.6")
	if err := os.MkdirAll(place, 0o700); err != nil {
		t.Fatal(err)
	}
	script := `#!/bin/sh
case "$1 $2" in
"version -json") echo '{"terraform_version":"1.12.6","platform":"linux_` + arch() + `"}'; exit 0 ;;
"providers schema") echo '{"format_version":"1.0"}'; exit 0 ;;
"show -json") echo '{"format_version":"1.2"}'; exit 0 ;;
esac
step=$1
for a in "$@"; do case $a in -out=*) out=${a#-out=} ;; -var-file=*) vars=${a#-var-file=} ;; -json-into=*) events=${a#-json-into=} ;; esac; done
[ "$step" = plan ] && echo planned > "$out"
state=$(sed -n 's/.*"path":"\([^"]*\)".*/\1/p' *belay_override.tf.json)
. ./main.tf
exit 0
`
	if err := os.WriteFile(filepath.Join(place, "tofu"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return folder
}

func arch() string { return strings.TrimPrefix(platform(), "linux_") }

// starts starts a runner of this server. The function that it gives ends it, as a crash
// of the runner would: its steps go on.
func (s *fakeServer) starts(workDir, engines string, change func(*Config)) (stop func()) {
	s.t.Helper()
	walls, err := isolate.Auto.Walls(isolate.Probe())
	if err != nil {
		s.t.Fatal(err)
	}
	c := Config{
		Address: "http://belay.internal", Transport: InMemory(s), Token: "pool", Name: "test", Slots: 2, WorkDir: workDir,
		Engines: engine.New(engine.Config{Dir: engines}), Walls: walls, Read: []string{engines}, Detached: true,
		Log: slog.New(slog.NewTextHandler(s.t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})),
	}
	if change != nil {
		change(&c)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := Run(ctx, c); err != nil && ctx.Err() == nil {
			s.t.Errorf("the runner ended: %v", err)
		}
	}()
	stop = func() {
		cancel()
		<-done
	}
	s.t.Cleanup(stop)
	return stop
}
