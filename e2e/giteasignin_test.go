package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/belayhq/belay/internal/giteatest"
	"github.com/belayhq/belay/internal/storetest"
)

// giteaPerson is somebody of a Gitea, and of its team crew:devs.
type giteaPerson struct {
	gitea *giteatest.Server
	name  string
	team  int64
}

const giteaPassword = "correct horse 2"

func newGiteaPerson(g *giteatest.Server, team int64, name string) *giteaPerson {
	g.API("POST", "/admin/users", map[string]any{"username": name, "email": name + "@example.com", "password": giteaPassword, "must_change_password": false}, nil)
	g.API("PUT", fmt.Sprintf("/teams/%d/members/%s", team, name), nil, nil)
	return &giteaPerson{gitea: g, name: name, team: team}
}

// takes starts a Belay with TLS that takes the word of a Gitea.
func takes(t *testing.T, engine string, g *giteatest.Server) *server {
	t.Helper()
	address := "localhost:" + freePort(t)
	var client struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
	}
	g.API("POST", "/user/applications/oauth2", map[string]any{
		"name": "belay-" + engine, "confidential_client": true, "redirect_uris": []string{"https://" + address + "/oauth/callback/gitea"},
	}, &client)
	answer, err := http.Get(g.URL + "/.well-known/openid-configuration")
	must(t, err)
	defer func() { _ = answer.Body.Close() }()
	var said struct{ Issuer string }
	must(t, json.NewDecoder(answer.Body).Decode(&said))
	config := filepath.Join(t.TempDir(), "oidc.json")
	must(t, os.WriteFile(config, fmt.Appendf(nil, `{"providers":[{"id":"gitea","name":"Gitea","issuer":%q,"client-id":%q,"client-secret":%q}]}`,
		said.Issuer, client.ID, client.Secret), 0o600))
	s := start(t, engine, "--tls-self-signed", "--addr", address, "--public-url", "https://"+address, "--oidc-config", config, "--oidc-recheck", "10s")
	s.trust()
	return s
}

// signsIn goes from Belay's page to Gitea, and comes back.
func (p *giteaPerson) signsIn(b *tab) {
	b.t.Helper()
	b.open("/app/sign-in")
	b.does(chromedp.Click(`a[href*="/~/sign-in/gitea"]`),
		chromedp.SendKeys("#user_name", p.name), chromedp.SendKeys("#password", giteaPassword+"\r"),
		chromedp.Click("#authorize-app"), chromedp.WaitVisible(".shell"))
	if at := ask[string](b, "location.origin"); at != b.base {
		b.t.Errorf("the browser is at %s", at)
	}
}

// TestGiteaSignsInThroughARealBrowser has people of a Gitea sign in by a real browser, and let
// the real command line in. A team of Gitea's leads to one of Belay's, until they leave it; who
// is deleted there is out here.
func TestGiteaSignsInThroughARealBrowser(t *testing.T) {
	slow(t)
	tofu := tool(t, "BELAY_TOFU")
	t.Parallel()
	g := giteatest.Start(t)
	g.API("POST", "/orgs", map[string]any{"username": "crew"}, nil)
	var team struct{ ID int64 }
	g.API("POST", "/orgs/crew/teams", map[string]any{"name": "devs", "permission": "read", "units": []string{"repo.code"}}, &team)
	chrome := chromium(t, chromedp.Flag("ignore-certificate-errors", true))
	t.Run("engines", func(t *testing.T) {
		for _, engine := range storetest.Outside(t) {
			t.Run(engine, func(t *testing.T) {
				t.Parallel()
				signsInByGitea(t, takes(t, engine, g), newGiteaPerson(g, team.ID, "bea-"+engine), chrome, tofu)
			})
		}
	})
}

func signsInByGitea(t *testing.T, s *server, p *giteaPerson, chrome context.Context, tofu string) {
	t.Helper()
	s.do("POST", "/organizations", s.Token, `{"data":{"type":"organizations","attributes":{"name":"acme","email":"a@example.com"}}}`).want(t, 201)
	s.do("POST", "/organizations/acme/teams", s.Token, `{"data":{"type":"teams","attributes":{"name":"devs","sso-team-id":"crew:devs"}}}`).want(t, 200)
	b := s.tab(t, chrome)
	p.signsIn(b)
	if status := b.open("/app/acme/workspaces"); status != http.StatusOK {
		t.Fatalf("the team of Gitea's opens nothing: %d", status)
	}
	token := s.tofuLogin(t, tofu, func(address string) {
		b.does(chromedp.Navigate(address), chromedp.Click(`button[name=answer][value=yes]`))
	})
	if got := s.do("GET", "/account/details", token, "").want(t, 200); got.text("data.attributes.username") != p.name {
		t.Errorf("the command line is %s", got.Body)
	}
	sees := func() bool { return s.do("GET", "/organizations/acme", token, "").Status == http.StatusOK }
	if !sees() {
		t.Fatal("the command line sees nothing")
	}
	p.gitea.API("DELETE", fmt.Sprintf("/teams/%d/members/%s", p.team, p.name), nil, nil)
	left := time.Now()
	until(t, "who left the team sees nothing", func() bool { return !sees() })
	t.Logf("who left the team saw nothing %.1f s later; --oidc-recheck is 10 s", time.Since(left).Seconds())
	if status := b.open("/app/acme/workspaces"); status != http.StatusNotFound {
		t.Errorf("the browser of who left the team is answered with %d", status)
	}
	s.do("GET", "/account/details", token, "").want(t, 200)
	p.gitea.API("DELETE", "/admin/users/"+p.name+"?purge=true", nil, nil)
	until(t, "the token of who is gone ends", func() bool { return s.do("GET", "/account/details", token, "").Status == http.StatusUnauthorized })
	b.open("/app/")
	if at := ask[string](b, "location.pathname"); !strings.HasPrefix(at, "/app/sign-in") {
		t.Errorf("the browser of who is gone is at %s", at)
	}
	if strings.Contains(s.logs.String(), token) {
		t.Error("a token is in the log")
	}
}
