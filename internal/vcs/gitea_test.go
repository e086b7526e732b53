package vcs_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/belayhq/belay/internal/giteatest"
	"github.com/belayhq/belay/internal/vcs"
)

// mailbox takes deliveries and hands on what was in them.
type mailbox struct {
	*httptest.Server
	events chan vcs.Event
}

func newMailbox(t *testing.T, service, secret string) *mailbox {
	t.Helper()
	m := &mailbox{events: make(chan vcs.Event, 64)}
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || !vcs.Verify(service, r.Header, body, [][]byte{[]byte(secret)}) {
			t.Errorf("a delivery is not believed: %v", r.Header)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		events, _, err := vcs.Read(service, r.Header, body)
		if err != nil {
			t.Errorf("%v of %s", err, body)
		}
		for _, e := range events {
			m.events <- e
		}
	}))
	t.Cleanup(m.Close)
	return m
}

// next is the next event of a kind that a branch or tag has come to. Gitea works on pushes later, so that
// a hook may hear of one before it.
func (m *mailbox) next(t *testing.T, kind vcs.Kind, commit string) vcs.Event {
	t.Helper()
	for {
		select {
		case e := <-m.events:
			if e.Kind == kind && e.Commit == commit {
				return e
			}
		case <-time.After(5 * time.Minute):
			t.Fatal("no delivery came")
		}
	}
}

// TestOnARealGitea holds every call of the client and every event against a service that is not ours.
func TestOnARealGitea(t *testing.T) {
	t.Parallel()
	s := giteatest.Start(t)
	r := s.Repository("network", true)
	ctx := t.Context()
	c, err := vcs.Open(vcs.Connection{Service: "gitea", HTTPURL: s.URL, APIURL: s.URL + "/api/v1", Token: s.Token}, http.DefaultClient)
	must(t, err)
	m := newMailbox(t, "gitea", "hush")

	r.Write("eu/main.tf", "# eu")
	first := r.Commit("the first")
	r.Push("main")
	hook, err := c.AddHook(ctx, r.Name, m.URL, "hush")
	must(t, err)

	r.Write("us/main.tf", "# us")
	r.Git("mv", "eu/main.tf", "eu/moved.tf")
	second := r.Commit("the second\n\nwith more")
	r.Push("main")
	e := m.next(t, vcs.Push, second)
	if e.Repository != r.Name || e.Branch != "main" || e.DefaultBranch != "main" || e.Commit != second || e.BeforeCommit != first || e.Sender.Username != giteatest.User {
		t.Errorf("push: %+v", e)
	}
	if got := strings.Join(e.Files, ","); !e.FilesKnown || !has(e.Files, "us/main.tf", "eu/main.tf", "eu/moved.tf") {
		t.Errorf("files of the push: %s, known %v", got, e.FilesKnown)
	}
	if !strings.HasPrefix(e.Message, "the second") || !strings.Contains(e.CommitURL, second) || !strings.Contains(e.CompareURL, "/compare/") || e.Sender.AvatarURL == "" {
		t.Errorf("of the push: %+v", e)
	}

	branch, err := c.DefaultBranch(ctx, r.Name)
	must(t, err)
	head, err := c.Head(ctx, r.Name, "main")
	must(t, err)
	byHash, err := c.Commit(ctx, r.Name, second)
	must(t, err)
	if branch != "main" || head.ID != second || byHash.ID != second || !strings.HasPrefix(head.Message, "the second") || byHash.Message != head.Message {
		t.Errorf("%q, %+v, %+v", branch, head, byHash)
	}
	_, err = c.Head(ctx, r.Name, "no/such")
	if !vcs.NotFound(err) {
		t.Errorf("a branch that is not there: %v", err)
	}

	var last string
	for i := range 7 { // more than Gitea lists
		r.Write(fmt.Sprintf("many/%d", i), "x")
		last = r.Commit(fmt.Sprint(i))
	}
	r.Push("main")
	if e = m.next(t, vcs.Push, last); e.FilesKnown {
		t.Errorf("seven commits: %+v", e)
	}
	files, known, err := c.PushedFiles(ctx, r.Name, second, last)
	must(t, err)
	if !known || len(files) != 7 || !has(files, "many/0", "many/6") {
		t.Errorf("files between two commits: %v, %v", files, known)
	}

	r.Git("reset", "-q", "--hard", second)
	r.Write("only", "x")
	forced := r.Commit("forced")
	r.Push("+main")
	e = m.next(t, vcs.Push, forced)
	files, known, err = c.PushedFiles(ctx, r.Name, e.BeforeCommit, forced)
	must(t, err)
	if !known || !has(files, "only", "many/0", "many/6") {
		t.Errorf("files of a forced push: %v, %v", files, known)
	}

	r.Git("tag", "v1", second)
	r.Git("tag", "-a", "-m", "the second release", "v2", forced)
	r.Push("v1")
	if e = m.next(t, vcs.Tag, second); e.Tag != "v1" || e.Deleted {
		t.Errorf("tag: %+v", e)
	}
	r.Push("v2")
	if e = m.next(t, vcs.Tag, forced); e.Tag != "v2" {
		t.Errorf("annotated tag: %+v", e)
	}
	r.Push(":v1")
	if e = m.next(t, vcs.Tag, ""); e.Tag != "v1" || !e.Deleted {
		t.Errorf("deleted tag: %+v", e)
	}

	onRequest(t, r, c, m)
	var comments []struct{ Body string }
	s.API("GET", "/repos/"+r.Name+"/issues/comments", nil, &comments)
	if len(comments) != 1 || comments[0].Body != "another plan" {
		t.Errorf("comments of the pull request: %+v", comments)
	}
	again, err := c.AddHook(ctx, r.Name, m.URL, "hush")
	must(t, err)
	if ids, err := c.Hooks(ctx, r.Name, m.URL); err != nil || !has(ids, hook, again) || len(ids) != 2 {
		t.Errorf("hooks to the address: %v, %v, want %s and %s", ids, err, hook, again)
	}
	must(t, c.RemoveHook(ctx, r.Name, again))
	must(t, c.RemoveHook(ctx, r.Name, hook))
	must(t, c.RemoveHook(ctx, r.Name, hook))
	var left []any
	s.API("GET", "/repos/"+r.Name+"/hooks", nil, &left)
	if len(left) != 0 {
		t.Errorf("hooks are left: %v", left)
	}
	if ssh, err := c.SSHURL(ctx, r.Name); err != nil || ssh != fmt.Sprintf("ssh://git@127.0.0.1:%d/%s.git", s.SSH, r.Name) {
		t.Errorf("%s, %v", ssh, err)
	}
	wrong, err := vcs.Open(vcs.Connection{Service: "gitea", APIURL: s.URL, Token: "nonsense"}, http.DefaultClient)
	must(t, err)
	if _, err = wrong.DefaultBranch(ctx, r.Name); err == nil || !strings.Contains(err.Error(), "Gitea answered 401: it does not accept the token") {
		t.Errorf("a wrong token: %v", err)
	}
}

