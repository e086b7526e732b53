package e2e_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestAGeneratedClientWorks makes a client of docs/openapi.json with oapi-codegen, the whole of
// it, and has it make, change, list and delete a workspace. The program is tools/client.
func TestAGeneratedClientWorks(t *testing.T) {
	slow(t)
	client := generatedClient(t)
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		if out, err := exec.Command(client, s.URL, s.Token, "acme").CombinedOutput(); err != nil {
			t.Fatalf("%v:\n%s", err, out)
		}
	})
}

// generatedClient generates and builds the client in a copy of its folder.
func generatedClient(t *testing.T) string {
	t.Helper()
	document, err := filepath.Abs("../docs/openapi.json")
	must(t, err)
	folder := filepath.Join(t.TempDir(), "client")
	must(t, os.CopyFS(folder, os.DirFS("tools/client")))
	must(t, os.RemoveAll(filepath.Join(folder, "generated")))
	must(t, os.Mkdir(filepath.Join(folder, "generated"), 0o750))
	for _, arguments := range [][]string{
		{"tool", "oapi-codegen", "-config", "generate.yaml", document},
		{"build", "-o", "client", "."},
	} {
		run := exec.Command("go", arguments...)
		run.Dir, run.Env = folder, append(os.Environ(), "GOFLAGS=-mod=readonly", "GOWORK=off")
		if out, err := run.CombinedOutput(); err != nil {
			t.Fatalf("go %v: %v:\n%s", arguments, err, out)
		}
	}
	return filepath.Join(folder, "client")
}
