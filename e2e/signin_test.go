package e2e_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

func TestSuspendedUserIsSignedOut(t *testing.T) {
	eachTLS(t, func(t *testing.T, s *server, b *browser) {
		id := b.addUser("bob")
		code := b.code("bob")
		b.get("/app/settings/tokens").want(t, 200)
		b.api("POST", "/admin/users/"+id+"/actions/suspend", s.Token, "").want(t, 200)
		b.get("/app/settings/tokens").want(t, 303)
		b.redeem(code).want(t, 400)
		page := b.get("/app/sign-in").want(t, 200)
		b.post("/app/sign-in", page.form("name", "bob", "password", password)).want(t, 401)
		b.api("POST", "/admin/users/"+id+"/actions/unsuspend", s.Token, "").want(t, 200)
		b.post("/app/sign-in", page.form("name", "bob", "password", password)).want(t, 303)
		robot := b.api("POST", "/admin/users", s.Token, fmt.Sprintf(
			`{"data":{"type":"users","attributes":{"username":"robot","is-service-account":true,"password":%q}}}`, password)).want(t, 201)
		if robot.text("data.id") == "" {
			t.Error("no robot")
		}
		other := b.sameServer()
		other.post("/app/sign-in", other.get("/app/sign-in").form("name", "robot", "password", password)).want(t, 401)
	})
}

func TestTokensPage(t *testing.T) {
	eachTLS(t, func(t *testing.T, s *server, b *browser) {
		const path = "/app/settings/tokens?source=terraform-login"
		to := b.get(path).want(t, 303).Header.Get("Location")
		page := b.get(to).want(t, 200)
		in := b.post("/app/sign-in", page.form("name", "ann", "password", password)).want(t, 303)
		if got := in.Header.Get("Location"); got != path {
			t.Fatalf("after signing in the browser is sent to %s", got)
		}
		page = b.get(path).want(t, 200)
		b.post("/app/settings/tokens", page.form("description", "x", "days", "7")).want(t, 422)
		b.post("/app/settings/tokens", page.form("description", "", "days", "30")).want(t, 422)
		b.post("/app/settings/tokens", page.form("description", "a\x00b", "days", "30")).want(t, 422)
		b.post("/app/settings/tokens", page.form("description", "x", "days", "30", "form", "x")).want(t, 403)
		made := b.post("/app/settings/tokens", page.form("description", "<b>paste</b>", "days", "30")).want(t, 201)
		value := regexp.MustCompile(`<code class="value">([^<]+)</code>`).FindStringSubmatch(made.Body)
		if value == nil || !b.works(value[1]) {
			t.Fatalf("no working token on the page: %v", value)
		}
		if !strings.Contains(made.Body, "&lt;b&gt;paste&lt;/b&gt;") {
			t.Error("a description is shown as HTML")
		}
		if shown := b.get(path).want(t, 200); strings.Contains(shown.Body, value[1]) {
			t.Error("a token is shown again")
		}
		b.post("/app/settings/tokens/end", made.form("id", "at-0000000000000000")).want(t, 404)
		b.post("/app/settings/tokens/end", made.form("id", "x\x00")).want(t, 404)
		asked := regexp.MustCompile(`tokens\?end=[^"]+`).FindString(made.Body)
		look := b.get("/app/settings/"+asked).want(t, 200).has(t, "ends for ever", "End it")
		if !b.works(value[1]) {
			t.Error("a token ended by a look")
		}
		b.post("/app/settings/tokens/end", look.form()).want(t, 303)
		if b.works(value[1]) {
			t.Error("an ended token works")
		}
		stolen := b.copyOfCookies(t)
		b.post("/app/sign-out", page.form("form", "x")).want(t, 403)
		b.post("/app/sign-out", b.get(path).form()).want(t, 303)
		b.get(path).want(t, 303)
		if got := stolen.get(path); got.Status != 303 {
			t.Error("a cookie is good after signing out")
		}
		for target, want := range map[string]string{
			"https://evil.example.com/": "/app/", "//evil.example.com/app/": "/app/",
			`/app/\evil`: `/app/%5Cevil`, "/api/v2/ping": "/app/", "": "/app/",
		} {
			other := b.sameServer()
			page := other.get("/app/sign-in?return="+url.QueryEscape(target)).want(t, 200)
			in := other.post("/app/sign-in", page.form("name", "ann", "password", password, "return", target)).want(t, 303)
			if got := in.Header.Get("Location"); got != want {
				t.Errorf("%q leads to %s", target, got)
			}
			other.get("/app/nowhere").want(t, 404)
		}
		if location := b.get("/").want(t, 303).Header.Get("Location"); location != "/app/" {
			t.Errorf("the root leads to %s", location)
		}
		b.get("/app/nowhere").want(t, 303)  // it may be an organization's: one signs in first
		b.get("/app/no/where").want(t, 303) // and that a page of it
		b.get("/app/no/where/at/all/of/it").want(t, 404)
		b.get(regexp.MustCompile(`/app/~/static/style\.[0-9a-f]+\.css`).FindString(b.get("/app/sign-in").Body)).want(t, 200)
		if strings.Contains(s.logs.String(), value[1]) {
			t.Error("a token is in the log")
		}
	})
}

func TestSignInBehindAProxy(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.person("ann")
		b := s.browse()
		plain := b.get("/app/sign-in").want(t, 200).Header.Get("Set-Cookie")
		if strings.Contains(plain, "Secure") || !strings.Contains(plain, "HttpOnly") {
			t.Errorf("over plain HTTP: %q", plain)
		}
		request, err := http.NewRequest(http.MethodGet, b.base+"/app/sign-in", nil)
		must(t, err)
		request.Header.Set("X-Forwarded-Proto", "https")
		if behind := b.sameServer().send(request).want(t, 200).Header.Get("Set-Cookie"); !strings.Contains(behind, "__Host-") || !strings.Contains(behind, "Secure") {
			t.Errorf("behind a proxy with TLS: %q", behind)
		}
		page := b.get("/app/sign-in")
		b.post("/app/sign-in", page.form("name", "ann", "password", password)).want(t, 303)
		b.get("/app/settings/tokens").want(t, 200)
	})
}
