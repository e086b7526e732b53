package git_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/belayhq/belay/internal/egress"
	"github.com/belayhq/belay/internal/git"
	"github.com/belayhq/belay/internal/isolate"
)

// origin is a server of real repositories.
type origin struct {
	t       *testing.T
	root    string
	url     string
	asked   atomic.Int64 // requests that came with the password
	secret  string       // that is asked for; empty: nobody is asked
	away    string       // where everything is redirected to
	handler http.Handler
	lfs     http.Handler // of files beside the repositories; nil: the service has none
}

func newOrigin(t *testing.T) *origin {
	t.Helper()
	binary, err := exec.LookPath("git")
	if err != nil {
		t.Fatal("this test needs git")
	}
	core, err := exec.Command(binary, "--exec-path").Output()
	if err != nil {
		t.Fatal(err)
	}
	o := &origin{t: t, root: t.TempDir()}
	backend := &cgi.Handler{
		Path: filepath.Join(strings.TrimSpace(string(core)), "git-http-backend"),
		Env:  []string{"GIT_PROJECT_ROOT=" + o.root, "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_NOSYSTEM=1", "HOME=" + o.root},
	}
	o.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if o.away != "" {
			http.Redirect(w, r, o.away+r.URL.RequestURI(), http.StatusFound)
			return
		}
		if o.secret != "" {
			if _, given, _ := r.BasicAuth(); given != o.secret {
				w.Header().Set("WWW-Authenticate", "Basic")
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			o.asked.Add(1)
		}
		if o.lfs != nil && strings.Contains(r.URL.Path, "/info/lfs/") {
			o.lfs.ServeHTTP(w, r)
			return
		}
		backend.ServeHTTP(w, r)
	})
	server := httptest.NewServer(o.handler)
	t.Cleanup(server.Close)
	o.url = server.URL
	return o
}

func (o *origin) git(dir string, args ...string) string {
	o.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "protocol.file.allow=always", "-c", "core.protectNTFS=false"}, args...)...)
	cmd.Dir, cmd.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + o.root, "GIT_CONFIG_NOSYSTEM=1"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		o.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// repository makes one with files, and answers its commit. before is done just before the commit.
func (o *origin) repository(name string, files map[string]string, before func(dir string)) string {
	o.t.Helper()
	dir := filepath.Join(o.root, name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		o.t.Fatal(err)
	}
	o.git(dir, "init", "--quiet", "-b", "main")
	for path, content := range files {
		full := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			o.t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(content), 0o600); err != nil {
			o.t.Fatal(err)
		}
	}
	o.git(dir, "add", "-A")
	if before != nil {
		before(dir)
	}
	o.git(dir, "commit", "--quiet", "-m", "first")
	return o.git(dir, "rev-parse", "HEAD")
}

func fetcher(t *testing.T) *git.Fetcher {
	t.Helper()
	binary, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	opened, err := egress.Parse("127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	held, _ := isolate.Auto.Landlock() // an error: this kernel can't
	return &git.Fetcher{Binary: binary, Folder: t.TempDir(), Egress: opened, Landlock: held, Time: time.Minute}
}

func fetch(t *testing.T, f *git.Fetcher, r git.Request) (map[string]string, error) {
	t.Helper()
	var got bytes.Buffer
	if err := f.Fetch(t.Context(), r, &got); err != nil {
		return nil, err
	}
	zip, err := gzip.NewReader(&got)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for in := tar.NewReader(zip); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			t.Fatal(err)
		}
		raw, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag != tar.TypeDir {
			files[h.Name] = string(raw)
		}
	}
}

func TestACommitIsFetchedAsItIs(t *testing.T) {
	t.Parallel()
	o := newOrigin(t)
	o.secret = "s3cret-of-the-connection"
	want := map[string]string{
		"main.tf": "a = 1\n", "deep/er/x.tf": "$Id$ $Format:%H$", ".gitattributes": "* export-subst text eol=crlf ident\nsecret.tf export-ignore\nx filter=evil\n",
		"secret.tf": "still there", "-rf": "a name like an option", "x": "not filtered",
	}
	commit := o.repository("app.git", want, nil)
	f := fetcher(t)
	got, err := fetch(t, f, git.Request{URL: o.url + "/app.git/.git", User: "oauth2", Password: o.secret, Commit: commit})
	if err != nil {
		t.Fatal(err)
	}
	if !maps.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if o.asked.Load() == 0 {
		t.Error("nobody was asked for the password")
	}
	left, err := os.ReadDir(f.Folder)
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	_, err = fetch(t, f, git.Request{URL: o.url + "/app.git/.git", User: "oauth2", Password: "wrong-password", Commit: commit})
	if err == nil || !strings.Contains(err.Error(), "does not take") || strings.Contains(err.Error(), "wrong-password") {
		t.Errorf("a wrong password: %v", err)
	}
}

