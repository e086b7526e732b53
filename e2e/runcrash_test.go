package e2e_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The crash points of runs that processes can be brought to, with the real engines. Which
// test has which is told in internal/sim/doc.go.

// processes are the programs of the machine that name a word in their command line, and
// all that these began.
func processes(t testing.TB, word string) (pids []int, lines map[int]string) {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	must(t, err)
	parents := map[int]int{}
	lines = map[int]string{}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		raw, err := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
		stat, statErr := os.ReadFile(filepath.Join("/proc", e.Name(), "stat"))
		if err != nil || statErr != nil {
			continue // it has ended
		}
		after := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		parents[pid], _ = strconv.Atoi(after[1])
		lines[pid] = strings.ReplaceAll(string(raw), "\x00", " ")
	}
	for pid := range lines {
		for at := pid; at > 1; at = parents[at] {
			if strings.Contains(lines[at], word) {
				pids = append(pids, pid)
				break
			}
		}
	}
	slices.Sort(pids)
	return pids, lines
}

// gone ends everything of a machine whose runner works in a folder, as a power cut would.
func gone(t testing.TB, folder string) {
	t.Helper()
	pids, _ := processes(t, folder)
	for _, pid := range pids {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// awaits waits longer than anything else here: until leases have ended.
func (s *server) awaits(holds func() bool, what string) {
	s.t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		if holds() {
			return
		}
	}
	s.t.Fatalf("it never came to be: %s\n%s", what, lastLines(s.logs.String(), 40))
}

// waitingHooks is a folder of hooks that end after a plan when a gate is open.
func waitingHooks(t *testing.T, g *gate) string {
	t.Helper()
	folder := t.TempDir()
	must(t, os.WriteFile(filepath.Join(folder, "post-plan"), []byte("#!/bin/bash\necho the hook began; "+g.wait()+"; echo the hook ended\n"), 0o700))
	return folder
}

// once demands that words are in a log once each.
func once(t testing.TB, log string, words ...string) {
	t.Helper()
	for _, word := range words {
		if n := strings.Count(log, word); n != 1 {
			t.Errorf("%q is in the log %d times:\n%s", word, n, log)
		}
	}
}

// TestRunnerKilledInARun kills the program of a runner in a plan and again in its apply:
// what it had begun goes on, and its next life takes it up.
func TestRunnerKilledInARun(t *testing.T) {
	eachCLI(t, func(t *testing.T, s *server, c *tofu) {
		planned, applied := newGate(t), newGate(t)
		folder, hooks := t.TempDir(), waitingHooks(t, planned)
		var agent *exec.Cmd
		token := s.pooled("network", func(token string) { agent = s.agentIn(t, folder, token, s.engines, "--hooks-dir", hooks) })
		c.write(cloud(`name = "network"`) + slowResources(applied))
		c.run("init", "-input=false")
		command, said := c.began("the hook began", "apply", "-input=false", "-auto-approve")
		for _, step := range []struct {
			holds *gate
			next  string
		}{{planned, "it began\n"}, {applied, ""}} {
			must(t, agent.Process.Kill())
			_ = agent.Wait()
			agent = s.agentIn(t, folder, token, s.engines, "--hooks-dir", hooks)
			step.holds.open()
			s.awaits(func() bool { return strings.Contains(said.String(), step.next) }, step.next)
		}
		if err := command.Wait(); err != nil {
			t.Errorf("%v: %s", err, said)
		}
		once(t, said.String(), "the hook began", "the hook ended")
		once(t, s.applyLog("network"), "it began\n", "it ended\n", "Apply complete! Resources: 3 added")
		s.lastRun("network", "applied")
		s.unlocked("network")
		c.says(c.run("state", "list"), "terraform_data.last")
	}, "--runner-slots", "0")
}

// TestMachineGoneInARun takes the machine of a plan away: another one plans anew. Then it
// takes the machine of the apply away: nobody applies again, and the workspace stays locked
// until a person has looked.
func TestMachineGoneInARun(t *testing.T) {
	eachCLI(t, func(t *testing.T, s *server, c *tofu) {
		planned, applied := newGate(t), newGate(t)
		first, second, hooks := t.TempDir(), t.TempDir(), waitingHooks(t, planned)
		var lost *exec.Cmd
		token := s.pooled("network", func(token string) { lost = s.agentIn(t, first, token, s.engines, "--hooks-dir", hooks) })
		c.write(cloud(`name = "network"`) + slowResources(applied))
		c.run("init", "-input=false")
		command, said := c.began("the hook began", "apply", "-input=false", "-auto-approve")
		gone(t, first)
		_ = lost.Wait()
		planned.open()
		lost = s.agentIn(t, second, token, s.engines, "--hooks-dir", hooks)
		s.awaits(func() bool { return strings.Contains(said.String(), "it began\n") }, "the apply of the second plan")
		gone(t, second)
		_ = lost.Wait()
		applied.open()
		s.agentIn(t, t.TempDir(), token, s.engines)
		s.awaits(func() bool { return s.runs("network")[0] == "errored" }, "the apply is given up")
		_ = command.Wait()
		if n := strings.Count(said.String(), "beginning again"); n != 1 {
			t.Errorf("the plan began again %d times: %s", n, said)
		}
		log := s.applyLog("network")
		once(t, log, "it began\n", "the runner was lost while applying")
		if strings.Contains(log, "it ended\n") {
			t.Errorf("an engine went on: %s", log)
		}
		w := s.do("GET", "/organizations/acme/workspaces/network", s.Token, "")
		if w.at("data.attributes.locked") != true {
			t.Fatalf("it is not locked: %s", w.Body)
		}
		s.do("POST", "/workspaces/"+w.text("data.id")+"/actions/force-unlock", s.Token, "").want(t, 200)
		c.run("apply", "-input=false", "-auto-approve", "-lock=false")
		s.lastRun("network", "applied")
		s.unlocked("network")
	}, "--runner-slots", "0", "--apply-lost-after", "2s")
}

// TestEngineKilledInAnApply ends the engine alone, as the kernel does that has no memory
// left: its run has failed, what it began ends with it, and the lock is given back.
func TestEngineKilledInAnApply(t *testing.T) {
	eachCLI(t, func(t *testing.T, s *server, c *tofu) {
		g := newGate(t)
		c.write(cloud(`name = "network"`) + slowResources(g))
		c.run("init", "-input=false")
		command, _ := c.began("it began\n", "apply", "-input=false", "-auto-approve")
		pids, lines := processes(t, s.args[4])
		killed := 0
		for _, pid := range pids {
			if words := strings.Fields(lines[pid]); len(words) > 1 && words[1] == "apply" {
				must(t, syscall.Kill(pid, syscall.SIGKILL))
				killed++
			}
		}
		if killed != 1 {
			t.Fatalf("%d engines were killed of %v", killed, lines)
		}
		g.open()
		if command.Wait() == nil {
			t.Error("the command line is told that all went well")
		}
		s.lastRun("network", "errored")
		s.unlocked("network")
		log := s.applyLog("network")
		ended, then := "\nError: apply was ended by signal 9\n", "Error: the state"
		if filepath.Base(c.binary) == "terraform" { // which leaves a state that can be brought home
			then = ended[1:]
		}
		once(t, log, "it began\n", ended+then)
		if strings.Contains(log, "it ended\n") {
			t.Errorf("what it began goes on: %s", log)
		}
	})
}
