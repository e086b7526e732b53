package e2e_test

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/belayhq/belay/internal/storetest"
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

// upload gives a workspace a configuration: main.tf, and more files by their names.
func (s *server) upload(workspace, text string, more ...string) {
	s.t.Helper()
	made := s.do("POST", "/workspaces/"+workspace+"/configuration-versions", s.Token, `{"data":{"type":"configuration-versions","attributes":{"auto-queue-runs":false}}}`).want(s.t, 201)
	upload, err := http.NewRequestWithContext(s.t.Context(), http.MethodPut, made.text("data.attributes.upload-url"), bytes.NewReader(archiveOf(append([]string{"main.tf", text}, more...)...)))
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
	for _, engine := range storetest.Outside(t) {
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

// TestWhichResourcesDrifted has the real engine find what somebody changed by hand, and wants
// the explorer to say of each instance whether it was that.
func TestWhichResourcesDrifted(t *testing.T) {
	slow(t)
	t.Parallel()
	tofu := tool(t, "BELAY_TOFU")
	for _, engine := range storetest.Outside(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := start(t, engine, "--runner-slots", "1", "--engine-dir", engineDir(t, "tofu", tofu), "--isolation", "none", "--cli-config", localProvider(t))
			s.organization("acme")
			ws := s.workspace("acme", "network")
			s.do("PATCH", "/workspaces/"+ws, s.Token, `{"data":{"type":"workspaces","attributes":{"assessments-enabled":true,"auto-apply":true}}}`).want(t, 200)
			folder := t.TempDir()
			const module = `
				variable "at" {}
				resource "local_file" "by_key" {
				  for_each = toset(["a.b", "say \"$${x}\""])
				  filename = "${var.at}.${length(each.key)}"
				  content  = each.key
				}`
			s.upload(ws, fmt.Sprintf(`
				resource "local_file" "counted" {
				  count    = 2
				  filename = "%[1]s/counted.${count.index}"
				  content  = "as it should be"
				}
				data "local_file" "read" {
				  filename = local_file.counted[0].filename
				}
				module "net" {
				  for_each = { "eu.west" = "%[1]s/net" }
				  source   = "./net"
				  at       = each.value
				}`, folder), "net/main.tf", module)
			s.do("POST", "/runs", s.Token, runOf(ws, `"message":"first"`)).want(t, 201)
			s.lastRun("network", "applied")
			s.eventually(func() bool {
				return s.do("GET", "/workspaces/"+ws, s.Token, "").at("data.attributes.resource-count") == 4.0
			}, "the resources are counted")
			said := func(counted0, counted1, first, second string) []string {
				return []string{
					"data.local_file.read <nil>", "local_file.counted[0] " + counted0, "local_file.counted[1] " + counted1,
					`module.net["eu.west"].local_file.by_key["a.b"] ` + first, `module.net["eu.west"].local_file.by_key["say \"$${x}\""] ` + second,
				}
			}
			s.saysOfDrift(said("<nil>", "<nil>", "<nil>", "<nil>"))
			s.assess(ws)
			s.saysOfDrift(said("false", "false", "false", "false"))
			must(t, os.WriteFile(filepath.Join(folder, "counted.1"), []byte("changed by hand"), 0o600))
			must(t, os.Remove(filepath.Join(folder, "net.10")))
			s.assess(ws)
			s.saysOfDrift(said("false", "true", "false", "true"))
			csv := s.do("GET", "/organizations/acme/explorer/export/csv?type=resources&fields=name,drifted&filter%5B0%5D%5Bdrifted%5D%5Bis%5D%5B0%5D=true&sort=address", s.Token, "").want(t, 200).Body
			if want := "name,drifted\n\"counted[1]\",\"true\"\n\"by_key[\"\"say \\\"\"$${x}\\\"\"\"\"]\",\"true\"\n"; strings.ReplaceAll(csv, "\r", "") != want {
				t.Errorf("the export is\n%s and not\n%s", csv, want)
			}
			s.do("POST", "/runs", s.Token, runOf(ws, `"message":"mended"`)).want(t, 201)
			s.eventually(func() bool { return len(s.runs("network")) == 2 }, "the run is there")
			s.lastRun("network", "applied")
			s.saysOfDrift(said("<nil>", "<nil>", "<nil>", "<nil>"))
		})
	}
}

// saysOfDrift waits until the explorer says of every resource whether it has drifted.
func (s *server) saysOfDrift(want []string) {
	s.t.Helper()
	var lines []string
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(30 * time.Millisecond) {
		answer := s.do("GET", "/organizations/acme/explorer?type=resources&fields=address,drifted&sort=address", s.Token, "").want(s.t, 200)
		rows, _ := answer.at("data").([]any)
		lines = nil
		for i := range rows {
			lines = append(lines, fmt.Sprint(answer.at(fmt.Sprintf("data.%d.attributes.address", i)), " ", answer.at(fmt.Sprintf("data.%d.attributes.drifted", i))))
		}
		if slices.Equal(lines, want) {
			return
		}
	}
	s.t.Fatalf("the explorer says\n%s\nand not\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
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
