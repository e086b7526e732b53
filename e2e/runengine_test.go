package e2e_test

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/belayhq/belay/internal/storetest"
)

// eachCLI runs a test with each real command line, against a server of each database that
// carries out runs with the same engine.
func eachCLI(t *testing.T, test func(t *testing.T, s *server, c *tofu), args ...string) {
	t.Helper()
	slow(t)
	t.Parallel()
	for product, variable := range map[string]string{"tofu": "BELAY_TOFU", "terraform": "BELAY_TERRAFORM"} {
		t.Run(product, func(t *testing.T) {
			binary := tool(t, variable)
			t.Parallel()
			for _, engine := range metBy(product, storetest.Outside(t), t.Name()) {
				t.Run(engine, func(t *testing.T) {
					t.Parallel()
					engines := engineDir(t, product, binary)
					s := start(t, engine, append([]string{"--tls-self-signed", "--runner-slots", "2", "--engine-dir", engines}, args...)...)
					s.engines = engines
					s.trust()
					s.organization("acme")
					c := s.tofu(t, s.Token, "")
					c.binary = binary
					test(t, s, c)
				})
			}
		})
	}
}

// metBy is the databases that a command line meets in a test: all of them or, where BELAY_PAIRED is set, one. Then
// both command lines and both databases are in every test, and each pair in about half of them.
func metBy(product string, databases []string, test string) []string {
	if os.Getenv("BELAY_PAIRED") == "" || len(databases) < 2 {
		return databases
	}
	which := len(strings.TrimSuffix(test, product)) // the same for both command lines
	if product == "tofu" {
		which++
	}
	which %= len(databases)
	return databases[which : which+1]
}

// engineDir is a folder of engines that has this one.
func engineDir(t *testing.T, product, binary string) string {
	t.Helper()
	asked := exec.Command(binary, "version", "-json")
	asked.Env = []string{"HOME=" + t.TempDir(), "CHECKPOINT_DISABLE=1"}
	raw, err := asked.Output()
	must(t, err)
	var said struct {
		Version string `json:"terraform_version"`
	}
	must(t, json.Unmarshal(raw, &said))
	folder := t.TempDir()
	at := filepath.Join(folder, product, said.Version)
	must(t, os.MkdirAll(at, 0o700))
	must(t, os.Symlink(binary, filepath.Join(at, product)))
	return folder
}

// runs are the runs of a workspace, the newest first, by status.
func (s *server) runs(workspace string) (statuses []string) {
	s.t.Helper()
	id := s.do("GET", "/organizations/acme/workspaces/"+workspace, s.Token, "").want(s.t, 200).text("data.id")
	var list struct {
		Data []struct{ Attributes struct{ Status string } }
	}
	must(s.t, json.Unmarshal([]byte(s.do("GET", "/workspaces/"+id+"/runs", s.Token, "").want(s.t, 200).Body), &list))
	for _, r := range list.Data {
		statuses = append(statuses, r.Attributes.Status)
	}
	return statuses
}

// lastRun demands the status of the newest run.
func (s *server) lastRun(workspace, want string) {
	s.t.Helper()
	var got []string
	s.eventually(func() bool {
		got = s.runs(workspace)
		return len(got) > 0 && got[0] == want
	}, "the newest run is "+want)
}

// unlocked demands that nothing holds a workspace.
func (s *server) unlocked(workspace string) {
	s.t.Helper()
	if w := s.do("GET", "/organizations/acme/workspaces/"+workspace, s.Token, ""); w.at("data.attributes.locked") != false {
		s.t.Errorf("it is locked: %s", w.Body)
	}
}

const varied = `
variable "size" {
  type    = number
  default = 1
}
variable "word" {
  type    = string
  default = "none"
}
resource "terraform_data" "one" {
  input = var.word
}
resource "terraform_data" "many" {
  count = var.size
  input = terraform.workspace
}
output "word" { value = var.word }
output "workspace" { value = terraform.workspace }
`

