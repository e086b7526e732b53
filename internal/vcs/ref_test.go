package vcs_test

import (
	"testing"

	"github.com/belayhq/belay/internal/vcs"
)

// TestWhereCommitsMustBe: a pull request of the repository itself is held against its branch, which no
// fork can write; one of a fork against what the service keeps of it.
func TestWhereCommitsMustBe(t *testing.T) {
	t.Parallel()
	ours := &vcs.Request{Number: 7, HeadBranch: "topic", HeadRepository: "Acme/App", BaseRepository: "acme/app"}
	forks := &vcs.Request{Number: 7, HeadBranch: "topic", HeadRepository: "eve/app", BaseRepository: "acme/app"}
	for _, c := range []struct {
		service string
		event   vcs.Event
		want    string
	}{
		{"github", vcs.Event{Kind: vcs.Push, Branch: "a/b"}, "refs/heads/a/b"},
		{"github", vcs.Event{Kind: vcs.Tag, Tag: "v1"}, "refs/tags/v1"},
		{"github", vcs.Event{Kind: vcs.PullRequest, Branch: "main", Request: ours}, "refs/heads/topic"},
		{"github_app", vcs.Event{Kind: vcs.PullRequest, Request: forks}, "refs/pull/7/head"},
		{"forgejo", vcs.Event{Kind: vcs.PullRequest, Request: forks}, "refs/pull/7/head"},
		{"gitlab_hosted", vcs.Event{Kind: vcs.PullRequest, Request: forks}, "refs/merge-requests/7/head"},
		{"bitbucket_data_center", vcs.Event{Kind: vcs.PullRequest, Request: forks}, "refs/pull-requests/7/from"},
		{"bitbucket_hosted", vcs.Event{Kind: vcs.PullRequest, Request: forks}, ""},
		{"ado_services", vcs.Event{Kind: vcs.PullRequest, Request: forks}, "refs/pull/7/merge"},
	} {
		if got := c.event.Ref(c.service); got != c.want {
			t.Errorf("%s: %q, want %q", c.service, got, c.want)
		}
	}
}
