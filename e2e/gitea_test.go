package e2e_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/crypto/ssh"

	"github.com/belayhq/belay/internal/giteatest"
	"github.com/belayhq/belay/internal/storetest"
)

// witness is a server that carries runs out with the real command line, and a real Gitea that it is
// connected to through a proxy which counts what is fetched.
type witness struct {
	*server
	gitea   *giteatest.Server
	tokenID string       // of the connection
	fetches atomic.Int64 // how often git asked for a pack
}

// eachWitness runs a test on every engine.
func eachWitness(t *testing.T, test func(t *testing.T, w *witness), args ...string) {
	t.Helper()
	slow(t)
	t.Parallel()
	tofu := tool(t, "BELAY_TOFU")
	tool(t, giteatest.Env)
	for _, engine := range storetest.Outside(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			w := &witness{gitea: giteatest.Start(t)}
			at := "127.0.0.1:" + freePort(t)
			w.server = start(t, engine, append([]string{
				"--addr", at, "--public-url", "http://" + at, "--runner-slots", "2", "--engine-dir", engineDir(t, "tofu", tofu),
				"--allow-private-vcs", "127.0.0.0/8", "--vcs-retry", "200ms",
			}, args...)...)
			w.organization("acme")
			w.do("PATCH", "/organizations/acme", w.Token, `{"data":{"attributes":{"aggregated-commit-status-enabled":false}}}`).want(t, 200)
			made := w.do("POST", "/organizations/acme/oauth-clients", w.Token, fmt.Sprintf(`{"data":{"type":"oauth-clients","attributes":{
				"service-provider":"gitea","http-url":%q,"api-url":%q,"oauth-token-string":%q}}}`, w.counting(t), w.gitea.URL+"/api/v1", w.gitea.Token)).want(t, 201)
			w.tokenID = made.text("data.relationships.oauth-tokens.data.0.id")
			t.Cleanup(func() {
				if t.Failed() {
					t.Logf("events:\n%s", strings.Join(w.events(), "\n"))
				}
			})
			test(t, w)
		})
	}
}

