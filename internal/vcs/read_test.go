package vcs_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/belayhq/belay/internal/vcs"
)

const (
	hashA = "1111111111111111111111111111111111111111"
	hashB = "2222222222222222222222222222222222222222"
	hashT = "3333333333333333333333333333333333333333"
)

// headers is what comes with an event of a service: its name, and the delivery.
func headers(service, event string) http.Header {
	h := http.Header{}
	set := func(name, delivery string) {
		h.Set(name, event)
		if delivery != "" {
			h.Set(delivery, "delivery-1")
		}
	}
	switch {
	case strings.HasPrefix(service, "github"):
		set("X-GitHub-Event", "X-GitHub-Delivery")
	case strings.HasPrefix(service, "gitlab"):
		set("X-Gitlab-Event", "X-Gitlab-Event-UUID")
	case service == "bitbucket_hosted":
		set("X-Event-Key", "X-Request-UUID")
	case strings.HasPrefix(service, "bitbucket"):
		set("X-Event-Key", "X-Request-Id")
	case service == "gitea":
		set("X-Gitea-Event", "X-Gitea-Delivery")
	case service == "forgejo":
		set("X-Forgejo-Event", "X-Forgejo-Delivery")
	}
	return h
}

// told is an event in one line: what is decided on, and nothing else.
func told(e vcs.Event) string {
	kind := map[vcs.Kind]string{vcs.Nothing: "nothing", vcs.Ping: "ping", vcs.Push: "push", vcs.Tag: "tag", vcs.PullRequest: "pull"}[e.Kind]
	var b strings.Builder
	b.WriteString(kind)
	add := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, " %s=%s", name, value)
		}
	}
	short := func(hash string) string { return hash[:min(len(hash), 1)] + strings.Repeat("!", len(hash)%40) }
	add("repo", e.Repository)
	add("branch", e.Branch)
	add("tag", e.Tag)
	add("default", e.DefaultBranch)
	add("at", short(e.Commit))
	add("from", short(e.BeforeCommit))
	if e.Deleted {
		b.WriteString(" deleted")
	}
	if e.Forced {
		b.WriteString(" forced")
	}
	if e.FilesKnown {
		add("files", strings.Join(e.Files, ","))
	}
	add("by", e.Author.Username)
	add("sent", e.Sender.Username)
	add("says", strings.TrimSpace(strings.SplitN(e.Message, "\n", 2)[0]))
	if r := e.Request; r != nil {
		fmt.Fprintf(&b, " #%d %s %s->%s", r.Number, r.Action, r.HeadBranch, r.BaseBranch)
		if r.Fork() {
			add("fork", r.HeadRepository+"?")
		}
	}
	return b.String()
}

