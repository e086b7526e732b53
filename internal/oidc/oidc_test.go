package oidc_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/belayhq/belay/internal/oidc"
	"github.com/belayhq/belay/signin"
)

// issuer is a provider of ours that says whatever a test has it say.
type issuer struct {
	*httptest.Server
	t      *testing.T
	key    *rsa.PrivateKey
	keys   []jose.JSONWebKey
	calls  int
	claims map[string]any                                    // of the ID token, over the usual ones; nil values are left out
	sign   func(raw []byte) string                           // how it is signed
	answer func(w http.ResponseWriter, r *http.Request) bool // instead of tokens
	info   map[string]any                                    // of userinfo; nil: there is none
	meta   map[string]any                                    // of discovery, over the usual ones
}

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	i := &issuer{t: t, key: key, keys: []jose.JSONWebKey{{Key: key.Public(), KeyID: "one", Algorithm: "RS256", Use: "sig"}}}
	i.sign = i.with(jose.RS256, key, "one", "JWT")
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		meta := map[string]any{
			"issuer": i.URL, "authorization_endpoint": i.URL + "/authorize", "token_endpoint": i.URL + "/token", "jwks_uri": i.URL + "/keys",
			"id_token_signing_alg_values_supported": []string{"RS256", "ES256", "HS256", "none"},
			"scopes_supported":                      []string{"openid", "offline_access", "groups"},
		}
		if i.info != nil {
			meta["userinfo_endpoint"] = i.URL + "/userinfo"
		}
		maps.Copy(meta, i.meta)
		tell(w, meta)
	})
	mux.HandleFunc("/keys", func(w http.ResponseWriter, _ *http.Request) {
		i.calls++
		tell(w, jose.JSONWebKeySet{Keys: i.keys})
	})
	mux.HandleFunc("/userinfo", func(w http.ResponseWriter, _ *http.Request) { tell(w, i.info) })
	mux.HandleFunc("/token", func(w http.ResponseWriter, r *http.Request) {
		if i.answer == nil || !i.answer(w, r) {
			tell(w, map[string]any{"access_token": "at", "token_type": "Bearer", "refresh_token": "rt", "id_token": i.token(nil)})
		}
	})
	i.Server = httptest.NewServer(mux)
	t.Cleanup(i.Close)
	return i
}

func tell(w http.ResponseWriter, what any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(what)
}

// with signs by an algorithm and a key.
func (i *issuer) with(algorithm jose.SignatureAlgorithm, key any, kid, typ string) func(raw []byte) string {
	return func(raw []byte) string {
		options := (&jose.SignerOptions{}).WithType(jose.ContentType(typ)).WithHeader("kid", kid)
		signer, err := jose.NewSigner(jose.SigningKey{Algorithm: algorithm, Key: key}, options)
		if err != nil {
			i.t.Fatal(err)
		}
		signed, err := signer.Sign(raw)
		if err != nil {
			i.t.Fatal(err)
		}
		text, err := signed.CompactSerialize()
		if err != nil {
			i.t.Fatal(err)
		}
		return text
	}
}

// token is a token of the issuer.
func (i *issuer) token(over map[string]any) string {
	claims := map[string]any{
		"iss": i.URL, "sub": "subject", "aud": "belay", "iat": time.Now().Unix(), "exp": time.Now().Add(time.Hour).Unix(), "nonce": flow.Nonce,
		"email": "ann@example.com", "email_verified": true, "preferred_username": "ann", "groups": []string{"devs"},
	}
	for _, more := range []map[string]any{i.claims, over} {
		for name, value := range more {
			if claims[name] = value; value == nil {
				delete(claims, name)
			}
		}
	}
	raw, err := json.Marshal(claims)
	if err != nil {
		i.t.Fatal(err)
	}
	return i.sign(raw)
}

var flow = oidc.Flow{State: "state", Nonce: "nonce", Verifier: strings.Repeat("v", 43), RedirectURI: "http://localhost/oauth/callback/id"}

