package e2e_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/belayhq/belay/internal/storetest"
)

// metric finds the names of our metrics.
var metric = regexp.MustCompile(`\bbelay_[a-z_]+\b`)

// TestDashboardAndAlertsAskForMetricsThatThereAre compares what deploy/ asks for, and what the
// page tells of, with what a server says of itself.
func TestDashboardAndAlertsAskForMetricsThatThereAre(t *testing.T) {
	t.Parallel()
	for _, engine := range storetest.Outside(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			addr := "127.0.0.1:" + freePort(t)
			s := start(t, engine, "--tls-self-signed", "--metrics-addr", addr)
			if _, errOut, status := belay(t, s.env, "backup", filepath.Join(t.TempDir(), "x.tar"), "--data-dir", s.args[4]); status != 0 {
				t.Fatal(errOut)
			}
			var told string
			waitFor(t, "the database is up", func() bool { // it is asked for two seconds
				answer, err := http.Get("http://" + addr + "/metrics")
				must(t, err)
				raw, err := io.ReadAll(answer.Body)
				must(t, errors.Join(err, answer.Body.Close()))
				told = string(raw)
				return strings.Contains(told, "belay_database_up 1")
			})
			// These have a label that only a run, a notification, an object or an agent pool brings.
			later := []string{"belay_runs", "belay_object_store_duration_seconds", "belay_request_duration_seconds", "belay_pool_jobs", "belay_pool_runners", "belay_pool_slots"}
			for _, file := range []string{"../deploy/grafana/belay.json", "../deploy/prometheus/alerts.yaml", "../docs/operating.md"} {
				raw, err := os.ReadFile(file)
				must(t, err)
				for _, name := range metric.FindAllString(string(raw), -1) {
					name = strings.TrimSuffix(strings.TrimSuffix(name, "_bucket"), "_count")
					if !strings.Contains(told, "# TYPE "+name+" ") && !slices.Contains(later, name) {
						t.Errorf("%s asks for %s, which nobody tells", file, name)
					}
				}
			}
			page, err := os.ReadFile("../docs/operating.md")
			must(t, err)
			for _, found := range regexp.MustCompile(`# TYPE (belay_\w+)`).FindAllStringSubmatch(told, -1) {
				if !strings.Contains(string(page), "`"+found[1]+"`") {
					t.Errorf("docs/operating.md does not tell of %s", found[1])
				}
			}
			var dashboard struct{ Panels []struct{ Title string } }
			raw, err := os.ReadFile("../deploy/grafana/belay.json")
			must(t, err)
			if err := json.Unmarshal(raw, &dashboard); err != nil || len(dashboard.Panels) < 15 {
				t.Errorf("the dashboard: %v, %d panels", err, len(dashboard.Panels))
			}
		})
	}
}

// image makes the container image, and gives its digest and its archive.
func image(t *testing.T) (digest string, raw []byte) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "image.tar")
	certificates := filepath.Join(t.TempDir(), "ca.crt")
	must(t, os.WriteFile(certificates, []byte("# none\n"), 0o600))
	maker := exec.Command("go", "run", "../deploy/image", "-binary", binary, "-certificates", certificates, "-arch", runtime.GOARCH, "-out", out)
	var errOut bytes.Buffer
	maker.Stderr = &errOut // go may tell of what it fetches
	said, err := maker.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, errOut.String())
	}
	raw, err = os.ReadFile(out)
	must(t, err)
	return strings.TrimSpace(string(said)), raw
}

// TestTheImageIsReproducibleAndServes makes it twice, and serves from its files alone.
func TestTheImageIsReproducibleAndServes(t *testing.T) {
	slow(t)
	t.Parallel()
	digest, raw := image(t)
	again, other := image(t)
	if digest != again || !bytes.Equal(raw, other) {
		t.Errorf("the same program made %s and %s", digest, again)
	}
	root := t.TempDir()
	must(t, os.Chmod(root, 0o755))
	unpackImage(t, raw, root)
	if os.Geteuid() != 0 {
		t.Skip("only root can serve from it: chroot")
	}
	addr := "127.0.0.1:" + freePort(t)
	server := exec.Command("/usr/bin/belay", "serve")
	server.Dir = "/data"
	server.Env = []string{"PATH=/usr/bin", "BELAY_ADDR=" + addr, "BELAY_DATA_DIR=/data"}
	server.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: 65532, Gid: 65532}}
	serves(t, server, addr, func() { smokes(t, addr, filepath.Join(root, "data")) })
}

