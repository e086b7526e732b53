package e2e_test

import (
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// A lease is thirty seconds, and nothing makes it shorter: these tests wait for its end, all
// at once.

// suspend stops a program as Ctrl-Z does, or a machine that sleeps; the function that it gives
// wakes it. What a runner began is a session of its own, and goes on.
func suspend(t testing.TB, command *exec.Cmd) (wake func()) {
	t.Helper()
	must(t, command.Process.Signal(syscall.SIGSTOP))
	wake = func() { _ = command.Process.Signal(syscall.SIGCONT) }
	t.Cleanup(wake)
	return wake
}

// told waits until a runner says something in its own log.
func (s *server) told(t *testing.T, words string) {
	t.Helper()
	s.awaits(func() bool { return strings.Contains(s.logs.String(), words) }, words)
}

// current is the newest run of a workspace as the API shows it.
func (s *server) current(workspace string) reply {
	s.t.Helper()
	w := s.do("GET", "/organizations/acme/workspaces/"+workspace, s.Token, "").want(s.t, 200)
	return s.do("GET", "/runs/"+w.text("data.relationships.current-run.data.id"), s.Token, "").want(s.t, 200)
}

// events are what the history of the newest run of a workspace names.
func (s *server) events(workspace string) string {
	s.t.Helper()
	return s.do("GET", "/runs/"+s.current(workspace).text("data.id")+"/run-events", s.Token, "").want(s.t, 200).Body
}

// TestRunnerSuspendedInAPlan has a runner sleep through the end of its lease: the plan is
// given to another one and applied by it once, and the one that wakes up is told.
func TestRunnerSuspendedInAPlan(t *testing.T) {
	eachCLI(t, func(t *testing.T, s *server, c *tofu) {
		planned, applied := newGate(t), newGate(t)
		hooks := waitingHooks(t, planned)
		var first *exec.Cmd
		token := s.pooled("network", func(token string) {
			first = s.agentIn(t, t.TempDir(), token, s.engines, "--hooks-dir", hooks)
		})
		c.write(cloud(`name = "network"`) + slowResources(applied))
		c.run("init", "-input=false")
		command, said := c.began("the hook began", "apply", "-input=false", "-auto-approve")
		wake := suspend(t, first)
		planned.open()
		s.agentIn(t, t.TempDir(), token, s.engines, "--hooks-dir", hooks, "--name", "build-2")
		s.awaits(func() bool { return strings.Contains(said.String(), "it began\n") }, "the apply of the other plan")
		wake() // while the other one applies
		s.told(t, "the job is not this runner's any more")
		applied.open()
		if err := command.Wait(); err != nil {
			t.Errorf("%v: %s", err, said)
		}
		once(t, said.String(), "beginning again")
		once(t, s.applyLog("network"), "it began\n", "it ended\n", "Apply complete! Resources: 3 added")
		s.lastRun("network", "applied")
		s.unlocked("network")
		if states := s.stateNumbers("network"); len(states) != 1 {
			t.Errorf("the states have the serials %v", states)
		}
		c.says(c.run("apply", "-input=false", "-auto-approve"), "No changes") // both runners are of use
	}, "--runner-slots", "0", "--snapshot-interval", "10m")
}

// TestRunnerSuspendedInAnApply has a runner sleep through the end of its lease while its
// engine applies: nobody else is given the apply, the run says that it is silent, and goes on
// where it was when the runner is back.
func TestRunnerSuspendedInAnApply(t *testing.T) {
	eachCLI(t, func(t *testing.T, s *server, c *tofu) {
		command, said, wake := s.suspendedInApply(t, c)
		s.awaits(func() bool { return strings.Contains(s.events("network"), "has been silent since") }, "the run says that it is silent")
		if status := s.current("network").text("data.attributes.status"); status != "applying" {
			t.Errorf("it is %s while it is silent", status)
		}
		wake()
		s.awaits(func() bool { return s.runs("network")[0] == "applied" }, "the apply that was silent ends")
		if err := command.Wait(); err != nil {
			t.Errorf("%v: %s", err, said)
		}
		s.appliedOnce(t, c)
	}, "--runner-slots", "0", "--snapshot-interval", "10m")
}

// TestRunnerSuspendedUntilItsApplyIsLost has it sleep until the run was given up: the
// workspace stays locked, nobody applies again, and the state that comes home is the
// workspace's.
func TestRunnerSuspendedUntilItsApplyIsLost(t *testing.T) {
	eachCLI(t, func(t *testing.T, s *server, c *tofu) {
		command, _, wake := s.suspendedInApply(t, c)
		s.awaits(func() bool { return s.runs("network")[0] == "errored" }, "the apply is given up")
		if command.Wait() == nil {
			t.Error("the command line is told that all went well")
		}
		w := s.do("GET", "/organizations/acme/workspaces/network", s.Token, "")
		if w.at("data.attributes.locked") != true {
			t.Fatalf("it is not locked: %s", w.Body)
		}
		wake()
		s.awaits(func() bool { // whichever call tells the runner first that it was given up
			return s.do("GET", "/organizations/acme/workspaces/network", s.Token, "").at("data.attributes.locked") == false
		}, "its state comes home")
		s.lastRun("network", "errored")
		if n := strings.Count(s.applyLog("network"), "it began\n"); n != 1 {
			t.Errorf("it began %d times", n)
		}
		c.says(c.run("state", "list"), "terraform_data.last")
		c.says(c.run("apply", "-input=false", "-auto-approve"), "No changes")
	}, "--runner-slots", "0", "--snapshot-interval", "10m", "--apply-lost-after", "2s")
}

// suspendedInApply has a runner sleep in an apply, beside another one that is free.
func (s *server) suspendedInApply(t *testing.T, c *tofu) (command *exec.Cmd, said *logs, wake func()) {
	t.Helper()
	var first *exec.Cmd
	token := s.pooled("network", func(token string) { first = s.agentIn(t, t.TempDir(), token, s.engines) })
	g := newGate(t)
	c.write(cloud(`name = "network"`) + slowResources(g))
	c.run("init", "-input=false")
	command, said = c.began("it began\n", "apply", "-input=false", "-auto-approve")
	wake = suspend(t, first)
	g.open()
	s.agentIn(t, t.TempDir(), token, s.engines, "--name", "build-2")
	return command, said, wake
}

// appliedOnce demands that the one run of a workspace did its work once, and left nothing open.
func (s *server) appliedOnce(t *testing.T, c *tofu) {
	t.Helper()
	once(t, s.applyLog("network"), "it began\n", "it ended\n", "Apply complete! Resources: 3 added")
	s.unlocked("network")
	if states, runs := s.stateNumbers("network"), s.runs("network"); len(states) != 1 || len(runs) != 1 {
		t.Errorf("the states have the serials %v, the runs are %v", states, runs)
	}
	c.says(c.run("state", "list"), "terraform_data.last")
}