// room is the room with the issuer as its one provider.
func (i *issuer) room(over string) *oidc.Room {
	i.t.Helper()
	path := filepath.Join(i.t.TempDir(), "oidc.json")
	text := `{"providers":[{"id":"id","issuer":"` + i.URL + `","client-id":"belay","client-secret":"s"` + over + `}]}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		i.t.Fatal(err)
	}
	r, err := oidc.Read(path)
	if err != nil {
		i.t.Fatal(err)
	}
	return r
}

// TestHostileProvider has a provider say what it must not be believed.
func TestHostileProvider(t *testing.T) {
	t.Parallel()
	now := time.Now().Unix()
	other, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]func(i *issuer){
		"another issuer":            func(i *issuer) { i.claims = map[string]any{"iss": "https://evil.example.com"} },
		"no issuer":                 func(i *issuer) { i.claims = map[string]any{"iss": nil} },
		"another audience":          func(i *issuer) { i.claims = map[string]any{"aud": "somebody"} },
		"several, made for nobody":  func(i *issuer) { i.claims = map[string]any{"aud": []string{"belay", "somebody"}} },
		"several, made for another": func(i *issuer) { i.claims = map[string]any{"aud": []string{"belay", "somebody"}, "azp": "somebody"} },
		"made for another":          func(i *issuer) { i.claims = map[string]any{"azp": "somebody"} },
		"no subject":                func(i *issuer) { i.claims = map[string]any{"sub": nil} },
		"another nonce":             func(i *issuer) { i.claims = map[string]any{"nonce": "yesterday's"} },
		"no nonce":                  func(i *issuer) { i.claims = map[string]any{"nonce": nil} },
		"expired":                   func(i *issuer) { i.claims = map[string]any{"exp": now - 120} },
		"no end":                    func(i *issuer) { i.claims = map[string]any{"exp": nil} },
		"issued in the future":      func(i *issuer) { i.claims = map[string]any{"iat": now + 600} },
		"not before the future":     func(i *issuer) { i.claims = map[string]any{"nbf": now + 120} },
		"not for this access token": func(i *issuer) { i.claims = map[string]any{"at_hash": "AAAAAAAAAAAAAAAAAAAAAA"} },
		"unsigned": func(i *issuer) {
			i.sign = func(raw []byte) string {
				return base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`)) + "." + base64.RawURLEncoding.EncodeToString(raw) + "."
			}
		},
		"signed with the public key as a secret": func(i *issuer) {
			der, _ := x509.MarshalPKIXPublicKey(i.key.Public())
			i.sign = i.with(jose.HS256, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}), "one", "JWT")
		},
		"signed with the client's secret": func(i *issuer) { i.sign = i.with(jose.HS256, []byte(strings.Repeat("s", 32)), "one", "JWT") },
		"signed with another key":         func(i *issuer) { i.sign = i.with(jose.RS256, other, "one", "JWT") },
		"an unknown key":                  func(i *issuer) { i.sign = i.with(jose.RS256, other, "two", "JWT") },
		"a cut token":                     func(i *issuer) { sign := i.sign; i.sign = func(raw []byte) string { return sign(raw)[:200] } },
		"no ID token": func(i *issuer) {
			i.answer = func(w http.ResponseWriter, _ *http.Request) bool {
				tell(w, map[string]any{"access_token": "at"})
				return true
			}
		},
		"userinfo of another person": func(i *issuer) {
			i.claims, i.info = map[string]any{"email": nil}, map[string]any{"sub": "victim", "email": "victim@example.com", "email_verified": true}
		},
		"a used code": func(i *issuer) {
			i.answer = func(w http.ResponseWriter, _ *http.Request) bool {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusBadRequest)
				_, _ = w.Write([]byte(`{"error":"invalid_grant","error_description":"sesame"}`))
				return true
			}
		},
		"discovery of another issuer": func(i *issuer) { i.meta = map[string]any{"issuer": "https://evil.example.com"} },
		"an endless answer": func(i *issuer) {
			i.answer = func(w http.ResponseWriter, _ *http.Request) bool {
				_, _ = w.Write([]byte(`{"access_token":"` + strings.Repeat("x", 2<<20) + `"}`))
				return true
			}
		},
		"a detour": func(i *issuer) {
			i.answer = func(w http.ResponseWriter, r *http.Request) bool {
				if r.URL.Query().Get("again") == "" {
					http.Redirect(w, r, "/token?again=1", http.StatusTemporaryRedirect)
					return true
				}
				return false
			}
		},
	}
	for name, hostile := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := newIssuer(t)
			hostile(i)
			a, err := i.room("").Finish(t.Context(), "id", flow, "code")
			if err == nil {
				t.Fatalf("believed: %+v", a)
			}
			if strings.Contains(err.Error(), "sesame") {
				t.Errorf("the provider's words are in the error: %v", err)
			}
		})
	}
}

