// Package giteatest starts a real Gitea for a test, and pushes to it. It is for tests only and knows
// nothing of what they test. Where BELAY_GITEA names no Gitea the test is skipped; e2e/tools builds one.
package giteatest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// Env names the environment variable with the path of the program. Its templates lie beside it.
const Env = "BELAY_GITEA"

// Who owns everything.
const (
	User     = "ada"
	Password = "correct horse 1"
)

// nobody is whom Gitea runs as when the tests run as root, which it refuses to.
const nobody = 65534

// Server is a running Gitea with one user, who may do everything.
type Server struct {
	URL   string
	Token string // the user's
	SSH   int    // the port of its SSH

	t      testing.TB
	folder string
	ini    string
	log    *output
}

// output is what a program wrote, readable while it writes.
type output struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (o *output) Write(raw []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.all.Write(raw)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.all.String()
}

// Start starts a fresh Gitea, which ends with the test.
func Start(t testing.TB) *Server {
	t.Helper()
	program := os.Getenv(Env)
	if program == "" || os.Getenv("BELAY_SLOW") == "" {
		t.Skip(Env + " names no Gitea: run make check-all")
	}
	folder, err := os.MkdirTemp("", "belay-gitea") // below t.TempDir nobody else may look
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	s := &Server{t: t, folder: folder, log: &output{}, SSH: FreePort(t)}
	port := FreePort(t)
	s.URL = "http://127.0.0.1:" + strconv.Itoa(port)
	s.install(filepath.Dir(program), port)
	s.command("migrate")
	s.Token = lastWord(s.command("admin", "user", "create", "--username", User, "--password", Password, "--email", User+"@example.com",
		"--admin", "--must-change-password=false", "--access-token", "--access-token-name", "test", "--access-token-scopes", "all"))
	s.serve()
	return s
}

// install puts the program and what it reads where whoever it runs as can read it.
func (s *Server) install(from string, port int) {
	s.t.Helper()
	for _, name := range []string{"gitea", "templates", "options"} {
		s.must(linked(filepath.Join(from, name), filepath.Join(s.folder, name)))
	}
	s.ini = filepath.Join(s.folder, "app.ini")
	work := filepath.Join(s.folder, "work")
	text := fmt.Sprintf(settings, work, port, s.URL, s.folder, s.SSH, s.SSH, name())
	s.must(os.WriteFile(s.ini, []byte(text), 0o600))
	s.must(os.Mkdir(work, 0o700))
	s.must(os.Chmod(s.folder, 0o755))
	if os.Geteuid() == 0 {
		s.must(os.Chown(s.ini, nobody, nobody))
		s.must(os.Chown(work, nobody, nobody))
	}
}

// settings is all that is not as Gitea comes.
const settings = `RUN_MODE = prod
WORK_PATH = %s
[server]
HTTP_ADDR = 127.0.0.1
HTTP_PORT = %d
ROOT_URL = %s/
STATIC_ROOT_PATH = %s
OFFLINE_MODE = true
START_SSH_SERVER = true
SSH_LISTEN_HOST = 127.0.0.1
SSH_DOMAIN = 127.0.0.1
SSH_LISTEN_PORT = %d
SSH_PORT = %d
BUILTIN_SSH_SERVER_USER = git
[database]
DB_TYPE = sqlite3
[security]
INSTALL_LOCK = true
SECRET_KEY = of-the-test
INTERNAL_TOKEN = of-the-test
PASSWORD_HASH_ALGO = pbkdf2_v1
[oauth2]
JWT_SIGNING_ALGORITHM = ES256
JWT_SECRET = b29vb29vb29vb29vb29vb29vb29vb29vb29vb29vb28
[log]
LEVEL = error
MODE = console
[webhook]
ALLOWED_HOST_LIST = loopback
SKIP_TLS_VERIFY = true
[indexer]
ISSUE_INDEXER_TYPE = db
[cron]
ENABLED = false
[actions]
ENABLED = false
[picture]
DISABLE_GRAVATAR = true
; runs as %s
`

// linked puts a file or a folder somewhere else without copying where that can be done.
func linked(from, to string) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		inner, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, inner)
		if entry.IsDir() {
			return os.Mkdir(target, 0o755)
		}
		if os.Link(path, target) == nil {
			return nil
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, raw, info.Mode())
	})
}

