package e2e_test

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/belayhq/belay/internal/storetest"
)

// tofu is the real command line in a folder of its own, signed in at a server.
type tofu struct {
	t      *testing.T
	s      *server
	host   string
	folder string
	binary string // empty: the one that BELAY_TOFU names
	env    []string
}

func (c *tofu) program() string {
	if c.binary != "" {
		return c.binary
	}
	return os.Getenv("BELAY_TOFU")
}

// eachTofu runs a test with the real command line against a server with TLS on every engine.
func eachTofu(t *testing.T, test func(t *testing.T, s *server), args ...string) {
	t.Helper()
	slow(t)
	tool(t, "BELAY_TOFU")
	t.Parallel()
	for _, engine := range storetest.Outside(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := start(t, engine, append(args, "--tls-self-signed")...)
			s.trust()
			s.organization("acme")
			test(t, s)
		})
	}
}

// trust makes the clients of a server with TLS trust its own CA.
func (s *server) trust() {
	s.t.Helper()
	raw, err := os.ReadFile(s.caPath())
	must(s.t, err)
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(raw)
	s.http = &http.Client{Transport: held{&http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}}}}
}

// tofu makes a folder with a configuration, and a command line in it.
func (s *server) tofu(t *testing.T, token, configuration string) *tofu {
	t.Helper()
	base, err := url.Parse(s.URL)
	must(t, err)
	c := &tofu{t: t, s: s, host: "localhost:" + base.Port(), folder: t.TempDir()}
	must(t, os.WriteFile(filepath.Join(c.folder, "cli.tfrc"), fmt.Appendf(nil, "credentials %q {\n  token = %q\n}\n", c.host, token), 0o600))
	c.write(configuration)
	c.env = []string{
		"HOME=" + c.folder, "PATH=" + os.Getenv("PATH"), "TF_CLI_CONFIG_FILE=" + filepath.Join(c.folder, "cli.tfrc"),
		"SSL_CERT_FILE=" + s.caPath(), "CHECKPOINT_DISABLE=1", "TF_IN_AUTOMATION=1",
	}
	return c
}

// write writes the configuration; HOST in it is the server.
func (c *tofu) write(configuration string) {
	c.t.Helper()
	must(c.t, os.WriteFile(filepath.Join(c.folder, "main.tf"), []byte(strings.ReplaceAll(configuration, "HOST", c.host)), 0o600))
}

// command is a command that asks nothing unless it is given answers.
func (c *tofu) command(answers string, args ...string) (string, error) {
	command := exec.Command(c.program(), args...)
	command.Dir, command.Env, command.Stdin = c.folder, c.env, strings.NewReader(answers)
	out, err := command.CombinedOutput()
	return string(out), err
}

// try runs a command and gives what it said.
func (c *tofu) try(args ...string) (string, error) { return c.command("", args...) }

