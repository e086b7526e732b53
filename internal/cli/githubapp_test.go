package cli

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// TestWhatAGitHubAppIsToldBy: an App that could not work is refused at the start, and an Enterprise Server
// has its API below its own address.
func TestWhatAGitHubAppIsToldBy(t *testing.T) {
	t.Parallel()
	made, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	key := string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(made)}))
	const id, secret = "--github-app-id=1", "--github-app-webhook-secret=s"
	withKey := "--github-app-key=" + strings.TrimSpace(key)
	for name, c := range map[string]struct {
		args    []string
		refused string
		api     string // empty: there is no App
	}{
		"nothing":               {},
		"GitHub itself":         {args: []string{id, secret, withKey}, api: "https://api.github.com"},
		"an Enterprise Server":  {args: []string{id, secret, withKey, "--github-app-url=https://git.example.com/"}, api: "https://git.example.com/api/v3"},
		"an address of its API": {args: []string{id, secret, withKey, "--github-app-api-url=http://127.0.0.1:1/"}, api: "http://127.0.0.1:1"},
		"no secret":             {args: []string{id, withKey}, refused: "--github-app-webhook-secret"},
		"no key":                {args: []string{id, secret}, refused: "--github-app-key"},
		"a key that is none":    {args: []string{id, secret, "--github-app-key=x"}, refused: "no PEM"},
		"a key alone":           {args: []string{withKey}, refused: "--github-app-id"},
		"an address that is no": {args: []string{id, secret, withKey, "--github-app-url=git.example.com"}, refused: "--github-app-"},
		"somebody in it":        {args: []string{id, secret, withKey, "--github-app-api-url=https://a:b@x"}, refused: "--github-app-api-url"},
	} {
		var g githubApp
		flags := pflag.NewFlagSet("serve", pflag.ContinueOnError)
		g.flags(flags)
		if err := flags.Parse(c.args); err != nil {
			t.Fatal(err)
		}
		err := g.check()
		switch {
		case c.refused != "":
			if err == nil || !strings.Contains(err.Error(), c.refused) || strings.Contains(err.Error(), "PRIVATE") {
				t.Errorf("%s: %v", name, err)
			}
		case err != nil:
			t.Errorf("%s: %v", name, err)
		case c.api == "" && g.app != nil, c.api != "" && (g.app == nil || g.app.APIURL != c.api):
			t.Errorf("%s: %+v", name, g.app)
		}
	}
}