// counting is the address of Gitea behind a proxy that counts fetches.
func (w *witness) counting(t *testing.T) string {
	t.Helper()
	to, err := url.Parse(w.gitea.URL)
	must(t, err)
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }}
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/git-upload-pack") {
			body, err := io.ReadAll(r.Body)
			if err == nil && bytes.Contains(body, []byte("command=fetch")) {
				w.fetches.Add(1)
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
		}
		proxy.ServeHTTP(rw, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// workspace makes a workspace of a repository; more is further attributes with a comma before them.
func (w *witness) connected(t *testing.T, name, repo, vcsRepo, more string) (id string) {
	t.Helper()
	if vcsRepo != "" {
		vcsRepo = "," + vcsRepo
	}
	return w.do("POST", "/organizations/acme/workspaces", w.Token, fmt.Sprintf(`{"data":{"type":"workspaces","attributes":{"name":%q,
		"vcs-repo":{"identifier":%q,"oauth-token-id":%q%s}%s}}}`, name, repo, w.tokenID, vcsRepo, more)).want(t, 201).text("data.id")
}

// seenRun is what is looked at of a run.
type seenRun struct {
	ID         string
	Attributes struct {
		Status, Message, Source string
		Reason                  string `json:"trigger-reason"`
		PlanOnly                bool   `json:"plan-only"`
	}
	Commit string
}

// runsOf is the runs of a workspace, the newest first, with their commits.
func (w *witness) runsOf(t *testing.T, id string) (list []seenRun) {
	t.Helper()
	answer := w.do("GET", "/workspaces/"+id+"/runs?include=configuration_version,configuration_version.ingress_attributes&filter%5Boperation%5D=plan_only,plan_and_apply&page%5Bsize%5D=100", w.Token, "").want(t, 200)
	var body struct {
		Data []struct {
			seenRun
			Relationships map[string]struct {
				Data json.RawMessage
			}
		}
		Included []struct {
			Type, ID   string
			Attributes struct {
				CommitSHA string `json:"commit-sha"`
			}
			Relationships map[string]struct{ Data json.RawMessage }
		}
	}
	must(t, json.Unmarshal([]byte(answer.Body), &body))
	identity := func(raw json.RawMessage) string {
		var one struct{ ID string }
		_ = json.Unmarshal(raw, &one)
		return one.ID
	}
	commits, of := map[string]string{}, map[string]string{}
	for _, i := range body.Included {
		commits[i.ID] = i.Attributes.CommitSHA
		of[i.ID] = identity(i.Relationships["ingress-attributes"].Data)
	}
	for _, d := range body.Data {
		d.Commit = commits[of[identity(d.Relationships["configuration-version"].Data)]]
		list = append(list, d.seenRun)
	}
	return list
}

// comes waits for the run of a commit to have a status, and hands it out.
func (w *witness) comes(t *testing.T, id, commit, status string) (found seenRun) {
	t.Helper()
	last := "not there"
	defer func() {
		if last != status {
			t.Logf("the run of %s is %s; those of its workspace: %s", commit, last, w.do("GET", "/workspaces/"+id+"/runs", w.Token, "").Body)
		}
	}()
	waitFor(t, "a run of "+commit+" that is "+status, func() bool {
		for _, r := range w.runsOf(t, id) {
			if r.Commit == commit {
				found, last = r, r.Attributes.Status
				if last == "errored" && status != "errored" {
					t.Fatalf("the run of %s errored: %s", commit, w.do("GET", "/runs/"+r.ID, w.Token, "").Body)
				}
				return last == status
			}
		}
		return false
	})
	return found
}

// events is what was told of the connection, the newest first.
func (w *witness) events() (messages []string) {
	answer, err := w.try("GET", "/organizations/acme/vcs-events?page%5Bsize%5D=100", w.Token, "")
	if err != nil {
		return []string{err.Error()}
	}
	var body struct {
		Data []struct {
			Attributes struct{ Level, Message string }
		}
	}
	_ = json.Unmarshal([]byte(answer.Body), &body)
	for _, d := range body.Data {
		messages = append(messages, d.Attributes.Level+": "+d.Attributes.Message)
	}
	return messages
}

// hooked waits until Gitea has this many hooks of a repository.
func (w *witness) hooked(t *testing.T, r *giteatest.Repository, want int) {
	t.Helper()
	waitFor(t, fmt.Sprintf("%d hooks of %s", want, r.Name), func() bool {
		var hooks []any
		w.gitea.API("GET", "/repos/"+r.Name+"/hooks", nil, &hooks)
		return len(hooks) == want
	})
}

// status waits for what a commit says of a workspace.
func (w *witness) status(t *testing.T, r *giteatest.Repository, commit, name, state string) (s giteatest.Status) {
	t.Helper()
	waitFor(t, "the status "+state+" of "+commit, func() bool {
		s = r.Statuses(commit)["belay/acme/"+name]
		return s.State == state
	})
	return s
}

func resource(name, word string) string {
	return fmt.Sprintf("resource \"terraform_data\" %q {\n  input = %q\n}\n", name, word)
}

// TestARealRepository is the life of a repository: pushes plan and apply, a pull request shows its plan,
// a tag releases, and what nobody connected any more has no hook.
func TestARealRepository(t *testing.T) {
	eachWitness(t, func(t *testing.T, w *witness) {
		repo := w.gitea.Repository("network", true)
		repo.Write("main.tf", resource("one", "first"))
		first := repo.Commit("the first")
		repo.Push("main")
		network := w.connected(t, "network", repo.Name, "", `,"queue-all-runs":true,"auto-apply":true`)
		w.comes(t, network, first, "applied")
		w.hooked(t, repo, 1)

		repo.Write("main.tf", resource("one", "second")+resource("two", "x"))
		second := repo.Commit("the second\n\nin more words")
		repo.Push("main")
		run := w.comes(t, network, second, "applied")
		if run.Attributes.Message != "the second" || run.Attributes.PlanOnly || run.Attributes.Reason != "matched" {
			t.Errorf("the run of the push: %+v", run)
		}
		if s := w.status(t, repo, second, "network", "success"); !strings.Contains(s.Description, "1 to add, 1 to change, 0 to destroy") || !strings.HasSuffix(s.URL, run.ID) {
			t.Errorf("the status of the push: %+v", s)
		}

		repo.Git("checkout", "-q", "-b", "topic")
		repo.Write("three.tf", resource("three", "x"))
		topic := repo.Commit("a third")
		repo.Push("topic")
		repo.Request("Three of them", "topic", "main")
		run = w.comes(t, network, topic, "planned_and_finished")
		if !run.Attributes.PlanOnly || run.Attributes.Message != "Three of them" || run.Attributes.Reason != "pull_request" {
			t.Errorf("the run of the pull request: %+v", run)
		}
		if s := w.status(t, repo, topic, "network", "success"); !strings.Contains(s.Description, "1 to add, 0 to change, 0 to destroy") {
			t.Errorf("the status of the pull request: %+v", s)
		}
		repo.Write("three.tf", "resource {")
		broken := repo.Commit("not so")
		repo.Push("topic")
		w.comes(t, network, broken, "errored")
		w.status(t, repo, broken, "network", "failure")

		w.released(t, repo, second)
		if n := len(w.runsOf(t, network)); n != 4 {
			t.Errorf("%d runs, want 4: %v", n, w.runsOf(t, network))
		}
		for _, name := range []string{"network", "releases"} {
			w.do("PATCH", "/organizations/acme/workspaces/"+name, w.Token, `{"data":{"attributes":{"vcs-repo":null}}}`).want(t, 200)
		}
		w.hooked(t, repo, 0)
	})
}

// released pushes tags: those that match make runs.
func (w *witness) released(t *testing.T, repo *giteatest.Repository, commit string) {
	t.Helper()
	releases := w.connected(t, "releases", repo.Name, `"tags-regex":"^v[0-9]+$"`, `,"queue-all-runs":true`)
	before := 0
	waitFor(t, "the first run of a workspace that waits for tags", func() bool { before = len(w.runsOf(t, releases)); return before > 0 })
	repo.Git("tag", "other", commit)
	repo.Git("tag", "-a", "-m", "the release", "v1", commit)
	repo.Push("other", "v1")
	waitFor(t, "the run of the tag", func() bool {
		runs := w.runsOf(t, releases)
		return runs[0].Attributes.Reason == "git_tag" && runs[0].Commit == commit
	})
	if n := len(w.runsOf(t, releases)) - before; n != 1 {
		t.Errorf("%d runs of tags", n)
	}
}

// TestSubmodulesAndSSH fetches a private repository with a private submodule, over HTTP and over SSH.
func TestSubmodulesAndSSH(t *testing.T) {
	eachWitness(t, func(t *testing.T, w *witness) {
		modules := w.gitea.Repository("modules", true)
		modules.Write("m/main.tf", resource("inner", "x"))
		modules.Commit("a module")
		modules.Push("main")
		repo := w.gitea.Repository("outer", true)
		repo.Write("main.tf", "module \"m\" {\n  source = \"./sub/m\"\n}\n")
		repo.Git("submodule", "add", "-q", modules.Folder, "sub")
		repo.Git("config", "-f", ".gitmodules", "submodule.sub.url", "../modules.git")
		commit := repo.Commit("with a submodule")
		repo.Push("main")

		without := w.connected(t, "without", repo.Name, "", `,"queue-all-runs":true`)
		w.comes(t, without, commit, "errored")
		with := w.connected(t, "with", repo.Name, `"ingress-submodules":true`, `,"queue-all-runs":true,"auto-apply":true`)
		w.comes(t, with, commit, "applied")

		private, public := keyPair(t)
		w.gitea.API("POST", "/user/keys", map[string]any{"title": "belay", "key": public}, nil)
		w.do("PATCH", "/oauth-tokens/"+w.tokenID, w.Token, fmt.Sprintf(`{"data":{"type":"oauth-tokens","attributes":{"ssh-key":%q}}}`, private)).want(t, 200)
		w.hooked(t, repo, 1)
		repo.Write("more.tf", resource("more", "x"))
		commit = repo.Commit("over SSH")
		before := w.fetches.Load()
		repo.Push("main")
		w.comes(t, with, commit, "applied")
		if w.fetches.Load() != before {
			t.Errorf("%d fetches over HTTP although there is a key", w.fetches.Load()-before)
		}
	})
}

func keyPair(t *testing.T) (private, public string) {
	t.Helper()
	open, secret, err := ed25519.GenerateKey(rand.Reader)
	must(t, err)
	block, err := ssh.MarshalPrivateKey(secret, "belay")
	must(t, err)
	key, err := ssh.NewPublicKey(open)
	must(t, err)
	return string(pem.EncodeToMemory(block)), string(ssh.MarshalAuthorizedKey(key))
}

// TestThirtyWorkspacesOfOneRepository holds that of thirty exactly the right ones plan a push, and that
// one fetch serves them all.
func TestThirtyWorkspacesOfOneRepository(t *testing.T) {
	eachWitness(t, func(t *testing.T, w *witness) {
		const teams = 30
		repo := w.gitea.Repository("mono", true)
		name := func(i int) string { return fmt.Sprintf("team-%02d", i) }
		for i := range teams {
			repo.Write("teams/"+name(i)+"/main.tf", resource("one", "first"))
		}
		repo.Write("shared/README", "for the first three")
		repo.Commit("thirty")
		repo.Push("main")
		ids := make([]string, teams)
		for i := range teams { // connected while nothing runs there, so that they have no first run
			more := fmt.Sprintf(`,"working-directory":"teams/%s","trigger-patterns":["/teams/%s/**/*"`, name(i), name(i))
			if i < 3 {
				more += `,"/shared/*"`
			}
			ids[i] = w.connected(t, name(i), repo.Name, "", more+`],"queue-all-runs":true,"execution-mode":"local"`)
		}
		w.hooked(t, repo, 1)
		// What was connected is worked on behind the requests, in turn: after a push of now.
		repo.Write("README", "nothing plans this")
		quiet := repo.Commit("nothing runs yet")
		repo.Push("main")
		waitFor(t, "a push without runs", func() bool {
			return slices.ContainsFunc(w.events(), func(m string) bool {
				return strings.Contains(m, "push of "+quiet[:12]) && strings.Contains(m, "made 0 runs")
			})
		})
		for _, id := range ids {
			w.do("PATCH", "/workspaces/"+id, w.Token, `{"data":{"attributes":{"execution-mode":"remote"}}}`).want(t, 200)
		}
		push := func(want ...int) {
			t.Helper()
			commit, before := repo.Commit("a push"), w.fetches.Load()
			repo.Push("main")
			for _, i := range want {
				w.comes(t, ids[i], commit, "planned")
			}
			var got []int
			for i, id := range ids {
				if runs := w.runsOf(t, id); len(runs) > 0 && runs[0].Commit == commit {
					got = append(got, i)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("workspaces %v planned the push, want %v", got, want)
			}
			if n := w.fetches.Load() - before; n != 1 {
				t.Errorf("%d fetches for %d workspaces", n, len(want))
			}
			for _, i := range want { // so that the next plans are not behind these
				w.do("POST", "/runs/"+w.runsOf(t, ids[i])[0].ID+"/actions/discard", w.Token, `{}`).want(t, 202)
			}
		}
		repo.Write("teams/team-04/main.tf", resource("one", "second"))
		repo.Write("teams/team-11/deep/er/x.tf", "# new")
		repo.Git("rm", "-q", "teams/team-29/main.tf")
		repo.Write("teams/team-29/other.tf", resource("two", "x"))
		push(4, 11, 29)
		repo.Write("shared/README", "of all")
		push(0, 1, 2)
	})
}

// TestThePlanBelowARealPullRequest: an organization that wants it has one comment below a pull request, with
// the plans of its newest commit. Nobody sees the mark that it is found again by.
func TestThePlanBelowARealPullRequest(t *testing.T) {
	eachWitness(t, func(t *testing.T, w *witness) {
		w.do("PATCH", "/organizations/acme", w.Token, `{"data":{"attributes":{"pull-request-comments-enabled":true}}}`).want(t, 200)
		repo := w.gitea.Repository("network", true)
		repo.Write("main.tf", resource("one", "first"))
		first := repo.Commit("the first")
		repo.Push("main")
		network := w.connected(t, "network", repo.Name, "", `,"queue-all-runs":true,"auto-apply":true`)
		w.comes(t, network, first, "applied")
		w.hooked(t, repo, 1)

		repo.Git("checkout", "-q", "-b", "topic")
		repo.Write("two.tf", resource("two", "x"))
		second := repo.Commit("a second")
		repo.Push("topic")
		number := repo.Request("Two of them", "topic", "main")
		w.comes(t, network, second, "planned_and_finished")
		comment := w.comment(t, repo, number, "Plan: 1 to add, 0 to change, 0 to destroy")
		if !strings.Contains(comment.Body, second[:12]) || !strings.Contains(comment.Body, "[network]("+w.URL+"/app/acme/workspaces/network/runs/") {
			t.Errorf("the comment: %s", comment.Body)
		}
		shown := w.shown(t, comment.Body)
		if strings.Contains(shown, "belay ") || !strings.Contains(shown, "<table>") {
			t.Errorf("the comment is shown as %s", shown)
		}
		repo.Write("two.tf", resource("two", "x")+resource("three", "x"))
		third := repo.Commit("a third")
		repo.Push("topic")
		w.comes(t, network, third, "planned_and_finished")
		if next := w.comment(t, repo, number, "Plan: 2 to add, 0 to change, 0 to destroy"); next.ID != comment.ID || !strings.Contains(next.Body, third[:12]) {
			t.Errorf("of the next commit comment %d says %s", next.ID, next.Body)
		}
		for _, told := range w.events() { // what failed is tried again half a minute later where nobody asks for less
			if strings.HasPrefix(told, "error") {
				t.Errorf("it did not go without %s", told)
			}
		}
	})
}

type giteaComment struct {
	ID   int64  `json:"id"`
	Body string `json:"body"`
}

// comment waits until the one comment below a pull request says something.
func (w *witness) comment(t *testing.T, r *giteatest.Repository, number int, says string) giteaComment {
	t.Helper()
	var list []giteaComment
	waitFor(t, "a comment with "+says, func() bool {
		list = nil
		w.gitea.API("GET", fmt.Sprintf("/repos/%s/issues/%d/comments", r.Name, number), nil, &list)
		return len(list) > 0 && strings.Contains(list[0].Body, says)
	})
	if len(list) != 1 {
		t.Errorf("%d comments: %v", len(list), list)
	}
	return list[0]
}

// shown is a text as Gitea's pages have it.
func (w *witness) shown(t *testing.T, text string) string {
	t.Helper()
	body, err := json.Marshal(map[string]any{"Text": text, "Mode": "gfm"})
	must(t, err)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.gitea.URL+"/api/v1/markdown", bytes.NewReader(body))
	must(t, err)
	request.Header.Set("Authorization", "token "+w.gitea.Token)
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	must(t, err)
	defer func() { _ = answer.Body.Close() }()
	html, err := io.ReadAll(answer.Body)
	must(t, err)
	return string(html)
}