// answer runs a command that asks, and must succeed.
func (c *tofu) answer(answers string, args ...string) {
	c.t.Helper()
	if out, err := c.command(answers, args...); err != nil {
		c.t.Fatalf("tofu %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// run runs a command that must succeed.
func (c *tofu) run(args ...string) string {
	c.t.Helper()
	out, err := c.try(args...)
	if err != nil {
		c.t.Fatalf("tofu %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// refused runs a command that must fail and say why.
func (c *tofu) refused(why string, args ...string) {
	c.t.Helper()
	out, err := c.try(args...)
	if err == nil || !strings.Contains(out, why) {
		c.t.Errorf("tofu %s: %v, want %q in:\n%s", strings.Join(args, " "), err, why, out)
	}
}

// says demands words in what a command said.
func (c *tofu) says(out string, words ...string) {
	c.t.Helper()
	for _, word := range words {
		if !strings.Contains(out, word) && !c.unread(out, word) {
			c.t.Errorf("want %q in:\n%s", word, out)
		}
	}
}

// unread says whether the log of an apply has a word that the command did not come to read. After the first piece of a
// log that nothing follows yet it asks whether the apply is over, and reads no more if it is since.
func (c *tofu) unread(out, word string) bool {
	c.t.Helper()
	at := aRunsPage.FindStringSubmatch(out)
	if at == nil {
		return false
	}
	apply := c.s.do("GET", "/runs/"+at[1], c.s.Token, "").text("data.relationships.apply.data.id")
	if c.s.do("GET", "/applies/"+apply, c.s.Token, "").text("data.attributes.status") != "finished" {
		return false
	}
	has := strings.Contains(c.s.wholeLog("applies", apply), word)
	c.t.Logf("the command ended before the log did, which has %q: %v", word, has)
	return has
}

var aRunsPage = regexp.MustCompile(`/runs/(run-[A-Za-z0-9]{16})`)

const resources = `
resource "terraform_data" "one" {
  input = { size = 3, names = ["a", "b"] }
}
resource "terraform_data" "many" {
  count = 2
  input = count.index
}
output "plain" { value = terraform_data.one.input }
output "secret" {
  value     = "s3cr3t"
  sensitive = true
}
`

// cloud is the block by which a configuration uses Belay as the hosted service.
func cloud(workspaces string) string {
	return "terraform {\n cloud {\n  hostname = \"HOST\"\n  organization = \"acme\"\n  workspaces {\n" + workspaces + "\n  }\n }\n}\n"
}

func TestTofuThroughTheCloudBlock(t *testing.T) {
	eachTofu(t, func(t *testing.T, s *server) {
		c := s.tofu(t, s.Token, cloud(`name = "network"`)+resources)
		c.run("init", "-input=false")
		c.says(c.run("plan", "-input=false"), "3 to add")
		c.says(c.run("apply", "-input=false", "-auto-approve"), "3 added")
		c.says(c.run("apply", "-input=false", "-auto-approve"), "0 added")
		w := s.do("GET", "/organizations/acme/workspaces/network", s.Token, "").want(t, 200)
		if w.at("data.attributes.resource-count") != 3.0 || w.at("data.attributes.locked") != false {
			t.Errorf("after apply: %s", w.Body)
		}
		c.moveStateAbout()
		c.refuseWhileLocked(w.text("data.id"))
		c.says(c.run("destroy", "-input=false", "-auto-approve"), "Destroy complete")
		s.do("POST", "/organizations/acme/workspaces/network/actions/safe-delete", s.Token, "").want(t, 204)
	})
}

func TestTofuThroughTheRemoteBackend(t *testing.T) {
	eachTofu(t, func(t *testing.T, s *server) {
		c := s.tofu(t, s.Token, `terraform {
  backend "remote" {
    hostname     = "HOST"
    organization = "acme"
    workspaces { name = "legacy" }
  }
}
`+resources)
		c.run("init", "-input=false")
		w := s.do("GET", "/organizations/acme/workspaces/legacy", s.Token, "").want(t, 200)
		c.says(c.run("apply", "-input=false", "-auto-approve"), "3 added")
		c.moveStateAbout()
		c.refuseWhileLocked(w.text("data.id"))
		c.says(c.run("destroy", "-input=false", "-auto-approve"), "Destroy complete")
	})
}

// moveStateAbout runs every command that works on the state.
func (c *tofu) moveStateAbout() {
	c.t.Helper()
	older := filepath.Join(c.folder, "older.tfstate")
	must(c.t, os.WriteFile(older, []byte(c.run("state", "pull")), 0o600))
	c.says(c.run("state", "list"), "terraform_data.one", "terraform_data.many[1]")
	c.run("state", "mv", "terraform_data.one", "terraform_data.other")
	c.run("state", "rm", "terraform_data.many[1]")
	if out := c.run("state", "list"); strings.Contains(out, "many[1]") || !strings.Contains(out, "terraform_data.other") {
		c.t.Errorf("after mv and rm:\n%s", out)
	}
	pulled := c.run("state", "pull")
	path := filepath.Join(c.folder, "pulled.tfstate")
	must(c.t, os.WriteFile(path, []byte(pulled), 0o600))
	c.run("state", "push", path)
	c.refused("cannot import state with serial", "state", "push", older)
	c.says(c.run("output"), "size", "<sensitive>")
	c.says(c.run("output", "-raw", "secret"), "s3cr3t")
	c.run("state", "mv", "terraform_data.other", "terraform_data.one")
}

// refuseWhileLocked locks the workspace as another user: no command may write, and an
// admin can take the lock away.
func (c *tofu) refuseWhileLocked(workspaceID string) {
	c.t.Helper()
	c.s.lock(workspaceID)
	c.refused("locked", "apply", "-input=false", "-auto-approve")
	c.refused("locked", "state", "rm", "terraform_data.one")
	c.run("plan", "-input=false", "-lock=false")
	name := c.s.do("GET", "/workspaces/"+workspaceID, c.s.Token, "").text("data.attributes.name")
	c.refused("does not match", "force-unlock", "-force", "acme/other")
	c.run("force-unlock", "-force", "acme/"+name)
	c.run("apply", "-input=false", "-auto-approve")
}

func TestTofuWorkspacesByTag(t *testing.T) {
	eachTofu(t, func(t *testing.T, s *server) {
		c := s.tofu(t, s.Token, cloud(`tags = ["layer", "shared"]`)+resources)
		c.refused("No existing workspaces", "init", "-input=false")
		c.answer("first\n", "init")
		tags := s.do("GET", "/organizations/acme/workspaces/first", s.Token, "").want(t, 200)
		if fmt.Sprint(tags.at("data.attributes.tag-names")) != "[layer shared]" {
			t.Errorf("tags of the new workspace: %s", tags.Body)
		}
		c.run("workspace", "select", "first")
		c.run("workspace", "new", "second")
		c.says(c.run("workspace", "list"), "first", "* second")
		c.says(c.run("apply", "-input=false", "-auto-approve"), "3 added")
		c.run("workspace", "select", "first")
		c.says(c.run("workspace", "show"), "first")
		c.refused("not empty", "workspace", "delete", "second")
		c.run("workspace", "select", "second")
		c.run("destroy", "-input=false", "-auto-approve")
		c.run("workspace", "select", "first")
		c.run("workspace", "delete", "second")
		s.do("GET", "/organizations/acme/workspaces/second", s.Token, "").want(t, 404)
	})
}

// TestTofuMigratesALocalState moves a state that lay in a file into Belay.
func TestTofuMigratesALocalState(t *testing.T) {
	eachTofu(t, func(t *testing.T, s *server) {
		c := s.tofu(t, s.Token, resources)
		c.run("init", "-input=false")
		c.run("apply", "-input=false", "-auto-approve")
		c.write(cloud(`name = "moved"`) + resources)
		c.answer("yes\n", "init")
		c.says(c.run("plan", "-input=false"), "No changes")
	})
}

// TestTofuSurvivesARestart applies while the server is killed and comes back: the command
// line tries again and nothing is lost.
func TestTofuSurvivesARestart(t *testing.T) {
	eachTofu(t, func(t *testing.T, s *server) {
		c := s.tofu(t, s.Token, cloud(`name = "network"`)+resources+`
resource "terraform_data" "slow" {
  provisioner "local-exec" { command = "sleep 2" }
}
`)
		c.run("init", "-input=false")
		ended := make(chan error, 1)
		go func() {
			_, err := c.try("apply", "-input=false", "-auto-approve")
			ended <- err
		}()
		s.eventually(func() bool {
			return s.do("GET", "/organizations/acme/workspaces/network", s.Token, "").at("data.attributes.locked") == true
		}, "the workspace is locked")
		s.kill()
		s.refuses(t) // and no longer: the command line tries for some seconds
		s.run()
		if err := <-ended; err != nil {
			t.Errorf("apply: %v", err)
		}
		c.says(c.run("state", "list"), "terraform_data.slow")
	})
}

// refuses stands where the server was until somebody has asked it in vain.
func (s *server) refuses(t *testing.T) {
	t.Helper()
	listener, err := net.Listen("tcp", s.args[2])
	must(t, err)
	defer func() { _ = listener.Close() }()
	must(t, listener.(*net.TCPListener).SetDeadline(time.Now().Add(patience)))
	conn, err := listener.Accept()
	must(t, err)
	must(t, conn.Close())
}

// TestTofuBringsItsStateInTheMiddleOfAnApply kills the command line in an apply: what it
// had made by then is in the state that it brought on the way.
func TestTofuBringsItsStateInTheMiddleOfAnApply(t *testing.T) {
	eachTofu(t, func(t *testing.T, s *server) {
		c := s.tofu(t, s.Token, cloud(`name = "network"`)+`
resource "terraform_data" "first" {}
resource "terraform_data" "second" {
  depends_on = [terraform_data.first]
  provisioner "local-exec" { command = "sleep 21" } # it waits for no less after the first
}
resource "terraform_data" "third" {
  depends_on = [terraform_data.second]
  provisioner "local-exec" { command = "sleep 300" }
}
`)
		c.run("init", "-input=false")
		apply := exec.Command(os.Getenv("BELAY_TOFU"), "apply", "-input=false", "-auto-approve")
		apply.Dir, apply.Env = c.folder, c.env
		must(t, apply.Start())
		const list = "/state-versions?filter[organization][name]=acme&filter[workspace][name]=network"
		waitFor(t, "a state with the second", func() bool { // on a slow machine one with the first alone comes before
			newest := s.do("GET", list, s.Token, "")
			if newest.text("data.0.attributes.status") != "finalized" {
				return false
			}
			request, err := http.NewRequest(http.MethodGet, newest.text("data.0.attributes.hosted-state-download-url"), nil)
			must(t, err)
			return strings.Contains(s.send(request).want(t, 200).Body, `"second"`)
		})
		must(t, apply.Process.Kill())
		_ = apply.Wait()
		c.run("force-unlock", "-force", "acme/network")
		c.says(c.run("state", "list"), "terraform_data.first", "terraform_data.second")
	}, "--snapshot-interval", "1s")
}
