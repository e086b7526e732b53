package signin

import (
	"strings"
	"testing"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
)

// Claims as the two services give them to their jobs.
var (
	githubJob = map[string]any{
		"sub": "repo:octo/infra:ref:refs/heads/main", "repository": "octo/infra", "repository_owner": "octo", "repository_id": "74",
		"ref": "refs/heads/main", "environment": "prod", "job_workflow_ref": "octo/infra/.github/workflows/ci.yml@refs/heads/main",
		"actor": "ann", "runner_environment": "github-hosted", "run_attempt": "1",
	}
	gitlabJob = map[string]any{
		"sub": "project_path:group/sub/infra:ref_type:branch:ref:main", "project_path": "group/sub/infra", "project_id": "22",
		"namespace_path": "group/sub", "ref": "main", "ref_type": "branch", "ref_protected": "true", "groups_direct": []any{"group/one", "group/two"},
	}
)

func TestWorkloadRulesAdmit(t *testing.T) {
	t.Parallel()
	const github, gitlab = "https://token.actions.githubusercontent.com", "https://gitlab.com"
	for _, c := range []struct {
		issuer string
		says   map[string]any
		asks   map[string]string
		want   bool
	}{
		{github, githubJob, map[string]string{"repository": "octo/infra"}, true},
		{github, githubJob, map[string]string{"repository": "octo/*", "ref": "refs/heads/main"}, true},
		{github, githubJob, map[string]string{"sub": "repo:octo/*:ref:refs/heads/main"}, true},
		{github, githubJob, map[string]string{"sub": "repo:octo/**"}, true},
		{github, githubJob, map[string]string{"sub": "repo:octo/*"}, false}, // a star stays within its part
		{github, githubJob, map[string]string{"repository": "octo/inf"}, false},
		{github, githubJob, map[string]string{"repository": "cto/infra"}, false},
		{github, githubJob, map[string]string{"repository": "octo.infra"}, false}, // it is no regular expression
		{github, githubJob, map[string]string{"repository": "OCTO/infra"}, false},
		{github, githubJob, map[string]string{"repository": "octo/infra", "environment": "dev"}, false},
		{github, githubJob, map[string]string{"repository": "octo/infra", "missing": "**"}, false},
		{gitlab, gitlabJob, map[string]string{"project_path": "group/**", "ref_protected": "true"}, true},
		{gitlab, gitlabJob, map[string]string{"project_path": "group/*"}, false},
		{gitlab, gitlabJob, map[string]string{"sub": "project_path:group/sub/*:ref_type:branch:ref:main"}, true},
		{gitlab, gitlabJob, map[string]string{"project_id": "22", "groups_direct": "group/two"}, true},
		{gitlab, gitlabJob, nil, false},
	} {
		r := WorkloadRule{Issuer: c.issuer, Audience: "belay", Claims: c.asks}
		said := WorkloadToken{Issuer: c.issuer, Audience: []string{"x", "belay"}, Claims: c.says}
		if got := r.Admits(&said); got != c.want {
			t.Errorf("%v admits: %v", c.asks, got)
		}
		said.Audience = []string{"x"}
		if r.Admits(&said) {
			t.Errorf("%v admits what is made for another", c.asks)
		}
		said.Audience, said.Issuer = []string{"belay"}, "https://evil.example.com"
		if r.Admits(&said) {
			t.Errorf("%v admits another issuer", c.asks)
		}
	}
}

func TestWorkloadRulesAreChecked(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ issuer, claim, pattern, wrong string }{
		{"https://token.actions.githubusercontent.com", "repository", "octo/*", ""},
		{"https://token.actions.githubusercontent.com", "ref", "refs/heads/main", "whose the job is"},
		{"https://token.actions.githubusercontent.com", "repository", "*/infra", "whose the job is"},
		{"https://gitlab.com", "ref_protected", "true", "whose the job is"},
		{"https://gitlab.com", "namespace_path", "group", ""},
		{"https://ci.example.com", "sub", "*", "does not begin"},
		{"https://ci.example.com", "sub", "x", ""},
		{"http://ci.example.com", "sub", "x", "Issuer is"},
		{"https://ci.example.com", "sub", strings.Repeat("x", 256), "255"},
	} {
		r := WorkloadRule{TokenMinutes: 15}
		err := r.Apply(WorkloadRulePatch{
			Name: patch.Of("ci"), Issuer: patch.Of(c.issuer), Audience: patch.Of("belay"), Claims: patch.Of(map[string]string{c.claim: c.pattern}),
		})
		if (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%v: %v", c, err)
		}
	}
}

func TestUsernamesOfProviders(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"ann": "ann", "ann.b@example.com": "ann-b", "": "user", "€€": "user", "Ann Lee": "Ann-Lee", "api-org-acme": "user-api-org-acme",
		"operator-x": "user-operator-x", strings.Repeat("x", 200): strings.Repeat("x", 80),
	} {
		if got := UsernameFor(&Assertion{Username: given}, 1); got != want {
			t.Errorf("%q becomes %q", given, got)
		}
		u := belay.User{Username: UsernameFor(&Assertion{Username: given}, 49), Email: "a@example.com"}
		if err := u.Check(); err != nil {
			t.Errorf("%q: %v", given, err)
		}
	}
}
