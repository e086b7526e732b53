package git_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/belayhq/belay/internal/git"
)

const large = "what is kept beside the repository\n"

func sumOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func pointerTo(text string) string {
	return fmt.Sprintf("version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize %d\n", sumOf(text), len(text))
}

// store is a service of Git LFS.
type store struct {
	href    string // of objects; empty: its own
	content string
	missing bool
	asked   atomic.Int64
	given   atomic.Value // the credentials that came for an object
}

func (s *store) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		s.given.Store(r.Header.Get("Authorization"))
		_, _ = w.Write([]byte(s.content))
		return
	}
	s.asked.Add(1)
	var asked struct {
		Operation string
		Objects   []map[string]any
	}
	if json.NewDecoder(r.Body).Decode(&asked) != nil || asked.Operation != "download" || !strings.HasSuffix(r.URL.Path, "/app/.git/info/lfs/objects/batch") {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	for _, object := range asked.Objects {
		href := s.href
		if href == "" {
			href = "http://" + r.Host + r.URL.Path
		}
		object["actions"] = map[string]any{"download": map[string]any{"href": href}}
		if s.missing {
			object["actions"], object["error"] = nil, map[string]any{"code": 404, "message": "no such object"}
		}
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"transfer": "basic", "objects": asked.Objects})
}

// TestFilesOfLFSComeWithIt: what stands for a file is that file in the archive, from the repository's own
// service and nobody else, and only where the repository's attributes say so.
func TestFilesOfLFSComeWithIt(t *testing.T) {
	t.Parallel()
	o := newOrigin(t)
	o.secret = "s3cret"
	elsewhere := &store{content: large}
	other := httptest.NewServer(elsewhere)
	t.Cleanup(other.Close)
	commit := o.repository("app", map[string]string{
		".gitattributes": "*.zip filter=lfs diff=lfs merge=lfs -text\n", "deep/a.zip": pointerTo(large), "b.zip": pointerTo(large),
		"c.zip": "a zip that is none", "example.txt": pointerTo(large), "-d.zip": pointerTo(large),
		".lfsconfig": "[lfs]\n\turl = " + other.URL + "/app/.git/info/lfs\n",
	}, nil)
	request := git.Request{URL: o.url + "/app/.git", User: "oauth2", Password: o.secret, Commit: commit}
	for _, c := range []struct {
		name  string
		store *store
		want  string
	}{
		{"its own", &store{content: large}, ""},
		{"another host", &store{href: other.URL + "/x"}, ""},
		{"another content", &store{content: strings.Repeat("x", len(large))}, "is not what the repository names"},
		{"more content", &store{content: large + "more"}, "is not what the repository names"},
		{"an address inside", &store{href: "http://127.0.0.2:1/x"}, "may not be reached"},
		{"a file", &store{href: "file:///etc/passwd"}, "can't be fetched from"},
		{"none", &store{missing: true}, "no such object"},
	} {
		o.lfs = c.store
		elsewhere.given.Store("")
		files, err := fetch(t, fetcher(t), request)
		if (err == nil) != (c.want == "") || err != nil && (!strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), o.secret)) {
			t.Errorf("%s: %v", c.name, err)
		}
		if err == nil && (files["deep/a.zip"] != large || files["b.zip"] != large || files["-d.zip"] != large || files["c.zip"] != "a zip that is none" || files["example.txt"] != pointerTo(large)) {
			t.Errorf("%s: %q", c.name, files)
		}
		if elsewhere.asked.Load() > 0 || elsewhere.given.Load() != "" {
			t.Errorf("%s: .lfsconfig was followed, or another host was given %q", c.name, elsewhere.given.Load())
		}
	}
	o.lfs = nil
	if _, err := fetch(t, fetcher(t), request); err == nil || !strings.Contains(err.Error(), "for the files of Git LFS") {
		t.Errorf("a service without LFS: %v", err)
	}
}

// TestWhatGitLFSItselfWrites: the program of Git LFS, where there is one, makes what we read.
func TestWhatGitLFSItselfWrites(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("git-lfs")
	if err != nil {
		t.Skip("there is no git-lfs here")
	}
	o := newOrigin(t)
	o.lfs = &store{content: large}
	commit := o.repository("app", map[string]string{".gitattributes": "*.zip filter=lfs -text\n", "a.zip": large}, func(dir string) {
		o.git(dir, "rm", "--cached", "--quiet", "a.zip")
		o.git(dir, "-c", "filter.lfs.clean="+program+" clean -- %f", "-c", "filter.lfs.required=true", "add", "a.zip")
	})
	if _, err := os.Stat(filepath.Join(o.root, "app", ".git", "lfs", "objects", sumOf(large)[:2], sumOf(large)[2:4], sumOf(large))); err != nil {
		t.Fatalf("git-lfs did not keep the file: %v", err)
	}
	files, err := fetch(t, fetcher(t), git.Request{URL: o.url + "/app/.git", Commit: commit})
	if err != nil || files["a.zip"] != large {
		t.Errorf("%v: %q", err, files["a.zip"])
	}
}
