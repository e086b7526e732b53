package e2e_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/go-tfe"

	"github.com/belayhq/belay/internal/forgetest"
	"github.com/belayhq/belay/internal/storetest"
)

// TestRepositoryOfAWorkspacePage connects a workspace to a repository, changes what makes its runs, and takes
// it away, by forms alone; what the API refuses is refused, and said beside the field.
func TestRepositoryOfAWorkspacePage(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		id := s.people()
		owner, reader, stranger := s.signIn("olga"), s.signIn("rita"), s.signIn("stan")
		const page = networkPage + "/settings"
		owner.get(page+"/repository").want(t, 200).has(t, "none is connected", "choose one", "Connect the repository").hasNot(t, "Disconnect").inert(t)
		made := s.do("POST", "/organizations/acme/oauth-clients", s.Token, `{"data":{"type":"oauth-clients","attributes":{"name":"git <1>",
			"service-provider":"gitea","http-url":"https://git.example.com","api-url":"https://git.example.com/api/v1","oauth-token-string":"hunter2"}}}`).want(t, 201)
		token := made.text("data.relationships.oauth-tokens.data.0.id")
		shown := owner.get(page+"/repository").has(t, `<option value="`+token+`">git &lt;1&gt; (https://git.example.com)</option>`).hasNot(t, "hunter2").inert(t)
		is := func(attribute string, want any) {
			t.Helper()
			if got := s.do("GET", "/workspaces/"+id, s.Token, "").at("data.attributes." + attribute); got != want {
				t.Errorf("%s is %v, not %v", attribute, got, want)
			}
		}
		send := func(status int, more ...string) reply {
			t.Helper()
			return owner.post(page, shown.form(append([]string{"section", "repository", "connection", token, "identifier", "acme/app"}, more...)...)).want(t, status)
		}
		// What is refused is said beside its field, with what was typed.
		wrong := func(field, text string, more ...string) {
			t.Helper()
			answer := send(422, append([]string{"patterns", "kept/**\r\nkept/too"}, more...)...).has(t, `aria-describedby="`+field+`-wrong"`, "kept/**\nkept/too").inert(t)
			_, after, _ := strings.Cut(answer.Body, `id="`+field+`-wrong">`)
			if said, _, _ := strings.Cut(after, "<"); !strings.Contains(said, text) {
				t.Errorf("beside %s: %q", field, said)
			}
		}
		wrong("connection", "OAuth token must be given", "connection", "")
		wrong("connection", "does not exist", "connection", "ot-0000000000000000")
		wrong("connection", "app installation does not exist", "connection", "ghain-0000000000000000")
		wrong("identifier", "can&#39;t be blank", "identifier", " ")
		wrong("identifier", "must be of the form", "identifier", "app", "on", "tags", "tags", "v.*")
		wrong("tags", "not a valid regular expression", "on", "tags", "tags", "(")
		wrong("patterns", "too long", "on", "patterns", "prefixes", "x", "patterns", "kept/**\nkept/too\n"+strings.Repeat("x", 5000))
		wrong("branch", "too long", "branch", strings.Repeat("b", 5000))
		is("vcs-repo", nil)
		// Each of the ways that make runs takes the place of the others.
		send(303, "branch", " release ", "on", "push", "submodules", "yes", "speculative", "yes", "patterns", "not/meant")
		is("vcs-repo.identifier", "acme/app")
		is("vcs-repo.branch", "release")
		is("vcs-repo.oauth-token-id", token)
		is("vcs-repo.ingress-submodules", true)
		is("file-triggers-enabled", false)
		is("trigger-patterns.0", nil)
		is("speculative-enabled", true)
		is("queue-all-runs", false)
		owner.get(page+"/repository").has(t, "Disconnect acme/app", `value="release"`, "/webhooks/vcs/", `<option value="`+token+`" selected>`).inert(t)
		send(303, "on", "patterns", "patterns", "modules/**/*.tf\r\n\r\n  *.tf  ", "tags", "v")
		is("trigger-patterns.1", "*.tf")
		is("file-triggers-enabled", true)
		is("vcs-repo.tags-regex", nil)
		is("vcs-repo.branch", "")
		is("speculative-enabled", false)
		owner.get(page+"/repository").has(t, `<option value="patterns" selected>`, "modules/**/*.tf\n*.tf").inert(t)
		send(303, "on", "prefixes", "prefixes", "modules\nnetwork", "patterns", "*.tf", "initial", "yes")
		is("trigger-patterns.0", nil)
		is("trigger-prefixes.1", "network")
		is("queue-all-runs", true)
		owner.get(page+"/repository").has(t, `<option value="prefixes" selected>`).inert(t)
		send(303, "on", "tags", "tags", `^v\d+$`, "prefixes", "modules")
		is("vcs-repo.tags-regex", `^v\d+$`)
		is("trigger-prefixes.0", nil)
		is("file-triggers-enabled", false)
		owner.get(page+"/repository").has(t, `<option value="tags" selected>`).inert(t)
		// Other forms leave the repository alone, and this one leaves them.
		owner.post(page, shown.form("section", "runs", "auto-apply", "yes")).want(t, 303)
		is("vcs-repo.identifier", "acme/app")
		send(303, "on", "push")
		is("auto-apply", true)
		// Those who may not.
		for _, b := range []*browser{reader, stranger} {
			for _, section := range []string{"repository", "disconnect"} {
				b.post(page, b.get(organizationsPath).form("section", section, "connection", token, "identifier", "acme/other")).want(t, 404)
			}
		}
		owner.post(page, shown.form("section", "disconnect", "form", "x")).want(t, 403)
		is("vcs-repo.identifier", "acme/app")
		owner.post(page, shown.form("section", "disconnect")).want(t, 303)
		is("vcs-repo", nil)
	})
}

