package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// refName is names of branches and tags that mean nothing else to git.
var refName = regexp.MustCompile(`^refs/[^\x00-\x20\x7f~^:?*\[\\]+$`)

// depths is how far back a branch is looked through for a commit, step by step.
var depths = []int{64, 1024, 16384}

// onRef holds that a commit is what the repository itself says of the ref that is told to name it.
// Services hand out the commits of forks by their hashes too, as if they were the repository's own.
func (j *job) onRef(ctx context.Context) error {
	ref, commit := j.request.Ref, j.request.Commit
	if ref == "" {
		return nil
	}
	t, err := j.target(ctx, j.request.URL)
	if err != nil {
		return err
	}
	what := refWords(ref)
	if !refName.MatchString(ref) || strings.Contains(ref, "..") || strings.Contains(ref, "@{") {
		return failed("%s has a name that can't be used", what)
	}
	tips, err := j.tips(ctx, t, ref)
	switch {
	case err != nil:
		return err
	case len(tips) == 0:
		return failed("the repository has no %s (any more)", what)
	case slices.Contains(tips, commit):
		return nil
	case strings.HasPrefix(ref, "refs/tags/"):
		return failed("it is not what %s names (any more)", what)
	}
	return j.among(ctx, t, what)
}

// refWords is a ref as people call it.
func refWords(ref string) string {
	for prefix, kind := range map[string]string{"refs/heads/": "branch", "refs/tags/": "tag"} {
		if name, is := strings.CutPrefix(ref, prefix); is {
			return fmt.Sprintf("%s %.100q", kind, name)
		}
	}
	return fmt.Sprintf("%.100q", ref)
}

// tips is what a ref names: of a tag with a text of its own that, and its commit.
func (j *job) tips(ctx context.Context, t target, ref string) (tips []string, err error) {
	raw, err := j.output(ctx, t, "ls-remote", "ls-remote", "--quiet", "--", t.url, ref, ref+"^{}")
	for line := range strings.Lines(raw) {
		hash, name, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if name == ref || name == ref+"^{}" {
			tips = append(tips, hash)
		}
	}
	return tips, err
}

// among looks for the commit behind the newest of its branch: others were pushed since. It reads
// commits alone, without their files where the service can leave those out, and no more than needed.
func (j *job) among(ctx context.Context, t target, what string) error {
	repo := filepath.Join(j.dir, "work", "history")
	if _, err := j.run(ctx, t, "init", "init", "--quiet", "--bare", "--template=", repo); err != nil {
		return err
	}
	for _, depth := range depths {
		// Nothing is taken from it, so that old mistakes in its history don't matter.
		if _, err := j.run(ctx, t, "fetch", "-c", "transfer.fsckObjects=false", "-c", "fetch.fsckObjects=false", "--git-dir="+repo, "fetch", "--quiet", fmt.Sprintf("--depth=%d", depth), "--filter=tree:0", "--no-tags",
			"--no-recurse-submodules", "--no-write-fetch-head", "--", t.url, "+"+j.request.Ref+":refs/looked/at"); err != nil {
			return err
		}
		list, err := j.output(ctx, t, "rev-list", "--git-dir="+repo, "rev-list", "refs/looked/at")
		if err != nil {
			return err
		}
		if slices.Contains(strings.Fields(list), j.request.Commit) {
			return nil
		}
		if _, err := os.Stat(filepath.Join(repo, "shallow")); err != nil { // that was all of it
			return failed("it is not on %s (any more)", what)
		}
	}
	return failed("it is not among the newest %d commits of %s", depths[len(depths)-1], what)
}
