package repos_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/blob"
	"github.com/belayhq/belay/internal/git"
	"github.com/belayhq/belay/internal/guard"
	"github.com/belayhq/belay/internal/isolate"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/repos"
	"github.com/belayhq/belay/internal/runs"
	"github.com/belayhq/belay/internal/seal"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
	"github.com/belayhq/belay/run"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == isolate.Command {
		os.Exit(isolate.Supervise(os.Args[2]))
	}
	os.Exit(m.Run())
}

// forge is a service: a real repository behind a small part of Gitea's API.
type forge struct {
	t    *testing.T
	root string
	url  string

	mu       sync.Mutex
	hooks    map[string]string // secrets by id
	made     int
	statuses []string // "commit context state description"
	comments []string
	files    []string // of any pull request; nil: the service says an error
	fetched  int      // how often git asked for a pack
	down     bool     // the API answers errors
}

func newForge(t *testing.T) *forge {
	t.Helper()
	core, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		t.Fatal(err)
	}
	f := &forge{t: t, root: t.TempDir(), hooks: map[string]string{}}
	backend := &cgi.Handler{
		Path: filepath.Join(strings.TrimSpace(string(core)), "git-http-backend"),
		Env:  []string{"GIT_PROJECT_ROOT=" + f.root, "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_NOSYSTEM=1", "HOME=" + f.root},
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if path, api := strings.CutPrefix(r.URL.Path, "/api/v1/repos/acme/app"); api {
			f.api(w, r, path)
			return
		}
		if _, given, _ := r.BasicAuth(); given != "the-token" {
			w.Header().Set("WWW-Authenticate", "Basic")
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if strings.HasSuffix(r.URL.Path, "git-upload-pack") {
			raw, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(strings.NewReader(string(raw)))
			if strings.Contains(string(raw), "command=fetch") {
				f.mu.Lock()
				f.fetched++
				f.mu.Unlock()
			}
		}
		backend.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	f.url = server.URL
	if err := os.MkdirAll(filepath.Join(f.root, "acme"), 0o700); err != nil {
		t.Fatal(err)
	}
	f.git("", "init", "--quiet", "-b", "main", "acme/app.git")
	return f
}

func (f *forge) api(w http.ResponseWriter, r *http.Request, path string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	raw, _ := io.ReadAll(r.Body)
	var sent map[string]any
	_ = json.Unmarshal(raw, &sent)
	answer := func(v any) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(v)
	}
	switch {
	case f.down:
		w.WriteHeader(http.StatusBadRequest)
	case r.Header.Get("Authorization") != "token the-token":
		w.WriteHeader(http.StatusUnauthorized)
	case path == "":
		answer(map[string]any{"default_branch": "main", "full_name": "acme/app"})
	case strings.HasPrefix(path, "/branches/"):
		branch := strings.TrimPrefix(path, "/branches/")
		answer(map[string]any{"name": branch, "commit": map[string]any{"id": f.git("acme/app.git", "rev-parse", branch), "message": "head of " + branch}})
	case strings.HasPrefix(path, "/git/commits/"):
		answer(map[string]any{"sha": f.git("acme/app.git", "rev-parse", strings.TrimPrefix(path, "/git/commits/"))})
	case path == "/hooks" && r.Method == http.MethodPost:
		f.made++
		id := fmt.Sprint(f.made)
		config, _ := sent["config"].(map[string]any)
		f.hooks[id], _ = config["secret"].(string)
		w.WriteHeader(http.StatusCreated)
		answer(map[string]any{"id": f.made})
	case strings.HasPrefix(path, "/hooks/") && r.Method == http.MethodDelete:
		delete(f.hooks, strings.TrimPrefix(path, "/hooks/"))
		w.WriteHeader(http.StatusNoContent)
	case strings.HasPrefix(path, "/statuses/"):
		f.statuses = append(f.statuses, fmt.Sprint(strings.TrimPrefix(path, "/statuses/")[:7], " ", sent["context"], " ", sent["state"], " ", sent["description"]))
		w.WriteHeader(http.StatusCreated)
		answer(map[string]any{})
	case strings.HasSuffix(path, "/comments"):
		f.comments = append(f.comments, fmt.Sprint(sent["body"]))
		w.WriteHeader(http.StatusCreated)
		answer(map[string]any{"id": len(f.comments)})
	case strings.HasSuffix(path, "/files") && f.files != nil:
		var list []map[string]any
		for _, name := range f.files {
			list = append(list, map[string]any{"filename": name, "status": "changed"})
		}
		answer(list)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

func (f *forge) git(dir string, args ...string) string {
	f.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
	cmd.Dir, cmd.Env = filepath.Join(f.root, dir), []string{"PATH=" + os.Getenv("PATH"), "HOME=" + f.root, "GIT_CONFIG_NOSYSTEM=1"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		f.t.Errorf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit writes a file, and answers the commit.
func (f *forge) commit(path, content string) string {
	f.t.Helper()
	full := filepath.Join(f.root, "acme/app.git", path)
	if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
		f.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(content), 0o600); err != nil {
		f.t.Fatal(err)
	}
	f.git("acme/app.git", "add", "-A")
	f.git("acme/app.git", "commit", "--quiet", "--allow-empty", "-m", "change "+path)
	return f.git("acme/app.git", "rev-parse", "HEAD")
}

func (f *forge) count(what func(*forge) int) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return what(f)
}

// house is an organization with a connection to a forge.
type house struct {
	*repos.Room
	t      *testing.T
	url    string
	db     *store.DB
	ring   *seal.Ring
	blobs  blob.Store
	verbs  *app.App
	runs   *runs.Room
	forge  *forge
	clock  *atomic.Int64
	admin  belay.Subject
	token  string
	change func(*repos.Config)
}

type noLogs struct{}

func (noLogs) Begin(*store.Tx, *run.Run, string) error       { return nil }
func (noLogs) End(*store.Tx, *run.Run, string, string) error { return nil }
func (noLogs) Size(*store.View, string) (int64, error)       { return 0, nil }

type noFiles struct{}

func (noFiles) Of(*store.View, *run.Run) ([]run.JobFile, error) {
	return []run.JobFile{{Kind: run.PlanFile}, {Kind: run.PlanJSONFile}}, nil
}
func (noFiles) Counts(context.Context, *run.Run) (run.Counts, error) { return run.Counts{}, nil }
func (noFiles) Findings(context.Context, *run.Run) (belay.Findings, error) {
	return belay.Findings{}, nil
}

func (noFiles) GiveUp(*store.Tx, *run.Run, string) (func(context.Context), error) {
	return func(context.Context) {}, nil
}

func each(t *testing.T, test func(*house)) {
	t.Helper()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			test(newHouse(t, engine))
		})
	}
}

