package e2e_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// agent starts a runner of a pool beside the server, and ends it with the test.
func (s *server) agent(t *testing.T, token, engines string) *exec.Cmd {
	t.Helper()
	return s.agentIn(t, t.TempDir(), token, engines)
}

// agentIn starts a runner whose work is in a folder: after a kill it goes on with what is
// there.
func (s *server) agentIn(t *testing.T, folder, token, engines string, args ...string) *exec.Cmd {
	t.Helper()
	must(t, os.WriteFile(filepath.Join(folder, "token"), []byte(token+"\n"), 0o600))
	command := exec.Command(binary, append([]string{
		"runner", "--address", s.URL, "--token-file", filepath.Join(folder, "token"), "--name", "build-1",
		"--slots", "1", "--work-dir", filepath.Join(folder, "work"), "--engine-dir", engines, "--allow-engine-download=false",
	}, args...)...)
	command.Env = append(os.Environ(), "SSL_CERT_FILE="+filepath.Join(s.args[4], "tls", "ca.pem"))
	command.Stdout, command.Stderr = s.logs, s.logs
	must(t, command.Start())
	t.Cleanup(func() {
		if command.ProcessState == nil {
			_ = command.Process.Signal(syscall.SIGTERM)
			if err := command.Wait(); err != nil {
				t.Errorf("the runner did not stop cleanly: %v", err)
			}
		}
	})
	return command
}

// pooled makes a workspace of a pool of its own, once a runner of the pool is there: then it
// has the engine that the runner has. It gives the token of the pool.
func (s *server) pooled(workspace string, begin func(token string)) (token string) {
	s.t.Helper()
	pool := s.do("POST", "/organizations/acme/agent-pools", s.Token, `{"data":{"type":"agent-pools","attributes":{"name":"west"}}}`).want(s.t, 201).text("data.id")
	token = s.do("POST", "/agent-pools/"+pool+"/authentication-tokens", s.Token, `{"data":{"type":"authentication-tokens","attributes":{"description":"build-1"}}}`).want(s.t, 201).text("data.attributes.token")
	begin(token)
	s.eventually(func() bool { return strings.Contains(s.logs.String(), "the runner takes jobs") }, "the agent is there")
	s.do("POST", "/organizations/acme/workspaces", s.Token, `{"data":{"type":"workspaces","attributes":{"name":"`+workspace+`","execution-mode":"agent","agent-pool-id":"`+pool+`"}}}`).want(s.t, 201)
	return token
}

// TestRunsOfAnAgentPool carries runs out beside a server that carries none out itself.
func TestRunsOfAnAgentPool(t *testing.T) {
	eachCLI(t, func(t *testing.T, s *server, c *tofu) {
		s.pooled("network", func(token string) {
			s.agentIn(t, t.TempDir(), token, s.engines, "--labels", "region=eu-central-1,rack=7")
		})
		pool := s.do("GET", "/organizations/acme/agent-pools", s.Token, "").want(t, 200).text("data.0.id")
		if list := s.do("GET", "/agent-pools/"+pool+"/agents", s.Token, "").want(t, 200); fmt.Sprint(list.at("data.0.attributes.labels")) != "[region=eu-central-1 rack=7]" {
			t.Errorf("the agent is shown as %s", list.Body)
		}
		c.write(cloud(`name = "network"`) + varied)
		c.run("init", "-input=false")
		c.says(c.run("apply", "-input=false", "-auto-approve"), "2 added")
		s.lastRun("network", "applied")
		s.unlocked("network")
		c.says(c.run("destroy", "-input=false", "-auto-approve"), "2 destroyed")
	}, "--runner-slots", "0")
}
