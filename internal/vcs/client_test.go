package vcs_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/belayhq/belay/internal/vcs"
)

// exchange is one question that a service expects, and its answer.
type exchange struct {
	asks   string // METHOD /path?query, then a blank and the body where there is one
	status int    // 200 unless given
	header string // "Name: value"
	answer string
}

// fake is a service that expects exactly these questions.
type fake struct {
	*httptest.Server
	mu    sync.Mutex
	next  int
	wants []exchange
	seen  []http.Header
	t     *testing.T
}

func newFake(t *testing.T, wants ...exchange) *fake {
	t.Helper()
	f := &fake{wants: wants, t: t}
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	return f
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	asked := strings.TrimSpace(r.Method + " " + r.RequestURI + " " + string(body))
	f.seen = append(f.seen, r.Header)
	if f.next >= len(f.wants) {
		f.t.Errorf("nobody expects %s", asked)
		w.WriteHeader(http.StatusTeapot)
		return
	}
	want := f.wants[f.next]
	f.next++
	if asked != want.asks {
		f.t.Errorf("asked\n  %s\nwant\n  %s", asked, want.asks)
	}
	if name, value, found := strings.Cut(want.header, ": "); found {
		w.Header().Set(name, strings.ReplaceAll(value, "HOST", f.URL))
	}
	if want.status != 0 {
		w.WriteHeader(want.status)
	}
	_, _ = io.WriteString(w, strings.ReplaceAll(want.answer, "HOST", f.URL))
}

// done holds that all was asked.
func (f *fake) done() {
	f.t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.next != len(f.wants) {
		f.t.Errorf("%d questions of %d were asked", f.next, len(f.wants))
	}
}

