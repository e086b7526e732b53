package repos_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/forge"
	"github.com/belayhq/belay/internal/forgetest"
	"github.com/belayhq/belay/internal/identity"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/repos"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/vcs"
	"github.com/belayhq/belay/run"
)

// hub is a house whose forge is a GitHub that its App is installed at.
type hub struct {
	*house
	*forgetest.Hub
	log          bytes.Buffer // read when nothing works
	installation string       // that of acme
}

func eachHub(t *testing.T, test func(*hub)) {
	t.Helper()
	each(t, func(h *house) {
		gh, api := h.forge.Hub()
		gh.Now = h.now
		gh.Installations[7] = &forgetest.Installation{Account: "acme", Kind: "Organization", Repositories: []string{forgetest.Repository}}
		gh.Installations[8] = &forgetest.Installation{Account: "Stranger", Kind: "User", Suspended: true}
		key, err := vcs.ParseAppKey([]byte(gh.Key))
		h.must(err)
		b := &hub{house: h, Hub: gh}
		h.change = func(c *repos.Config) {
			c.Log = slog.New(slog.NewTextHandler(&b.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
			c.App = &vcs.App{ID: forgetest.AppID, Key: key, HTTPURL: h.forge.URL, APIURL: api, Secret: []byte(forgetest.AppSecret)}
		}
		h.Room = h.room()
		h.settle()
		list := b.installations()
		if len(list) != 2 || list[0].Name != "Stranger" || list[1].Name != "acme" {
			h.t.Fatalf("the installations: %+v", list)
		}
		b.installation = list[1].ID
		b.connect("acme", b.installation)
		test(b)
	})
}

func (b *hub) installations() []belay.AppInstallation {
	b.t.Helper()
	list, total, err := b.verbs.AppInstallations(b.t.Context(), b.admin, belay.AppInstallationQuery{Page: belay.Page{Number: 1, Size: 20}})
	b.must(err)
	if total != len(list) {
		b.t.Errorf("a list of %d says %d", len(list), total)
	}
	return list
}

func (b *hub) connect(organization, installation string) forge.OAuthClient {
	b.t.Helper()
	c, err := b.verbs.CreateOAuthClient(b.t.Context(), b.admin, organization, forge.OAuthClientPatch{
		ServiceProvider: patch.Of(belay.GitHubApp), AppInstallationID: patch.Of(installation),
	})
	b.must(err)
	return c
}

// installed is a workspace that is connected to the repository by the App.
func (b *hub) installed(name string) belay.WorkspaceRef {
	b.t.Helper()
	return b.workspace(name, func(p *belay.WorkspacePatch) {
		p.VCSRepo = patch.Of(belay.VCSRepoPatch{Identifier: patch.Of("acme/app"), GitHubAppInstallationID: patch.Of(b.installation)})
	})
}

// tell has GitHub tell the App, and answers what the server said.
func (b *hub) tell(event, delivery string, number int64, body object) error {
	b.t.Helper()
	header, raw, err := forgetest.SignedApp(event, delivery, number, body)
	b.must(err)
	return b.ReceiveApp(b.t.Context(), header, raw)
}

// granted is the tokens that GitHub gave: for all that the App may, and for reading alone.
func (b *hub) granted() (all, read int) {
	b.Lock()
	defer b.Unlock()
	for _, g := range b.Granted {
		if g.Number != 7 || fmt.Sprint(g.Repositories) != "[app]" {
			b.t.Errorf("a token of installation %d for %v", g.Number, g.Repositories)
		}
		if g.OnlyRead {
			read++
		} else {
			all++
		}
	}
	return all, read
}

// TestARepositoryReachedByAnApp is the life of a repository that no token of a user reaches.
func TestARepositoryReachedByAnApp(t *testing.T) {
	t.Parallel()
	eachHub(t, func(b *hub) {
		b.organization(belay.OrganizationPatch{PullRequestComments: patch.Of(true)})
		first := b.forge.Commit("main.tf", "1")
		ref := b.installed("one")
		b.settle()
		b.planned(&run.Counts{Additions: 1})
		if list := b.runsOf(ref); len(list) != 1 || list[0].CommitSHA != first || list[0].Status != run.Planned {
			b.t.Fatalf("the first run: %s\n%s", short(list), b.events())
		}
		b.lastIs(first, map[string]string{"belay/acme": "success Plan: 1 to add, 0 to change, 0 to destroy"})
		if all, read := b.granted(); all != 1 || read != 1 {
			b.t.Errorf("%d tokens for all and %d for reading: they are kept while they are good", all, read)
		}
		second := b.forge.Commit("main.tf", "2")
		b.must(b.tell("push", "d-1", 7, forgetest.Push("refs/heads/main", first, second, "main.tf")))
		b.must(b.tell("push", "d-1", 7, forgetest.Push("refs/heads/main", first, second, "main.tf"))) // again
		b.must(b.tell("push", "d-2", 8, forgetest.Push("refs/heads/main", first, second, "main.tf"))) // of another installation
		b.settle()
		if list := b.runsOf(ref); len(list) != 2 || list[1].CommitSHA != second {
			b.t.Errorf("after the push: %s", short(list))
		}
		b.forge.Lock()
		b.forge.Files = []string{"main.tf"}
		b.forge.Unlock()
		third := b.forge.Commit("main.tf", "3")
		b.forge.Git(forgetest.Repository+".git", "branch", "feature", third)
		b.must(b.tell("pull_request", "d-3", 7, forgetest.PullRequest(5, third, forgetest.Repository)))
		b.planned(&run.Counts{Changes: 2})
		b.planned(&run.Counts{Changes: 2})
		if list, _ := b.comments(); len(list) != 1 || !strings.Contains(list[0], "Plan: 0 to add, 2 to change") {
			b.t.Errorf("the comments: %q\n%s", list, b.events())
		}
		b.Lock()
		if len(b.Hub.Refused) > 0 || b.Made != 0 {
			b.t.Errorf("GitHub refused %q, and has %d hooks: the App has one", b.Hub.Refused, b.Made)
		}
		b.Unlock()
		b.nothingLeaked()
	})
}

// nothingLeaked looks for tokens and the key where they must not be.
func (b *hub) nothingLeaked() {
	b.t.Helper()
	places := map[string]string{"the log": b.log.String(), "the events": b.events()}
	if at, isFile := strings.CutPrefix(b.url, "sqlite:"); isFile {
		at, _, _ = strings.Cut(at, "?")
		files, _ := filepath.Glob(at + "*")
		if len(files) == 0 {
			b.t.Errorf("there is no database at %s", at)
		}
		for _, file := range files {
			raw, err := os.ReadFile(file)
			b.must(err)
			places[filepath.Base(file)] = string(raw)
		}
	}
	for name, text := range places {
		for _, secret := range []string{"ghs_", "PRIVATE KEY", forgetest.AppSecret, "eyJhbGciOiJSUzI1NiI"} {
			if strings.Contains(text, secret) {
				b.t.Errorf("%s holds %q", name, secret)
			}
		}
	}
}

// TestTokensOfAnAppAreRenewed: a token that ends soon, or is not taken any more, is replaced.
func TestTokensOfAnAppAreRenewed(t *testing.T) {
	t.Parallel()
	eachHub(t, func(b *hub) {
		commit := b.forge.Commit("main.tf", "1")
		ref := b.installed("one")
		b.settle()
		push := func(n int) {
			b.t.Helper()
			before := commit
			commit = b.forge.Commit("main.tf", fmt.Sprint("more ", n))
			b.must(b.tell("push", fmt.Sprint("push ", n), 7, forgetest.Push("refs/heads/main", before, commit, "main.tf")))
			b.planned(&run.Counts{})
			for range 5 { // what failed is due again
				b.pass(2 * time.Minute)
				b.planned(&run.Counts{})
			}
			if list := b.runsOf(ref); list[len(list)-1].CommitSHA != commit || list[len(list)-1].Status != run.PlannedAndFinished {
				b.t.Fatalf("push %d: %s\n%s", n, short(list), b.events())
			}
			if told := b.last(commit)["belay/acme"]; told != "success No changes" {
				b.t.Errorf("of push %d GitHub was told %q\n%s", n, told, b.events())
			}
		}
		push(1)
		b.pass(50 * time.Minute)
		push(2)
		if all, read := b.granted(); all < 2 || read != 2 {
			b.t.Errorf("after an hour %d tokens for all and %d for reading", all, read)
		}
		b.Lock()
		clear(b.Granted) // GitHub takes them back
		b.Unlock()
		push(3)
		b.nothingLeaked()
	})
}

// TestDeliveriesToTheAppAreProved: of what is not GitHub's nothing is written down.
func TestDeliveriesToTheAppAreProved(t *testing.T) {
	t.Parallel()
	eachHub(t, func(b *hub) {
		commit := b.forge.Commit("main.tf", "1")
		ref := b.installed("one")
		b.settle()
		header, raw, err := forgetest.SignedApp("push", "d", 7, forgetest.Push("refs/heads/main", commit, strings.Repeat("a", 40), "main.tf"))
		b.must(err)
		hook := b.hook(ref)
		for name, send := range map[string]func() error{
			"no signature":     func() error { return b.ReceiveApp(b.t.Context(), http.Header{"X-Github-Event": {"push"}}, raw) },
			"another body":     func() error { return b.ReceiveApp(b.t.Context(), header, append(bytes.Clone(raw), ' ')) },
			"the hook's own":   func() error { h, r := b.sent(hook, "push", "d", object{}); return b.ReceiveApp(b.t.Context(), h, r) },
			"no App at all":    func() error { h := newHouseWithoutApp(b); return h.ReceiveApp(b.t.Context(), header, raw) },
			"to a single hook": func() error { return b.Receive(b.t.Context(), hook.ID, header, raw) },
		} {
			if kind := belay.KindOf(send()); kind != belay.Unauthenticated && kind != belay.NotFound {
				b.t.Errorf("%s: %v", name, kind)
			}
		}
		header, raw, err = forgetest.SignedApp("push", "d", 7, object{})
		b.must(err)
		b.must(b.ReceiveApp(b.t.Context(), header, raw)) // of no repository: nothing
		b.settle()
		if list := b.runsOf(ref); len(list) != 1 {
			b.t.Errorf("runs: %s", short(list))
		}
		if _, err := b.RotateSecret(b.t.Context(), b.admin, ref); belay.KindOf(err) != belay.Invalid {
			b.t.Errorf("a secret of its own: %v", err)
		}
	})
}

// newHouseWithoutApp is a replica that is no App.
func newHouseWithoutApp(b *hub) *repos.Room {
	return repos.New(repos.Config{DB: b.db, Ring: b.ring, Objects: b.verbs.Objects(), Runs: b.runs, Now: b.now})
}

// TestInstallationsComeAndGo: what GitHub tells of them is seen at once, and what is gone reaches nothing.
func TestInstallationsComeAndGo(t *testing.T) {
	t.Parallel()
	eachHub(t, func(b *hub) {
		b.forge.Commit("main.tf", "1")
		ref := b.installed("one")
		b.settle()
		b.Lock()
		b.Installations[9] = &forgetest.Installation{Account: "late", Kind: "Organization"}
		delete(b.Installations, 8)
		b.Unlock()
		b.must(b.tell("installation", "i-1", 9, object{"action": "created"}))
		b.settle()
		if list := b.installations(); len(list) != 2 || list[1].Name != "late" || list[1].Number != 9 || list[0].ID != b.installation {
			b.t.Errorf("after one came and one went: %+v", list)
		}
		b.Lock()
		delete(b.Installations, 7)
		b.Unlock()
		b.must(b.tell("installation", "i-2", 7, object{"action": "deleted"}))
		b.settle()
		if list := b.installations(); len(list) != 1 {
			b.t.Errorf("after the one with a connection went: %+v", list)
		}
		if _, err := b.verbs.AppInstallation(b.t.Context(), b.admin, b.installation); belay.KindOf(err) != belay.NotFound {
			b.t.Errorf("the one that went: %v", err)
		}
		_, err := b.verbs.UpdateWorkspace(b.t.Context(), b.admin, ref, belay.WorkspacePatch{VCSRepo: patch.Of(belay.VCSRepoPatch{AppInstallationID: patch.Of(b.installation)})})
		if belay.KindOf(err) != belay.Invalid {
			b.t.Errorf("it is connected to again: %v", err)
		}
		w, err := b.verbs.Workspace(b.t.Context(), b.admin, ref)
		b.must(err)
		if w.VCSRepo == nil || w.VCSRepo.AppInstallationID != b.installation || w.VCSRepo.OAuthTokenID != "" {
			b.t.Errorf("its workspace: %+v", w.VCSRepo)
		}
		list, _, err := b.verbs.OAuthClients(b.t.Context(), b.admin, "acme", belay.Page{Number: 1, Size: 10})
		b.must(err)
		b.must(b.verbs.DeleteOAuthClient(b.t.Context(), b.admin, list[1].ID))
		if w, err = b.verbs.Workspace(b.t.Context(), b.admin, ref); err != nil || w.VCSRepo != nil {
			b.t.Errorf("after its connection was deleted: %+v, %v", w.VCSRepo, err)
		}
	})
}

// TestWhoUsesAnInstallation: a site admin says which organization it is of, and nobody else reaches by it.
func TestWhoUsesAnInstallation(t *testing.T) {
	t.Parallel()
	eachHub(t, func(b *hub) {
		ctx := b.t.Context()
		_, err := b.verbs.CreateOrganization(ctx, b.admin, belay.OrganizationPatch{Name: patch.Of("other"), Email: patch.Of("o@example.com")})
		b.must(err)
		connect := func(s belay.Principal, p forge.OAuthClientPatch) error {
			_, err := b.verbs.CreateOAuthClient(ctx, s, "other", p)
			return err
		}
		good := forge.OAuthClientPatch{ServiceProvider: patch.Of(belay.GitHubApp), AppInstallationID: patch.Of(b.installation)}
		_, secret, err := b.verbs.ReplaceOrganizationToken(ctx, b.admin, "other", "", identity.NewToken{})
		b.must(err)
		owner, err := b.verbs.Authenticate(ctx, secret)
		b.must(err)
		withToken, unknown, none := good, good, good
		withToken.TokenString, unknown.AppInstallationID, none.AppInstallationID = patch.Of("t"), patch.Of("ghain-x"), patch.Field[string]{}
		onToken := forge.OAuthClientPatch{
			ServiceProvider: patch.Of("github"), HTTPURL: patch.Of("https://github.com"), APIURL: patch.Of("https://api.github.com"), AppInstallationID: patch.Of(b.installation),
		}
		for name, c := range map[string]struct {
			who  belay.Principal
			p    forge.OAuthClientPatch
			want belay.Kind
		}{
			"somebody who is no site admin": {owner, good, belay.Forbidden}, "with a token": {b.admin, withToken, belay.Invalid},
			"an unknown one": {b.admin, unknown, belay.Invalid}, "none": {b.admin, none, belay.Invalid}, "another service": {b.admin, onToken, belay.Invalid},
		} {
			if err := connect(c.who, c.p); belay.KindOf(err) != c.want || err == nil {
				b.t.Errorf("%s: %v", name, err)
			}
		}
		repo := belay.VCSRepoPatch{Identifier: patch.Of("acme/app"), AppInstallationID: patch.Of(b.installation)}
		create := func(organization, name string, repo belay.VCSRepoPatch) error {
			_, err := b.verbs.CreateWorkspace(ctx, b.admin, organization, belay.WorkspacePatch{Name: patch.Of(name), VCSRepo: patch.Of(repo)})
			return err
		}
		if err := create("other", "w", repo); belay.KindOf(err) != belay.Invalid {
			b.t.Errorf("an organization without a connection: %v", err)
		}
		sees := func(s belay.Principal) int {
			list, _, err := b.verbs.AppInstallations(ctx, s, belay.AppInstallationQuery{Page: belay.Page{Number: 1, Size: 20}})
			b.must(err)
			_, err = b.verbs.AppInstallation(ctx, s, b.installation)
			if (err == nil) != (len(list) > 0) {
				b.t.Errorf("a list of %d, and of one: %v", len(list), err)
			}
			return len(list)
		}
		if n := sees(owner); n != 0 {
			b.t.Errorf("it is shown %d", n)
		}
		b.must(connect(b.admin, good))
		if n := sees(owner); n != 1 {
			b.t.Errorf("once it is connected it is shown %d", n)
		}
		if err := connect(b.admin, good); belay.KindOf(err) != belay.Invalid {
			b.t.Errorf("a second connection: %v", err)
		}
		b.must(create("other", "w", repo))
		repo.Identifier = patch.Of("stranger/app")
		if err := create("acme", "w", repo); belay.KindOf(err) != belay.Invalid {
			b.t.Errorf("a repository of another account: %v", err)
		}
		b.must(b.db.View(ctx, func(v *store.View) error { // GitHub tells both organizations
			hooks, err := v.AppHooks(7, "ACME/app")
			if len(hooks) != 1 {
				b.t.Errorf("%d hooks", len(hooks))
			}
			return err
		}))
	})
}
