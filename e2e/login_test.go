package e2e_test

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/go-tfe"
)

const (
	loginVerifier = "a-verifier-of-more-than-forty-three-letters-0123456789"
	loginRedirect = "http://localhost:10003/login"
	password      = "correct horse"
)

// browser is a person's browser: it keeps cookies and follows no redirect by itself.
type browser struct {
	t    testing.TB
	base string
	http *http.Client
}

// browse opens a browser that trusts the server's own CA.
func (s *server) browse() *browser {
	s.t.Helper()
	jar, err := cookiejar.New(nil)
	must(s.t, err)
	transport := &http.Transport{}
	if strings.HasPrefix(s.URL, "https://") {
		transport.TLSClientConfig = &tls.Config{RootCAs: s.ca()}
	}
	s.t.Cleanup(transport.CloseIdleConnections)
	return &browser{s.t, s.URL, &http.Client{
		Jar: jar, Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// ca is the CA that --tls-self-signed made.
func (s *server) ca() *x509.CertPool {
	s.t.Helper()
	raw, err := os.ReadFile(s.caPath())
	must(s.t, err)
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(raw) {
		s.t.Fatal("the CA file holds no certificate")
	}
	return pool
}

func (s *server) caPath() string { return filepath.Join(s.args[4], "tls", "ca.pem") }

func (b *browser) send(request *http.Request) reply {
	b.t.Helper()
	answer, err := b.http.Do(request)
	must(b.t, err)
	defer func() { _ = answer.Body.Close() }()
	raw, err := io.ReadAll(answer.Body)
	must(b.t, err)
	return reply{answer.StatusCode, answer.Header, string(raw)}
}

func (b *browser) get(path string) reply {
	b.t.Helper()
	request, err := http.NewRequest(http.MethodGet, b.base+path, nil)
	must(b.t, err)
	return b.send(request)
}

func (b *browser) post(path string, form url.Values) reply {
	b.t.Helper()
	request, err := http.NewRequest(http.MethodPost, b.base+path, strings.NewReader(form.Encode()))
	must(b.t, err)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return b.send(request)
}

var hiddenFields = regexp.MustCompile(`<input type="hidden" name="([^"]+)" value="([^"]*)">`)

// form is the hidden fields of a page's last form that has any of its own, with more put in.
func (r reply) form(more ...string) url.Values {
	form := url.Values{}
	for _, found := range hiddenFields.FindAllStringSubmatch(r.Body, -1) {
		form.Set(found[1], html.UnescapeString(found[2]))
	}
	for i := 0; i+1 < len(more); i += 2 {
		form.Set(more[i], more[i+1])
	}
	return form
}

// authorization is the address that a command line sends the browser to, with changes:
// an empty value leaves the parameter out.
func authorization(changes ...string) string {
	sum := sha256.Sum256([]byte(loginVerifier))
	query := url.Values{
		"client_id": {"belay-cli"}, "redirect_uri": {loginRedirect}, "response_type": {"code"}, "state": {"a state&more"},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"}, "scope": {"x"},
	}
	for i := 0; i+1 < len(changes); i += 2 {
		if query.Set(changes[i], changes[i+1]); changes[i+1] == "" {
			query.Del(changes[i])
		}
	}
	return "/oauth/authorization?" + query.Encode()
}

// code signs in and gives the code that the command line would be handed.
func (b *browser) code(name string) string {
	b.t.Helper()
	page := b.get(authorization()).want(b.t, 200)
	return codeOf(b.t, b.post("/oauth/authorization", page.form("name", name, "password", password)))
}

func codeOf(t testing.TB, answer reply) string {
	t.Helper()
	answer.want(t, 303)
	to, err := url.Parse(answer.Header.Get("Location"))
	must(t, err)
	if got := to.Scheme + "://" + to.Host + to.Path; got != loginRedirect {
		t.Fatalf("the browser is sent to %s", to)
	}
	if got := to.Query().Get("state"); got != "a state&more" {
		t.Errorf("state %q", got)
	}
	if to.Query().Get("code") == "" {
		t.Fatalf("no code: %s", to)
	}
	return to.Query().Get("code")
}

// redeem is what a command line sends for a code, with changes as in authorization.
func (b *browser) redeem(code string, changes ...string) reply {
	b.t.Helper()
	form := url.Values{
		"grant_type": {"authorization_code"}, "code": {code}, "code_verifier": {loginVerifier},
		"client_id": {"belay-cli"}, "redirect_uri": {loginRedirect},
	}
	for i := 0; i+1 < len(changes); i += 2 {
		if form.Set(changes[i], changes[i+1]); changes[i+1] == "" {
			form.Del(changes[i])
		}
	}
	return b.post("/oauth/token", form)
}

// works says whether a token is taken.
func (b *browser) works(token string) bool {
	b.t.Helper()
	request, err := http.NewRequest(http.MethodGet, b.base+"/api/v2/account/details", nil)
	must(b.t, err)
	request.Header.Set("Authorization", "Bearer "+token)
	return b.send(request).Status == http.StatusOK
}

// eachTLS is each, over TLS with a CA of the server's own.
func eachTLS(t *testing.T, test func(t *testing.T, s *server, b *browser)) {
	t.Helper()
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := start(t, engine, "--tls-self-signed")
			b := s.browse()
			b.addUser("ann")
			test(t, s, b)
		})
	}
}

