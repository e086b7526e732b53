package e2e_test

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/belayhq/belay/internal/storetest"
)

// gateway is a real S3 server over a folder.
type gateway struct {
	t       *testing.T
	folder  string // whose folders are the buckets
	port    string
	tls     []string // the arguments of its certificate
	command *exec.Cmd
}

// newGateway starts versitygw over a folder, with one bucket.
func newGateway(t *testing.T, folder string, tls ...string) *gateway {
	t.Helper()
	slow(t)
	g := &gateway{t: t, folder: folder, port: freePort(t), tls: tls}
	must(t, os.MkdirAll(filepath.Join(folder, "buckets", "states"), 0o700))
	must(t, os.MkdirAll(filepath.Join(folder, "meta"), 0o700)) // what it notes of objects, where the disk has no attributes
	g.run()
	t.Cleanup(g.kill)
	return g
}

func (g *gateway) run() {
	g.t.Helper()
	program := tool(g.t, "BELAY_VERSITYGW")
	args := append([]string{"--access", "belay", "--secret", "belay-secret", "--port", "127.0.0.1:" + g.port, "--quiet"}, g.tls...)
	g.command = exec.Command(program, append(args, "posix", "--sidecar", filepath.Join(g.folder, "meta"), filepath.Join(g.folder, "buckets"))...)
	must(g.t, g.command.Start())
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if conn, err := net.Dial("tcp", "127.0.0.1:"+g.port); err == nil {
			_ = conn.Close()
			return
		}
	}
	g.t.Fatal("the S3 server did not come")
}

func (g *gateway) kill() {
	_ = g.command.Process.Kill()
	_ = g.command.Wait()
}

// url is that of the bucket, or of an archive in it.
func (g *gateway) url(name string) string {
	scheme := "http"
	if len(g.tls) > 0 {
		scheme = "https"
	}
	return "s3://states" + name + "?region=us-east-1&endpoint=" + scheme + "://127.0.0.1:" + g.port
}

// certificates makes a CA and a certificate as belay makes its own, and gives where they lie.
func certificates(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	s := start(t, "sqlite", "--data-dir", folder, "--tls-self-signed")
	s.stop()
	return filepath.Join(folder, "tls")
}

func TestARealObjectStoreKeepsEverything(t *testing.T) {
	slow(t)
	t.Parallel()
	for _, engine := range storetest.Outside(t) {
		for _, withTLS := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s tls %v", engine, withTLS), func(t *testing.T) {
				t.Parallel()
				var args, env []string
				if withTLS {
					folder := certificates(t)
					args = []string{"--cert", filepath.Join(folder, "server.pem"), "--key", filepath.Join(folder, "server-key.pem")}
					env = []string{"SSL_CERT_FILE=" + filepath.Join(folder, "ca.pem")}
				}
				g := newGateway(t, t.TempDir(), args...)
				s := startIn(t, engine, env, "--blob-url", g.url(""))
				s.keepsIn(t, g)
			})
		}
	}
}