var payloads = []struct {
	service, event, file string
	want                 []string
}{
	{"github", "push", "github-push", []string{"push repo=Acme/network branch=main default=main at=2 from=1 files=eu/new.tf,eu/main.tf,us/old.tf by=grace sent=ada says=narrower again"}},
	{"github_enterprise", "push", "github-push", []string{"push repo=Acme/network branch=main default=main at=2 from=1 files=eu/new.tf,eu/main.tf,us/old.tf by=grace sent=ada says=narrower again"}},
	{"github", "push", "github-push-forced", []string{"push repo=Acme/network branch=main default=main at=2 from=1 forced by=grace sent=ada says=narrower again"}},
	{"github", "push", "github-push-new-branch", []string{"push repo=Acme/network branch=topic/a default=main at=2 by=grace sent=ada says=narrower again"}},
	{"github", "push", "github-push-deleted", []string{"push repo=Acme/network branch=main default=main from=1 deleted by=ada sent=ada"}},
	{"github", "push", "github-tag", []string{"tag repo=Acme/network tag=v1.2 default=main at=2 by=grace sent=ada says=narrower again"}},
	{"github", "push", "github-tag-deleted", []string{"tag repo=Acme/network tag=v1.2 default=main from=3 deleted by=ada sent=ada"}},
	{"github", "create", "github-create", []string{"nothing"}},
	{"github", "ping", "github-ping", []string{"ping"}},
	{"github", "star", "github-ping", []string{"nothing"}},
	{"github", "pull_request", "github-pull-opened", []string{"pull repo=Acme/network branch=main default=main at=2 by=ada sent=ada says=Wider subnets #12 opened topic->main"}},
	{"github", "pull_request", "github-pull-reopened", []string{"pull repo=Acme/network branch=main default=main at=2 by=ada sent=ada says=Wider subnets #12 reopened topic->main"}},
	{"github", "pull_request", "github-pull-synchronize", []string{"pull repo=Acme/network branch=main default=main at=2 from=1 by=ada sent=ada says=Wider subnets #12 updated topic->main"}},
	{"github", "pull_request", "github-pull-labeled", []string{"nothing"}},
	{"github", "pull_request", "github-pull-closed", []string{"nothing"}},
	{"github", "pull_request", "github-pull-fork", []string{"pull repo=Acme/network branch=main default=main at=2 by=ada sent=ada says=Wider subnets #12 opened topic->main fork=mallory/network?"}},
	{"github", "pull_request", "github-pull-fork-gone", []string{"pull repo=Acme/network branch=main default=main at=2 by=ada sent=ada says=Wider subnets #12 updated topic->main fork=?"}},

	{"gitea", "push", "gitea-push", []string{"push repo=acme/network branch=main default=main at=2 from=1 files=us/old.tf,eu/new.tf,eu/main.tf by=grace sent=ada says=narrower"}},
	{"forgejo", "push", "gitea-push", []string{"push repo=acme/network branch=main default=main at=2 from=1 files=us/old.tf,eu/new.tf,eu/main.tf by=grace sent=ada says=narrower"}},
	{"gitea", "push", "gitea-push-many", []string{"push repo=acme/network branch=main default=main at=2 from=1 by=grace sent=ada says=narrower"}},
	{"gitea", "push", "gitea-push-deleted", []string{"push repo=acme/network branch=main default=main from=1 deleted by=ada sent=ada"}},
	{"gitea", "push", "gitea-tag", []string{"tag repo=acme/network tag=v1.2 default=main at=2 by=grace sent=ada says=narrower"}},
	{"gitea", "create", "gitea-create-tag", []string{"tag repo=acme/network tag=v1.2 default=main at=2 by=ada sent=ada"}},
	{"gitea", "create", "gitea-create-branch", []string{"nothing"}},
	{"gitea", "pull_request", "gitea-pull-opened", []string{"pull repo=acme/network branch=main default=main at=2 by=ada sent=ada says=Wider #4 opened topic->main"}},
	{"gitea", "pull_request", "gitea-pull-reopened", []string{"pull repo=acme/network branch=main default=main at=2 by=ada sent=ada says=Wider #4 reopened topic->main"}},
	{"gitea", "pull_request", "gitea-pull-synchronized", []string{"pull repo=acme/network branch=main default=main at=2 by=ada sent=ada says=Wider #4 updated topic->main"}},
	{"gitea", "pull_request", "gitea-pull-edited", []string{"nothing"}},
	{"forgejo", "pull_request", "gitea-pull-fork", []string{"pull repo=acme/network branch=main default=main at=2 by=ada sent=ada says=Wider #4 opened topic->main fork=mallory/network?"}},

	{"gitlab_hosted", "Push Hook", "gitlab-push", []string{"push repo=acme/infra/network branch=main default=main at=2 from=1 files=eu/new.tf,eu/main.tf,us/old.tf by=ada sent=ada says=narrower"}},
	{"gitlab_enterprise_edition", "Push Hook", "gitlab-push-many", []string{"push repo=acme/infra/network branch=main default=main at=2 from=1 by=ada sent=ada says=narrower"}},
	{"gitlab_community_edition", "Push Hook", "gitlab-push-deleted", []string{"push repo=acme/infra/network branch=main default=main from=1 deleted by=ada sent=ada"}},
	{"gitlab_hosted", "Push Hook", "gitlab-push-new-branch", []string{"push repo=acme/infra/network branch=topic default=main at=2 by=ada sent=ada"}},
	{"gitlab_hosted", "Tag Push Hook", "gitlab-tag", []string{"tag repo=acme/infra/network tag=v1.2 default=main at=2 by=ada sent=ada says=the second"}},
	{"gitlab_hosted", "Tag Push Hook", "gitlab-tag-deleted", []string{"tag repo=acme/infra/network tag=v1.2 default=main from=3 deleted by=ada sent=ada"}},
	{"gitlab_hosted", "Merge Request Hook", "gitlab-request-open", []string{"pull repo=acme/infra/network branch=main default=main at=2 by=Grace sent=ada says=Wider #3 opened topic->main"}},
	{"gitlab_hosted", "Merge Request Hook", "gitlab-request-reopen", []string{"pull repo=acme/infra/network branch=main default=main at=2 by=Grace sent=ada says=Wider #3 reopened topic->main"}},
	{"gitlab_hosted", "Merge Request Hook", "gitlab-request-update", []string{"pull repo=acme/infra/network branch=main default=main at=2 from=1 by=Grace sent=ada says=Wider #3 updated topic->main"}},
	{"gitlab_hosted", "Merge Request Hook", "gitlab-request-renamed", []string{"nothing"}},
	{"gitlab_hosted", "Merge Request Hook", "gitlab-request-merge", []string{"nothing"}},
	{"gitlab_hosted", "Merge Request Hook", "gitlab-request-fork", []string{"pull repo=acme/infra/network branch=main default=main at=2 by=Grace sent=ada says=Wider #3 opened topic->main fork=mallory/network?"}},
	{"gitlab_hosted", "Merge Request Hook", "gitlab-request-fork-gone", []string{"pull repo=acme/infra/network branch=main default=main at=2 by=Grace sent=ada says=Wider #3 opened topic->main fork=?"}},
	{"gitlab_hosted", "Note Hook", "gitlab-push", []string{"nothing"}},

	{"bitbucket_hosted", "repo:push", "bitbucket-push", []string{
		"push repo=acme/network branch=main at=2 from=1 by=grace sent=ada says=narrower",
		"tag repo=acme/network tag=v1.2 at=3 by=grace sent=ada says=narrower",
		"push repo=acme/network branch=gone from=1 deleted by=ada sent=ada",
	}},
	{"bitbucket_hosted", "repo:push", "bitbucket-push-forced", []string{"push repo=acme/network branch=main at=2 from=1 forced by=grace sent=ada says=narrower"}},
	{"bitbucket_hosted", "repo:push", "bitbucket-tag-deleted", []string{"tag repo=acme/network tag=v1.2 from=3 deleted by=ada sent=ada"}},
	{"bitbucket_hosted", "repo:push", "bitbucket-push-nothing", []string{"nothing repo=acme/network by=ada sent=ada"}},
	{"bitbucket_hosted", "pullrequest:created", "bitbucket-pull", []string{"pull repo=acme/network branch=main at=2 by=ada sent=ada says=Wider #8 opened topic->main"}},
	{"bitbucket_hosted", "pullrequest:updated", "bitbucket-pull", []string{"pull repo=acme/network branch=main at=2 by=ada sent=ada says=Wider #8 updated topic->main"}},
	{"bitbucket_hosted", "pullrequest:created", "bitbucket-pull-fork", []string{"pull repo=acme/network branch=main at=2 by=ada sent=ada says=Wider #8 opened topic->main fork=mallory/network?"}},
	{"bitbucket_hosted", "pullrequest:created", "bitbucket-pull-fork-gone", []string{"pull repo=acme/network branch=main at=2 by=ada sent=ada says=Wider #8 opened topic->main fork=?"}},
	{"bitbucket_hosted", "pullrequest:created", "bitbucket-pull-short", []string{"pull repo=acme/network branch=main at=2!!!!!!!!!!!! by=ada sent=ada says=Wider #8 opened topic->main"}},
	{"bitbucket_hosted", "pullrequest:approved", "bitbucket-pull", []string{"nothing"}},

	{"bitbucket_data_center", "repo:refs_changed", "datacenter-push", []string{
		"push repo=NET/network branch=main at=2 from=1 by=grace sent=ada says=narrower",
		"push repo=NET/network branch=gone from=1 deleted by=ada sent=ada",
		"tag repo=NET/network tag=v1.2 at=3 by=ada sent=ada",
	}},
	{"bitbucket_server_legacy", "repo:refs_changed", "datacenter-push-old", []string{"push repo=NET/network branch=main at=2 from=1 by=ada sent=ada"}},
	{"bitbucket_server", "repo:refs_changed", "datacenter-tag-deleted", []string{"tag repo=NET/network tag=v1.2 from=3 deleted by=ada sent=ada"}},
	{"bitbucket_data_center", "pr:opened", "datacenter-pull-opened", []string{"pull repo=NET/network branch=main at=2 by=ada sent=ada says=Wider #5 opened topic->main"}},
	{"bitbucket_data_center", "pr:from_ref_updated", "datacenter-pull-updated", []string{"pull repo=NET/network branch=main at=2 from=1 by=ada sent=ada says=Wider #5 updated topic->main"}},
	{"bitbucket_data_center", "pr:opened", "datacenter-pull-fork", []string{"pull repo=NET/network branch=main at=2 by=ada sent=ada says=Wider #5 opened topic->main fork=~MALLORY/network?"}},
	{"bitbucket_data_center", "pr:merged", "datacenter-pull-opened", []string{"nothing"}},
	{"bitbucket_data_center", "diagnostics:ping", "datacenter-ping", []string{"ping"}},
	{"bitbucket_data_center", "diagnostics:ping", "datacenter-push", []string{"ping"}},

	{"ado_services", "", "azure-push", []string{
		"push repo=acme/Cloud Team/_git/network branch=main default=main at=2 from=1 by=Grace sent=ada@example.com says=narrower",
		"tag repo=acme/Cloud Team/_git/network tag=v1.2 default=main at=3 by=ada@example.com sent=ada@example.com",
		"push repo=acme/Cloud Team/_git/network branch=gone default=main from=1 deleted by=ada@example.com sent=ada@example.com",
		"nothing repo=acme/Cloud Team/_git/network default=main at=2 from=1 by=Grace sent=ada@example.com says=narrower",
	}},
	{"ado_services", "", "azure-push-old-address", []string{"push repo=acme/Cloud Team/_git/network branch=main default=main at=2 from=1 by=Grace sent=ada@example.com says=narrower"}},
	{"ado_services", "", "azure-push-short-address", []string{"push repo=acme/network/_git/network branch=main default=main at=2 from=1 by=Grace sent=ada@example.com says=narrower"}},
	{"ado_services", "", "azure-push-short-server", []string{"push repo=acme/network/_git/network branch=main default=main at=2 from=1 by=Grace sent=ada@example.com says=narrower"}},
	{"ado_server", "", "azure-push-server", []string{"push repo=Main/Cloud Team/_git/network branch=main default=main at=2 from=1 by=Grace sent=ada@example.com says=narrower"}},
	{"ado_services", "", "azure-pull-created", []string{"pull repo=acme/Cloud Team/_git/network branch=main default=main at=2 by=ada@example.com sent=ada@example.com says=Wider #21 opened topic->main"}},
	{"ado_services", "", "azure-pull-updated", []string{"pull repo=acme/Cloud Team/_git/network branch=main default=main at=2 by=ada@example.com sent=ada@example.com says=Wider #21 updated topic->main"}},
	{"ado_services", "", "azure-pull-completed", []string{"nothing"}},
	{"ado_services", "", "azure-pull-merged", []string{"nothing"}},
	{"ado_services", "", "azure-pull-fork", []string{"pull repo=acme/Cloud Team/_git/network branch=main default=main at=2 by=ada@example.com sent=ada@example.com says=Wider #21 opened topic->main fork=acme/Mallory/_git/network?"}},
}

