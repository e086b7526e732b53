package repos_test

import (
	"strings"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/forgetest"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/repos"
	"github.com/belayhq/belay/run"
)

// forked is a commit that the repository has for a pull request of a fork alone.
func (h *house) forked(number string) string {
	h.t.Helper()
	git := func(args ...string) string { return h.forge.Git(forgetest.Repository+".git", args...) }
	commit := git("commit-tree", "-p", "main", "-m", "of a fork", git("rev-parse", "main^{tree}"))
	git("update-ref", "refs/pull/"+number+"/head", commit)
	return commit
}

// tried lets everything pass that a fetch is tried for.
func (h *house) tried() {
	h.t.Helper()
	for range 4 {
		h.settle()
		h.pass(10 * time.Minute)
	}
}

// TestACommitIsWhereItIsSaidToBe: a push is signed by whoever knows the secret, and services hand out
// the commits of forks by their hashes. No such commit is planned as one of a branch or a tag, also after
// it was fetched as what it is.
func TestACommitIsWhereItIsSaidToBe(t *testing.T) {
	t.Parallel()
	each(t, func(h *house) {
		h.change = func(c *repos.Config) { c.AllowForks = true }
		h.Room = h.room()
		first := h.forge.Commit("main.tf", "1")
		branch := h.workspace("branch", nil)
		tags := h.workspace("tags", func(p *belay.WorkspacePatch) { p.VCSRepo.Value.TagsRegex = patch.Of("^v") })
		h.planned(&run.Counts{})
		n := len(h.runsOf(branch))
		forked := h.forked("9")
		h.forge.Git(forgetest.Repository+".git", "tag", "v1", first)
		h.forge.Files = []string{"main.tf"}
		h.pull(branch, "as it is", 9, forked, "eve/app")
		h.planned(&run.Counts{})
		if list := h.runsOf(branch); len(list) != n+1 || list[n].Status != run.PlannedAndFinished {
			h.t.Fatalf("the pull request of the fork: %s\n%s", short(list), h.events())
		}
		h.push(branch, "as a push", forgetest.Push("refs/heads/main", first, forked, "main.tf"))
		h.push(branch, "as a tag", forgetest.Push("refs/tags/v1", "", forked))
		h.planned(&run.Counts{})
		h.tried()
		for what, ref := range map[string]belay.WorkspaceRef{`it is not on branch "main"`: branch, `it is not what tag "v1" names`: tags} {
			if !contains(h.runsOf(ref), run.Errored, forked, what) {
				h.t.Errorf("%s: %s", what, short(h.runsOf(ref)))
			}
			if told := h.events(); !strings.Contains(told, "could not be fetched (try 1): "+what) {
				h.t.Errorf("what was told: %s", told)
			}
		}
	})
}

// contains says that a run is among some.
func contains(list []run.Run, status run.Status, commit, why string) bool {
	for _, r := range list {
		if r.Status == status && r.CommitSHA == commit && strings.Contains(r.Error, why) {
			return true
		}
	}
	return false
}

// TestACommitThatOthersFollow: of two pushes the first is fetched when the second is there, and one that
// was taken away by a third never is.
func TestACommitThatOthersFollow(t *testing.T) {
	t.Parallel()
	each(t, func(h *house) {
		first := h.forge.Commit("main.tf", "1")
		ref := h.workspace("one", nil)
		h.planned(&run.Counts{})
		second := h.forge.Commit("main.tf", "2")
		away := h.forge.Commit("main.tf", "3")
		h.forge.Git(forgetest.Repository+".git", "reset", "--hard", "--quiet", second)
		h.forge.Commit("main.tf", "4")
		h.push(ref, "d-1", forgetest.Push("refs/heads/main", first, second, "main.tf"))
		h.push(ref, "d-2", forgetest.Push("refs/heads/main", second, away, "main.tf"))
		h.settle()
		h.planned(&run.Counts{})
		h.tried()
		list := h.runsOf(ref)
		if contains(list, run.Errored, second, "") || !contains(list, run.Errored, away, `it is not on branch "main" (any more)`) {
			h.t.Errorf("%s\n%s", short(list), h.events())
		}
	})
}
