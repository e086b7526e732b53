// Package forgetest is a version-control service for tests: real repositories, served by git's own
// http-backend, behind a small part of Gitea's API. It is for tests only and knows nothing of what
// they test.
package forgetest

import (
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
	"slices"
	"strings"
	"sync"
	"testing"
)

// Token is whom the service knows; Repository is the one whose API it has.
const (
	Token      = "the-token"
	Repository = "acme/app"
)

// Hook is one webhook at the service.
type Hook struct{ URL, Secret string }

// Forge is the service. What it saw is read under its lock.
type Forge struct {
	URL  string
	Root string // the folder of its repositories

	sync.Mutex
	Hooks    map[string]Hook // by their ids
	Made     int             // how many hooks were ever made
	Statuses []string        // "commit context state description", as they came
	Comments []string        // the texts, as they are now
	Edited   int             // how often a comment was changed
	Files    []string        // of any pull request; nil: the service says an error
	Fetched  int             // how often git asked for a pack
	Down     bool            // the API answers errors
	Moved    string          // where git is sent instead; empty: nowhere
	Broken   int             // what git is answered, and nothing else; 0: what it asks for
	Refused  int             // how often it was

	// Before sees each request of the API first, without the lock. It may answer it: then it says so.
	Before func(w http.ResponseWriter, r *http.Request) (answered bool)

	hub *Hub // nil: nobody speaks GitHub's API
	t   testing.TB
}

// New starts a service with an empty repository, which ends with the test.
func New(t testing.TB) *Forge {
	t.Helper()
	core, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		t.Fatal(err)
	}
	f := &Forge{t: t, Root: t.TempDir(), Hooks: map[string]Hook{}}
	backend := &cgi.Handler{
		Path: filepath.Join(strings.TrimSpace(string(core)), "git-http-backend"),
		Env:  []string{"GIT_PROJECT_ROOT=" + f.Root, "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_NOSYSTEM=1", "HOME=" + f.Root},
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, prefix) {
			f.Lock()
			before := f.Before
			f.Unlock()
			if before == nil || !before(w, r) {
				f.API(w, r)
			}
			return
		}
		if hub := f.hubOf(); hub != nil && strings.HasPrefix(r.URL.Path, hubPrefix) {
			hub.serve(w, r)
			return
		}
		f.serve(w, r, backend)
	}))
	t.Cleanup(server.Close)
	f.URL = server.URL
	if err := os.MkdirAll(filepath.Join(f.Root, "acme"), 0o700); err != nil {
		t.Fatal(err)
	}
	f.Git("", "init", "--quiet", "-b", "main", Repository+".git")
	return f
}