func TestRead(t *testing.T) {
	t.Parallel()
	used := map[string]bool{"azure-pull-unlinked.json": true}
	for _, p := range payloads {
		body, err := os.ReadFile(filepath.Join("testdata", p.file+".json"))
		if err != nil {
			t.Fatal(err)
		}
		used[p.file+".json"] = true
		events, delivery, err := vcs.Read(p.service, headers(p.service, p.event), body)
		if err != nil {
			t.Errorf("%s, %s: %v", p.service, p.file, err)
			continue
		}
		var got []string
		for _, e := range events {
			got = append(got, told(e))
			if e.Delivery != delivery {
				t.Errorf("%s: the event is of delivery %q, not of %q", p.file, e.Delivery, delivery)
			}
		}
		if a, b := strings.Join(got, "\n  "), strings.Join(p.want, "\n  "); a != b {
			t.Errorf("%s, %s:\n  %s\nwant\n  %s", p.service, p.file, a, b)
		}
	}
	all, _ := filepath.Glob("testdata/*.json")
	for _, file := range all {
		if !used[filepath.Base(file)] {
			t.Errorf("nobody reads %s", file)
		}
	}
}

// TestReadTellsPagesAndPeople looks at what is only shown.
func TestReadTellsPagesAndPeople(t *testing.T) {
	t.Parallel()
	one := func(service, event, file string) vcs.Event {
		body, err := os.ReadFile(filepath.Join("testdata", file+".json"))
		if err != nil {
			t.Fatal(err)
		}
		events, _, err := vcs.Read(service, headers(service, event), body)
		if err != nil {
			t.Fatal(err)
		}
		return events[0]
	}
	for _, c := range []struct{ called, got, want string }{
		{"GitHub's commit", one("github", "push", "github-push").CommitURL, "https://github.com/Acme/network/commit/" + hashB},
		{"GitHub's comparison", one("github", "push", "github-push").CompareURL, "https://github.com/Acme/network/compare/111111111111...222222222222"},
		{"GitHub's picture", one("github", "push", "github-push").Sender.AvatarURL, "https://avatars.example/u/7"},
		{"GitHub's person", one("github", "pull_request", "github-pull-opened").Author.URL, "https://github.com/ada"},
		{"GitHub's pull request", one("github", "pull_request", "github-pull-opened").Request.URL, "https://github.com/Acme/network/pull/12"},
		{"GitHub's words", one("github", "pull_request", "github-pull-opened").Request.Body, "They are full."},
		{"Gitea's comparison", one("gitea", "push", "gitea-push").CompareURL, "https://git.example/acme/network/compare/1...2"},
		{"GitLab's commit", one("gitlab_hosted", "Push Hook", "gitlab-push").CommitURL, "https://gitlab.com/acme/infra/network/-/commit/" + hashB},
		{"GitLab's picture", one("gitlab_hosted", "Push Hook", "gitlab-push").Sender.AvatarURL, "https://gitlab.com/avatar/4"},
		{"Bitbucket's comparison", one("bitbucket_hosted", "repo:push", "bitbucket-push").CompareURL, "https://bitbucket.org/acme/network/branches/compare/2..1"},
		{"Bitbucket's person", one("bitbucket_hosted", "repo:push", "bitbucket-push").Author.URL, "https://bitbucket.org/grace/"},
		{"Data Center's pull request", one("bitbucket_data_center", "pr:opened", "datacenter-pull-opened").Request.URL, "https://bb.example/projects/NET/repos/network/pull-requests/5"},
		{"Azure's pull request", one("ado_services", "", "azure-pull-created").Request.URL, "https://dev.azure.com/acme/Cloud%20Team/_git/network/pullrequest/21"},
		{"Azure's pull request without a link", one("ado_services", "", "azure-pull-unlinked").Request.URL, "https://dev.azure.com/acme/Cloud%20Team/_git/network/pullrequest/21"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.called, c.got, c.want)
		}
	}
}

