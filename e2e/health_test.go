package e2e_test

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// localProvider is a configuration of the command line with which the provider of local files
// is taken from a folder, and nothing from the network.
func localProvider(t *testing.T) (cliConfig string) {
	t.Helper()
	binary := tool(t, "BELAY_LOCAL_PROVIDER")
	mirror := t.TempDir()
	at := filepath.Join(mirror, "registry.opentofu.org/hashicorp/local/1.4.1", runtime.GOOS+"_"+runtime.GOARCH)
	must(t, os.MkdirAll(at, 0o700))
	must(t, os.Symlink(binary, filepath.Join(at, "terraform-provider-local_v1.4.1")))
	cliConfig = filepath.Join(mirror, "tofurc")
	must(t, os.WriteFile(cliConfig, fmt.Appendf(nil, "provider_installation {\n  filesystem_mirror {\n    path = %q\n  }\n}\n", mirror), 0o600))
	return cliConfig
}

// upload gives a workspace a configuration.
func (s *server) upload(workspace, text string) {
	s.t.Helper()
	made := s.do("POST", "/workspaces/"+workspace+"/configuration-versions", s.Token, `{"data":{"type":"configuration-versions","attributes":{"auto-queue-runs":false}}}`).want(s.t, 201)
	upload, err := http.NewRequestWithContext(s.t.Context(), http.MethodPut, made.text("data.attributes.upload-url"), bytes.NewReader(archiveOf("main.tf", text)))
	must(s.t, err)
	s.send(upload).want(s.t, http.StatusOK)
}

// assess has a workspace assessed, and gives the result once it is there.
func (s *server) assess(workspace string) reply {
	s.t.Helper()
	before := s.do("GET", "/workspaces/"+workspace, s.Token, "").want(s.t, 200).at("data.attributes.last-assessment-result-at")
	s.do("POST", "/workspaces/"+workspace+"/actions/assess", s.Token, "").want(s.t, 200)
	s.eventually(func() bool {
		return s.do("GET", "/workspaces/"+workspace, s.Token, "").at("data.attributes.last-assessment-result-at") != before
	}, "the workspace was assessed")
	return s.do("GET", "/workspaces/"+workspace+"/current-assessment-result", s.Token, "").want(s.t, 200)
}

// TestDriftIsFound has the real engine assess a workspace before and after somebody changed
// by hand what it manages.
func TestDriftIsFound(t *testing.T) {
	slow(t)
	t.Parallel()
	tofu := tool(t, "BELAY_TOFU")
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := start(t, engine, "--runner-slots", "1", "--engine-dir", engineDir(t, "tofu", tofu), "--isolation", "none", "--cli-config", localProvider(t))
			s.organization("acme")
			ws := s.workspace("acme", "network")
			s.do("PATCH", "/workspaces/"+ws, s.Token, `{"data":{"type":"workspaces","attributes":{"assessments-enabled":true,"auto-apply":true}}}`).want(t, 200)
			file := filepath.Join(t.TempDir(), "made.txt")
			s.upload(ws, fmt.Sprintf(`
				resource "local_file" "made" {
				  filename = %q
				  content  = "as it should be"
				}
				resource "terraform_data" "beside" {
				  input = %q
				}
				check "beside" {
				  assert {
				    condition     = !fileexists(terraform_data.beside.output)
				    error_message = "there is something beside it"
				  }
				}`, file, file+".beside"))
			s.do("POST", "/runs", s.Token, runOf(ws, `"message":"first"`)).want(t, 201)
			s.lastRun("network", "applied")
			s.eventually(func() bool { // the state is read beside the run
				return s.do("GET", "/workspaces/"+ws, s.Token, "").at("data.attributes.resource-count") == 2.0
			}, "the resources are counted")

			well := s.assess(ws)
			for path, want := range map[string]any{
				"succeeded": true, "drifted": false, "error-msg": nil, "all-checks-succeeded": true, "checks-passed": 1.0, "resources-drifted": 0.0, "resources-undrifted": 2.0,
			} {
				if got := well.at("data.attributes." + path); got != want {
					t.Errorf("%s is %v, want %v: %s", path, got, want, well.Body)
				}
			}
			must(t, os.WriteFile(file, []byte("changed by hand"), 0o600))
			must(t, os.WriteFile(file+".beside", nil, 0o600))
			ill := s.assess(ws)
			for path, want := range map[string]any{
				"succeeded": true, "drifted": true, "all-checks-succeeded": false, "checks-passed": 0.0, "checks-failed": 1.0, "resources-drifted": 1.0, "resources-undrifted": 1.0,
			} {
				if got := ill.at("data.attributes." + path); got != want {
					t.Errorf("%s is %v, want %v: %s", path, got, want, ill.Body)
				}
			}
			s.assessed(t, ws, ill.text("data.id"))
		})
	}
}

// assessed looks at everything that shows what an assessment found.
func (s *server) assessed(t *testing.T, ws, id string) {
	t.Helper()
	for path, word := range map[string]string{
		"sanitized-plan": `"plan_format_version"`, "json-output": `"resource_drift"`, "json-schema": `"local_file"`, "log-output": `"@message"`,
	} {
		if got := s.do("GET", "/assessment-results/"+id+"/"+path, s.Token, "").want(t, 200); !strings.Contains(got.Body, word) {
			t.Errorf("%s says nothing of %s: %.300s", path, word, got.Body)
		}
	}
	if got := s.do("GET", "/organizations/acme/explorer?type=workspaces&filter%5B0%5D%5Bdrifted%5D%5Bis%5D%5B0%5D=true&sort=-resources_drifted", s.Token, "").want(t, 200); got.at("data.0.attributes.checks-failed") != 1.0 {
		t.Errorf("the explorer says %s", got.Body)
	}
	if got := s.do("GET", "/workspaces/"+ws+"?include=current_assessment_result", s.Token, "").want(t, 200); got.at("included.0.id") != id {
		t.Errorf("nothing is included: %s", got.Body)
	}
	if got := s.runs("network"); len(got) != 1 {
		t.Errorf("the runs are %v: an assessment is none", got)
	}
	s.unlocked("network")
}
