package git_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/belayhq/belay/internal/git"
)

// TestACommitIsOnItsRef: services hand out commits of forks by their hashes, so a commit is held against
// the branch or tag that is told to have it.
func TestACommitIsOnItsRef(t *testing.T) {
	t.Parallel()
	for _, filters := range []string{"true", "false"} {
		t.Run("filters "+filters, func(t *testing.T) {
			t.Parallel()
			o := newOrigin(t)
			o.secret = "s3cret"
			dir := filepath.Join(o.root, "app")
			oldest := o.repository("app", map[string]string{"main.tf": "1"}, nil)
			o.git(dir, "config", "uploadpack.allowFilter", filters)
			o.git(dir, "config", "uploadpack.allowAnySHA1InWant", "true")
			commit := func(on string) string {
				tree := o.git(dir, "rev-parse", oldest+"^{tree}")
				made := o.git(dir, "commit-tree", "-p", o.git(dir, "rev-parse", on), "-m", "more on "+on, tree) // two alike in one second are one
				o.git(dir, "update-ref", on, made)
				return made
			}
			o.git(dir, "tag", "light")
			o.git(dir, "tag", "-a", "-m", "a release", "noted")
			noted := o.git(dir, "rev-parse", "refs/tags/noted")
			for range 70 { // more than the first look sees
				commit("refs/heads/main")
			}
			newest := commit("refs/heads/main")
			before := o.git(dir, "rev-parse", "main~1")
			o.git(dir, "update-ref", "refs/pull/7/head", oldest)
			forked := commit("refs/pull/7/head")
			o.git(dir, "branch", "deep/er", oldest)
			for _, c := range []struct{ name, commit, ref, want string }{
				{"nothing said", forked, "", ""},
				{"the newest", newest, "refs/heads/main", ""},
				{"one before", before, "refs/heads/main", ""},
				{"the oldest", oldest, "refs/heads/main", ""},
				{"another branch", oldest, "refs/heads/deep/er", ""},
				{"a tag", oldest, "refs/tags/light", ""},
				{"a tag with a text", oldest, "refs/tags/noted", ""},
				{"by the text's hash", noted, "refs/tags/noted", ""},
				{"the ref of a fork", forked, "refs/pull/7/head", ""},
				{"a commit of a fork", forked, "refs/heads/main", `is not on branch "main"`},
				{"a newer one", newest, "refs/heads/deep/er", `is not on branch "deep/er"`},
				{"the end of a name", newest, "refs/heads/er", `no branch "er"`},
				{"a branch that is gone", newest, "refs/heads/gone", `no branch "gone"`},
				{"another tag", newest, "refs/tags/light", `not what tag "light" names`},
				{"an older commit of a tag", oldest, "refs/tags/none", `no tag "none"`},
				{"a pattern", forked, "refs/*", "can't be used"},
				{"an option", forked, "--upload-pack=x", "can't be used"},
				{"a range", forked, "refs/heads/main:refs/heads/x", "can't be used"},
			} {
				f := fetcher(t)
				_, err := fetch(t, f, git.Request{URL: o.url + "/app/.git", User: "oauth2", Password: o.secret, Commit: c.commit, Ref: c.ref})
				if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
					t.Errorf("%s: %v", c.name, err)
				}
			}
		})
	}
}
