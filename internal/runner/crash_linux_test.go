package runner

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/belayhq/belay/internal/engine"
	"github.com/belayhq/belay/internal/isolate"
	"github.com/belayhq/belay/run"
)

// runnerArgument makes the test binary a runner: an address, a work folder and a folder of
// engines follow.
const runnerArgument = "run-runner"

func runRunner(args []string) int {
	walls, err := isolate.Auto.Walls(isolate.Probe())
	if err != nil {
		return 1
	}
	err = Run(context.Background(), Config{
		Address: args[0], Token: "pool", Name: "test", Slots: 1, WorkDir: args[1], Walls: walls, Detached: true,
		Engines: engine.New(engine.Config{Dir: args[2]}), Read: []string{args[2]},
	})
	if err != nil {
		return 1
	}
	return 0
}

// crashing is a runner that is a process, so that it can be killed.
type crashing struct {
	*fakeServer
	address, work, engines string
	process                *exec.Cmd
}

func newCrashing(t *testing.T, engines string) *crashing {
	t.Helper()
	s := newFakeServer(t)
	served := httptest.NewServer(s)
	t.Cleanup(served.Close)
	c := &crashing{fakeServer: s, address: served.URL, work: t.TempDir(), engines: engines}
	c.start()
	t.Cleanup(c.kill)
	return c
}

func (c *crashing) start() {
	c.t.Helper()
	self, err := os.Executable()
	if err != nil {
		c.t.Fatal(err)
	}
	c.process = exec.Command(self, runnerArgument, c.address, c.work, c.engines)
	c.process.Stderr = c.t.Output()
	if err := c.process.Start(); err != nil {
		c.t.Fatal(err)
	}
}

// kill is kill -9 of the runner, and of nothing else.
func (c *crashing) kill() {
	_ = c.process.Process.Kill()
	_ = c.process.Wait()
}

// TestRunnerKilled kills the runner at every moment of a job: each time it starts again
// and the job ends as if nothing had been (rows 4, 5, 7, 10 and 15 of the table of crashes).
func TestRunnerKilled(t *testing.T) {
	t.Parallel()
	const script = `echo "begin $step"; while [ ! -e "../home/go-$step" ]; do sleep 0.05; done
		[ $step = apply ] && { ` + stateOf + ` 1 > "$state"; echo "applied once" ; }; echo "end $step"; true`
	for name, test := range map[string]struct {
		kind run.JobKind
		at   string // a call of the wire, in whose middle it is killed; or what the log says
	}{
		"apply, before its start":          {run.ApplyJob, "/start"},
		"apply, getting the plan":          {run.ApplyJob, "/files/plan"},
		"apply, before the gate":           {run.ApplyJob, "/step"},
		"apply, in the engine":             {run.ApplyJob, "begin apply"},
		"apply, bringing the state":        {run.ApplyJob, "/files/state"},
		"apply, before its end":            {run.ApplyJob, "/end"},
		"plan, in the engine":              {run.PlanJob, "begin plan"},
		"plan, when half of it is brought": {run.PlanJob, "/files/provider-schemas"},
		"plan, before its end":             {run.PlanJob, "/end"},
		"plan, before all of its end":      {run.PlanJob, "/finish"},
		"apply, before all of its end":     {run.ApplyJob, "/finish"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCrashing(t, fakeEngine(t))
			var once atomic.Bool
			reached, killed := make(chan struct{}), make(chan struct{})
			c.mu.Lock()
			c.fault = func(r *http.Request) int {
				at := strings.HasSuffix(r.URL.Path, test.at) || test.at == "/finish" && strings.HasSuffix(r.URL.Path, "/end") // on a slow machine all of the log was sent
				if at && once.CompareAndSwap(false, true) {
					close(reached)
					<-killed // the answer never comes
				}
				return 0
			}
			c.files[run.ConfigurationFile] = archive(t, map[string]string{"main.tf": script})
			c.files[run.PlanFile] = []byte("planned\n")
			c.mu.Unlock()
			c.give(test.kind, func(spec *run.JobSpec) {
				if test.at == "/finish" {
					spec.Limits.FinishBytes = finishBytes
				}
			})
			inTheEngine := !strings.HasPrefix(test.at, "/")
			if inTheEngine {
				go letGoOn(c, "init")
				c.hears(test.at)
			} else {
				go letGoOn(c, "init", "plan", "apply")
				<-reached
			}
			c.kill()
			close(killed)
			go letGoOn(c, "init", "plan", "apply")
			c.start()
			end := c.ended()
			if end.Outcome != run.Succeeded || test.kind == run.ApplyJob && !end.StateHome {
				t.Errorf("it ended as %+v: %s", end, c.said())
			}
			said := c.said()
			for _, line := range []string{"begin " + string(test.kind) + "\n", "end " + string(test.kind) + "\n", "OpenTofu v1.12.6\n"} {
				if strings.Count(said, line) != 1 {
					t.Errorf("%q is in the log %d times: %q", line, strings.Count(said, line), said)
				}
			}
			if n := strings.Count(said, "applied once"); test.kind == run.ApplyJob && n != 1 {
				t.Errorf("it was applied %d times", n)
			}
			if int64(len(said)) != end.LogSize {
				t.Errorf("the log has %d bytes, and the end says %d", len(said), end.LogSize)
			}
			empty(t, filepath.Join(c.work, jobsFolder))
			empty(t, filepath.Join(c.work, homesFolder))
		})
	}
}