func newHouse(t *testing.T, engine string) *house {
	t.Helper()
	h := &house{t: t, clock: &atomic.Int64{}, url: storetest.URL(t, engine), forge: newForge(t)}
	h.clock.Store(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC).UnixMilli())
	var err error
	h.ring, err = seal.Parse(seal.GenerateKey())
	h.must(err)
	h.blobs, err = blob.Open(t.Context(), "file://"+t.TempDir(), h.ring)
	h.must(err)
	h.open()
	_, err = h.verbs.FirstStart(t.Context(), "the-admin")
	h.must(err)
	h.admin, err = h.verbs.Authenticate(t.Context(), "the-admin")
	h.must(err)
	_, err = h.verbs.CreateOrganization(t.Context(), h.admin, belay.OrganizationPatch{Name: patch.Of("acme"), Email: patch.Of("a@example.com")})
	h.must(err)
	h.token = h.connection("acme")
	return h
}

// open opens the database, and builds what a replica is.
func (h *house) open() {
	db, err := store.Open(h.t.Context(), store.Options{URL: h.url, Now: h.now})
	h.must(err)
	h.t.Cleanup(func() { _ = db.Close() })
	h.db = db
	h.verbs = app.New(app.Config{DB: db, Ring: h.ring, Blobs: h.blobs, Now: h.now, Address: "https://belay.example.com"})
	h.runs = runs.New(runs.Config{
		DB: db, Ring: h.ring, Now: h.now, Logs: noLogs{}, Files: noFiles{}, Engines: h.verbs.Engines, Settle: app.SettleStates, DefaultEngine: "tofu", Carries: true,
		Head: func(ctx context.Context, w *belay.Workspace) (*runs.Head, error) { return h.Room.Head(ctx, w) },
	})
	h.Room = h.room()
}

// room is one more worker on the same database.
func (h *house) room() *repos.Room {
	opened, err := guard.Parse("127.0.0.1")
	h.must(err)
	binary, err := exec.LookPath("git")
	h.must(err)
	c := repos.Config{
		DB: h.db, Ring: h.ring, Objects: h.verbs.Objects(), Runs: h.runs, Guard: opened, Now: h.now, PublicURL: "https://belay.example.com", MaxSize: 1 << 20,
		Fetcher: &git.Fetcher{Binary: binary, Folder: h.t.TempDir(), Guard: opened, Walls: isolate.Walls{Landlock: isolate.Probe().Landlock > 0}},
	}
	if h.change != nil {
		h.change(&c)
	}
	return repos.New(c)
}

// now is another millisecond each time: what is made later is later.
func (h *house) now() time.Time { return time.UnixMilli(h.clock.Add(1)) }

func (h *house) pass(d time.Duration) { h.clock.Add(d.Milliseconds()) }

func (h *house) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

// settle does all that can be done now.
func (h *house) settle() {
	h.t.Helper()
	for range 100 {
		begun := h.Work(h.t.Context())
		h.Wait()
		if begun == 0 {
			return
		}
	}
	h.t.Fatal("there is no end of work")
}