func open(t *testing.T, service, address string) vcs.Client {
	t.Helper()
	c, err := vcs.Open(vcs.Connection{Service: service, HTTPURL: address, APIURL: address + "/", Token: "s3cret-token"}, http.DefaultClient)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

type question func(context.Context, vcs.Client) (string, error)

func commitLine(c vcs.Commit, err error) (string, error) {
	return fmt.Sprintf("%s|%s|%s|%s", c.ID, c.Message, c.URL, c.Author.Username), err
}

func filesLine(files []string, known bool, err error) (string, error) {
	if !known {
		return "unknown", err
	}
	return strings.Join(files, ","), err
}

func idsLine(ids []string, err error) (string, error) { return strings.Join(ids, ","), err }

// identifiers is a repository of each family, with what must be escaped where it may be there.
var identifiers = map[string]string{
	"github": "acme/net work", "gitea": "acme/network", "gitlab_hosted": "acme/infra/network", "bitbucket_hosted": "acme/network",
	"bitbucket_data_center": "~ADA/network", "ado_services": "acme/Cloud Team/_git/network",
}

func repoOf(service string) string { return identifiers[service] }

// questions is what every client is asked, by the names that the table below uses.
func questions(service string) map[string]question {
	repo := repoOf(service)
	status := vcs.Status{State: vcs.Success, Context: "belay/acme/network", Description: "Plan: 1 to add", URL: "https://belay.example/r"}
	return map[string]question{
		"default": func(ctx context.Context, c vcs.Client) (string, error) { return c.DefaultBranch(ctx, repo) },
		"head": func(ctx context.Context, c vcs.Client) (string, error) {
			return commitLine(c.Head(ctx, repo, "topic/a b"))
		},
		"commit": func(ctx context.Context, c vcs.Client) (string, error) {
			return commitLine(c.Commit(ctx, repo, hashB[:12]))
		},
		"hook": func(ctx context.Context, c vcs.Client) (string, error) {
			return c.AddHook(ctx, repo, "https://belay.example/webhooks/vcs/x", "hush")
		},
		"hooks": func(ctx context.Context, c vcs.Client) (string, error) {
			return idsLine(c.Hooks(ctx, repo, "https://belay.example/webhooks/vcs/x"))
		},
		"unhook": func(ctx context.Context, c vcs.Client) (string, error) { return "", c.RemoveHook(ctx, repo, "7") },
		"request": func(ctx context.Context, c vcs.Client) (string, error) {
			return filesLine(c.ChangedFiles(ctx, repo, 12))
		},
		"push": func(ctx context.Context, c vcs.Client) (string, error) {
			return filesLine(c.PushedFiles(ctx, repo, hashA, hashB))
		},
		"status": func(ctx context.Context, c vcs.Client) (string, error) {
			return "", c.SetStatus(ctx, repo, hashB, status)
		},
		"failure": func(ctx context.Context, c vcs.Client) (string, error) {
			s := status
			s.State = vcs.Failure
			return "", c.SetStatus(ctx, repo, hashB, s)
		},
		"stopped": func(ctx context.Context, c vcs.Client) (string, error) {
			s := status
			s.State = vcs.Errored
			s.Context, s.Description = "belay/"+strings.Repeat("ö", 300), strings.Repeat("ö", 300)
			return "", c.SetStatus(ctx, repo, hashB, s)
		},
		"comment": func(ctx context.Context, c vcs.Client) (string, error) { return c.Comment(ctx, repo, 12, "hello") },
		"find": func(ctx context.Context, c vcs.Client) (string, error) {
			return c.FindComment(ctx, repo, 12, "our mark")
		},
		"edit": func(ctx context.Context, c vcs.Client) (string, error) {
			return "", c.UpdateComment(ctx, repo, 12, "5/6", "again")
		},
		"ssh": func(ctx context.Context, c vcs.Client) (string, error) { return c.SSHURL(ctx, repo) },
	}
}

// answered is one row: what is asked of whom, what goes over the wire, what comes of it.
type answered struct {
	service, question string
	wire              []exchange
	want              string
}

func TestClients(t *testing.T) {
	t.Parallel()
	covered := map[string]bool{}
	for _, rows := range [][]answered{hubRows, gitLabRows, bitbucketRows, azureRows} {
		for _, row := range rows {
			covered[row.service+" "+row.question] = true
			t.Run(row.service+"/"+row.question, func(t *testing.T) {
				t.Parallel()
				f := newFake(t, row.wire...)
				got, err := questions(row.service)[row.question](t.Context(), open(t, row.service, f.URL))
				if err != nil {
					t.Errorf("failed: %v", err)
				}
				if got != row.want {
					t.Errorf("%q, want %q", got, row.want)
				}
				f.done()
			})
		}
	}
	for service := range identifiers {
		for name := range questions(service) {
			if !covered[service+" "+name] && name != "failure" && name != "stopped" {
				t.Errorf("%s is not asked %q", service, name)
			}
		}
	}
}

// TestTokensAreGivenToTheirService looks at how each is told who asks.
func TestTokensAreGivenToTheirService(t *testing.T) {
	t.Parallel()
	for service, want := range map[string]string{
		"github": "Bearer s3cret-token", "gitea": "token s3cret-token", "forgejo": "token s3cret-token", "gitlab_hosted": "Bearer s3cret-token",
		"bitbucket_hosted": "Bearer s3cret-token", "bitbucket_data_center": "Bearer s3cret-token", "ado_services": "Basic OnMzY3JldC10b2tlbg==",
	} {
		var got string
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			got = r.Header.Get("Authorization")
			_, _ = io.WriteString(w, `{}`)
		}))
		repo := "a/b"
		if strings.HasPrefix(service, "ado") {
			repo = "a/b/_git/c"
		}
		if _, err := open(t, service, server.URL).DefaultBranch(t.Context(), repo); err != nil {
			t.Errorf("%s: %v", service, err)
		}
		server.Close()
		if got != want {
			t.Errorf("%s: %q", service, got)
		}
	}
}

