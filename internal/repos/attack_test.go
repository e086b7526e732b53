package repos_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/forgetest"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/storetest"
	"github.com/belayhq/belay/run"
)

// attacked is a house whose repository is a stranger's. The canary is a file that only a command of the
// repository would make; the trap is an address that only a redirect or a submodule would lead to.
type attacked struct {
	*house
	t      *testing.T
	canary string
	trap   string
	caught atomic.Int32
	before string // the newest commit
	pushed int
	ref    belay.WorkspaceRef
}

func newAttacked(h *house) *attacked {
	a := &attacked{house: h, t: h.t, canary: filepath.Join(h.t.TempDir(), "canary")}
	trap := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		a.caught.Add(1)
		w.WriteHeader(http.StatusTeapot)
	}))
	h.t.Cleanup(trap.Close)
	a.trap = trap.URL
	a.before = h.forge.Commit("main.tf", "# good")
	a.ref = h.workspace("victim", func(p *belay.WorkspacePatch) { p.VCSRepo.Value.IngressSubmodules = patch.Of(true) })
	h.settle()
	h.planned(&run.Counts{})
	return a
}

// git runs git in the repository that the service has.
func (a *attacked) git(args ...string) string {
	a.t.Helper()
	return a.forge.Git(forgetest.Repository+".git", args...)
}

// run is the run that a push of the newest commit makes; nothing else may have happened.
func (a *attacked) run(ref string) run.Run {
	a.t.Helper()
	commit := a.git("rev-parse", "HEAD")
	a.pushed++
	a.push(a.ref, fmt.Sprint("attack ", a.pushed), forgetest.Push(ref, a.before, commit, "main.tf"))
	a.before = commit
	for range 4 { // a fetch is tried three times
		a.settle()
		a.pass(10 * time.Minute)
	}
	if _, err := os.Stat(a.canary); err == nil {
		a.t.Error("a command of the repository was run")
	}
	if n := a.caught.Load(); n != 0 {
		a.t.Errorf("the trap was asked %d times", n)
	}
	if told := a.events(); strings.Contains(told, forgetest.Token) {
		a.t.Errorf("the events hold the token: %s", told)
	}
	for _, r := range a.runsOf(a.ref) {
		if r.CommitSHA == commit {
			return r
		}
	}
	return run.Run{}
}

// entry is the tree of the newest commit with one more entry, as a commit on main. It is made below git's
// own checks: what a pusher sends was never in a working tree.
func (a *attacked) entry(mode, kind, object, name string) {
	a.t.Helper()
	list := a.git("ls-tree", "HEAD")
	in := filepath.Join(a.t.TempDir(), "tree")
	a.must(os.WriteFile(in, []byte(list+"\n"+mode+" "+kind+" "+object+"\t"+name+"\n"), 0o600))
	tree := a.git("-c", "alias.from=!f() { git mktree --missing < \"$1\"; }; f", "from", in)
	commit := a.git("commit-tree", "-p", "HEAD", "-m", "an entry", tree)
	a.git("update-ref", "HEAD", commit)
}

func (a *attacked) blob(text string) string {
	a.t.Helper()
	in := filepath.Join(a.t.TempDir(), "blob")
	a.must(os.WriteFile(in, []byte(text), 0o600))
	return a.git("hash-object", "-w", in)
}

// back is the newest commit without what the attack added.
func (a *attacked) back(to string) {
	a.t.Helper()
	tree := a.git("rev-parse", to+"^{tree}")
	a.git("update-ref", "HEAD", a.git("commit-tree", "-p", "HEAD", "-m", "as it was", tree))
}