func TestWhatIsNoCommitIsNotFetched(t *testing.T) {
	t.Parallel()
	o := newOrigin(t)
	o.repository("app", map[string]string{"main.tf": ""}, nil)
	for _, commit := range []string{"", "main", "--upload-pack=touch /tmp/x", "HEAD", strings.Repeat("0", 40), strings.Repeat("a", 39)} {
		if _, err := fetch(t, fetcher(t), git.Request{URL: o.url + "/app/.git", Commit: commit}); err == nil {
			t.Errorf("%q was fetched", commit)
		}
	}
	for _, address := range []string{"file://" + o.root + "/app", o.root + "/app", "ext::sh -c touch% /tmp/x", "ssh://-oProxyCommand=x/y", "https://-x/y", "http://127.0.0.1/-x", "git://127.0.0.1/x"} {
		if _, err := fetch(t, fetcher(t), git.Request{URL: address, SSHKey: "k", Commit: strings.Repeat("a", 40)}); err == nil {
			t.Errorf("%q was fetched", address)
		}
	}
}

func TestNobodyIsReachedWhoMayNotBe(t *testing.T) {
	t.Parallel()
	o := newOrigin(t)
	commit := o.repository("app", map[string]string{"main.tf": ""}, nil)
	f := fetcher(t)
	f.Egress = egress.Policy{}
	if _, err := fetch(t, f, git.Request{URL: o.url + "/app/.git", Commit: commit}); err == nil || !strings.Contains(err.Error(), "may not be reached") {
		t.Errorf("loopback was reached: %v", err)
	}
	away := newOrigin(t)
	away.away = o.url
	if _, err := fetch(t, fetcher(t), git.Request{URL: away.url + "/app/.git", Commit: commit}); err == nil {
		t.Error("a redirect was followed")
	}
}

func TestSubmodulesComeWithIt(t *testing.T) {
	t.Parallel()
	o := newOrigin(t)
	inner := o.repository("mods/inner", map[string]string{"i.tf": "inner"}, nil)
	link := func(dir, at, commit string) {
		o.git(dir, "update-index", "--add", "--cacheinfo", "160000,"+commit+","+at)
	}
	middle := o.repository("mods/middle", map[string]string{
		"m.tf": "middle", ".gitmodules": "[submodule \"i\"]\npath = in/ner\nurl = ../../inner/.git\n",
	}, func(dir string) { link(dir, "in/ner", inner) })
	outer := o.repository("outer", map[string]string{
		"o.tf": "outer", ".gitmodules": "[submodule \"m\"]\npath = sub\nurl = " + o.url + "/mods/middle/.git\n",
	}, func(dir string) { link(dir, "sub", middle) })
	got, err := fetch(t, fetcher(t), git.Request{URL: o.url + "/outer/.git", Commit: outer, Submodules: true})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{".gitmodules", "o.tf", "sub/.gitmodules", "sub/in/ner/i.tf", "sub/m.tf"}; !slices.Equal(slices.Sorted(maps.Keys(got)), want) {
		t.Errorf("got %v", slices.Sorted(maps.Keys(got)))
	}
	if got, err = fetch(t, fetcher(t), git.Request{URL: o.url + "/outer/.git", Commit: outer}); err != nil || len(got) != 2 {
		t.Errorf("without them: %v, %v", got, err)
	}
}

// TestSubmodulesLeadNowhereElse: what a repository says of its submodules runs nothing, reads
// nothing of this machine, and takes the token to nobody else.
func TestSubmodulesLeadNowhereElse(t *testing.T) {
	t.Parallel()
	o, other := newOrigin(t), newOrigin(t)
	other.secret = "s3cret-of-the-connection"
	elsewhere := other.repository("x", map[string]string{"x.tf": ""}, nil)
	mark := filepath.Join(t.TempDir(), "ran")
	for i, address := range []string{
		"ext::sh -c touch% " + mark, "file://" + o.root + "/trap0", o.root, "--upload-pack=touch " + mark, "-u./payload", other.url + "/x/.git",
		"ssh://-oProxyCommand=touch " + mark + "/x", "http://169.254.169.254/x", "https://u:p@169.254.169.254/x", "../../../../etc", "git@127.0.0.1:x/y", "",
	} {
		name := "trap" + string(rune('0'+i))
		commit := o.repository(name, map[string]string{
			"payload": "#!/bin/sh\ntouch " + mark, ".gitmodules": "[submodule \"../../hooks\"]\npath = sub\nurl = \"" + address + "\"\nupdate = !touch " + mark + "\n",
		}, func(dir string) { o.git(dir, "update-index", "--add", "--cacheinfo", "160000,"+elsewhere+",sub") })
		got, err := fetch(t, fetcher(t), git.Request{URL: o.url + "/" + name + "/.git", Password: "s3cret-of-the-connection", Commit: commit, Submodules: true})
		if err == nil {
			t.Errorf("%q: fetched %v", address, got)
		}
		if _, err := os.Stat(mark); err == nil {
			t.Fatalf("%q ran something", address)
		}
	}
	if other.asked.Load() > 0 {
		t.Error("the token was sent to another host")
	}
}