func TestHonestProvider(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	var sent http.Request
	i.answer = func(_ http.ResponseWriter, r *http.Request) bool {
		_ = r.ParseForm()
		sent = *r
		return false
	}
	// A minute of difference between the clocks is nothing, and a list may be for several.
	i.claims = map[string]any{"iat": time.Now().Add(40 * time.Second).Unix(), "exp": time.Now().Add(-20 * time.Second).Unix(), "aud": []string{"belay", "x"}, "azp": "belay", "sid": "s1"}
	r := i.room(`,"parameters":{"prompt":"consent"}`)
	address, err := r.Begin(t.Context(), "id", flow)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"code_challenge_method=S256", "nonce=nonce", "state=state", "prompt=consent", "scope=openid+profile+email+offline_access+groups", "response_type=code"} {
		if !strings.Contains(address, part) {
			t.Errorf("%s is not in %s", part, address)
		}
	}
	if strings.Contains(address, flow.Verifier) {
		t.Error("the verifier is in the address")
	}
	a, err := r.Finish(t.Context(), "id", flow, "code")
	if err != nil {
		t.Fatal(err)
	}
	if sent.PostForm.Get("code_verifier") != flow.Verifier || sent.PostForm.Get("redirect_uri") != flow.RedirectURI {
		t.Errorf("the exchange was sent %v", sent.PostForm)
	}
	if a.Subject != "subject" || a.Issuer != i.URL || a.Username != "ann" || !a.EmailVerified || len(a.Groups) != 1 || a.RefreshToken != "rt" || a.SessionID != "s1" || !a.Full {
		t.Errorf("%+v", a)
	}
	// The provider takes a new key, of another kind: it is fetched when it is first seen.
	next, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	i.keys, i.sign = []jose.JSONWebKey{{Key: next.Public(), KeyID: "next", Algorithm: "ES256", Use: "sig"}}, i.with(jose.ES256, next, "next", "JWT")
	if _, err := r.Finish(t.Context(), "id", flow, "code"); err != nil {
		t.Errorf("after the keys were changed: %v", err)
	}
}