func (h *house) connection(organization string) (token string) {
	h.t.Helper()
	c, err := h.verbs.CreateOAuthClient(h.t.Context(), h.admin, organization, belay.OAuthClientPatch{
		ServiceProvider: patch.Of("gitea"), HTTPURL: patch.Of(h.forge.url), APIURL: patch.Of(h.forge.url + "/api/v1"), TokenString: patch.Of("the-token"),
	})
	h.must(err)
	return c.TokenIDs[0]
}

// workspace is one that is connected to the repository.
func (h *house) workspace(name string, change func(*belay.WorkspacePatch)) belay.WorkspaceRef {
	h.t.Helper()
	p := belay.WorkspacePatch{
		Name: patch.Of(name), QueueAllRuns: patch.Of(true),
		VCSRepo: patch.Of(belay.VCSRepoPatch{Identifier: patch.Of("acme/app"), OAuthTokenID: patch.Of(h.token)}),
	}
	if change != nil {
		change(&p)
	}
	w, err := h.verbs.CreateWorkspace(h.t.Context(), h.admin, "acme", p)
	h.must(err)
	return belay.WorkspaceRef{ID: w.ID}
}

// runsOf is the runs of a workspace, the oldest first.
func (h *house) runsOf(ref belay.WorkspaceRef) (list []run.Run) {
	h.t.Helper()
	found, _, err := h.runs.List(h.t.Context(), h.admin, ref, run.Query{Page: belay.Page{Number: 1, Size: 100}})
	h.must(err)
	for i := len(found) - 1; i >= 0; i-- {
		list = append(list, found[i].Run)
	}
	return list
}

func (h *house) hook(ref belay.WorkspaceRef) belay.Hook {
	h.t.Helper()
	var hook belay.Hook
	h.must(h.db.View(h.t.Context(), func(v *store.View) error {
		w, err := v.Workspace(ref)
		if err == nil {
			hook, err = v.Hook(w.VCSRepo.WebhookID)
		}
		return err
	}))
	return hook
}

// events is what was told, in one text.
func (h *house) events() string {
	h.t.Helper()
	q, err := belay.ParseVCSEventQuery("", "", "", "", h.now())
	h.must(err)
	q.Page = belay.Page{Number: 1, Size: 100}
	list, _, err := h.Events(h.t.Context(), h.admin, "acme", q)
	h.must(err)
	var lines []string
	for _, e := range list {
		lines = append(lines, e.Level+" "+e.Message)
	}
	return strings.Join(lines, "\n")
}

// sent is a delivery as Gitea sends one.
func (h *house) sent(hook belay.Hook, event, id string, body any) (http.Header, []byte) {
	h.t.Helper()
	raw, err := json.Marshal(body)
	h.must(err)
	secret, err := h.ring.Unseal(hook.SealedSecret, hook.ID)
	h.must(err)
	mac := hmac.New(sha256.New, secret)
	mac.Write(raw)
	return http.Header{
		"X-Gitea-Event": {event}, "X-Gitea-Delivery": {id}, "X-Gitea-Signature": {hex.EncodeToString(mac.Sum(nil))},
	}, raw
}

type object = map[string]any

func pushOf(ref, before, after string, files ...string) object {
	return object{
		"ref": ref, "before": before, "after": after, "compare_url": "https://forge.example.com/compare", "total_commits": 1,
		"commits":     []object{{"id": after, "message": "change it\n\nbody", "added": []string{}, "removed": []string{}, "modified": files}},
		"head_commit": object{"id": after, "message": "change it\n\nbody", "url": "https://forge.example.com/commit"},
		"repository":  object{"full_name": "Acme/App", "default_branch": "main"}, "sender": object{"login": "ada"}, "pusher": object{"login": "ada"},
	}
}

func (h *house) push(ref belay.WorkspaceRef, id string, body object) {
	h.t.Helper()
	hook := h.hook(ref)
	header, raw := h.sent(hook, "push", id, body)
	h.must(h.Receive(h.t.Context(), hook.ID, header, raw))
}

func (h *house) pull(ref belay.WorkspaceRef, id string, number int, commit, head string) {
	h.t.Helper()
	hook := h.hook(ref)
	header, raw := h.sent(hook, "pull_request", id, object{
		"action": "opened", "number": number, "pull_request": object{
			"number": number, "html_url": "https://forge.example.com/pulls/1", "title": "A change", "body": "of mine", "state": "open",
			"head": object{"sha": commit, "ref": "feature", "repo": object{"full_name": head}},
			"base": object{"sha": commit, "ref": "main", "repo": object{"full_name": "acme/app"}},
		}, "repository": object{"full_name": "acme/app", "default_branch": "main"}, "sender": object{"login": "ada"},
	})
	h.must(h.Receive(h.t.Context(), hook.ID, header, raw))
}

// short is runs in few words.
func short(list []run.Run) string {
	var words []string
	for _, r := range list {
		words = append(words, fmt.Sprintf("%s %s %.7s %q %s", r.Status, r.Reason, r.CommitSHA, r.Message, r.Error))
	}
	return strings.Join(words, "; ")
}
