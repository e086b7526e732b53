package e2e_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/belayhq/belay/internal/storetest"
)

// TestGoTFEsOwnSuite runs the tests that the reference client has of the real API: those
// of testdata/go-tfe-suite.txt, which are all but those of what is not offered here.
func TestGoTFEsOwnSuite(t *testing.T) {
	slow(t)
	raw, err := os.ReadFile("testdata/go-tfe-suite.txt")
	must(t, err)
	names := strings.Fields(string(raw))
	binary, folder := goTFETests(t)
	tofu := tool(t, "BELAY_TOFU")
	engines := engineDir(t, "tofu", tofu)
	listener := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(listener.Close)
	for _, engine := range storetest.Outside(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := start(t, engine, "--allow-private-deliveries", "all", "--runner-slots", "2", "--engine-dir", engines)
			asked := names
			out, err := s.goTFE(binary, folder, listener.URL, asked)
			// They wait by the clock, and give up on a machine that is slow, or busy with other tests.
			for range 3 {
				again := unpassed(out, asked)
				if err == nil || len(again) == 0 || len(again) > len(names)/10 {
					break
				}
				t.Logf("once more, by themselves: %v:\n%s", err, failures(out))
				out, err = s.goTFE(binary, folder, listener.URL, again)
				asked = again
			}
			if err != nil {
				t.Errorf("%v:\n%s\n%s", err, failures(out), lastLines(out, 20))
			}
			for _, name := range unpassed(out, asked) {
				t.Errorf("%s has not passed", name)
			}
		})
	}
}

// goTFE runs tests of go-tfe against the server.
func (s *server) goTFE(binary, folder, listener string, names []string) (out string, err error) {
	run := exec.Command(binary, "-test.v", "-test.run", "^("+strings.Join(names, "|")+")$")
	run.Dir = folder
	run.Env = append(os.Environ(), "TFE_ADDRESS="+s.URL, "TFE_TOKEN="+s.Token, "ENABLE_TFE=1", "ENABLE_BETA=1", "TFC_RUN_TASK_URL="+listener)
	raw, err := run.CombinedOutput()
	return string(raw), err
}

// unpassed is those of some tests that have not passed.
func unpassed(out string, names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return strings.Contains(out, "\n--- PASS: "+name+" ") })
}

// failures returns what the client's failed tests said: all the others say more than
// anybody reads.
func failures(out string) string {
	var kept []string
	lines := strings.Split(out, "\n")
	for i, line := range lines {
		at := strings.TrimSpace(line)
		if strings.HasPrefix(at, "--- FAIL") || strings.HasPrefix(at, "panic:") || strings.HasPrefix(at, "Error Trace:") {
			kept = append(kept, lines[i:min(i+12, len(lines))]...)
		}
	}
	return strings.Join(kept, "\n")
}

// goTFETests builds go-tfe's tests and returns them with the folder they run in. It is a
// copy: they need modules that the package does not.
func goTFETests(t *testing.T) (binary, folder string) {
	t.Helper()
	module, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/hashicorp/go-tfe").Output()
	must(t, err)
	folder = filepath.Join(t.TempDir(), "go-tfe")
	must(t, os.CopyFS(folder, os.DirFS(strings.TrimSpace(string(module)))))
	plain(t, filepath.Join(folder, "test-fixtures", "config-version", "main.tf"))
	binary = filepath.Join(folder, "suite")
	build := exec.Command("go", "test", "-c", "-o", binary, ".")
	build.Dir = folder
	build.Env = append(os.Environ(), "GOFLAGS=-trimpath", "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v:\n%s", err, out)
	}
	return binary, folder
}

// plain puts a resource that engines have built in where a configuration has one of a
// provider: no registry need be reached.
func plain(t *testing.T, path string) {
	t.Helper()
	raw, err := os.ReadFile(path)
	must(t, err)
	must(t, os.Chmod(path, 0o600))
	must(t, os.WriteFile(path, bytes.ReplaceAll(raw, []byte("null_resource"), []byte("terraform_data")), 0o600))
}
