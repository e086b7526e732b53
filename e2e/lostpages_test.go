package e2e_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-tfe"
)

// lost is what is said where nothing is, once it says these texts: a server with much to do has no time for near names.
func (b *browser) lost(path string, texts ...string) (page reply) {
	b.t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		page = b.get(path).want(b.t, 404)
		if !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(page.Body, text) }) {
			return page
		}
	}
	return page.has(b.t, texts...)
}

// TestPagesThatAreNotThere tells names near to what was asked for, of those that one may see, and says of
// what is hidden nothing but what is said of what is absent.
func TestPagesThatAreNotThere(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.people()
		readers := &tfe.Team{ID: s.do("GET", "/organizations/acme/teams?filter[names]=rita", s.Token, "").text("data.0.id")}
		s.grant(readers, s.workspace("acme", "eks-prod"), tfe.AccessRead)
		s.workspace("acme", "eks-prodx")
		s.workspace("acme", "dns-staging")
		owner, reader, stranger := s.signIn("olga"), s.signIn("rita"), s.signIn("stan")
		const lost = "/app/acme/workspaces/eks-prdo"
		const link = `class="btn main" href="/app/acme/workspaces/`
		owner.lost(lost, "<title>Not found – acme – Belay</title>", "There is no workspace “eks-prdo” in acme that you may see", link+`eks-prod"`, link+`eks-prodx"`, `href="/app/acme/teams"`).hasNot(t, link+`dns-staging"`).inert(t)
		reader.lost(lost, link+`eks-prod"`).hasNot(t, "eks-prodx", "dns-staging").inert(t)
		stranger.get(lost).want(t, 404).hasNot(t, "eks-prod", "acme", "network").inert(t)
		for _, below := range []string{"", "/runs", "/state/3", "/settings"} {
			hidden, absent := reader.lost("/app/acme/workspaces/eks-prodx"+below, link+`eks-prod"`), reader.lost("/app/acme/workspaces/eks-prody"+below, link+`eks-prod"`)
			if strings.ReplaceAll(unmarked(hidden), "eks-prodx", "") != strings.ReplaceAll(unmarked(absent), "eks-prody", "") {
				t.Errorf("what is hidden looks like %s, what is absent like %s", hidden.Body, absent.Body)
			}
		}
		owner.lost("/app/acme/workspacs", `class="btn main" href="/app/acme/workspaces"`).inert(t)
		reader.get("/app/acme/setings").want(t, 404).hasNot(t, `href="/app/acme/settings"`)
		owner.lost("/app/acme/eks-prodx", link+`eks-prodx"`).inert(t) // a way to a run begins so
		reader.lost("/app/acme/eks-prod", link+`eks-prod"`)
		reader.get("/app/acme/eks-prodx").want(t, 404).hasNot(t, link)
		owner.lost("/app/acmee", `class="btn main" href="/app/acme"`)
		stranger.get("/app/acmee").want(t, 404).hasNot(t, `/app/acme"`)
		owner.lost(networkPage+"/state/99", link+`network"`).hasNot(t, "no workspace")
		for _, vector := range vectors {
			owner.get("/app/acme/workspaces/"+strings.NewReplacer("/", "%2F", "?", "%3F", "#", "%23", "%", "%25", " ", "%20").Replace(vector)).want(t, 404).inert(t)
		}
		s.browse().get("/app/a/b/c/d/e").want(t, 404).has(t, "There is no such page").inert(t)
	})
}

// TestPagesThatFail says that it failed, names the request and nothing of why.
func TestPagesThatFail(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.people()
		owner, admin := s.signIn("olga"), s.signIn("admin")
		s.execute("ALTER TABLE workspace_views RENAME TO views_that_went")
		failed := owner.get("/app/acme/workspaces").want(t, 500).has(t, "<h1>Belay failed. It is not you.</h1>").hasNot(t, "SQLSTATE", "SQL logic", "workspace_views", "went", "log says why").inert(t)
		id := failed.Header.Get("X-Request-Id")
		failed.has(t, "<code>"+id+"</code>")
		s.eventually(func() bool { return strings.Contains(s.logs.String(), "id="+id) }, "the log knows "+id)
		if got := failed.Header.Get("Content-Security-Policy"); !strings.Contains(got, "default-src 'none'") {
			t.Errorf("its policy is %q", got)
		}
		admin.get("/app/acme/workspaces").want(t, 500).has(t, "log says why", "<code>id=").inert(t)
		s.execute("ALTER TABLE views_that_went RENAME TO workspace_views")
		foreign, err := http.NewRequest(http.MethodPost, s.URL+networkPage+"/lock", strings.NewReader("reason=x"))
		must(t, err)
		foreign.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		foreign.Header.Set("Sec-Fetch-Site", "cross-site")
		owner.send(foreign).want(t, 403).has(t, "You may not do that", "came from another site").inert(t)
	})
}