// addUser makes a user with a password, and gives its id.
func (b *browser) addUser(name string) string {
	b.t.Helper()
	return b.api("POST", "/admin/users", "admin-token-of-the-test", fmt.Sprintf(
		`{"data":{"type":"users","attributes":{"username":%q,"email":"%s@example.com","password":%q}}}`, name, name, password)).want(b.t, 201).text("data.id")
}

func (b *browser) api(method, path, token, body string) reply {
	b.t.Helper()
	request, err := http.NewRequest(method, b.base+"/api/v2"+path, strings.NewReader(body))
	must(b.t, err)
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/vnd.api+json")
	return b.send(request)
}

func TestLoginStepByStep(t *testing.T) {
	eachTLS(t, func(t *testing.T, s *server, b *browser) {
		found := b.get("/.well-known/terraform.json").want(t, 200)
		for path, want := range map[string]any{
			"client": "belay-cli", "authz": "/oauth/authorization", "token": "/oauth/token",
			"grant_types.0": "authz_code", "ports.0": 10000.0, "ports.1": 10010.0,
		} {
			if got := (reply{Body: strings.Replace(found.Body, "login.v1", "login", 1)}).at("login." + path); got != want {
				t.Errorf("login.v1 %s is %v, want %v", path, got, want)
			}
		}
		page := b.get(authorization()).want(t, 200)
		policy := page.Header.Get("Content-Security-Policy")
		if !strings.Contains(policy, "default-src 'none'") || !strings.HasSuffix(policy, "form-action 'self' http://localhost:10003") {
			t.Errorf("the page's policy is %q", policy)
		}
		for _, cookie := range page.Header.Values("Set-Cookie") {
			for _, want := range []string{"__Host-", "Secure", "HttpOnly", "SameSite=Lax"} {
				if !strings.Contains(cookie, want) {
					t.Errorf("cookie %q is not %s", cookie, want)
				}
			}
		}
		wrong := b.post("/oauth/authorization", page.form("name", "ann", "password", "wrong horse")).want(t, 401)
		if !strings.Contains(wrong.Body, `role="alert"`) || !strings.Contains(wrong.Body, `value="ann"`) {
			t.Errorf("a wrong password is answered with\n%s", wrong.Body)
		}
		answer := b.redeem(codeOf(t, b.post("/oauth/authorization", wrong.form("name", "ann@example.com", "password", password)))).want(t, 200)
		token := answer.text("access_token")
		if answer.text("token_type") != "bearer" || answer.Header.Get("Cache-Control") != "no-store" || answer.Header.Get("Content-Type") != "application/json" {
			t.Errorf("token answer %v %s", answer.Header, answer.Body)
		}
		details := b.api("GET", "/account/details", token, "").want(t, 200)
		if details.text("data.attributes.username") != "ann" {
			t.Errorf("the token is of %s", details.Body)
		}
		list := b.api("GET", "/users/"+details.text("data.id")+"/authentication-tokens", token, "").want(t, 200)
		if got := list.text("data.0.attributes.description"); got != "tofu login" {
			t.Errorf("the token is described %q", got)
		}
		// The browser is signed in now: it is asked again, but for no password.
		again := b.get(authorization()).want(t, 200)
		if strings.Contains(again.Body, `type="password"`) {
			t.Error("who is signed in is asked for the password")
		}
		if second := b.redeem(codeOf(t, b.post("/oauth/authorization", again.form("answer", "yes")))).want(t, 200); second.text("access_token") == token {
			t.Error("two logins gave one token")
		}
		no := b.post("/oauth/authorization", again.form("answer", "no")).want(t, 303).Header.Get("Location")
		if !strings.HasPrefix(no, loginRedirect+"?error=access_denied") {
			t.Errorf("a no leads to %s", no)
		}
		if log := s.logs.String(); strings.Contains(log, token) || strings.Contains(log, password) || strings.Contains(log, "code=") {
			t.Error("a secret is in the log")
		}
	})
}

