package e2e_test

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/belayhq/belay/internal/storetest"
)

// pausing is where applies ask whether they may go on.
type pausing struct {
	net.Listener
	inside chan net.Conn
}

func newPausing(t *testing.T) *pausing {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	p := &pausing{listener, make(chan net.Conn, 8)}
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			p.inside <- c
		}
	}()
	return p
}

// configuration makes something anew in every run, and asks in the middle of it.
func (p *pausing) configuration() string {
	_, port, _ := net.SplitHostPort(p.Addr().String())
	return `
variable "TFC_RUN_ID" { type = string }
resource "terraform_data" "made" {
  triggers_replace = var.TFC_RUN_ID
  provisioner "local-exec" {
    interpreter = ["/bin/bash", "-ec"]
    command     = "exec 3<>/dev/tcp/127.0.0.1/` + port + `; echo inside >&3; read -u 3; echo it was made"
  }
}
output "run" { value = terraform_data.made.triggers_replace }
`
}

// meanwhile waits until an apply is in its middle, does something, and lets it go on.
func (p *pausing) meanwhile(t *testing.T, do func()) {
	t.Helper()
	select {
	case c := <-p.inside:
		_, err := bufio.NewReader(c).ReadString('\n')
		must(t, err)
		do()
		_, err = io.WriteString(c, "go on\n")
		must(t, err)
		must(t, c.Close())
	case <-time.After(patience):
		t.Fatal("no apply began")
	}
}

// TestAWholeRunInARealObjectStore has runs carried out whose every file lies in a real S3
// server: as it is, killed in the middle of an apply, and slow. Each run ends as it would have,
// and all that they left can be read.
func TestAWholeRunInARealObjectStore(t *testing.T) {
	slow(t)
	binary := tool(t, "BELAY_TOFU")
	t.Parallel()
	for _, engine := range storetest.Outside(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			g := newGateway(t, t.TempDir())
			s := start(t, engine, "--tls-self-signed", "--runner-slots", "2", "--engine-dir", engineDir(t, "tofu", binary), "--blob-url", g.url(""))
			s.trust()
			s.organization("acme")
			p := newPausing(t)
			c := s.tofu(t, s.Token, "")
			// Much of everything, for what is short has no object.
			c.write(cloud(`name = "network"`) + p.configuration() + "output \"much\" {\n  value = [for i in range(1000) : base64sha512(tostring(i))]\n}\n")
			c.run("init", "-input=false")
			applied := make(chan error, 1)
			go func() {
				_, err := c.try("apply", "-input=false", "-auto-approve")
				applied <- err
			}()
			p.meanwhile(t, func() {})
			must(t, <-applied)
			s.lastRun("network", "applied")
			g.holds(t, filepath.Join(s.args[4], "blobs"))

			second := s.runAgain("network")
			before := s.failedPuts()
			p.meanwhile(t, g.kill)
			s.awaits(func() bool { return s.failedPuts() > before }, "the store was asked while it was away")
			g.run()
			s.becomes(second, "applied")

			done := g.limps()
			third := s.runAgain("network")
			p.meanwhile(t, func() {})
			s.becomes(third, "applied")
			done()

			s.kill()
			s.run()
			for _, id := range []string{second, third} {
				s.leftAll(t, id)
			}
			workspace := s.do("GET", "/organizations/acme/workspaces/network", s.Token, "").want(t, 200).text("data.id")
			current := s.do("GET", "/workspaces/"+workspace+"/current-state-version", s.Token, "").want(t, 200)
			if state := s.fetched(t, current.text("data.attributes.hosted-state-download-url"), ""); !strings.Contains(state, third) {
				t.Errorf("the state is not the last run's: %s", state)
			}
			if out, errOut, status := belay(t, s.env, "verify", "--data-dir", s.args[4], "--blob-url", g.url("")); status != 0 || !strings.Contains(out, " 0 faults") {
				t.Errorf("verify: %d %s %s", status, out, errOut)
			}
		})
	}
}