// TestARepositoryOfAStranger pushes what a repository can hold against the server that fetches it, each
// through the whole way: hook, fetch, archive, run. Each ends as a run that says why it has errored,
// nothing of the repository is run, nobody else is asked, and what comes after is planned as ever.
func TestARepositoryOfAStranger(t *testing.T) {
	storetest.NeedsSlow(t)
	t.Parallel()
	h := newHouse(t, "sqlite") // which database it is changes nothing here
	a := newAttacked(h)
	good := a.before
	touch := "touch " + a.canary
	link := func(to string) func() {
		return func() { a.entry("120000", "blob", a.blob(to), "link") }
	}
	module := func(url, at string) func() {
		return func() {
			a.entry("100644", "blob", a.blob(fmt.Sprintf("[submodule \"m\"]\n\tpath = %q\n\turl = %q\n", at, url)), ".gitmodules")
			if strings.Contains(at, "/") {
				at, _, _ = strings.Cut(at, "/")
			}
			a.entry("160000", "commit", strings.Repeat("ab", 20), at)
		}
	}
	for _, attack := range []struct {
		name  string
		make  func()
		error string
	}{
		{"a link above the tree", link("../../etc/passwd"), "link"},
		{"a link to the machine", link("/etc/passwd"), "link"},
		{"a folder of git's own", func() { a.entry("040000", "tree", a.git("rev-parse", "HEAD^{tree}"), ".git") }, "fetched"},
		{"a folder above", func() { a.entry("040000", "tree", a.git("rev-parse", "HEAD^{tree}"), "..") }, "fetched"},
		{"a command as a submodule", module("ext::sh -c "+strings.ReplaceAll(touch, " ", "% "), "m"), "submodule"},
		{"a folder of the machine as a submodule", module("file:///etc", "m"), "submodule"},
		{"a path of the machine as a submodule", module("/etc", "m"), "submodule"},
		{"an option as a submodule", module("--upload-pack="+touch, "m"), "submodule"},
		{"an option as the host of a submodule", module("ssh://-oProxyCommand="+strings.ReplaceAll(touch, " ", "%20")+"/x", "m"), "submodule"},
		{"an option as the path of a submodule", module(h.forge.URL+"/-u"+a.canary, "m"), "submodule"},
		{"a submodule of another host", module(a.trap+"/x.git", "m"), "another host"},
		{"a submodule of the machine's own network", module("http://169.254.169.254/latest/meta-data", "m"), "another host"},
		{"a submodule above the tree", module(h.forge.URL+"/acme/app.git", "../m"), ""},
		{"a submodule that nobody has", module(h.forge.URL+"/acme/none.git", "m"), "submodule"},
	} {
		attack.make()
		made := a.run("refs/heads/main")
		if made.ID == "" || made.Status != run.Errored || !strings.Contains(made.Error, attack.error) || strings.Contains(made.Error, forgetest.Token) || strings.Contains(made.Error, a.forge.Root) {
			h.t.Errorf("%s: the run is %q: %s\n%s", attack.name, made.Status, made.Error, h.events())
		}
		a.back(good)
	}
	// What only looks like an attack is planned: files named as git's hooks and attributes are files.
	a.entry("100644", "blob", a.blob("*.tf filter=evil diff=evil export-ignore\n"), ".gitattributes")
	a.entry("100755", "blob", a.blob("#!/bin/sh\n"+touch+"\n"), "post-checkout")
	if made := a.run("refs/heads/main"); made.Status != run.PlanQueued {
		h.t.Errorf("after all that the run is %q: %s", made.Status, made.Error)
	}
}

// TestNamesThatAreOptions: branches and tags may be named like options of git. They reach git never, for a
// commit is fetched by its hash.
func TestNamesThatAreOptions(t *testing.T) {
	t.Parallel()
	each(t, func(h *house) {
		a := newAttacked(h)
		name := "--upload-pack=touch${IFS}" + a.canary
		a.git("update-ref", "refs/heads/"+name, "HEAD")
		branch := h.workspace("of-a-branch", func(p *belay.WorkspacePatch) { p.VCSRepo.Value.Branch = patch.Of(name) })
		tags := h.workspace("of-tags", func(p *belay.WorkspacePatch) { p.VCSRepo.Value.TagsRegex = patch.Of("^--") })
		h.planned(&run.Counts{})
		commit := h.forge.Commit("main.tf", "# more")
		a.git("update-ref", "refs/heads/"+name, commit)
		a.git("update-ref", "refs/tags/--output="+a.canary, commit)
		h.push(branch, "branch", forgetest.Push("refs/heads/"+name, a.before, commit, "main.tf"))
		h.push(tags, "tag", forgetest.Push("refs/tags/--output="+a.canary, strings.Repeat("0", 40), commit))
		h.planned(&run.Counts{})
		for who, ref := range map[string]belay.WorkspaceRef{"branch": branch, "tag": tags} {
			list := h.runsOf(ref)
			if len(list) == 0 || list[len(list)-1].CommitSHA != commit || list[len(list)-1].Status != run.PlannedAndFinished {
				h.t.Errorf("%s: %s\n%s", who, short(list), h.events())
			}
		}
		for i, bad := range []string{"--upload-pack=" + a.canary, "HEAD", "main", strings.Repeat("A", 40) + "x"} {
			n := len(h.runsOf(branch))
			hook := h.hook(branch)
			header, raw := h.sent(hook, "push", fmt.Sprint("bad ", i), forgetest.Push("refs/heads/"+name, a.before, bad, "main.tf"))
			_ = h.Receive(h.t.Context(), hook.ID, header, raw) // refused or nothing: no run
			h.planned(&run.Counts{})
			if list := h.runsOf(branch); len(list) != n {
				h.t.Errorf("a commit named %q made a run: %s", bad, short(list))
			}
		}
		if _, err := os.Stat(a.canary); err == nil {
			h.t.Error("a command was run")
		}
	})
}

// TestAServiceThatSendsGitElsewhere: neither git nor the API follows a service to an address inside.
func TestAServiceThatSendsGitElsewhere(t *testing.T) {
	t.Parallel()
	each(t, func(h *house) {
		a := newAttacked(h)
		h.forge.Lock()
		h.forge.Moved = a.trap
		h.forge.Unlock()
		h.forge.Commit("main.tf", "# elsewhere")
		if made := a.run("refs/heads/main"); made.Status != run.Errored || !strings.Contains(made.Error, "could not be fetched") {
			h.t.Errorf("the run is %q: %s", made.Status, made.Error)
		}
	})
}