func TestLoginCodeIsRefused(t *testing.T) {
	eachTLS(t, func(t *testing.T, _ *server, b *browser) {
		for name, c := range map[string]struct {
			changes []string
			status  int
			code    string
		}{
			"wrong verifier":      {[]string{"code_verifier", strings.Repeat("x", 43)}, 400, "invalid_grant"},
			"no verifier":         {[]string{"code_verifier", ""}, 400, "invalid_request"},
			"challenge's method":  {[]string{"code_verifier", "short"}, 400, "invalid_grant"},
			"other redirect":      {[]string{"redirect_uri", "http://localhost:10004/login"}, 400, "invalid_grant"},
			"no redirect":         {[]string{"redirect_uri", ""}, 400, "invalid_request"},
			"other client":        {[]string{"client_id", "else"}, 401, "invalid_client"},
			"no grant type":       {[]string{"grant_type", ""}, 400, "invalid_request"},
			"other grant":         {[]string{"grant_type", "password"}, 400, "unsupported_grant_type"},
			"unknown code":        {[]string{"code", "x"}, 400, "invalid_grant"},
			"a code with a zero":  {[]string{"code", "x\x00"}, 400, "invalid_grant"},
			"no code":             {[]string{"code", ""}, 400, "invalid_request"},
			"a very large body":   {[]string{"code", strings.Repeat("x", 1<<20)}, 400, "invalid_request"},
			"a body of two codes": {nil, 400, "invalid_request"},
		} {
			code := b.code2("ann")
			var got reply
			if c.changes == nil {
				got = b.post("/oauth/token", url.Values{"grant_type": {"authorization_code", "authorization_code"}, "code": {code}})
			} else {
				got = b.redeem(code, c.changes...)
			}
			if got.Status != c.status || got.text("error") != c.code || got.text("error_description") == "" {
				t.Errorf("%s: %d %s", name, got.Status, got.Body)
			}
			burned := c.code == "invalid_grant" && c.changes[0] != "code"
			if after := b.redeem(code); (after.Status == 400) != burned {
				t.Errorf("%s: the code is then answered %d", name, after.Status)
			}
		}
		code := b.code2("ann")
		token := b.redeem(code).want(t, 200).text("access_token")
		if !b.works(token) {
			t.Fatal("the token does not work")
		}
		b.redeem(code).want(t, 400)
		if b.works(token) {
			t.Error("the token of a code that came twice still works")
		}
	})
}

// code2 is code for a browser that is, or is not yet, signed in.
func (b *browser) code2(name string) string {
	b.t.Helper()
	page := b.get(authorization()).want(b.t, 200)
	return codeOf(b.t, b.post("/oauth/authorization", page.form("name", name, "password", password, "answer", "yes")))
}