// holds demands objects of every kind of the run in the bucket, and none anywhere else.
func (g *gateway) holds(t *testing.T, elsewhere string) {
	t.Helper()
	for _, kind := range []string{"states", "configurations", "runs"} {
		waitFor(t, kind+" in the bucket", func() bool { return files(filepath.Join(g.folder, "buckets", "states", kind)) > 0 })
	}
	if n := files(elsewhere); n > 0 {
		t.Errorf("%d files lie in %s", n, elsewhere)
	}
}

// files is how many there are below a folder.
func files(folder string) (n int) {
	_ = filepath.WalkDir(folder, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			n++
		}
		return nil
	})
	return n
}

// limps has the store stand still half of the time until it is told to stop that.
func (g *gateway) limps() (stop func()) {
	ending, ended := make(chan struct{}), make(chan struct{})
	process := g.command.Process
	go func() {
		defer close(ended)
		for {
			_ = process.Signal(syscall.SIGSTOP)
			time.Sleep(200 * time.Millisecond)
			_ = process.Signal(syscall.SIGCONT)
			select {
			case <-ending:
				return
			case <-time.After(200 * time.Millisecond):
			}
		}
	}()
	return sync.OnceFunc(func() { close(ending); <-ended })
}

// runAgain makes a run of the newest configuration, which applies at once, and gives its id.
func (s *server) runAgain(workspace string) string {
	s.t.Helper()
	id := s.do("GET", "/organizations/acme/workspaces/"+workspace, s.Token, "").want(s.t, 200).text("data.id")
	return s.do("POST", "/runs", s.Token, runOf(id, `"auto-apply":true`)).want(s.t, 201).text("data.id")
}

// becomes waits for the status of a run.
func (s *server) becomes(run, status string) {
	s.t.Helper()
	s.awaits(func() bool {
		got := s.do("GET", "/runs/"+run, s.Token, "").text("data.attributes.status")
		if got == "errored" && status != "errored" {
			s.t.Fatalf("the run %s errored", run)
		}
		return got == status
	}, run+" is "+status)
}

// failedPuts is how often the store of objects refused one.
func (s *server) failedPuts() int {
	answer, err := s.http.Get(s.URL + "/metrics")
	if err != nil {
		return 0
	}
	defer func() { _ = answer.Body.Close() }()
	lines := bufio.NewScanner(answer.Body)
	for lines.Scan() {
		var n int
		if _, err := fmt.Sscanf(lines.Text(), `belay_object_store_duration_seconds_count{operation="put",outcome="failed"} %d`, &n); err == nil {
			return n
		}
	}
	return 0
}

// leftAll demands that the logs, the plan and the configuration of a run can be read.
func (s *server) leftAll(t *testing.T, run string) {
	t.Helper()
	got := s.do("GET", "/runs/"+run, s.Token, "").want(t, 200)
	plan, apply := got.text("data.relationships.plan.data.id"), got.text("data.relationships.apply.data.id")
	for path, word := range map[string]string{"/plans/" + plan: "to add", "/applies/" + apply: "it was made"} {
		at := s.do("GET", path, s.Token, "").want(t, 200).text("data.attributes.log-read-url")
		if said := s.fetched(t, at, ""); !strings.Contains(said, word) {
			t.Errorf("the log of %s is %q", path, said)
		}
	}
	if said := s.fetched(t, s.URL+"/api/v2/plans/"+plan+"/json-output", s.Token); !strings.Contains(said, "terraform_data.made") {
		t.Errorf("the plan is %q", said)
	}
	configuration := got.text("data.relationships.configuration-version.data.id")
	if said := s.fetched(t, s.URL+"/api/v2/configuration-versions/"+configuration+"/download", s.Token); len(said) < 100 {
		t.Errorf("the configuration is %q", said)
	}
}

// fetched is what lies at an address.
func (s *server) fetched(t *testing.T, address, token string) string {
	t.Helper()
	request, err := http.NewRequest(http.MethodGet, address, nil)
	must(t, err)
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := s.http.Do(request)
	must(t, err)
	defer func() { _ = answer.Body.Close() }()
	raw, err := io.ReadAll(answer.Body)
	must(t, err)
	if answer.StatusCode != http.StatusOK {
		t.Errorf("GET %s: %d %s", address, answer.StatusCode, raw)
	}
	return string(raw)
}
