package giteatest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Repository is a repository of the user, with a clone to work in.
type Repository struct {
	Name   string // as in vcs-repo
	Folder string // of the clone

	server *Server
}

// Repository makes one, with nothing in it.
func (s *Server) Repository(name string, private bool) *Repository {
	s.t.Helper()
	s.API("POST", "/user/repos", map[string]any{"name": name, "private": private, "default_branch": "main"}, nil)
	r := &Repository{Name: User + "/" + name, Folder: s.t.TempDir(), server: s}
	r.Git("init", "-q", "-b", "main")
	r.Git("remote", "add", "origin", s.withToken(r.Name))
	return r
}

// Git runs git in the clone, and says what it wrote.
func (r *Repository) Git(args ...string) string {
	r.server.t.Helper()
	c := exec.Command("git", args...)
	c.Dir = r.Folder
	c.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + r.Folder, "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0",
		"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=" + User + "@example.com", "GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=" + User + "@example.com",
		"GIT_ALLOW_PROTOCOL=file:http:https:ssh",
	}
	out, err := c.CombinedOutput()
	if err != nil {
		r.server.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// Write writes a file of the clone.
func (r *Repository) Write(path, text string) {
	r.server.t.Helper()
	at := filepath.Join(r.Folder, filepath.FromSlash(path))
	r.server.must(os.MkdirAll(filepath.Dir(at), 0o700))
	r.server.must(os.WriteFile(at, []byte(text), 0o600))
}

// Commit commits all that was written, and says the hash.
func (r *Repository) Commit(message string) string {
	r.server.t.Helper()
	r.Git("add", "-A")
	r.Git("commit", "-q", "--allow-empty", "-m", message)
	return r.Git("rev-parse", "HEAD")
}

// Push pushes a branch or a tag. Gitea works on a push later, and answers errors of the branches of a
// repository that it has not looked into yet: the first push waits for that.
func (r *Repository) Push(refs ...string) {
	r.server.t.Helper()
	r.Git(append([]string{"push", "-q", "origin"}, refs...)...)
	for deadline := time.Now().Add(5 * time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		var known struct {
			Empty bool `json:"empty"`
		}
		if r.server.API("GET", "/repos/"+r.Name, nil, &known); !known.Empty {
			return
		}
	}
	r.server.t.Fatalf("Gitea does not look into %s", r.Name)
}

// Request opens a pull request, and says its number.
func (r *Repository) Request(title, from, into string) int {
	r.server.t.Helper()
	var made struct {
		Number int `json:"number"`
	}
	r.server.API("POST", "/repos/"+r.Name+"/pulls", map[string]string{"title": title, "head": from, "base": into}, &made)
	return made.Number
}

// Status is what a commit's status says.
type Status struct {
	Context     string `json:"context"`
	State       string `json:"status"`
	Description string `json:"description"`
	URL         string `json:"target_url"`
}

// Statuses is the newest status of each context of a commit.
func (r *Repository) Statuses(commit string) map[string]Status {
	r.server.t.Helper()
	var answer struct {
		Statuses []Status `json:"statuses"`
	}
	r.server.API("GET", "/repos/"+r.Name+"/commits/"+commit+"/status", nil, &answer)
	found := map[string]Status{}
	for _, s := range answer.Statuses {
		found[s.Context] = s
	}
	return found
}