func TestLoginFromElsewhereIsRefused(t *testing.T) {
	eachTLS(t, func(t *testing.T, _ *server, b *browser) {
		for name, changes := range map[string][]string{
			"foreign redirect":   {"redirect_uri", "https://evil.example.com/login"},
			"port out of range":  {"redirect_uri", "http://localhost:10011/login"},
			"other path":         {"redirect_uri", "http://localhost:10000/else"},
			"no redirect":        {"redirect_uri", ""},
			"unknown client":     {"client_id", "else"},
			"a zero in redirect": {"redirect_uri", "http://localhost:10000/login\x00"},
		} {
			got := b.get(authorization(changes...)).want(t, 400)
			if got.Header.Get("Location") != "" || !strings.Contains(got.Body, `role="alert"`) {
				t.Errorf("%s: %v %s", name, got.Header, got.Body)
			}
		}
		for name, c := range map[string]struct{ parameter, value, code string }{
			"no challenge":  {"code_challenge", "", "invalid_request"},
			"plain":         {"code_challenge_method", "plain", "invalid_request"},
			"no method":     {"code_challenge_method", "", "invalid_request"},
			"implicit flow": {"response_type", "token", "unsupported_response_type"},
		} {
			to, err := url.Parse(b.get(authorization(c.parameter, c.value)).want(t, 303).Header.Get("Location"))
			must(t, err)
			if to.Host != "localhost:10003" || to.Query().Get("error") != c.code || to.Query().Get("state") != "a state&more" {
				t.Errorf("%s: sent to %s", name, to)
			}
		}
		page := b.get(authorization()).want(t, 200)
		good := page.form("name", "ann", "password", password)
		foreign := page.form("name", "ann", "password", password, "redirect_uri", "https://evil.example.com/login")
		b.post("/oauth/authorization", foreign).want(t, 400)
		other := b.sameServer()
		other.post("/oauth/authorization", good).want(t, 403)
		good.Del("form")
		b.post("/oauth/authorization", good).want(t, 403)
		request, err := http.NewRequest(http.MethodPost, b.base+"/oauth/authorization", strings.NewReader(page.form("name", "ann", "password", password).Encode()))
		must(t, err)
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		request.Header.Set("Sec-Fetch-Site", "cross-site")
		b.send(request).want(t, 403)
	})
}

// sameServer is another browser.
func (b *browser) sameServer() *browser {
	b.t.Helper()
	jar, err := cookiejar.New(nil)
	must(b.t, err)
	other := *b.http
	other.Jar = jar
	return &browser{b.t, b.base, &other}
}

func TestSignInIsThrottled(t *testing.T) {
	eachTLS(t, func(t *testing.T, _ *server, b *browser) {
		b.addUser("bob")
		for _, name := range []string{"ann", "nobody", "bad\x00name"} {
			page := b.get("/app/sign-in").want(t, 200)
			for i := range 5 {
				if got := b.post("/app/sign-in", page.form("name", name, "password", "wrong horse")); got.Status != 401 {
					t.Fatalf("%s, try %d: status %d", name, i, got.Status)
				}
			}
			got := b.post("/app/sign-in", page.form("name", name, "password", password)).want(t, 429)
			if got.Header.Get("Retry-After") == "" || !strings.Contains(got.Body, "Too many tries") {
				t.Errorf("%s is answered %s", name, got.Body)
			}
		}
		page := b.get("/app/sign-in").want(t, 200)
		b.post("/app/sign-in", page.form("name", "bob", "password", password)).want(t, 303)
	})
}

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
		b.post("/app/settings/tokens/end", made.form()).want(t, 303)
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
			"https://evil.example.com/": "/app/settings/tokens", "//evil.example.com/app/": "/app/settings/tokens",
			`/app/\evil`: `/app/%5Cevil`, "/api/v2/ping": "/app/settings/tokens", "": "/app/settings/tokens",
		} {
			other := b.sameServer()
			page := other.get("/app/sign-in?return="+url.QueryEscape(target)).want(t, 200)
			in := other.post("/app/sign-in", page.form("name", "ann", "password", password, "return", target)).want(t, 303)
			if got := in.Header.Get("Location"); got != want {
				t.Errorf("%q leads to %s", target, got)
			}
		}
		if location := b.get("/").want(t, 303).Header.Get("Location"); location != "/app/settings/tokens" {
			t.Errorf("the root leads to %s", location)
		}
		b.get("/app/nowhere").want(t, 404)
		b.get("/app/style.css").want(t, 200)
		if strings.Contains(s.logs.String(), value[1]) {
			t.Error("a token is in the log")
		}
	})
}