// keepsIn gives states of all sizes, reads them again, backs up into the bucket and restores
// from it into a folder.
func (s *server) keepsIn(t *testing.T, g *gateway) {
	t.Helper()
	s.organization("acme")
	id := s.workspace("acme", "network")
	configuration := s.configuration(id)
	s.lock(id)
	large := append(bytes.TrimSuffix(stateWith(2, 20000), []byte("}")), `,"pad":"`+strings.Repeat("x", 12<<20)+`"}`...)
	for serial, raw := range [][]byte{stateWith(0, 1), stateWith(1, 3), large} {
		s.give(id, raw, int64(serial))
	}
	s.unlock(id)
	current, err := s.admin().StateVersions.ReadCurrent(t.Context(), id)
	must(t, err)
	raw, err := s.admin().StateVersions.Download(t.Context(), current.DownloadURL)
	must(t, err)
	if !bytes.Equal(raw, large) {
		t.Errorf("%d bytes came back of %d", len(raw), len(large))
	}
	if configuration == "" {
		t.Error("no configuration")
	}
	place := []string{"--data-dir", s.args[4], "--blob-url", g.url("")}
	if out, errOut, status := belay(t, s.env, append([]string{"backup", g.url("/backups/belay.tar")}, place...)...); status != 0 {
		t.Fatalf("backup: %d %s %s", status, out, errOut)
	}
	if out, errOut, status := belay(t, s.env, append([]string{"verify"}, place...)...); status != 0 || !strings.Contains(out, " 0 faults") {
		t.Errorf("verify: %d %s %s", status, out, errOut)
	}
	folder := t.TempDir()
	key, err := os.ReadFile(filepath.Join(s.args[4], "encryption.key"))
	must(t, err)
	must(t, os.WriteFile(filepath.Join(folder, "encryption.key"), key, 0o600))
	env := append(slices.Clone(s.env), "BELAY_DATABASE_URL="+storetest.EmptyPostgres(t))
	for _, args := range [][]string{{"verify", g.url("/backups/belay.tar")}, {"restore", g.url("/backups/belay.tar")}, {"verify"}} {
		if out, errOut, status := belay(t, env, append(args, "--data-dir", folder)...); status != 0 {
			t.Errorf("%v: %d %s %s", args, status, out, errOut)
		}
	}
}

// TestABucketOfARealStoreMovesIn imports states that the S3 backend left in a bucket of a real server, and
// compares both sides.
func TestABucketOfARealStoreMovesIn(t *testing.T) {
	slow(t)
	t.Parallel()
	for _, engine := range storetest.Outside(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			g, s := newGateway(t, folder), start(t, engine)
			for _, key := range []string{"apps/web.tfstate", "env:/prod/apps/web.tfstate"} {
				path := filepath.Join(folder, "buckets", "states", filepath.FromSlash(key))
				must(t, os.MkdirAll(filepath.Dir(path), 0o700))
				must(t, os.WriteFile(path, stateWith(3, 2), 0o600))
			}
			place := []string{"--from", g.url(""), "--organization", "moved", "--to", s.URL, "--token", s.Token}
			for _, args := range [][]string{{"import", "--journal", ""}, {"import", "verify"}} {
				if out, errOut, status := belay(t, s.env, append(args, place...)...); status != 0 {
					t.Fatalf("%v: %d %s %s", args, status, out, errOut)
				}
			}
			for _, name := range []string{"apps-web", "apps-web-prod"} {
				id := s.do("GET", "/organizations/moved/workspaces/"+name, s.Token, "").want(t, 200).text("data.id")
				current, err := s.admin().StateVersions.ReadCurrent(t.Context(), id)
				must(t, err)
				raw, err := s.admin().StateVersions.Download(t.Context(), current.DownloadURL)
				must(t, err)
				if !bytes.Equal(raw, stateWith(3, 2)) || current.Serial != 3 {
					t.Errorf("%s: serial %d, %s", name, current.Serial, raw)
				}
			}
		})
	}
}

// configuration uploads an archive and gives the id of its version.
func (s *server) configuration(workspaceID string) string {
	s.t.Helper()
	made := s.do("POST", "/workspaces/"+workspaceID+"/configuration-versions", s.Token,
		`{"data":{"type":"configuration-versions","attributes":{"auto-queue-runs":false}}}`).want(s.t, 201)
	request, err := http.NewRequest(http.MethodPut, made.text("data.attributes.upload-url"), bytes.NewReader(archiveOf("main.tf", "# nothing\n")))
	must(s.t, err)
	if answer := s.send(request); answer.Status != 200 {
		s.t.Errorf("upload: %d %s", answer.Status, answer.Body)
	}
	return made.text("data.id")
}

