package e2e_test

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

const (
	loginVerifier = "a-verifier-of-more-than-forty-three-letters-0123456789"
	loginRedirect = "http://localhost:10003/login"
)

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

// code says yes, signing in where that is needed, and gives the code that the command
// line would be handed.
func (b *browser) code(name string) string {
	b.t.Helper()
	page := b.get(authorization()).want(b.t, 200)
	return codeOf(b.t, b.post("/oauth/authorization", page.form("name", name, "password", password, "answer", "yes")))
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
		if strings.Contains(found.Body, "modules.v1") || strings.Contains(found.Body, "providers.v1") {
			t.Errorf("there is no registry, and %s", found.Body)
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
			code := b.code("ann")
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
		code := b.code("ann")
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

func TestLoginAcrossReplicas(t *testing.T) {
	t.Parallel()
	first := start(t, "postgres")
	second := &server{t: t, Token: first.Token, logs: &logs{}, env: first.env, args: append([]string{}, first.args...)}
	second.args[2] = "127.0.0.1:0"
	second.run()
	t.Cleanup(second.stop)
	first.person("ann")
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