// TestTheImageAsThePageSays makes it by the commands of docs/install.md, beside the program that
// they build.
func TestTheImageAsThePageSays(t *testing.T) {
	slow(t)
	t.Parallel()
	module, err := filepath.Abs("..")
	must(t, err)
	r := newReader(t, "CGO_ENABLED=0 make build\n", "", "go run ./deploy/image -binary bin/belay", `go run -C "`+module+`" ./deploy/image -binary "$PWD/bin/belay"`, "-out ", `-out "$PWD"/`)
	for _, block := range commands(t, "docs/install.md", "") {
		if strings.HasPrefix(block, "helm ") {
			continue // TestTheChartAsThePageSays
		}
		if said := r.does(block); !strings.Contains(said, "sha256:") {
			t.Errorf("no digest is told: %s", said)
		}
	}
	raw, err := os.ReadFile(filepath.Join(r.folder, "belay-image.tar"))
	must(t, err)
	root := t.TempDir()
	unpackImage(t, raw, root)
	if info, err := os.Stat(filepath.Join(root, "usr", "bin", "belay")); err != nil || info.Mode()&0o111 == 0 {
		t.Errorf("the program in it: %v", err)
	}
}

// unpackImage puts the one layer of an image into a folder, as a runtime does.
func unpackImage(t *testing.T, raw []byte, root string) {
	t.Helper()
	files := map[string][]byte{}
	each := func(r io.Reader, visit func(*tar.Header, []byte)) {
		for archive := tar.NewReader(r); ; {
			head, err := archive.Next()
			if errors.Is(err, io.EOF) {
				return
			}
			must(t, err)
			raw, err := io.ReadAll(archive)
			must(t, err)
			visit(head, raw)
		}
	}
	each(bytes.NewReader(raw), func(h *tar.Header, raw []byte) { files[h.Name] = raw })
	var manifest []struct{ Layers []string }
	must(t, json.Unmarshal(files["manifest.json"], &manifest))
	plain, err := gzip.NewReader(bytes.NewReader(files[manifest[0].Layers[0]]))
	must(t, err)
	each(plain, func(h *tar.Header, raw []byte) {
		path := filepath.Join(root, h.Name)
		if h.Typeflag == tar.TypeDir {
			must(t, os.MkdirAll(path, 0o755))
		} else {
			must(t, os.WriteFile(path, raw, 0o600))
		}
		must(t, os.Chmod(path, h.FileInfo().Mode()))
		if os.Geteuid() == 0 {
			must(t, os.Chown(path, h.Uid, h.Gid))
		}
	})
}

func TestTheUnitIsSound(t *testing.T) {
	t.Parallel()
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd-analyze is not here")
	}
	raw, err := os.ReadFile("../deploy/systemd/belay.service")
	must(t, err)
	unit := filepath.Join(t.TempDir(), "belay.service")
	must(t, os.WriteFile(unit, bytes.ReplaceAll(raw, []byte("/usr/bin/belay"), []byte(binary)), 0o600))
	said, err := exec.Command(analyze, "verify", "--man=no", unit).CombinedOutput()
	if err != nil || strings.Contains(string(said), "belay.service:") {
		t.Errorf("%v: %s", err, said)
	}
	if said, err := exec.Command(analyze, "security", "--offline=true", "--threshold=40", unit).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, lastLines(string(said), 6))
	}
}

