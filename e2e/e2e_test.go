// Package e2e drives the real program with real clients, on both engines.
package e2e_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hashicorp/go-tfe"

	_ "github.com/belayhq/belay/internal/cli" // so that go runs these tests again when the program has changed
	"github.com/belayhq/belay/internal/storetest"
)

// binary is the program under test, built once for the package.
var binary string

func TestMain(m *testing.M) {
	// Tests mostly wait for the program, the database or the disk. -parallel goes before this.
	if err := flag.Set("test.parallel", strconv.Itoa(max(8, runtime.GOMAXPROCS(0)))); err != nil {
		panic(err)
	}
	os.Exit(buildAndRun(m))
}

func buildAndRun(m *testing.M) int {
	folder, err := os.MkdirTemp("", "belay-e2e")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(folder) }()
	binary = filepath.Join(folder, "belay")
	build := exec.Command("go", "build", "-o", binary, "../cmd/belay")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if raced() {
		build = exec.Command("go", "build", "-race", "-gcflags=golang.org/x/crypto/blowfish=-race=false",
			"-gcflags=modernc.org/sqlite/lib=-race=false", "-o", binary, "../cmd/belay")
	}
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "build belay:", err)
		return 1
	}
	for name, value := range map[string]string{"AWS_ACCESS_KEY_ID": "belay", "AWS_SECRET_ACCESS_KEY": "belay-secret"} {
		if err := os.Setenv(name, value); err != nil { // for the buckets that tests run
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	raw, err := os.ReadFile("../docs/openapi.json")
	if err == nil {
		description, err = describe(raw)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	http.DefaultTransport = description
	code := m.Run()
	if description.report(os.Stderr) > 0 {
		return 1
	}
	return code
}

// server is one running program.
type server struct {
	t         testing.TB
	URL       string
	Token     string // the site admin's
	env, args []string
	program   string // another than the one under test
	engines   string // folder of the engines that it carries runs out with
	command   *exec.Cmd
	logs      *logs
	http      *http.Client
}

// logs is what the program wrote, readable while it writes.
type logs struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (l *logs) Write(raw []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.Write(raw)
}

func (l *logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.String()
}

// each runs a test against a fresh server on every engine, in parallel.
func each(t *testing.T, test func(t *testing.T, s *server)) {
	t.Helper()
	t.Parallel()
	watched(t)
	for _, engine := range storetest.Outside(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			test(t, start(t, engine))
		})
	}
}

// start starts a fresh server on an engine, which carries no runs out unless it is told to.
// args are added to those of serve.
func start(t testing.TB, engine string, args ...string) *server {
	t.Helper()
	return startIn(t, engine, nil, args...)
}

// startIn is start with more in the program's environment.
func startIn(t testing.TB, engine string, env []string, args ...string) *server {
	t.Helper()
	folder := t.TempDir()
	if engine == "postgres" {
		env = append(env[:len(env):len(env)], "BELAY_DATABASE_URL="+storetest.URL(t, engine))
	} else {
		storetest.FreshSQLite(t, filepath.Join(folder, "belay.db"))
	}
	return startOn(t, folder, env, args...)
}

// startOn starts a server on a data folder.
func startOn(t testing.TB, folder string, env []string, args ...string) *server {
	t.Helper()
	s := serverOn(t, folder, env, args...)
	s.run()
	return s
}

// serverOn is a server on a data folder that is yet to be started.
func serverOn(t testing.TB, folder string, env []string, args ...string) *server {
	t.Helper()
	s := &server{
		t: t, Token: "admin-token-of-the-test", logs: &logs{}, http: http.DefaultClient,
		args: append([]string{"serve", "--addr", "127.0.0.1:0", "--data-dir", folder, "--rate-limit", "0", "--runner-slots", "0"}, args...),
		env:  append(os.Environ(), "BELAY_ADMIN_TOKEN=admin-token-of-the-test", "GORACE=halt_on_error=1"),
	}
	s.env = append(s.env, env...)
	t.Cleanup(func() {
		s.stop()
		if t.Failed() {
			t.Logf("the server's log:\n%s", lastLines(s.logs.String(), 40))
		}
	})
	return s
}