func TestWhereAPIsAre(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ service, under, want string }{
		{"github", "", "/repos/a/b"}, {"github_enterprise", "/api/v3", "/api/v3/repos/a/b"}, {"github_enterprise", "", "/api/v3/repos/a/b"},
		{"gitea", "", "/api/v1/repos/a/b"}, {"gitea", "/git/api/v1", "/git/api/v1/repos/a/b"},
		{"gitlab_community_edition", "/api/v4", "/api/v4/projects/a%2Fb"}, {"gitlab_hosted", "", "/api/v4/projects/a%2Fb"},
		{"bitbucket_hosted", "/2.0", "/2.0/repositories/a/b"}, {"bitbucket_hosted", "", "/2.0/repositories/a/b"},
		{"bitbucket_server", "/ctx", "/ctx/rest/api/1.0/projects/a/repos/b/default-branch"},
		{"bitbucket_server", "/ctx/rest/api/1.0", "/ctx/rest/api/1.0/projects/a/repos/b/default-branch"},
	} {
		var got string
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			got = r.RequestURI
			_, _ = io.WriteString(w, `{}`)
		}))
		client, err := vcs.Open(vcs.Connection{Service: c.service, HTTPURL: server.URL, APIURL: server.URL + c.under}, http.DefaultClient)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := client.DefaultBranch(t.Context(), "a/b"); err != nil || got != c.want {
			t.Errorf("%s at %q: %q, %v", c.service, c.under, got, err)
		}
		server.Close()
	}
}

func TestWhereGitFetches(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ service, repo, user, url, as string }{
		{"github", "acme/network", "", "https://git.example/acme/network.git", "x-access-token"},
		{"gitea", "acme/network", "", "https://git.example/acme/network.git", "oauth2"},
		{"forgejo", "acme/network", "bot", "https://git.example/acme/network.git", "bot"},
		{"gitlab_hosted", "acme/infra/network", "", "https://git.example/acme/infra/network.git", "oauth2"},
		{"bitbucket_hosted", "acme/network", "", "https://git.example/acme/network.git", "x-token-auth"},
		{"bitbucket_data_center", "NET/network", "", "https://git.example/scm/NET/network.git", "x-token-auth"},
		{"ado_services", "acme/Cloud Team/_git/network", "", "https://git.example/acme/Cloud%20Team/_git/network", "belay"},
		{"github", "../../x@y", "", "https://git.example/%2E%2E/%2E%2E/x@y.git", "x-access-token"},
		{"github", "a?b/c#d", "", "https://git.example/a%3Fb/c%23d.git", "x-access-token"},
	} {
		client, err := vcs.Open(vcs.Connection{Service: c.service, HTTPURL: "https://git.example/", APIURL: "https://api.example", Token: "t", User: c.user}, http.DefaultClient)
		if err != nil {
			t.Fatal(err)
		}
		if at, as := client.CloneURL(c.repo); at != c.url || as != c.as {
			t.Errorf("%s: %s as %s", c.service, at, as)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]vcs.Connection{
		"a service that is not known":      {Service: "sourceforge", APIURL: "https://x"},
		"no address":                       {Service: "github"},
		"an address of another kind":       {Service: "github", APIURL: "file:///etc"},
		"an address with somebody's token": {Service: "github", APIURL: "https://a:b@x"},
	} {
		if _, err := vcs.Open(c, http.DefaultClient); err == nil {
			t.Errorf("%s was opened", name)
		}
	}
}

// TestIdentifiersOfAzure holds that another form is refused before anything is asked.
func TestIdentifiersOfAzure(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	c := open(t, "ado_services", f.URL)
	for _, repo := range []string{"a/b", "a/b/c/d", "a/b/_git/c/d", ""} {
		if _, err := c.DefaultBranch(t.Context(), repo); err == nil || !strings.Contains(err.Error(), "_git") {
			t.Errorf("%q: %v", repo, err)
		}
	}
}