func TestRunsThroughTheCloudBlock(t *testing.T) {
	eachCLI(t, func(t *testing.T, s *server, c *tofu) {
		c.write(cloud(`name = "network"`) + varied)
		c.run("init", "-input=false")
		c.says(c.run("plan", "-input=false"), "2 to add, 0 to change, 0 to destroy", "/app/acme/network/runs/run-")

		out, err := c.command("yes\n", "apply")
		must(t, err)
		c.says(out, "Apply complete! Resources: 2 added, 0 changed, 0 destroyed", `workspace = "network"`)
		s.lastRun("network", "applied")
		s.unlocked("network")
		c.says(c.run("state", "list"), "terraform_data.one", "terraform_data.many[0]")

		c.says(c.run("apply", "-input=false", "-auto-approve"), "No changes")
		s.lastRun("network", "planned_and_finished")

		c.says(c.run("apply", "-input=false", "-auto-approve", "-var", "size=3", "-var", `word=a "word" ${x}`), "2 added, 1 changed")
		c.says(c.run("apply", "-input=false", "-auto-approve", "-var", "size=2", "-target", "terraform_data.many"), "1 destroyed")
		c.says(c.run("apply", "-input=false", "-auto-approve", "-var", "size=2", "-replace", "terraform_data.one"), "1 added, 0 changed, 1 destroyed")
		c.says(c.run("plan", "-input=false", "-refresh-only"), "No changes")
		c.run("apply", "-input=false", "-auto-approve", "-refresh-only")

		c.refused("", "apply", "-input=false", "-var", "size=5") // nobody is there to ask
		s.lastRun("network", "planned")
		id := s.do("GET", "/organizations/acme/workspaces/network", s.Token, "").text("data.relationships.current-run.data.id")
		s.do("POST", "/runs/"+id+"/actions/discard", s.Token, "").want(t, 202)

		out, _ = c.command("no\n", "apply", "-var", "size=4")
		c.says(out, "2 to add")
		s.lastRun("network", "discarded")

		c.says(c.run("destroy", "-input=false", "-auto-approve"), "3 destroyed")
		s.unlocked("network")
		w := s.do("GET", "/organizations/acme/workspaces/network", s.Token, "")
		for name, least := range map[string]float64{"workspace-kpis-runs-count": 4, "run-failures": 0, "policy-check-failures": 0, "plan-duration-average": 1, "apply-duration-average": 1} {
			if n, is := w.at("data.attributes." + name).(float64); !is || n < least {
				t.Errorf("%s is %v", name, w.at("data.attributes."+name))
			}
		}
	})
}

func TestSavedPlansOfRuns(t *testing.T) {
	eachCLI(t, func(t *testing.T, s *server, c *tofu) {
		c.write(cloud(`name = "network"`) + varied)
		c.run("init", "-input=false")
		c.says(c.run("plan", "-input=false", "-out=saved"), "2 to add")
		s.lastRun("network", "planned_and_saved")
		c.says(c.run("show", "saved"), "terraform_data.one", "2 to add")
		c.says(c.run("show", "-json", "saved"), `"planned_values"`)
		c.says(c.run("apply", "-input=false", "saved"), "2 added")
		s.lastRun("network", "applied")
		c.refused("", "apply", "-input=false", "saved") // once
	})
}

func TestRunsThroughTheRemoteBackend(t *testing.T) {
	eachCLI(t, func(t *testing.T, s *server, c *tofu) {
		c.write("terraform {\n  backend \"remote\" {\n    hostname = \"HOST\"\n    organization = \"acme\"\n    workspaces { prefix = \"app-\" }\n  }\n}\n" + varied)
		c.refused("No existing workspaces", "init")
		c.run("workspace", "new", "prod")
		c.run("init", "-input=false")
		c.says(c.run("plan", "-input=false"), "2 to add")
		out, err := c.command("yes\n", "apply")
		must(t, err)
		c.says(out, "2 added", `workspace = "prod"`)
		c.says(c.run("destroy", "-input=false", "-auto-approve"), "2 destroyed")
	})
}

func TestRunThatFails(t *testing.T) {
	eachCLI(t, func(t *testing.T, s *server, c *tofu) {
		c.write(cloud(`name = "network"`) + varied)
		c.run("init", "-input=false")
		c.write(cloud(`name = "network"`) + `
resource "terraform_data" "good" {}
resource "terraform_data" "bad" {
  depends_on = [terraform_data.good]
  # Of an apply that fails before the command line has looked again it shows no log.
  provisioner "local-exec" { command = "sleep 8; echo it broke; exit 3" }
}
`)
		c.refused("it broke", "apply", "-input=false", "-auto-approve")
		s.lastRun("network", "errored")
		s.unlocked("network")
		c.says(c.run("state", "list"), "terraform_data.good")
		c.write(cloud(`name = "network"`) + `resource "terraform_data" "x" { input = nonsense }`)
		c.refused("nonsense", "plan", "-input=false")
	})
}