func TestDeliveries(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ service, body, want string }{
		{"github", `{}`, "delivery-1"}, {"gitlab_hosted", `{}`, "delivery-1"}, {"bitbucket_hosted", `{}`, "delivery-1"},
		{"bitbucket_data_center", `{}`, "delivery-1"}, {"gitea", `{}`, "delivery-1"}, {"forgejo", `{}`, "delivery-1"},
		{"ado_services", `{"id":"delivery-1"}`, "delivery-1"},
	} {
		_, got, err := vcs.Read(c.service, headers(c.service, "else"), []byte(c.body))
		if err != nil || got != c.want {
			t.Errorf("%s: %q, %v", c.service, got, err)
		}
	}
	read := func(header http.Header, body string) string {
		_, id, err := vcs.Read("github", header, []byte(body))
		if err != nil {
			t.Error(err)
		}
		return id
	}
	without := http.Header{}
	if first, again, other := read(without, `{}`), read(without, `{}`), read(without, `{ }`); first != again || first == other {
		t.Error("a delivery without an id is not known by its bytes")
	}
	if id := read(http.Header{"X-Github-Delivery": {strings.Repeat("x", 1000)}}, `{}`); len(id) > 128 {
		t.Errorf("an id of %d characters is kept", len(id))
	}
}