func name() string {
	if os.Geteuid() == 0 {
		return "nobody"
	}
	if user := os.Getenv("USER"); user != "" {
		return user
	}
	out, _ := exec.Command("id", "-un").Output()
	return strings.TrimSpace(string(out))
}

// program is a call of Gitea as whoever it may run as.
func (s *Server) program(args ...string) *exec.Cmd {
	c := exec.Command(filepath.Join(s.folder, "gitea"), append(args, "--config", s.ini)...)
	c.Dir = filepath.Join(s.folder, "work")
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + c.Dir, "USER=" + name(), "TMPDIR=" + c.Dir, "GITEA_WORK_DIR=" + c.Dir}
	if os.Geteuid() == 0 {
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	return c
}

func (s *Server) command(args ...string) string {
	s.t.Helper()
	out, err := s.program(args...).CombinedOutput()
	if err != nil {
		s.t.Fatalf("gitea %s: %v\n%s", args[0], err, out)
	}
	return string(out)
}

// serve starts the server and waits until it answers.
func (s *Server) serve() {
	s.t.Helper()
	c := s.program("web")
	c.Stdout, c.Stderr = s.log, s.log
	s.must(c.Start())
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	s.t.Cleanup(func() {
		_ = c.Process.Signal(syscall.SIGTERM)
		select {
		case <-ended:
		case <-time.After(10 * time.Second):
			_ = c.Process.Kill()
			<-ended
		}
		if s.t.Failed() {
			s.t.Logf("Gitea's log:\n%s", s.log)
		}
	})
	for deadline := time.Now().Add(5 * time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		select {
		case err := <-ended:
			ended <- err
			s.t.Fatalf("Gitea ended: %v\n%s", err, s.log)
		default:
		}
		if answer, err := http.Get(s.URL + "/api/healthz"); err == nil {
			_ = answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return
			}
		}
	}
	s.t.Fatalf("Gitea was not ready in time:\n%s", s.log)
}

// API asks below /api/v1 as the user, and decodes the answer into into unless that is nil.
func (s *Server) API(method, path string, send, into any) {
	s.t.Helper()
	raw, err := json.Marshal(send)
	s.must(err)
	request, err := http.NewRequest(method, s.URL+"/api/v1"+path, bytes.NewReader(raw))
	s.must(err)
	request.Header.Set("Authorization", "token "+s.Token)
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	s.must(err)
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	s.must(err)
	if answer.StatusCode > 299 {
		s.t.Fatalf("%s %s: %s\n%s", method, path, answer.Status, body)
	}
	if into != nil {
		s.must(json.Unmarshal(body, into))
	}
}

func (s *Server) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// withToken is an address with which git needs to be told nothing.
func (s *Server) withToken(path string) string {
	at, err := url.Parse(s.URL + "/" + path + ".git")
	s.must(err)
	at.User = url.UserPassword(User, s.Token)
	return at.String()
}

func lastWord(text string) string {
	words := strings.Fields(text)
	for i, word := range words { // "Access token was successfully created... TOKEN", then more
		if word == "created..." && i+1 < len(words) {
			return words[i+1]
		}
	}
	return ""
}

// ports is the last port that was handed out; held are the locks of all that were, which end with
// the process.
var (
	ports atomic.Int64
	held  sync.Map
)

// FreePort is a port that nobody listens on, that the kernel gives to nobody who asks for any, and
// that no other test of this machine is given: between asking for a free one and listening on it
// others would take it, and answer in its place.
func FreePort(t testing.TB) int {
	t.Helper()
	const first, many = 10_000, 20_000
	for range many {
		port := first + int(ports.Add(1)+int64(os.Getpid())*37)%many
		lock, err := os.OpenFile(filepath.Join(os.TempDir(), fmt.Sprintf("belay-test-port-%d", port)), os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil || syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
			_ = lock.Close()
			continue
		}
		held.Store(port, lock)
		if l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port))); err == nil {
			_ = l.Close()
			return port
		}
	}
	t.Fatal("no port is free")
	return 0
}
