package signin_test

import (
	"errors"
	"testing"
	"time"

	"github.com/belayhq/belay/signin"
)

// The verifier and challenge of RFC 7636, appendix B.
const (
	verifier  = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
)

func authorization(change func(*signin.Authorization)) *signin.Authorization {
	a := &signin.Authorization{
		ClientID: signin.LoginClientID, RedirectURI: "http://localhost:10000/login", ResponseType: "code",
		State: "a b&c", Challenge: challenge, ChallengeMethod: "S256",
	}
	change(a)
	return a
}

func TestRedirectGoesOnlyToACommandLineOnThisComputer(t *testing.T) {
	for address, allowed := range map[string]bool{
		"http://localhost:10000/login":          true,
		"http://localhost:10010/login":          true,
		"http://127.0.0.1:10003/login":          true,
		"http://localhost:9999/login":           false,
		"http://localhost:10011/login":          false,
		"http://localhost:1000/login":           false,
		"http://localhost:010000/login":         false,
		"http://localhost/login":                false,
		"https://localhost:10000/login":         false,
		"http://localhost:10000/":               false,
		"http://localhost:10000/login/":         false,
		"http://localhost:10000/login?x=1":      false,
		"http://localhost:10000/login#x":        false,
		"http://localhost:10000@evil.com/login": false,
		"http://localhost.evil.com:10000/login": false,
		"http://127x0x0x1:10000/login":          false,
		"http://127.0.0.2:10000/login":          false,
		"http://evil.com:10000/login":           false,
		"http://localhost:10000/login\n":        false,
		" http://localhost:10000/login":         false,
		"":                                      false,
	} {
		a := authorization(func(a *signin.Authorization) { a.RedirectURI = address })
		if err := a.CheckClient(); (err == nil) != allowed {
			t.Errorf("%q: %v", address, err)
		}
	}
	if authorization(func(a *signin.Authorization) { a.ClientID = "else" }).CheckClient() == nil {
		t.Error("an unknown client is let through")
	}
}

func TestAuthorizationDemandsAChallenge(t *testing.T) {
	cases := []struct {
		name   string
		change func(*signin.Authorization)
		code   string
	}{
		{"right", func(*signin.Authorization) {}, ""},
		{"no response type", func(a *signin.Authorization) { a.ResponseType = "" }, "unsupported_response_type"},
		{"token", func(a *signin.Authorization) { a.ResponseType = "token" }, "unsupported_response_type"},
		{"no method", func(a *signin.Authorization) { a.ChallengeMethod = "" }, "invalid_request"},
		{"plain", func(a *signin.Authorization) { a.ChallengeMethod = "plain" }, "invalid_request"},
		{"no challenge", func(a *signin.Authorization) { a.Challenge = "" }, "invalid_request"},
		{"short challenge", func(a *signin.Authorization) { a.Challenge = challenge[1:] }, "invalid_request"},
		{"long challenge", func(a *signin.Authorization) { a.Challenge += "x" }, "invalid_request"},
	}
	for _, c := range cases {
		var refused *signin.GrantError
		err := authorization(c.change).Check()
		if errors.As(err, &refused) != (c.code != "") || refused != nil && refused.Code != c.code {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestAnswersCarryTheStateAsItCame(t *testing.T) {
	a := authorization(func(*signin.Authorization) {})
	if got, want := a.Granted("xyz"), "http://localhost:10000/login?code=xyz&state=a+b%26c"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	a.State = ""
	if got, want := a.Refused(&signin.GrantError{Code: "access_denied", Detail: "no"}), "http://localhost:10000/login?error=access_denied&error_description=no"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestCodeIsGoodForOneTryOfItsOwnClient(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	right := signin.Redemption{ClientID: signin.LoginClientID, RedirectURI: "http://localhost:10000/login", Verifier: verifier}
	cases := []struct {
		name   string
		change func(*signin.Redemption)
		at     time.Time
		good   bool
	}{
		{"right", func(*signin.Redemption) {}, now, true},
		{"last moment", func(*signin.Redemption) {}, now.Add(signin.LoginCodeLifetime - time.Millisecond), true},
		{"expired", func(*signin.Redemption) {}, now.Add(signin.LoginCodeLifetime), false},
		{"other client", func(r *signin.Redemption) { r.ClientID = "else" }, now, false},
		{"other port", func(r *signin.Redemption) { r.RedirectURI = "http://localhost:10001/login" }, now, false},
		{"no verifier", func(r *signin.Redemption) { r.Verifier = "" }, now, false},
		{"challenge as verifier", func(r *signin.Redemption) { r.Verifier = challenge }, now, false},
		{"longer verifier", func(r *signin.Redemption) { r.Verifier += "x" }, now, false},
	}
	for _, c := range cases {
		code := signin.LoginCode{
			ClientID: signin.LoginClientID, RedirectURI: right.RedirectURI, Challenge: challenge, ExpiredAt: now.Add(signin.LoginCodeLifetime),
		}
		try := right
		c.change(&try)
		if err := code.Redeem(try, c.at); (err == nil) != c.good {
			t.Errorf("%s: %v", c.name, err)
		}
		if err := code.Redeem(right, now); err == nil {
			t.Errorf("%s: good for a second try", c.name)
		}
	}
}
