package vcs_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/belayhq/belay/internal/vcs"
)

func TestKeysOfApps(t *testing.T) {
	t.Parallel()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	_, other, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	wrapped, _ := x509.MarshalPKCS8PrivateKey(key)
	foreign, _ := x509.MarshalPKCS8PrivateKey(other)
	inPEM := func(kind string, raw []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: raw}))
	}
	for name, c := range map[string]struct {
		text string
		good bool
	}{
		"as GitHub gives it": {inPEM("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(key)), true}, "in the other form": {inPEM("PRIVATE KEY", wrapped), true},
		"of another kind": {inPEM("PRIVATE KEY", foreign), false}, "a public one": {inPEM("PUBLIC KEY", x509.MarshalPKCS1PublicKey(&key.PublicKey)), false}, "no PEM": {"key", false},
	} {
		found, err := vcs.ParseAppKey([]byte(c.text))
		if (err == nil) != c.good || c.good && !found.Equal(key) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func openApp(t *testing.T, address string) *vcs.AppClient {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	app, err := vcs.OpenApp(vcs.App{ID: "1", Key: key, HTTPURL: "https://github.com/", APIURL: address + "/"}, http.DefaultClient, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	return app
}

func TestWhoInstalledAnApp(t *testing.T) {
	t.Parallel()
	f := newFake(t, exchange{
		asks: "GET /app/installations?page=1&per_page=100", header: nextPage,
		answer: `[{"id":1,"account":{"login":"acme","type":"Organization","avatar_url":"https://a/1"},"html_url":"https://github.com/i/1","target_type":"Organization","suspended_at":null}]`,
	}, exchange{
		asks:   "GET /app/installations?page=2&per_page=100",
		answer: `[{"id":2,"account":{"login":"ada","type":"User"},"suspended_at":"2026-01-01T00:00:00Z"},{"id":3,"account":{"slug":"corp"},"target_type":"Enterprise"}]`,
	})
	list, err := openApp(t, f.URL).Installations(t.Context())
	want := "[{1 acme Organization https://github.com/i/1 https://a/1 false} {2 ada User   true} {3 corp Enterprise   false}]"
	if got := fmt.Sprint(list); err != nil || got != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
	f.done()
}

func TestTokensOfInstallations(t *testing.T) {
	t.Parallel()
	const asked = "POST /app/installations/7/access_tokens "
	f := newFake(t,
		exchange{asks: asked + `{"repositories":["network"]}`, status: 201, answer: `{"token":"ghs_1","expires_at":"2026-01-01T01:00:00Z"}`},
		exchange{asks: asked + `{"permissions":{"contents":"read"},"repositories":["network"]}`, status: 201, answer: `{"token":"ghs_2","expires_at":"2026-01-01T01:00:00Z"}`},
		exchange{asks: asked + `{"repositories":["network"]}`, status: 422, answer: `{"message":"not accessible to the parent installation"}`},
		exchange{asks: asked + `{"repositories":["network"]}`, status: 201, answer: `{}`},
	)
	app := openApp(t, f.URL)
	for i, want := range []string{"ghs_1", "ghs_2", "not accessible", "names no token"} {
		token, until, err := app.InstallationToken(t.Context(), 7, "acme/network", i == 1)
		switch {
		case i < 2 && (err != nil || token != want || until.Hour() != 1):
			t.Errorf("%q until %v, %v", token, until, err)
		case i >= 2 && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%v, want %s", err, want)
		}
	}
	f.done()
	for _, header := range f.seen {
		if claims, found := strings.CutPrefix(header.Get("Authorization"), "Bearer "); !found || strings.Count(claims, ".") != 2 {
			t.Errorf("it proves itself with %q", header.Get("Authorization"))
		}
	}
}

// TestNewsOfApps: an installation is told of with every delivery; those about it itself are no events.
func TestNewsOfApps(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		event, body string
		want        string
	}{
		"a push":          {"push", `{"installation":{"id":7},"ref":"refs/heads/main","after":"` + hashA + `","repository":{"full_name":"a/b"}}`, "7 false a/b"},
		"an installation": {"installation", `{"installation":{"id":8},"action":"deleted"}`, "8 true"},
		"its rights":      {"installation_repositories", `{"installation":{"id":8}}`, "8 true"},
		"a ping":          {"ping", `{"zen":"z"}`, "0 false "},
		"no JSON":         {"push", `{`, "0 false the body is not the JSON that this service sends"},
	} {
		number, moved, events, _, err := vcs.ReadApp(http.Header{"X-Github-Event": {c.event}}, []byte(c.body))
		got := fmt.Sprint(number, " ", moved)
		for _, e := range events {
			got += " " + e.Repository
		}
		if err != nil {
			got += " " + err.Error()
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