// TestTheChartRenders renders what it is for, and refuses what it is not.
func TestTheChartRenders(t *testing.T) {
	slow(t)
	helm := tool(t, "BELAY_HELM")
	t.Parallel()
	const chart = "../deploy/helm/belay"
	for name, c := range map[string]struct {
		args  []string
		wants string
		fails bool
	}{
		"SQLite":                    {nil, "replicas: 1", false},
		"PostgreSQL":                {[]string{"-f", chart + "/ci-postgres.yaml"}, "replicas: 3", false},
		"replicas without database": {[]string{"--set", "replicas=3"}, "several replicas need PostgreSQL", true},
		"replicas without store":    {[]string{"-f", chart + "/ci-postgres.yaml", "--set", "blobURL="}, "one store of objects", true},
		"replicas without key":      {[]string{"-f", chart + "/ci-postgres.yaml", "--set", "encryptionKeySecret.name="}, "one encryption key", true},
	} {
		for _, verb := range [][]string{{"template", "belay", chart}, {"lint", "--strict", chart}} {
			said, err := exec.Command(helm, append(verb, c.args...)...).CombinedOutput()
			if verb[0] == "template" && (err != nil) == !c.fails || verb[0] == "template" && !strings.Contains(string(said), c.wants) {
				t.Errorf("%s: %v: %s", name, err, said)
			}
			if verb[0] == "lint" && !c.fails && err != nil {
				t.Errorf("lint %s: %v: %s", name, err, said)
			}
		}
	}
}

// TestTheDebianPackageComesAndGoes installs, starts, upgrades and removes it, as root, on a
// machine without a service manager, which is what CI has.
func TestTheDebianPackageComesAndGoes(t *testing.T) {
	slow(t)
	nfpm := os.Getenv("BELAY_NFPM")
	if nfpm == "" || os.Geteuid() != 0 || os.Getenv("CI") == "" {
		t.Skip("only CI's root installs a package, made by the nfpm that BELAY_NFPM names")
	}
	if _, err := os.Stat("/usr/bin/belay"); err == nil {
		t.Skip("there is a belay on this machine")
	}
	root := t.TempDir() // with bin/ and deploy/, as the configuration names them
	for _, name := range []string{"deploy", "LICENSE"} {
		at, err := filepath.Abs("../" + name)
		must(t, err)
		must(t, os.Symlink(at, filepath.Join(root, name)))
	}
	must(t, os.Mkdir(filepath.Join(root, "bin"), 0o755))
	program, err := os.ReadFile(binary)
	must(t, err)
	must(t, os.WriteFile(filepath.Join(root, "bin", "belay"), program, 0o755))
	run := func(name string, args ...string) string {
		t.Helper()
		command := exec.Command(name, args...)
		command.Dir, command.Env = root, append(os.Environ(), "ARCH="+runtime.GOARCH, "DEBIAN_FRONTEND=noninteractive")
		said, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v: %s", name, args, err, said)
		}
		return string(said)
	}
	t.Cleanup(func() {
		for _, args := range [][]string{{"dpkg", "--purge", "belay"}, {"userdel", "belay"}, {"rm", "-rf", "/var/lib/belay"}} {
			_ = exec.Command(args[0], args[1:]...).Run()
		}
	})
	for _, version := range []string{"1.0.0", "1.0.1"} {
		t.Setenv("VERSION", version)
		run(nfpm, "package", "--config", "deploy/nfpm.yaml", "--packager", "deb", "--target", "belay-"+version+".deb")
		run("dpkg", "--install", "belay-"+version+".deb")
		if said := run("dpkg", "-s", "belay"); !strings.Contains(said, "Version: "+version) {
			t.Error(said)
		}
		servesAs(t, "belay", version == "1.0.0")
	}
	run("dpkg", "--remove", "belay")
	if _, err := os.Stat("/usr/bin/belay"); err == nil {
		t.Error("the program stayed")
	}
	if _, err := os.Stat("/var/lib/belay/belay.db"); err != nil {
		t.Errorf("the data is gone: %v", err)
	}
}

// servesAs starts the installed program as its unit does, and stops it again; the first time it does
// what the README says.
func servesAs(t *testing.T, account string, first bool) {
	t.Helper()
	addr := "127.0.0.1:" + freePort(t)
	server := exec.Command("setpriv", "--reuid="+account, "--regid="+account, "--init-groups", "/usr/bin/belay", "serve", "--addr", addr, "--data-dir", "/var/lib/belay")
	serves(t, server, addr, func() {
		if first {
			smokes(t, addr, "/var/lib/belay")
		}
	})
}
