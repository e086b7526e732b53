package e2e_test

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestRunCommands looks at a run that nobody carries out, and cancels it.
func TestRunCommands(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		w := s.runnable("network")
		run := s.do("POST", "/runs", s.Token, runOf(w, `"message":"by hand"`)).want(t, 201).text("data.id")
		env := []string{"BELAY_ADDRESS=" + s.URL, "BELAY_TOKEN=" + s.Token, "HOME=" + t.TempDir(), "XDG_CONFIG_HOME="}
		says := func(status int, want string, args ...string) {
			t.Helper()
			out, errOut, got := belay(t, env, args...)
			if got != status || !strings.Contains(out+errOut, want) {
				t.Errorf("%v: %d %s %s", args, got, out, errOut)
			}
		}
		says(0, "by hand", "run", "list", "--organization", "acme", "--workspace", "network")
		says(0, run, "run", "show", run)
		says(1, "runs/"+run+"/actions/apply", "run", "apply", run, "--yes") // there is no plan yet
		says(2, "--yes", "run", "cancel", run)
		says(0, "", "run", "cancel", run, "--yes", "--comment", "not today")
		says(0, "canceled", "run", "show", run)
		says(0, "", "run", "logs", "-f", run)
	})
}

// TestARunFromTheCommandLine confirms a run, and follows its logs.
func TestARunFromTheCommandLine(t *testing.T) {
	eachCLI(t, func(t *testing.T, s *server, c *tofu) {
		c.write(cloud(`name = "network"`) + varied)
		c.run("init", "-input=false")
		c.refused("", "apply", "-input=false") // nobody is there to ask: it waits
		s.lastRun("network", "planned")
		id := s.do("GET", "/organizations/acme/workspaces/network", s.Token, "").text("data.relationships.current-run.data.id")
		env := []string{"BELAY_ADDRESS=" + s.URL, "BELAY_TOKEN=" + s.Token, "HOME=" + t.TempDir(), "SSL_CERT_FILE=" + filepath.Join(s.args[4], "tls", "ca.pem")}
		if out, errOut, status := belay(t, env, "run", "apply", id, "--yes", "--comment", "as agreed"); status != 0 {
			t.Fatalf("apply: %d %s %s", status, out, errOut)
		}
		out, errOut, status := belay(t, env, "run", "logs", "-f", id)
		if status != 0 || !strings.Contains(out, "2 to add") || !strings.Contains(out, "Apply complete") && !strings.Contains(out, "apply_complete") || strings.ContainsAny(out, "\x02\x03") {
			t.Errorf("logs: %d %s %s", status, out, errOut)
		}
		s.lastRun("network", "applied")
	})
}