// copyOfCookies is another browser with the same cookies.
func (b *browser) copyOfCookies(t testing.TB) *browser {
	other := b.sameServer()
	base, err := url.Parse(b.base)
	must(t, err)
	other.http.Jar.SetCookies(base, secured(b.http.Jar.Cookies(base)))
	return other
}

func secured(cookies []*http.Cookie) []*http.Cookie {
	for _, c := range cookies {
		c.Secure, c.Path = true, "/"
	}
	return cookies
}

func TestSignInBehindAProxy(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.user("ann")
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

func TestLoginAcrossReplicas(t *testing.T) {
	t.Parallel()
	first := start(t, "postgres")
	second := &server{t: t, Token: first.Token, logs: &logs{}, env: first.env, args: append([]string{}, first.args...)}
	second.args[2] = "127.0.0.1:0"
	second.run()
	t.Cleanup(second.stop)
	first.user("ann")
	here, there := first.browse(), second.browse()
	there.http.Jar = here.http.Jar
	page := here.get(authorization()).want(t, 200)
	code := codeOf(t, there.post("/oauth/authorization", page.form("name", "ann", "password", password)))
	here.get("/app/settings/tokens").want(t, 200)
	answers := make(chan int, 8)
	for i := range cap(answers) {
		at := here
		if i%2 == 0 {
			at = there
		}
		go func() { answers <- at.redeem(code).Status }()
	}
	good := 0
	for range cap(answers) {
		if <-answers == 200 {
			good++
		}
	}
	if good != 1 {
		t.Errorf("one code was good %d times", good)
	}
}

func TestAccountIsChangedByItsUser(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		ctx := context.Background()
		id, token := s.user("ann")
		s.user("bob")
		c := s.client(token)
		u, err := c.Users.UpdateCurrent(ctx, tfe.UserUpdateOptions{Username: tfe.String("anna"), Email: tfe.String("anna@example.com")})
		must(t, err)
		if u.Username != "anna" || u.Email != "ann@example.com" || u.UnconfirmedEmail != "anna@example.com" {
			t.Errorf("changed to %+v", u)
		}
		if u, err = c.Users.UpdateCurrent(ctx, tfe.UserUpdateOptions{}); err != nil || u.Username != "anna" || u.UnconfirmedEmail != "anna@example.com" {
			t.Errorf("an empty change: %+v %v", u, err)
		}
		update := func(attributes string) string { return `{"data":{"type":"users","attributes":` + attributes + `}}` }
		confirmed := s.do("PATCH", "/admin/users/"+id, s.Token, update(`{"email":"anna@example.com"}`)).want(t, 200)
		if confirmed.text("data.attributes.email") != "anna@example.com" || confirmed.at("data.attributes.unconfirmed-email") != nil {
			t.Errorf("confirmed: %s", confirmed.Body)
		}
		s.do("PATCH", "/admin/users/"+id, token, update(`{"is-admin":true}`)).want(t, 404)
		raised := s.do("PATCH", "/account/update", token, update(`{"is-admin":true,"is-service-account":true}`)).want(t, 200)
		if raised.at("data.attributes.is-admin") != false || raised.at("data.attributes.is-service-account") != false {
			t.Errorf("a user raised itself: %s", raised.Body)
		}
		for name, c := range map[string]struct{ body, pointer string }{
			"taken name":   {update(`{"username":"bob"}`), "/data/attributes/username"},
			"blank name":   {update(`{"username":""}`), "/data/attributes/username"},
			"bad name":     {update(`{"username":"a b"}`), "/data/attributes/username"},
			"name is null": {update(`{"username":null}`), "/data/attributes/username"},
			"name type":    {update(`{"username":7}`), "/data/attributes/username"},
			"bad email":    {update(`{"email":"nobody"}`), "/data/attributes/email"},
			"blank email":  {update(`{"email":""}`), "/data/attributes/email"},
			"other type":   {`{"data":{"type":"teams"}}`, "/data/type"},
			"no data":      {`{}`, "/data"},
		} {
			got := s.do("PATCH", "/account/update", token, c.body)
			if got.Status != 422 || got.text("errors.0.source.pointer") != c.pointer {
				t.Errorf("%s: %d %s", name, got.Status, got.Body)
			}
		}
		s.do("PATCH", "/account/update", "", update(`{}`)).want(t, 401)
	})
}

