package e2e_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestGoTFEsOwnSuite runs the tests that the reference client has of the real API: those
// of testdata/go-tfe-suite.txt, which are all but those of what is not offered here.
func TestGoTFEsOwnSuite(t *testing.T) {
	slow(t)
	raw, err := os.ReadFile("testdata/go-tfe-suite.txt")
	must(t, err)
	names := strings.Fields(string(raw))
	binary, folder := goTFETests(t)
	listener := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer listener.Close()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			s := start(t, engine, "--allow-private-deliveries", "all")
			run := exec.Command(binary, "-test.v", "-test.run", "^("+strings.Join(names, "|")+")$")
			run.Dir = folder
			run.Env = append(os.Environ(), "TFE_ADDRESS="+s.URL, "TFE_TOKEN="+s.Token, "ENABLE_TFE=1", "ENABLE_BETA=1", "TFC_RUN_TASK_URL="+listener.URL)
			out, err := run.CombinedOutput()
			if err != nil {
				t.Errorf("%v:\n%s", err, lastLines(string(out), 200))
			}
			for _, name := range names {
				if !strings.Contains(string(out), "\n--- PASS: "+name+" ") {
					t.Errorf("%s has not passed", name)
				}
			}
		})
	}
}

// goTFETests builds go-tfe's tests and returns them with the folder they run in. It is a
// copy: they need modules that the package does not.
func goTFETests(t *testing.T) (binary, folder string) {
	t.Helper()
	module, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/hashicorp/go-tfe").Output()
	must(t, err)
	folder = filepath.Join(t.TempDir(), "go-tfe")
	must(t, os.CopyFS(folder, os.DirFS(strings.TrimSpace(string(module)))))
	binary = filepath.Join(folder, "suite")
	build := exec.Command("go", "test", "-c", "-o", binary, ".")
	build.Dir = folder
	build.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v:\n%s", err, out)
	}
	return binary, folder
}
