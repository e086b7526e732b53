package oidc

import (
	"bytes"
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/belayhq/belay/signin"
)

// file is the operator's configuration, as it is written.
type file struct {
	Providers []written `json:"providers"`
}

// written is one provider of the file.
type written struct {
	ID                string              `json:"id"`
	Name              string              `json:"name"`
	Issuer            string              `json:"issuer"`
	ClientID          string              `json:"client-id"`
	ClientSecret      string              `json:"client-secret"`
	ClientSecretFile  string              `json:"client-secret-file"`
	Scopes            []string            `json:"scopes"`
	Parameters        map[string]string   `json:"parameters"`
	UsernameClaim     string              `json:"username-claim"`
	GroupsClaim       string              `json:"groups-claim"`
	GroupPrefix       string              `json:"group-prefix"`
	AdminGroups       []string            `json:"admin-groups"`
	MakeAccounts      *bool               `json:"make-accounts"`
	AllowedDomains    []string            `json:"allowed-domains"`
	AllowedGroups     []string            `json:"allowed-groups"`
	RequiredClaims    map[string][]string `json:"required-claims"`
	EmailsAreVerified bool                `json:"emails-are-verified"`
	HoldsFor          string              `json:"holds-for"`
	CAFile            string              `json:"ca-file"`
}

// Read reads the operator's configuration. What is wrong with it is told in one sentence.
func Read(path string) (*Room, error) {
	raw, err := os.ReadFile(filepath.Clean(path))
	if err != nil {
		return nil, err
	}
	var f file
	lines := json.NewDecoder(bytes.NewReader(raw))
	lines.DisallowUnknownFields()
	if err := lines.Decode(&f); err != nil {
		return nil, fmt.Errorf("%s is not the JSON that is asked for: %w", path, err)
	}
	if len(f.Providers) == 0 {
		return nil, fmt.Errorf("%s names no providers", path)
	}
	r := &Room{Now: time.Now}
	for i := range f.Providers {
		p, err := f.Providers[i].provider()
		if err != nil {
			return nil, fmt.Errorf("%s: provider %q: %w", path, cmp.Or(f.Providers[i].ID, fmt.Sprint(i+1)), err)
		}
		for _, other := range r.providers {
			if other.about.ID == p.about.ID || other.about.Issuer == p.about.Issuer {
				return nil, fmt.Errorf("%s: two providers have the id or the issuer of %q", path, p.about.ID)
			}
		}
		r.providers = append(r.providers, p)
	}
	return r, nil
}

var (
	providerID = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$`)
	ownedByUs  = []string{"client_id", "redirect_uri", "response_type", "scope", "state", "nonce", "code_challenge", "code_challenge_method", "request", "request_uri"}
)

// defaultHold is how long the word of a provider holds that can't be asked again.
const defaultHold = time.Hour

func (w *written) check() error {
	switch {
	case !providerID.MatchString(w.ID):
		return errors.New("id is 1 to 32 small letters, digits and hyphens")
	case w.ClientID == "":
		return errors.New("client-id is missing")
	case w.ClientSecret != "" && w.ClientSecretFile != "":
		return errors.New("client-secret and client-secret-file don't go together")
	case w.Scopes != nil && !slices.Contains(w.Scopes, "openid"):
		return errors.New("scopes must have openid among them")
	case len(w.AdminGroups)+len(w.AllowedGroups) > 0 && w.GroupsClaim == "-":
		return errors.New(`groups-claim is "-", so there are no groups to ask for`)
	}
	for name := range w.Parameters {
		if slices.Contains(ownedByUs, name) {
			return fmt.Errorf("parameters can't have %q, which is set for each sign-in", name)
		}
	}
	return signin.CheckIssuer(w.Issuer)
}

func (w *written) provider() (*provider, error) {
	if err := w.check(); err != nil {
		return nil, err
	}
	holds, err := time.ParseDuration(cmp.Or(w.HoldsFor, defaultHold.String()))
	if err != nil || holds < time.Minute || holds > 30*24*time.Hour {
		return nil, fmt.Errorf("holds-for is a duration from 1m to 720h, not %q", w.HoldsFor)
	}
	secret := w.ClientSecret
	if w.ClientSecretFile != "" {
		raw, err := os.ReadFile(filepath.Clean(w.ClientSecretFile))
		if err != nil {
			return nil, fmt.Errorf("client-secret-file: %w", err)
		}
		if secret = strings.TrimSpace(string(raw)); secret == "" {
			return nil, errors.New("client-secret-file is empty")
		}
	}
	client, err := w.client()
	if err != nil {
		return nil, err
	}
	domains := make([]string, len(w.AllowedDomains))
	for i, domain := range w.AllowedDomains {
		domains[i] = strings.ToLower(strings.TrimPrefix(domain, "@"))
	}
	return &provider{
		about: signin.IdentityProvider{
			ID: w.ID, Name: cmp.Or(w.Name, w.ID), Issuer: w.Issuer, MakesAccounts: w.MakeAccounts == nil || *w.MakeAccounts,
			TrustsEmails: w.EmailsAreVerified, AllowedDomains: domains, AllowedGroups: w.AllowedGroups, RequiredClaims: w.RequiredClaims,
			AdminGroups: w.AdminGroups, GroupPrefix: w.GroupPrefix, HoldsFor: holds,
		},
		clientID: w.ClientID, secret: secret, scopes: w.Scopes, parameters: w.Parameters,
		usernameClaim: cmp.Or(w.UsernameClaim, "preferred_username"), groupsClaim: cmp.Or(w.GroupsClaim, "groups"), http: client,
	}, nil
}

// AskWithin is how long a provider may take to answer.
const AskWithin = 10 * time.Second

// client is what a provider is asked with. The operator names it, so no guard stands
// before it; it sends nobody elsewhere.
func (w *written) client() (*http.Client, error) {
	transport := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // it is, in every Go
	if w.CAFile != "" {
		raw, err := os.ReadFile(filepath.Clean(w.CAFile))
		if err != nil {
			return nil, fmt.Errorf("ca-file: %w", err)
		}
		trusted := x509.NewCertPool()
		if !trusted.AppendCertsFromPEM(raw) {
			return nil, fmt.Errorf("ca-file: %s holds no certificate", w.CAFile)
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: trusted, MinVersion: tls.VersionTLS12}
	}
	return &http.Client{
		Timeout: AskWithin, Transport: answers{transport},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, nil
}