func TestPasswordIsChangedByItsUser(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		id, token := s.user("ann")
		b := s.browse()
		b.post("/app/sign-in", b.get("/app/sign-in").form("name", "ann", "password", password)).want(t, 303)
		change := func(current, wanted, confirmed string) string {
			return fmt.Sprintf(`{"data":{"type":"users","attributes":{"current_password":%q,"password":%q,"password_confirmation":%q}}}`, current, wanted, confirmed)
		}
		const better = "better horse"
		for name, c := range map[string]struct{ body, pointer string }{
			"nothing":      {`{"data":{"type":"users","attributes":{}}}`, "current_password"},
			"wrong":        {change("wrong horse", better, better), "current_password"},
			"short":        {change(password, "123456789", "123456789"), "password"},
			"not the same": {change(password, better, better+"x"), "password_confirmation"},
		} {
			got := s.do("PATCH", "/account/password", token, c.body)
			if got.Status != 422 || got.text("errors.0.source.pointer") != "/data/attributes/"+c.pointer {
				t.Errorf("%s: %d %s", name, got.Status, got.Body)
			}
		}
		b.get("/app/settings/tokens").want(t, 200)
		s.do("PATCH", "/account/password", "", change(password, better, better)).want(t, 401)
		done := s.do("PATCH", "/account/password", token, change(password, better, better)).want(t, 200)
		if done.text("data.id") != id || strings.Contains(done.Body, better) {
			t.Errorf("answered %s", done.Body)
		}
		b.get("/app/settings/tokens").want(t, 303)
		page := b.get("/app/sign-in")
		b.post("/app/sign-in", page.form("name", "ann", "password", password)).want(t, 401)
		b.post("/app/sign-in", page.form("name", "ann", "password", better)).want(t, 303)
		s.do("PATCH", "/admin/users/"+id, s.Token, `{"data":{"type":"users","attributes":{"password":""}}}`).want(t, 422)
		s.do("PATCH", "/admin/users/"+id, s.Token, `{"data":{"type":"users","attributes":{"password":"third horse"}}}`).want(t, 200)
		b.get("/app/settings/tokens").want(t, 303)
		for range 5 {
			s.do("PATCH", "/account/password", token, change("wrong horse", better, better)).want(t, 422)
		}
		s.do("PATCH", "/account/password", token, change("third horse", better, better)).want(t, 429)
	})
}

func TestFirstAdminGetsAPassword(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		given := func(input string, more ...string) (string, error) {
			return s.cli(input, append([]string{"user", "password", "admin", "--data-dir", s.args[4]}, more...)...)
		}
		if out, err := given("short\n"); err == nil || !strings.Contains(out, "too short") {
			t.Errorf("a short password: %v %s", err, out)
		}
		if out, err := given(password + "\n"); err != nil || strings.Contains(out, password) {
			t.Errorf("%v %s", err, out)
		}
		b := s.browse()
		page := b.get("/app/sign-in")
		b.post("/app/sign-in", page.form("name", "admin", "password", password)).want(t, 303)
		if out, err := given("", "--address", s.URL, "--token", s.Token, "--password", "another horse"); err != nil {
			t.Errorf("%v %s", err, out)
		}
		b.get("/app/settings/tokens").want(t, 303)
		b.post("/app/sign-in", b.get("/app/sign-in").form("name", "admin", "password", "another horse")).want(t, 303)
	})
}

// cli runs a small command of the program against the server's database.
func (s *server) cli(input string, args ...string) (string, error) {
	s.t.Helper()
	command := exec.Command(binary, args...)
	command.Env, command.Stdin = s.env, strings.NewReader(input)
	out, err := command.CombinedOutput()
	return string(out), err
}
