package e2e_test

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/belayhq/belay/internal/storetest"
)

// serves starts a server, does something once it is ready, and ends it as a service manager does.
func serves(t *testing.T, server *exec.Cmd, addr string, meanwhile func()) {
	t.Helper()
	out := &logs{}
	server.Stdout, server.Stderr = out, out
	must(t, server.Start())
	ready := false
	for deadline := time.Now().Add(patience); !ready && time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		answer, err := http.Get("http://" + addr + "/readyz")
		ready = err == nil && answer.StatusCode == http.StatusOK && answer.Body.Close() == nil
	}
	if ready {
		meanwhile()
	}
	must(t, server.Process.Signal(syscall.SIGTERM))
	if err := server.Wait(); err != nil || !ready {
		t.Errorf("ready %v, %v: %s", ready, err, out)
	}
}

// smokes does what the README says of a server that was just started, with its data in a folder.
func smokes(t *testing.T, addr, data string) {
	t.Helper()
	r := newReader(t, "belay-data/", data+"/", "127.0.0.1:8080", addr)
	said := ""
	for _, block := range commands(t, "README.md", "Start it") {
		if !strings.HasPrefix(block, "make ") {
			said += r.does(block)
		}
	}
	if strings.Contains(said, `"errors"`) || !strings.Contains(said, `"name":"acme"`) || !strings.Contains(said, `"name":"network"`) {
		t.Errorf("the README's commands: %s", said)
	}
}

// TestTheUnitServes starts what the unit names, with the environment that it and the package's settings
// give, where no service manager need be.
func TestTheUnitServes(t *testing.T) {
	t.Parallel()
	unit, err := os.ReadFile("../deploy/systemd/belay.service")
	must(t, err)
	settings, err := os.ReadFile("../deploy/debian/belay.env")
	must(t, err)
	folder, addr := t.TempDir(), "127.0.0.1:"+freePort(t)
	here := strings.NewReplacer("/var/lib/belay", folder, "/usr/bin/belay", binary)
	env := []string{"BELAY_ADDR=" + addr}
	for _, found := range regexp.MustCompile(`(?m)^Environment=(\S+)$`).FindAllStringSubmatch(string(unit), -1) {
		env = append(env, here.Replace(found[1]))
	}
	for _, found := range regexp.MustCompile(`(?m)^(BELAY_\w+=.*)$`).FindAllStringSubmatch(string(settings), -1) {
		if !strings.HasPrefix(found[1], "BELAY_ADDR=") {
			env = append(env, here.Replace(found[1]))
		}
	}
	line := regexp.MustCompile(`(?m)^ExecStart=(.*)$`).FindStringSubmatch(string(unit))
	words := strings.Fields(here.Replace(line[1]))
	server := exec.Command(words[0], words[1:]...)
	server.Dir, server.Env = folder, env
	serves(t, server, addr, func() { smokes(t, addr, folder) })
	if _, err := os.Stat(filepath.Join(folder, "belay.db")); err != nil {
		t.Errorf("the data is elsewhere: %v", err)
	}
}

// TestTheChartServes starts the program with the environment that the chart gives it: the image has its
// entry point, and a cluster is not to be had here.
func TestTheChartServes(t *testing.T) {
	slow(t)
	helm := tool(t, "BELAY_HELM")
	t.Parallel()
	rendered, err := exec.Command(helm, "template", "belay", "../deploy/helm/belay").Output()
	must(t, err)
	folder, addr := t.TempDir(), "127.0.0.1:"+freePort(t)
	here := strings.NewReplacer("0.0.0.0:8080", addr, "0.0.0.0:9090", "127.0.0.1:"+freePort(t), "/data", folder)
	var env []string
	for _, found := range regexp.MustCompile(`\{name: (BELAY_\w+), value: "?([^"}]*)"?\}`).FindAllStringSubmatch(string(rendered), -1) {
		env = append(env, found[1]+"="+here.Replace(found[2]))
	}
	if len(env) < 3 {
		t.Fatalf("the chart gives %v:\n%s", env, rendered)
	}
	server := exec.Command(binary, "serve")
	server.Dir, server.Env = folder, env
	serves(t, server, addr, func() { smokes(t, addr, folder) })
}

// TestTheComposeFileServes starts the program with the environment that the compose file gives it, beside
// a database and an S3 server that are real, with secrets made as its head says.
func TestTheComposeFileServes(t *testing.T) {
	slow(t)
	t.Parallel()
	raw, err := os.ReadFile("../deploy/compose/compose.yaml")
	must(t, err)
	file, _, _ := strings.Cut(string(raw), "\n  postgres:\n")
	database, store := storetest.EmptyPostgres(t), t.TempDir()
	g, folder, addr := newGateway(t, store), t.TempDir(), "127.0.0.1:"+freePort(t)
	must(t, os.Mkdir(filepath.Join(store, "buckets", "belay"), 0o700)) // as the entry point of the S3 server does
	made := regexp.MustCompile(`(?m)^#   secrets: +(.*)\n# +(.*)$`).FindStringSubmatch(file)
	if made == nil {
		t.Fatal("the head makes no secrets")
	}
	secrets := exec.Command("bash", "-euc", made[1]+"\n"+made[2])
	secrets.Dir = folder
	if said, err := secrets.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	here := strings.NewReplacer("postgres://belay@postgres/belay?sslmode=disable", database, "http://s3:7070", "http://127.0.0.1:"+g.port, "/run/secrets/", folder+"/")
	env := []string{"BELAY_ADDR=" + addr, "BELAY_DATA_DIR=" + folder} // which the image has
	asked := regexp.MustCompile(`\$\{\w+(:-([^}]*)|:\?[^}]*)\}`)
	for _, found := range regexp.MustCompile(`(?m)^      ((?:BELAY|AWS)_\w+): "?([^"\n]*)"?$`).FindAllStringSubmatch(file, -1) {
		value := asked.ReplaceAllStringFunc(found[2], func(variable string) string {
			if usual := asked.FindStringSubmatch(variable); strings.HasPrefix(usual[1], ":-") {
				return usual[2]
			}
			return "belay-secret" // the gateway's
		})
		env = append(env, found[1]+"="+here.Replace(value))
	}
	server := exec.Command(binary, "serve")
	server.Dir, server.Env = folder, env
	serves(t, server, addr, func() { smokes(t, addr, folder) })
	if _, err := os.Stat(filepath.Join(folder, "encryption.key")); err == nil || len(env) < 8 {
		t.Errorf("it made a key of its own, or the file has only %v", env)
	}
}