// lastLines is the end of a log: all of it from the race that ended the program, or n lines.
func lastLines(text string, n int) string {
	if at := strings.Index(text, "WARNING: DATA RACE"); at >= 0 {
		return text[at:]
	}
	lines := strings.Split(text, "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// run starts the program and waits until it is ready. A restart keeps the address.
func (s *server) run() {
	s.t.Helper()
	out, own := s.begin()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if strings.Contains(own.String(), "address already in use") { // somebody was given it while we were away
			_ = s.command.Wait()
			time.Sleep(100 * time.Millisecond)
			out, own = s.begin()
		}
		if _, address, ok := strings.Cut(out.String(), "Belay listens on "); ok && strings.Contains(address, "\n") {
			s.URL, _, _ = strings.Cut(address, "\n")
			s.args[2] = strings.TrimPrefix(strings.TrimPrefix(s.URL, "http://"), "https://")
			description.offersAll(s.URL)
			if answer, err := http.Get(s.URL + "/readyz"); err == nil {
				_ = answer.Body.Close()
				if answer.StatusCode == http.StatusOK {
					if slices.Contains(s.args, "--edition") {
						must(s.t, description.offersLess(s.URL))
					}
					return
				}
			} else if strings.HasPrefix(s.URL, "https://") {
				return // its certificate is not ours to trust here
			}
		}
	}
	s.t.Fatalf("belay was not ready in time:\n%s", s.logs)
}

// begin starts the program, and gives what it will write.
func (s *server) begin() (out, errOut *logs) {
	s.t.Helper()
	out, errOut = &logs{}, &logs{}
	s.command = exec.Command(cmp.Or(s.program, binary), s.args...)
	s.command.Env, s.command.Stdout, s.command.Stderr = s.env, out, io.MultiWriter(errOut, s.logs)
	if err := s.command.Start(); err != nil {
		s.t.Fatalf("start belay: %v", err)
	}
	return out, errOut
}

// kill ends the program as a power cut would.
func (s *server) kill() {
	_ = s.command.Process.Kill()
	_ = s.command.Wait()
}

// stop ends the program as an operator would, and demands a clean exit.
func (s *server) stop() {
	if s.command == nil || s.command.ProcessState != nil {
		return
	}
	_ = s.command.Process.Signal(syscall.SIGTERM)
	if err := s.command.Wait(); err != nil {
		s.t.Errorf("belay did not stop cleanly: %v", err)
	}
}

// client is a go-tfe client with a token.
func (s *server) client(token string) *tfe.Client {
	s.t.Helper()
	c, err := tfe.NewClient(&tfe.Config{Address: s.URL, Token: token, RetryServerErrors: false, HTTPClient: s.http})
	if err != nil {
		s.t.Fatalf("go-tfe: %v", err)
	}
	return c
}

// admin is a go-tfe client of the site admin.
func (s *server) admin() *tfe.Client { return s.client(s.Token) }

// organization makes an organization owned by the site admin.
func (s *server) organization(name string) *tfe.Organization {
	s.t.Helper()
	o, err := s.admin().Organizations.Create(context.Background(), tfe.OrganizationCreateOptions{
		Name: tfe.String(name), Email: tfe.String(name + "@example.com"),
	})
	must(s.t, err)
	return o
}

// workspace makes a workspace and gives its id.
func (s *server) workspace(organization, name string) string {
	s.t.Helper()
	return s.do("POST", "/organizations/"+organization+"/workspaces", s.Token,
		fmt.Sprintf(`{"data":{"type":"workspaces","attributes":{"name":%q}}}`, name)).want(s.t, 201).text("data.id")
}

// patience is how long a test waits for what comes in seconds: machines of others are slow, and
// what never comes is told no worse after minutes.
const patience = 5 * time.Minute

// slow skips a test that takes long, unless slow tests were asked for.
func slow(t testing.TB) {
	t.Helper()
	storetest.NeedsSlow(t)
}

// tool is the real program that a variable of the environment names; without it the test is skipped.
func tool(t testing.TB, variable string) string {
	t.Helper()
	program := os.Getenv(variable)
	if program == "" {
		t.Skip(variable + " names no program: run make check-all")
	}
	return program
}

// user makes a user without a password, and a token for it.
func (s *server) user(name string) (id, token string) {
	s.t.Helper()
	return s.newUser(name, "")
}

// person makes a user who can sign in, and a token for it. Hashing a password takes long:
// only those who use theirs have one.
func (s *server) person(name string) (id, token string) {
	s.t.Helper()
	return s.newUser(name, password)
}

func (s *server) newUser(name, password string) (id, token string) {
	s.t.Helper()
	id = s.do("POST", "/admin/users", s.Token, fmt.Sprintf(
		`{"data":{"type":"users","attributes":{"username":%q,"email":"%s@example.com","password":%q}}}`, name, name, password)).want(s.t, 201).text("data.id")
	issued := s.do("POST", "/users/"+id+"/authentication-tokens", s.Token, `{"data":{"type":"authentication-tokens","attributes":{}}}`).want(s.t, 201)
	return id, issued.text("data.attributes.token")
}

// reply is an answer, read whole.
type reply struct {
	Status int
	Header http.Header
	Body   string
}

// do sends one request below /api/v2 with a token; body may be empty.
func (s *server) do(method, path, token, body string) reply {
	s.t.Helper()
	r, err := s.try(method, path, token, body)
	must(s.t, err)
	return r
}

// try is do for when the server may be down.
func (s *server) try(method, path, token, body string) (reply, error) {
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	request, err := http.NewRequestWithContext(context.Background(), method, s.URL+"/api/v2"+path, reader)
	if err != nil {
		return reply{}, err
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/vnd.api+json")
	}
	return s.exchange(request)
}

// send sends a request that a test has made itself.
func (s *server) send(request *http.Request) reply {
	s.t.Helper()
	r, err := s.exchange(request)
	must(s.t, err)
	return r
}

func (s *server) exchange(request *http.Request) (reply, error) {
	answer, err := s.http.Do(request)
	if err != nil {
		return reply{}, err
	}
	defer func() { _ = answer.Body.Close() }()
	raw, err := io.ReadAll(answer.Body)
	return reply{answer.StatusCode, answer.Header, string(raw)}, err
}

// want demands a status.
func (r reply) want(t testing.TB, status int) reply {
	t.Helper()
	if r.Status != status {
		t.Fatalf("status %d, want %d: %s", r.Status, status, r.Body)
	}
	return r
}

// at is what stands at a dotted path of the body; a number is an index.
func (r reply) at(path string) any {
	var value any
	if json.Unmarshal([]byte(r.Body), &value) != nil {
		return nil
	}
	for _, part := range strings.Split(path, ".") {
		switch v := value.(type) {
		case map[string]any:
			value = v[part]
		case []any:
			var i int
			if _, err := fmt.Sscan(part, &i); err != nil || i >= len(v) {
				return nil
			}
			value = v[i]
		default:
			return nil
		}
	}
	return value
}

// text is the text at a dotted path of the body.
func (r reply) text(path string) string {
	text, _ := r.at(path).(string)
	return text
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