// TestConnectingByPageMakesTheFirstRun goes from nothing to a run of the repository's head by pages alone, as
// one who may not see connections and was told the id of one.
func TestConnectingByPageMakesTheFirstRun(t *testing.T) {
	t.Parallel()
	for _, engine := range storetest.Outside(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			forge := forgetest.New(t)
			at := "127.0.0.1:" + freePort(t)
			s := start(t, engine, "--addr", at, "--public-url", "http://"+at, "--allow-private-vcs", "127.0.0.0/8", "--vcs-retry", "200ms")
			id := s.people()
			owner := s.signIn("olga")
			commit := forge.Commit("main.tf", "# the first")
			connections := owner.get("/app/acme/connections")
			to := owner.post("/app/acme/connections", connections.form("do", "new", "service", "gitea", "name", "forge", "http", forge.URL, "api", forge.URL+"/api/v1",
				"token", forgetest.Token)).want(t, 303).Header.Get("Location")
			client := to[strings.LastIndex(to, "/")+1:]
			token := s.do("GET", "/oauth-clients/"+client, s.Token, "").text("data.relationships.oauth-tokens.data.0.id")
			owner.get(to).has(t, token)
			team, _ := s.team("acme", "wanda", nil)
			s.grant(team, id, tfe.AccessAdmin)
			admin := s.signIn("wanda")
			const page = networkPage + "/settings"
			shown := admin.get(page+"/repository").want(t, 200).has(t, "ot-…", "The id of a connection").hasNot(t, token).inert(t)
			admin.post(page, shown.form("section", "repository", "connection", token, "identifier", forgetest.Repository, "on", "push", "initial", "yes")).want(t, 303)
			waitFor(t, "the first run", func() bool {
				runs := s.do("GET", "/workspaces/"+id+"/runs?include=configuration_version.ingress_attributes", s.Token, "").want(t, 200)
				return strings.Contains(runs.Body, commit)
			})
			admin.get(networkPage+"/runs").has(t, "head of main")
			waitFor(t, "the hook", func() bool { return forge.Count(func(f *forgetest.Forge) int { return len(f.Hooks) }) == 1 })
			owner.get(to).has(t, "Nothing, in the last ten days.")
			down := func(is bool) {
				forge.Lock()
				defer forge.Unlock()
				forge.Down = is
			}
			down(true)
			admin.post(page, shown.form("section", "disconnect")).want(t, 303)
			waitFor(t, "word of what failed", func() bool { return strings.Contains(owner.get(to).Body, "the hook could not be removed") })
			owner.get(to).has(t, "What happened", `<span class="pill bad">error</span>`, forgetest.Repository+": ").inert(t)
			down(false)
			waitFor(t, "the hook's end", func() bool { return forge.Count(func(f *forgetest.Forge) int { return len(f.Hooks) }) == 0 })
		})
	}
}