// TestAskedAgain tells who is gone from a provider that is down.
func TestAskedAgain(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	i.info = map[string]any{"sub": "subject", "groups": []string{"ops"}}
	r := i.room("")
	refuse := func(status int, code string) {
		i.answer = func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			_, _ = w.Write([]byte(`{"error":"` + code + `"}`))
			return true
		}
	}
	if a, err := r.Again(t.Context(), i.URL, "subject", "rt"); err != nil || a.Full || !a.GroupsKnown || a.Groups[0] != "devs" {
		t.Errorf("%+v %v", a, err)
	}
	if _, err := r.Again(t.Context(), i.URL, "another", "rt"); err == nil || errors.Is(err, signin.ErrGone) {
		t.Errorf("another person's ID token: %v", err)
	}
	i.answer = func(w http.ResponseWriter, _ *http.Request) bool {
		tell(w, map[string]any{"access_token": "at", "token_type": "Bearer"})
		return true
	}
	if a, err := r.Again(t.Context(), i.URL, "subject", "rt"); err != nil || a.Groups[0] != "ops" || a.RefreshToken != "rt" {
		t.Errorf("without an ID token: %+v %v", a, err)
	}
	if _, err := r.Again(t.Context(), i.URL, "another", "rt"); err == nil || errors.Is(err, signin.ErrGone) {
		t.Errorf("userinfo of another person: %v", err)
	}
	refuse(http.StatusBadRequest, "invalid_grant")
	if _, err := r.Again(t.Context(), i.URL, "subject", "rt"); !errors.Is(err, signin.ErrGone) {
		t.Errorf("gone: %v", err)
	}
	if _, err := r.Again(t.Context(), "https://gone.example.com", "subject", "rt"); !errors.Is(err, signin.ErrGone) {
		t.Errorf("a provider that was taken away: %v", err)
	}
	for _, code := range []string{"invalid_client", "server_error"} {
		refuse(http.StatusInternalServerError, code)
		if _, err := r.Again(t.Context(), i.URL, "subject", "rt"); err == nil || errors.Is(err, signin.ErrGone) {
			t.Errorf("%s says nothing of the person: %v", code, err)
		}
	}
}

func TestLogoutTokens(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	i.sign = i.with(jose.RS256, i.key, "one", "logout+jwt")
	i.claims = map[string]any{"nonce": nil, "jti": "j", "sid": "s1", "events": map[string]any{"http://schemas.openid.net/event/backchannel-logout": map[string]any{}}}
	r := i.room("")
	n, err := r.LogoutToken(t.Context(), "id", i.token(nil))
	if err != nil || n.Subject != "subject" || n.SessionID != "s1" || n.ID != "j" {
		t.Fatalf("%+v %v", n, err)
	}
	for name, wrong := range map[string]map[string]any{
		"a nonce": {"nonce": "n"}, "no event": {"events": nil}, "another event": {"events": map[string]any{"x": 1}}, "nobody": {"sub": nil, "sid": nil},
		"another audience": {"aud": "x"}, "another issuer": {"iss": "x"}, "expired": {"exp": 1}, "no id": {"jti": nil}, "the future": {"iat": time.Now().Add(time.Hour).Unix()},
	} {
		if n, err := r.LogoutToken(t.Context(), "id", i.token(wrong)); err == nil {
			t.Errorf("%s: believed %+v", name, n)
		}
	}
}

// TestConfigurationIsRefused holds that what is wrong is told when the server starts.
func TestConfigurationIsRefused(t *testing.T) {
	t.Parallel()
	base := `"id":"a","issuer":"https://id.example.com","client-id":"c"`
	for text, want := range map[string]string{
		`{`:                            "not the JSON",
		`{"providers":[]}`:             "names no providers",
		`{"providers":[{"id":"A b"}]}`: "small letters",
		`{"providers":[{"id":"a","issuer":"http://id.example.com","client-id":"c"}]}`: "begins with https",
		`{"providers":[{"id":"a","issuer":"https://id.example.com"}]}`:                "client-id is missing",
		`{"providers":[{` + base + `,"colour":"red"}]}`:                               "colour",
		`{"providers":[{` + base + `},{` + base + `}]}`:                               "two providers",
		`{"providers":[{` + base + `,"client-secret-file":"/does/not/exist"}]}`:       "client-secret-file",
		`{"providers":[{` + base + `,"scopes":["email"]}]}`:                           "openid",
		`{"providers":[{` + base + `,"holds-for":"1s"}]}`:                             "holds-for",
		`{"providers":[{` + base + `,"parameters":{"state":"x"}}]}`:                   "parameters",
		`{"providers":[{` + base + `,"groups-claim":"-","admin-groups":["x"]}]}`:      "groups-claim",
	} {
		path := filepath.Join(t.TempDir(), "oidc.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := oidc.Read(path); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", text, err)
		}
	}
}
