package e2e_test

import (
	"strings"
	"testing"
)

// reader is a configuration that reads the state of another workspace.
func reader(name string) string {
	return `
data "terraform_remote_state" "other" {
  backend = "remote"
  config = {
    hostname     = "HOST"
    organization = "acme"
    workspaces   = { name = "` + name + `" }
  }
}
resource "terraform_data" "copy" {
  input = data.terraform_remote_state.other.outputs.address
}
output "copied" { value = terraform_data.copy.output }
`
}

// TestTofuReadsTheStatesThatAreSharedWithIt runs the real command line as a run does: with
// a token bound to its workspace.
func TestTofuReadsTheStatesThatAreSharedWithIt(t *testing.T) {
	eachTofu(t, func(t *testing.T, s *server) {
		network, web := s.workspace("acme", "network"), s.workspace("acme", "web")
		s.hasState(network)
		_, token := s.runToken(web, s.Token)
		c := s.tofu(t, token, cloud(`name = "web"`)+reader("network"))
		c.run("init", "-input=false")
		c.refused("Unable to find remote state", "plan", "-input=false")
		consumers := "/workspaces/" + network + "/relationships/remote-state-consumers"
		s.do("POST", consumers, s.Token, refs(web)).want(t, 204)
		c.says(c.run("apply", "-input=false", "-auto-approve"), `copied = "10.0.0.1"`)
		made := s.do("GET", "/workspaces/"+web+"/current-state-version", s.Token, "").want(t, 200)
		if run := made.text("data.relationships.run.data.id"); !strings.HasPrefix(run, "run-") {
			t.Errorf("the state was made by %q, not by a run", run)
		}
		s.do("DELETE", consumers, s.Token, refs(web)).want(t, 204)
		c.refused("Unable to find remote state", "apply", "-input=false", "-auto-approve")
		s.setWorkspace(network, `{"global-remote-state":true}`)
		c.says(c.run("apply", "-input=false", "-auto-approve"), "0 added")

		c.write(cloud(`name = "web"`) + reader("nowhere"))
		if out, err := c.try("plan", "-input=false"); err == nil {
			t.Errorf("a state of no workspace was read:\n%s", out)
		}
		s.do("GET", "/organizations/acme/workspaces/nowhere", s.Token, "").want(t, 404)
	})
}