func TestReadRefusesWhatIsNotJSON(t *testing.T) {
	t.Parallel()
	for _, service := range services {
		for _, event := range []string{"push", "Push Hook", "repo:push", "repo:refs_changed", "pull_request", "else"} {
			for _, body := range []string{"", "payload=%7B%7D", "[]", `"x"`, "{", `{"ref":5,"resource":5,"push":5,"changes":5,"eventType":5,"action":5}` + "x"} {
				if _, _, err := vcs.Read(service, headers(service, event), []byte(body)); err == nil {
					t.Errorf("%s, %s: %q was read", service, event, body)
				}
			}
		}
	}
	if _, _, err := vcs.Read("sourceforge", nil, []byte("{}")); err == nil {
		t.Error("a service that is not known was read")
	}
}

// TestHashesAreHashes holds that what reaches git as a commit can't be an option or a path.
func TestHashesAreHashes(t *testing.T) {
	t.Parallel()
	for _, hash := range []string{"--upload-pack=touch /tmp/x", "HEAD", "../../x", strings.Repeat("g", 40), strings.Repeat("A", 40), hashB + "\n", hashB[:11]} {
		push := fmt.Sprintf(`{"ref":"refs/heads/main","before":%q,"after":%q,"repository":{"full_name":"a/b"}}`, hash, hash)
		pull := fmt.Sprintf(`{"action":"opened","number":1,"pull_request":{"head":{"sha":%q},"base":{"ref":"main"}},"repository":{"full_name":"a/b"}}`, hash)
		for event, body := range map[string]string{"push": push, "pull_request": pull} {
			events, _, err := vcs.Read("github", headers("github", event), []byte(body))
			if err != nil || len(events) != 1 || events[0].Kind != vcs.Nothing || events[0].Commit != "" || events[0].Request != nil {
				t.Errorf("%s of %q: %+v, %v", event, hash, events, err)
			}
		}
	}
	long := strings.Repeat("a", 64) // SHA-256
	events, _, _ := vcs.Read("gitea", headers("gitea", "push"), []byte(`{"ref":"refs/heads/main","after":"`+long+`","repository":{"full_name":"a/b"}}`))
	if events[0].Commit != long {
		t.Error("a hash of SHA-256 is none")
	}
}