// serve is git's own part, for those who have the token.
func (f *Forge) serve(w http.ResponseWriter, r *http.Request, backend http.Handler) {
	if _, given, _ := r.BasicAuth(); given != Token && !f.hubOf().reads(given, r.URL.Path) {
		w.Header().Set("WWW-Authenticate", "Basic")
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	f.Lock()
	moved, broken := f.Moved, f.Broken
	if broken != 0 {
		f.Refused++
	}
	f.Unlock()
	if broken != 0 {
		w.WriteHeader(broken)
		return
	}
	if moved != "" {
		http.Redirect(w, r, moved+r.URL.Path, http.StatusFound)
		return
	}
	if strings.HasSuffix(r.URL.Path, "git-upload-pack") {
		raw, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(strings.NewReader(string(raw)))
		if strings.Contains(string(raw), "command=fetch") {
			f.Lock()
			f.Fetched++
			f.Unlock()
		}
	}
	backend.ServeHTTP(w, r)
}

type object = map[string]any

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

// prefix is where the API of the repository is.
const prefix = "/api/v1/repos/" + Repository

// API answers a request of the API, as the service does by itself.
func (f *Forge) API(w http.ResponseWriter, r *http.Request) {
	f.Lock()
	defer f.Unlock()
	path := strings.TrimPrefix(r.URL.Path, prefix)
	raw, _ := io.ReadAll(r.Body)
	var sent object
	_ = json.Unmarshal(raw, &sent)
	switch {
	case f.Down:
		w.WriteHeader(http.StatusBadRequest)
	case r.Header.Get("Authorization") != "token "+Token:
		w.WriteHeader(http.StatusUnauthorized)
	case path == "":
		answer(w, http.StatusOK, object{"default_branch": "main", "full_name": Repository})
	case strings.HasPrefix(path, "/branches/"):
		branch := strings.TrimPrefix(path, "/branches/")
		answer(w, http.StatusOK, object{"name": branch, "commit": object{
			"id": f.rev(branch), "message": "head of " + branch,
			"sha": f.rev(branch), "commit": object{"message": "head of " + branch}, // as GitHub has it
		}})
	case strings.HasPrefix(path, "/git/commits/"):
		answer(w, http.StatusOK, object{"sha": f.rev(strings.TrimPrefix(path, "/git/commits/"))})
	case strings.HasPrefix(path, "/hooks"):
		f.hooks(w, r, strings.TrimPrefix(path, "/hooks"), sent)
	case strings.HasPrefix(path, "/statuses/"):
		f.Statuses = append(f.Statuses, fmt.Sprint(strings.TrimPrefix(path, "/statuses/")[:7], " ", sent["context"], " ", sent["state"], " ", sent["description"]))
		answer(w, http.StatusCreated, object{})
	case strings.Contains(path, "/comments"):
		f.comments(w, r, path, sent)
	case strings.HasSuffix(path, "/files") && f.Files != nil:
		var list []object
		for _, name := range f.Files {
			list = append(list, object{"filename": name, "status": "changed"})
		}
		answer(w, http.StatusOK, list)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

func (f *Forge) hooks(w http.ResponseWriter, r *http.Request, path string, sent object) {
	switch r.Method {
	case http.MethodGet:
		list := []object{}
		for id, h := range f.Hooks {
			list = append(list, object{"id": json.Number(id), "config": object{"url": h.URL}})
		}
		answer(w, http.StatusOK, list)
	case http.MethodPost:
		f.Made++
		config, _ := sent["config"].(object)
		h := Hook{}
		h.URL, _ = config["url"].(string)
		h.Secret, _ = config["secret"].(string)
		f.Hooks[fmt.Sprint(f.Made)] = h
		answer(w, http.StatusCreated, object{"id": f.Made})
	default:
		delete(f.Hooks, strings.TrimPrefix(path, "/"))
		w.WriteHeader(http.StatusNoContent)
	}
}

func (f *Forge) comments(w http.ResponseWriter, r *http.Request, path string, sent object) {
	text := fmt.Sprint(sent["body"])
	if r.Method == http.MethodGet {
		list := []object{}
		for i, body := range f.Comments {
			if body != "" {
				list = append(list, object{"id": i + 1, "body": body})
			}
		}
		answer(w, http.StatusOK, list)
		return
	}
	if r.Method != http.MethodPatch {
		f.Comments = append(f.Comments, text)
		answer(w, http.StatusCreated, object{"id": len(f.Comments)})
		return
	}
	var id int
	_, _ = fmt.Sscanf(path, "/issues/comments/%d", &id)
	if id < 1 || id > len(f.Comments) || f.Comments[id-1] == "" {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	f.Edited++
	f.Comments[id-1] = text
	answer(w, http.StatusOK, object{"id": id})
}

func (f *Forge) rev(name string) string {
	return f.Git(Repository+".git", "rev-parse", "--verify", "--quiet", "--end-of-options", name)
}

// Has says whether the repository has a commit.
func (f *Forge) Has(commit string) bool {
	cmd := exec.Command("git", "cat-file", "-e", commit)
	cmd.Dir = filepath.Join(f.Root, Repository+".git")
	return cmd.Run() == nil
}

// Git runs git in a folder below the root, and answers what it says.
func (f *Forge) Git(dir string, args ...string) string {
	f.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
	cmd.Dir, cmd.Env = filepath.Join(f.Root, dir), []string{"PATH=" + os.Getenv("PATH"), "HOME=" + f.Root, "GIT_CONFIG_NOSYSTEM=1"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		f.t.Errorf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// Commit writes a file, and answers the commit.
func (f *Forge) Commit(path, content string) string {
	f.t.Helper()
	full := filepath.Join(f.Root, Repository+".git", path)
	if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
		f.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(content), 0o600); err != nil {
		f.t.Fatal(err)
	}
	f.Git(Repository+".git", "add", "-A")
	f.Git(Repository+".git", "commit", "--quiet", "--allow-empty", "-m", "change "+path)
	return f.rev("HEAD")
}

// Count reads a number under the lock.
func (f *Forge) Count(what func(*Forge) int) int {
	f.Lock()
	defer f.Unlock()
	return what(f)
}

// Told is the statuses that came.
func (f *Forge) Told() []string {
	f.Lock()
	defer f.Unlock()
	return slices.Clone(f.Statuses)
}

// Signed is a delivery as the service sends one.
func Signed(secret []byte, event, delivery string, body any) (http.Header, []byte, error) {
	raw, err := json.Marshal(body)
	if err != nil {
		return nil, nil, err
	}
	return Sign(secret, event, delivery, raw), raw, nil
}

// Sign is the headers of a delivery.
func Sign(secret []byte, event, delivery string, raw []byte) http.Header {
	mac := hmac.New(sha256.New, secret)
	mac.Write(raw)
	return http.Header{
		"X-Gitea-Event": {event}, "X-Gitea-Delivery": {delivery}, "X-Gitea-Signature": {hex.EncodeToString(mac.Sum(nil))},
	}
}

// Push is what is told of a push of one commit.
func Push(ref, before, after string, files ...string) map[string]any {
	return object{
		"ref": ref, "before": before, "after": after, "compare_url": "https://forge.example.com/compare", "total_commits": 1,
		"commits":     []object{{"id": after, "message": "change it\n\nbody", "added": []string{}, "removed": []string{}, "modified": files}},
		"head_commit": object{"id": after, "message": "change it\n\nbody", "url": "https://forge.example.com/commit"},
		"repository":  object{"full_name": "Acme/App", "default_branch": "main"}, "sender": object{"login": "ada"}, "pusher": object{"login": "ada"},
	}
}

// PullRequest is what is told of a pull request that was opened from a repository.
func PullRequest(number int, commit, from string) map[string]any {
	return object{
		"action": "opened", "number": number, "pull_request": object{
			"number": number, "html_url": "https://forge.example.com/pulls/1", "title": "A change", "body": "of mine", "state": "open",
			"head": object{"sha": commit, "ref": "feature", "repo": object{"full_name": from}},
			"base": object{"sha": commit, "ref": "main", "repo": object{"full_name": Repository}},
		}, "repository": object{"full_name": Repository, "default_branch": "main"}, "sender": object{"login": "ada"},
	}
}