func TestWrongKeysOfAStoreAreRefusedAtStart(t *testing.T) {
	g := newGateway(t, t.TempDir())
	for _, env := range [][]string{{"AWS_SECRET_ACCESS_KEY=wrong"}, {"AWS_ACCESS_KEY_ID=nobody"}} {
		_, errOut, status := belay(t, env, "serve", "--addr", "127.0.0.1:0", "--data-dir", t.TempDir(), "--blob-url", g.url(""))
		if status != 2 || strings.Count(errOut, "\n") != 1 || !strings.Contains(errOut, "--blob-url") || strings.Contains(errOut, "wrong") {
			t.Errorf("%v: status %d, %q", env, status, errOut)
		}
	}
	other := strings.Replace(g.url(""), "s3://states", "s3://nowhere", 1)
	if _, errOut, status := belay(t, nil, "serve", "--addr", "127.0.0.1:0", "--data-dir", t.TempDir(), "--blob-url", other); status != 2 || !strings.Contains(errOut, "no bucket") {
		t.Errorf("a bucket that is not there: %d %q", status, errOut)
	}
}

// TestAStoreThatFailsLosesNothing kills the store, stops it for a while and brings it back:
// what was answered is there, and what was not may be tried again.
func TestAStoreThatFailsLosesNothing(t *testing.T) {
	g := newGateway(t, t.TempDir())
	s := start(t, "sqlite", "--blob-url", g.url(""))
	s.organization("acme")
	id := s.workspace("acme", "network")
	s.lock(id)
	give := func(serial int64) reply {
		return s.do("POST", "/workspaces/"+id+"/state-versions", s.Token, stateBody(stateWith(serial, 3), serial, lineage, true))
	}
	give(1).want(t, 201)
	g.kill()
	if r := give(2); r.Status != 503 || r.Header.Get("Retry-After") == "" {
		t.Errorf("while the store is away: %d %s", r.Status, r.Body)
	}
	answer, err := http.Get(s.URL + "/readyz")
	must(t, err)
	if must(t, answer.Body.Close()); answer.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("readyz: %v", answer)
	}
	g.run()
	give(2).want(t, 201)
	must(t, g.command.Process.Signal(syscall.SIGSTOP))
	time.AfterFunc(2*time.Second, func() { _ = g.command.Process.Signal(syscall.SIGCONT) })
	give(3).want(t, 201) // it only takes long
	s.unlock(id)
	s.kill()
	s.run()
	if out, errOut, status := belay(t, nil, "verify", "--data-dir", s.args[4], "--blob-url", g.url("")); status != 0 {
		t.Errorf("verify: %d %s %s", status, out, errOut)
	}
}

// TestAStoreThatIsFullRefusesAndGoesOn needs a small disk, which only root can make.
func TestAStoreThatIsFullRefusesAndGoesOn(t *testing.T) {
	slow(t)
	if os.Geteuid() != 0 {
		t.Skip("only root can make a small disk")
	}
	disk := t.TempDir()
	if raw, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", disk).CombinedOutput(); err != nil {
		t.Skipf("no small disk here: %s", raw)
	}
	t.Cleanup(func() { _ = exec.Command("umount", "-l", disk).Run() })
	g := newGateway(t, disk)
	s := start(t, "sqlite", "--blob-url", g.url(""))
	s.organization("acme")
	id := s.workspace("acme", "network")
	s.lock(id)
	s.give(id, stateWith(1, 3), 1)
	large := append(bytes.TrimSuffix(stateWith(2, 3), []byte("}")), `,"pad":"`+strings.Repeat("x", 12<<20)+`"}`...)
	if r := s.do("POST", "/workspaces/"+id+"/state-versions", s.Token, stateBody(large, 2, lineage, true)); r.Status != 503 {
		t.Errorf("a state that does not fit: %d %s", r.Status, r.Body)
	}
	s.give(id, stateWith(2, 3), 2)
	s.unlock(id)
	if out, errOut, status := belay(t, nil, "verify", "--data-dir", s.args[4], "--blob-url", g.url("")); status != 0 {
		t.Errorf("verify: %d %s %s", status, out, errOut)
	}
}