// TestManyFilesAreNotKnown holds the limits from which GitHub leaves some out.
func TestManyFilesAreNotKnown(t *testing.T) {
	t.Parallel()
	push := func(commits, files int) vcs.Event {
		var names []string
		for i := range files {
			names = append(names, fmt.Sprintf(`"f%d"`, i))
		}
		one := `{"id":"` + hashB + `","added":[` + strings.Join(names, ",") + `]}`
		body := `{"ref":"refs/heads/main","after":"` + hashB + `","repository":{"full_name":"a/b"},"commits":[` + strings.TrimSuffix(strings.Repeat(one+",", commits), ",") + `]}`
		events, _, err := vcs.Read("github", headers("github", "push"), []byte(body))
		if err != nil {
			t.Fatal(err)
		}
		return events[0]
	}
	for _, c := range []struct {
		commits, files int
		known          bool
	}{{2047, 1, true}, {2048, 1, false}, {1, 2999, true}, {1, 3000, false}, {1, 0, true}, {0, 0, false}} {
		if e := push(c.commits, c.files); e.FilesKnown != c.known || e.FilesKnown && len(e.Files) != c.files {
			t.Errorf("%d commits of %d files: known %v, %d files", c.commits, c.files, e.FilesKnown, len(e.Files))
		}
	}
}

// FuzzRead holds that no body makes it panic, and that what it reads is sound.
func FuzzRead(f *testing.F) {
	for i, p := range payloads {
		body, err := os.ReadFile(filepath.Join("testdata", p.file+".json"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint8(i), body)
	}
	f.Fuzz(func(t *testing.T, which uint8, body []byte) {
		p := payloads[int(which)%len(payloads)]
		events, _, err := vcs.Read(p.service, headers(p.service, p.event), body)
		if (err == nil) != (len(events) > 0) {
			t.Errorf("%d events, %v", len(events), err)
		}
		for _, e := range events {
			if (e.Kind == vcs.PullRequest) != (e.Request != nil) || e.Deleted && e.Commit != "" || e.Commit != "" && !e.Abbreviated() && len(e.Commit) != 40 && len(e.Commit) != 64 {
				t.Errorf("%+v", e)
			}
			if (e.Kind == vcs.Push || e.Kind == vcs.Tag) && e.Deleted != (e.Commit == "") {
				t.Errorf("%+v", e)
			}
		}
	})
}