func TestRunsWait(t *testing.T) {
	eachCLI(t, func(t *testing.T, s *server, c *tofu) {
		c.write(cloud(`name = "network"`) + varied)
		c.run("init", "-input=false")
		id := s.do("GET", "/organizations/acme/workspaces/network", s.Token, "").text("data.id")
		s.lock(id)
		command, said := c.began("Waiting for the manually locked workspace to be unlocked", "apply", "-input=false", "-auto-approve")
		s.lastRun("network", "pending")
		s.unlock(id)
		if err := command.Wait(); err != nil {
			t.Errorf("%v: %s", err, said)
		}
		c.says(said.String(), "2 added")
	})
}

// slowResources are some of which one is made when a gate is open.
func slowResources(g *gate) string {
	return `
resource "terraform_data" "first" {}
resource "terraform_data" "slow" {
  depends_on = [terraform_data.first]
  provisioner "local-exec" {
    interpreter = ["/bin/bash", "-ec"]
    command     = "echo it began; ` + g.wait() + `; echo it ended"
  }
}
resource "terraform_data" "last" {
  depends_on = [terraform_data.slow]
}
`
}

// began starts a command and waits until it says something. Engines show the command of a provisioner before its
// output: a line of the output is waited for with its end.
func (c *tofu) began(word string, args ...string) (command *exec.Cmd, said *logs) {
	c.t.Helper()
	said = &logs{}
	command = exec.CommandContext(context.Background(), c.program(), args...)
	command.Dir, command.Env, command.Stdout, command.Stderr = c.folder, c.env, said, said
	must(c.t, command.Start())
	for range 30_000 { // an upload, a plan and the beginning of an apply
		if strings.Contains(said.String(), word) {
			return command, said
		}
		time.Sleep(20 * time.Millisecond)
	}
	c.t.Fatalf("the command line never says %q:\n%s", word, said)
	return command, said
}

func TestRunsAreInterrupted(t *testing.T) {
	eachCLI(t, func(t *testing.T, s *server, c *tofu) {
		c.write(cloud(`name = "network"`) + slowResources(newGate(t)))
		c.run("init", "-input=false")
		command, _ := c.began("it began\n", "apply", "-input=false", "-auto-approve")
		must(t, command.Process.Signal(syscall.SIGINT))
		_ = command.Wait()
		s.lastRun("network", "canceled")
		s.unlocked("network")
		c.says(c.run("state", "list"), "terraform_data.first")
	})
}

// applyLog is what the newest run's apply printed, as far as it has come.
func (s *server) applyLog(workspace string) string {
	s.t.Helper()
	w := s.do("GET", "/organizations/acme/workspaces/"+workspace, s.Token, "").want(s.t, 200)
	r := s.do("GET", "/runs/"+w.text("data.relationships.current-run.data.id"), s.Token, "").want(s.t, 200)
	apply := s.do("GET", "/applies/"+r.text("data.relationships.apply.data.id"), s.Token, "").want(s.t, 200)
	request, err := http.NewRequest(http.MethodGet, apply.text("data.attributes.log-read-url")+"?limit=1048576&offset=0", nil)
	must(s.t, err)
	return s.send(request).want(s.t, 200).Body
}

// TestServerKilledInAnApply kills the server in the middle of an apply: the engine goes
// on, and the next start finds it, its log and its state. The command line gives up when it
// can't read the log; nothing else does.
func TestServerKilledInAnApply(t *testing.T) {
	eachCLI(t, func(t *testing.T, s *server, c *tofu) {
		g := newGate(t)
		c.write(cloud(`name = "network"`) + slowResources(g))
		c.run("init", "-input=false")
		command, _ := c.began("it began\n", "apply", "-input=false", "-auto-approve")
		s.kill()
		s.run()
		g.open()
		_ = command.Wait()
		s.awaits(func() bool { return strings.HasSuffix(s.applyLog("network"), "\x03") }, "the end of the log")
		s.lastRun("network", "applied")
		s.unlocked("network")
		log := s.applyLog("network")
		c.says(log, "3 added, 0 changed, 0 destroyed")
		for _, word := range []string{"it began\n", "it ended\n", "Apply complete!"} {
			if n := strings.Count(log, word); n != 1 {
				t.Errorf("%q is in the log %d times:\n%s", word, n, log)
			}
		}
		c.says(c.run("state", "list"), "terraform_data.last")
	})
}