// onRequest is a pull request's life.
func onRequest(t *testing.T, r *giteatest.Repository, c vcs.Client, m *mailbox) {
	t.Helper()
	ctx := t.Context()
	r.Git("checkout", "-q", "-b", "topic/a")
	r.Write("topic.tf", "# new")
	opened := r.Commit("a topic")
	r.Push("topic/a")
	number := r.Request("Wider subnets", "topic/a", "main")
	e := m.next(t, vcs.PullRequest, opened)
	if e.Branch != "main" || e.Message != "Wider subnets" || e.Request.Number != number || e.Request.Action != vcs.Opened || e.Request.Fork() || e.Request.HeadBranch != "topic/a" {
		t.Errorf("pull request: %+v, %+v", e, e.Request)
	}
	r.Write("topic.tf", "# newer")
	updated := r.Commit("more of it")
	r.Push("topic/a")
	if e = m.next(t, vcs.PullRequest, updated); e.Request.Action != vcs.Updated {
		t.Errorf("updated pull request: %+v, %+v", e, e.Request)
	}
	files, known, err := c.ChangedFiles(ctx, r.Name, number)
	must(t, err)
	if !known || len(files) != 1 || files[0] != "topic.tf" {
		t.Errorf("files of the pull request: %v, %v", files, known)
	}
	for _, s := range []vcs.State{vcs.Pending, vcs.Errored, vcs.Failure, vcs.Success} {
		must(t, c.SetStatus(ctx, r.Name, updated, vcs.Status{State: s, Context: "belay/acme/network", Description: "Plan: " + string(s), URL: "https://belay.example/r"}))
		if got := r.Statuses(updated)["belay/acme/network"]; got.State != string(s) || got.Description != "Plan: "+string(s) || got.URL != "https://belay.example/r" {
			t.Errorf("status %s: %+v", s, got)
		}
	}
	comment, err := c.Comment(ctx, r.Name, number, "a plan")
	must(t, err)
	must(t, c.UpdateComment(ctx, r.Name, number, comment, "another plan"))
}

func has(list []string, wanted ...string) bool {
	for _, one := range wanted {
		found := false
		for _, there := range list {
			found = found || there == one
		}
		if !found {
			return false
		}
	}
	return true
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