// letGoOn lets steps go on until the test ends, also in a home that is made again.
func letGoOn(c *crashing, steps ...string) {
	for c.t.Context().Err() == nil {
		for _, step := range steps {
			_ = os.WriteFile(filepath.Join(c.work, homesFolder, "run-1", homeFolder, "go-"+step), nil, 0o600)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// TestServerAway: a server that does not answer for a while costs nothing (row 13). It is away for a
// second or two, and for a quarter of a minute where slow tests are asked for: the runner asks ever less often.
func TestServerAway(t *testing.T) {
	s, work, _ := world(t, `[ $step = apply ] && { echo began; while [ ! -e ../home/go ]; do sleep 0.05; done
		`+stateOf+` 1 > "$state"; echo ended; }; true`)
	s.files[run.PlanFile] = []byte("planned\n")
	s.give(run.ApplyJob, nil)
	s.hears("began")
	refusals := int32(16)
	if os.Getenv("BELAY_SLOW") != "" {
		refusals = 40
	}
	var away atomic.Int32
	s.mu.Lock()
	s.fault = func(*http.Request) int {
		if away.Add(1) < refusals {
			return http.StatusBadGateway
		}
		return 0
	}
	s.mu.Unlock()
	letGo(t, work)
	if end := s.ended(); end.Outcome != run.Succeeded || !end.StateHome || !strings.HasSuffix(s.said(), "began\nended\n") {
		t.Errorf("it ended as %+v: %s", end, s.said())
	}
}

// TestEngineKilled: what an engine made that was killed is told, and its state is brought
// (row 11).
func TestEngineKilled(t *testing.T) {
	s, _, _ := world(t, `[ $step = apply ] && { `+stateOf+` 1 '{"id":"one-id"}' > "$state"
		echo '{"type":"apply_complete","hook":{"action":"create","id_key":"id","id_value":"one-id","resource":{"addr":"a.one"}}}' >> "$events"
		echo '{"type":"apply_complete","hook":{"action":"create","id_key":"id","id_value":"two-id","resource":{"addr":"a.two"}}}' >> "$events"
		printf '{"type":"apply_com' >> "$events"
		sleep 300 & kill -9 $$; }; true`)
	s.files[run.PlanFile] = []byte("planned\n")
	s.give(run.ApplyJob, nil)
	end := s.ended()
	if end.Outcome != run.Failed || !end.StateHome || len(end.Orphans) != 1 || end.Orphans[0] != (run.Orphan{Address: "a.two", IDKey: "id", IDValue: "two-id"}) {
		t.Errorf("it ended as %+v", end)
	}
	for _, words := range []string{"ended by signal 9", "to = a.two", `id = "two-id"`} {
		if !strings.Contains(s.said(), words) {
			t.Errorf("%q is not in the log: %s", words, s.said())
		}
	}
}

// TestSilentApplyGoesOn: an apply that the server gave up is the runner's again as soon as
// it is heard, and nothing of it is put aside.
func TestSilentApplyGoesOn(t *testing.T) {
	s, work, _ := world(t, `[ $step = apply ] && { echo began; while [ ! -e ../home/go ]; do sleep 0.05; done
		`+stateOf+` 1 > "$state"; echo ended; }; true`)
	s.files[run.PlanFile] = []byte("planned\n")
	s.give(run.ApplyJob, nil)
	s.hears("began")
	s.mu.Lock()
	s.gone = true
	s.fault = func(r *http.Request) int {
		if strings.HasSuffix(r.URL.Path, "heartbeat") {
			s.mu.Lock()
			s.gone = false // the lease is renewed
			s.mu.Unlock()
		}
		return 0
	}
	s.mu.Unlock()
	s.awaits("the runner to be heard", func() bool { return !s.gone })
	letGo(t, work)
	if end := s.ended(); end.Outcome != run.Succeeded || !end.StateHome || !strings.HasSuffix(s.said(), "began\nended\n") || s.kept(run.RescuedFile) != nil {
		t.Errorf("it ended as %+v: %s", end, s.said())
	}
}
