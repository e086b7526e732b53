package e2e_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// cutBeat is how long a connection through the proxy of these tests lives at most. Proxies
// that people have cut after thirty seconds or a minute: with three, a run that takes some
// seconds is cut as often as one of minutes is there.
const cutBeat = 3 * time.Second

// cutting is a proxy of connections that cuts all of them at every beat, wherever they are.
type cutting struct {
	listener net.Listener
	to       string
	mu       sync.Mutex
	open     map[net.Conn]bool
	cuts     int
}

// cut puts such a proxy before the server, and gives the address that is to be asked.
func (s *server) cut(t *testing.T) (*cutting, string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	scheme, to, _ := strings.Cut(s.URL, "://")
	p := &cutting{listener: listener, to: to, open: map[net.Conn]bool{}}
	over := make(chan struct{})
	t.Cleanup(func() { close(over); _ = listener.Close(); p.beat() })
	go p.accept()
	go func() {
		for {
			select {
			case <-over:
				return
			case <-time.After(cutBeat):
				p.beat()
			}
		}
	}()
	return p, scheme + "://" + listener.Addr().String()
}

func (p *cutting) accept() {
	for {
		in, err := p.listener.Accept()
		if err != nil {
			return
		}
		out, err := net.Dial("tcp", p.to)
		if err != nil {
			_ = in.Close()
			continue
		}
		p.mu.Lock()
		p.open[in], p.open[out] = true, true
		p.mu.Unlock()
		go p.carry(in, out)
		go p.carry(out, in)
	}
}

func (p *cutting) carry(from, to net.Conn) {
	_, _ = io.Copy(to, from)
	p.mu.Lock()
	delete(p.open, from)
	delete(p.open, to)
	p.mu.Unlock()
	_, _ = from.Close(), to.Close()
}

// beat resets every connection: what is on its way is lost, in both directions.
func (p *cutting) beat() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.open {
		if tcp, is := c.(*net.TCPConn); is {
			_ = tcp.SetLinger(0)
		}
		_ = c.Close()
		p.cuts++
	}
}

func (p *cutting) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cuts
}

// cutLines is how many lines a plan and an apply say of which none may be missing, doubled or
// in another place.
const cutLines = 3000

// saying is a program of the shell that says the lines over some seconds, in pieces.
func saying(word string) string {
	return fmt.Sprintf("i=0; while [ $i -lt %d ]; do i=$((i+1)); echo %s $i of it; [ $((i%%50)) -ne 0 ] || sleep 0.1; done", cutLines, word)
}

// heardWhole demands all the lines of a word in their order, each once.
func heardWhole(t *testing.T, log, word string) {
	t.Helper()
	n := 0
	for line := range strings.Lines(log) {
		_, said, is := strings.Cut(line, word+" ")
		if !is || !strings.HasSuffix(said, " of it\n") {
			continue
		}
		if n++; said != fmt.Sprintf("%d of it\n", n) {
			t.Fatalf("line %d of %q is %q", n, word, line)
		}
	}
	if n != cutLines {
		t.Errorf("%d lines of %q, want %d: %s", n, word, cutLines, lastLines(log, 10))
	}
	if !strings.HasPrefix(log, "\x02") || !strings.HasSuffix(log, "\x03") {
		t.Errorf("the log of %q has no beginning or no end: %s", word, lastLines(log, 3))
	}
}

// wholeLog is a log to its end, as clients read it.
func (s *server) wholeLog(kind, id string) (log string) {
	s.t.Helper()
	s.awaits(func() bool {
		at := s.do("GET", "/"+kind+"/"+id, s.Token, "").want(s.t, 200).text("data.attributes.log-read-url")
		request, err := http.NewRequest(http.MethodGet, at+"?limit=10485760&offset=0", nil)
		must(s.t, err)
		log = s.send(request).want(s.t, 200).Body
		return strings.HasSuffix(log, "\x03")
	}, "the log of "+kind+" ends")
	return log
}

// stateNumbers are the serials of the states of a workspace, the newest first.
func (s *server) stateNumbers(workspace string) (serials []int64) {
	s.t.Helper()
	var list struct {
		Data []struct{ Attributes struct{ Serial int64 } }
	}
	raw := s.do("GET", "/state-versions?filter[organization][name]=acme&filter[workspace][name]="+workspace, s.Token, "").want(s.t, 200).Body
	must(s.t, json.Unmarshal([]byte(raw), &list))
	for _, v := range list.Data {
		serials = append(serials, v.Attributes.Serial)
	}
	return serials
}

// TestRunnerBehindAProxyThatCuts has a runner whose connections are all cut every three seconds,
// in a plan and in its apply: the log is whole, the state is there once, and the run has ended
// as its engine did.
func TestRunnerBehindAProxyThatCuts(t *testing.T) {
	eachCLI(t, func(t *testing.T, s *server, c *tofu) {
		folder, hooks := t.TempDir(), t.TempDir()
		must(t, os.WriteFile(filepath.Join(hooks, "post-plan"), []byte("#!/bin/sh\n"+saying("plan")+"\n"), 0o700))
		proxy, through := s.cut(t)
		s.pooled("network", func(token string) {
			s.agentIn(t, folder, token, s.engines, "--hooks-dir", hooks, "--address", through)
		})
		c.write(cloud(`name = "network"`) + fmt.Sprintf(`
resource "terraform_data" "large" {
  input = join("", [for i in range(1000) : format("%%0400d", i)])
}
resource "terraform_data" "slow" {
  provisioner "local-exec" { command = %q }
}
`, saying("apply")))
		c.run("init", "-input=false")
		before := proxy.count()
		c.says(c.run("apply", "-input=false", "-auto-approve"), "Apply complete! Resources: 2 added")
		if cuts := proxy.count() - before; cuts < 8 {
			t.Errorf("only %d connections were cut", cuts)
		}
		s.lastRun("network", "applied")
		s.unlocked("network")
		run := s.do("GET", "/runs/"+s.do("GET", "/organizations/acme/workspaces/network", s.Token, "").text("data.relationships.current-run.data.id"), s.Token, "")
		heardWhole(t, s.wholeLog("plans", run.text("data.relationships.plan.data.id")), "plan")
		applied := s.wholeLog("applies", run.text("data.relationships.apply.data.id"))
		heardWhole(t, applied, "apply")
		once(t, applied, "Apply complete! Resources: 2 added")
		states := s.stateNumbers("network")
		for i := 1; i < len(states); i++ {
			if states[i] >= states[i-1] {
				t.Errorf("the states have the serials %v", states)
			}
		}
		if len(states) != 1 { // the engine writes none before its end, and snapshots are minutes away
			t.Errorf("%d states are stored: %v", len(states), states)
		}
		if n := s.runs("network"); len(n) != 1 {
			t.Errorf("there are the runs %v", n)
		}
		c.says(c.run("state", "list"), "terraform_data.large", "terraform_data.slow")
	}, "--runner-slots", "0", "--snapshot-interval", "10m")
}
