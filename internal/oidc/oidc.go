// Package oidc asks identity providers who somebody is, and checks what they say: OpenID
// Connect discovery, the code flow with PKCE, ID tokens, refreshing, back-channel logout,
// and the tokens of other issuers' workloads. It believes only what is signed by a key of
// the issuer. It never decides who may come in, and keeps nothing but the keys of issuers.
package oidc

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/signin"
)

// Room is the providers that the operator named.
type Room struct {
	providers []*provider
	Now       func() time.Time
}

// provider is one of them, with what it told of itself when it was last asked.
type provider struct {
	about            signin.IdentityProvider
	clientID, secret string
	scopes           []string // nil: the usual ones
	parameters       map[string]string
	usernameClaim    string
	groupsClaim      string // "-": there are none
	http             *http.Client

	found discovery
}

// skew is how far the clocks of a provider and of ours may be apart.
const skew = time.Minute

// algorithms are those that a token may be signed with. None of them works with a secret
// that both sides know, or without a signature.
var algorithms = []string{
	oidc.RS256, oidc.RS384, oidc.RS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.PS256, oidc.PS384, oidc.PS512, oidc.EdDSA,
}

// Providers is the rules of the providers, in the order of the file.
func (r *Room) Providers() []signin.IdentityProvider {
	list := make([]signin.IdentityProvider, len(r.providers))
	for i, p := range r.providers {
		list[i] = p.about
	}
	return list
}

func (r *Room) named(id string) (*provider, error) {
	for _, p := range r.providers {
		if p.about.ID == id {
			return p, nil
		}
	}
	return nil, belay.ErrNotFound
}

// Begin is the address that a person's browser is sent to, to be asked who it is.
func (r *Room) Begin(ctx context.Context, id string, f Flow) (string, error) {
	p, err := r.named(id)
	if err != nil {
		return "", err
	}
	known, err := p.found.get(ctx, p.http, p.about.Issuer, r.Now())
	if err != nil {
		return "", err
	}
	options := []oauth2.AuthCodeOption{oidc.Nonce(f.Nonce), oauth2.S256ChallengeOption(f.Verifier)}
	for name, value := range p.parameters {
		options = append(options, oauth2.SetAuthURLParam(name, value))
	}
	return p.oauth(known, f.RedirectURI).AuthCodeURL(f.State, options...), nil
}

// Flow is what binds a sign-in to one browser.
type Flow = signin.SignInFlow

func (p *provider) oauth(known *oidc.Provider, redirect string) *oauth2.Config {
	scopes := p.scopes
	if scopes == nil {
		scopes = []string{oidc.ScopeOpenID, "profile", "email"}
		var offers struct {
			Scopes []string `json:"scopes_supported"`
		}
		if known.Claims(&offers) == nil {
			for _, more := range []string{oidc.ScopeOfflineAccess, "groups"} {
				if slices.Contains(offers.Scopes, more) {
					scopes = append(scopes, more)
				}
			}
		}
	}
	return &oauth2.Config{ClientID: p.clientID, ClientSecret: p.secret, Endpoint: known.Endpoint(), RedirectURL: redirect, Scopes: scopes}
}

// Finish exchanges the code that a browser brought, and checks what the provider says.
func (r *Room) Finish(ctx context.Context, id string, f Flow, code string) (a signin.Assertion, err error) {
	p, err := r.named(id)
	if err != nil {
		return a, err
	}
	known, err := p.found.get(ctx, p.http, p.about.Issuer, r.Now())
	if err != nil {
		return a, err
	}
	ctx = oidc.ClientContext(ctx, p.http)
	tokens, err := p.oauth(known, f.RedirectURI).Exchange(ctx, code, oauth2.VerifierOption(f.Verifier))
	if err != nil {
		return a, fmt.Errorf("exchange the code: %w", plain(err))
	}
	claims, said, err := r.idToken(ctx, p, known, tokens)
	switch {
	case err != nil:
		return a, err
	case said.Nonce != f.Nonce:
		return a, errors.New("the ID token has another nonce")
	}
	if a, err = p.assertion(ctx, known, tokens, said, claims); err == nil {
		a.Full = true
	}
	return a, err
}

// idToken is what the ID token says, if it is one for us and not for another.
func (r *Room) idToken(ctx context.Context, p *provider, known *oidc.Provider, tokens *oauth2.Token) (map[string]any, *oidc.IDToken, error) {
	raw, _ := tokens.Extra("id_token").(string)
	if raw == "" {
		return nil, nil, errors.New("the provider gave no ID token")
	}
	said, err := known.VerifierContext(ctx, r.checks(p.clientID)).Verify(ctx, raw)
	if err != nil {
		return nil, nil, err
	}
	claims := map[string]any{}
	if err := said.Claims(&claims); err != nil {
		return nil, nil, err
	}
	if err := r.ours(p, said, claims); err != nil {
		return nil, nil, err
	}
	if said.AccessTokenHash != "" {
		if err := said.VerifyAccessToken(tokens.AccessToken); err != nil {
			return nil, nil, err
		}
	}
	return claims, said, nil
}

// checks is how tokens are checked. A clock that is behind lets them live a little longer.
func (r *Room) checks(audience string) *oidc.Config {
	return &oidc.Config{
		ClientID: audience, SupportedSigningAlgs: algorithms, Now: func() time.Time { return r.Now().Add(-skew) },
	}
}

// ours is what the library leaves to its users: who the token was made for, and when.
func (r *Room) ours(p *provider, said *oidc.IDToken, claims map[string]any) error {
	authorized, named := claims["azp"]
	switch {
	case said.Subject == "" || len(said.Subject) > 255 || !keepable(said.Subject):
		return errors.New("the ID token names no subject")
	case len(said.Audience) > 1 && !named:
		return errors.New("the ID token is for several, and does not say for whom it was made")
	case named && authorized != p.clientID:
		return fmt.Errorf("the ID token was made for %v", authorized)
	}
	return timely(r.Now(), said.IssuedAt, claims)
}

// timely refuses what comes from the future.
func timely(now, issued time.Time, claims map[string]any) error {
	ahead := now.Add(skew)
	before, _ := claims["nbf"].(float64)
	if issued.After(ahead) || time.Unix(int64(before), 0).After(ahead) {
		return errors.New("the token is from the future")
	}
	return nil
}

// assertion is what the provider says: in the ID token, and, where that leaves something
// out, at its userinfo endpoint, if that speaks of the same person.
func (p *provider) assertion(ctx context.Context, known *oidc.Provider, tokens *oauth2.Token, said *oidc.IDToken, claims map[string]any) (a signin.Assertion, err error) {
	_, groups := signin.ClaimOf(claims, p.groupsClaim)
	if known.UserInfoEndpoint() != "" && (claims["email"] == nil || !groups && p.groupsClaim != "-") {
		if err := p.complete(ctx, known, tokens, said.Subject, claims); err != nil {
			return a, err
		}
	}
	a = p.read(claims)
	a.Issuer, a.Subject, a.At, a.RefreshToken = p.about.Issuer, said.Subject, said.IssuedAt, tokens.RefreshToken
	a.GroupsKnown = p.groupsClaim != "-"
	return a, nil
}

// complete adds to the claims what userinfo says beyond them.
func (p *provider) complete(ctx context.Context, known *oidc.Provider, tokens *oauth2.Token, subject string, claims map[string]any) error {
	info, err := known.UserInfo(ctx, oauth2.StaticTokenSource(tokens))
	if err != nil {
		return fmt.Errorf("userinfo: %w", plain(err))
	}
	more := map[string]any{}
	if err := info.Claims(&more); err != nil {
		return err
	}
	if info.Subject != subject {
		return errors.New("userinfo speaks of another person than the ID token")
	}
	for name, value := range more {
		if _, said := claims[name]; !said {
			claims[name] = value
		}
	}
	return nil
}

// read takes out of claims what we know the names of.
func (p *provider) read(claims map[string]any) signin.Assertion {
	text := func(name string) string {
		if texts, _ := signin.ClaimOf(claims, name); len(texts) == 1 && keepable(texts[0]) {
			return texts[0]
		}
		return ""
	}
	a := signin.Assertion{
		Email: text("email"), EmailVerified: text("email_verified") == "true", Username: text(p.usernameClaim),
		SessionID: text("sid"), Claims: claims,
	}
	groups, _ := signin.ClaimOf(claims, p.groupsClaim)
	a.Groups = slices.DeleteFunc(groups, func(group string) bool { return !keepable(group) })
	return a
}

// keepable says whether a database can keep a text.
func keepable(text string) bool { return utf8.ValidString(text) && !strings.ContainsRune(text, 0) }

// Again asks about a person whose browser is not there: signin.ErrGone when the provider no
// longer vouches for it. Any other error says nothing of the person.
func (r *Room) Again(ctx context.Context, issuer, subject, refresh string) (a signin.Assertion, err error) {
	at := slices.IndexFunc(r.providers, func(p *provider) bool { return p.about.Issuer == issuer })
	if at < 0 {
		return a, signin.ErrGone // the operator took the provider away
	}
	p := r.providers[at]
	known, err := p.found.get(ctx, p.http, issuer, r.Now())
	if err != nil {
		return a, err
	}
	ctx = oidc.ClientContext(ctx, p.http)
	tokens, err := p.oauth(known, "").TokenSource(ctx, &oauth2.Token{RefreshToken: refresh}).Token()
	var refused *oauth2.RetrieveError
	switch {
	case errors.As(err, &refused) && refused.ErrorCode == "invalid_grant":
		return a, signin.ErrGone
	case err != nil:
		return a, fmt.Errorf("refresh: %w", plain(err))
	}
	return r.refreshed(ctx, p, known, tokens, subject)
}

// refreshed is what a provider says when it is asked again. It need not give an ID token.
func (r *Room) refreshed(ctx context.Context, p *provider, known *oidc.Provider, tokens *oauth2.Token, subject string) (a signin.Assertion, err error) {
	if tokens.Extra("id_token") != nil {
		claims, said, err := r.idToken(ctx, p, known, tokens)
		if err != nil {
			return a, err
		}
		if said.Subject != subject {
			return a, errors.New("the provider gave the ID token of another person")
		}
		return p.assertion(ctx, known, tokens, said, claims)
	}
	claims := map[string]any{}
	if known.UserInfoEndpoint() != "" {
		if err := p.complete(ctx, known, tokens, subject, claims); err != nil {
			return a, err
		}
	}
	a = p.read(claims)
	a.Issuer, a.Subject, a.At, a.RefreshToken = p.about.Issuer, subject, r.Now(), tokens.RefreshToken
	a.GroupsKnown = len(claims) > 0 && p.groupsClaim != "-"
	return a, nil
}

// LogoutToken checks a token of back-channel logout.
func (r *Room) LogoutToken(ctx context.Context, id, raw string) (n signin.LogoutNotice, err error) {
	p, err := r.named(id)
	if err != nil {
		return n, err
	}
	known, err := p.found.get(ctx, p.http, p.about.Issuer, r.Now())
	if err != nil {
		return n, err
	}
	ctx = oidc.ClientContext(ctx, p.http)
	said, err := known.VerifierContext(ctx, r.checks(p.clientID)).VerifyLogout(ctx, raw)
	if err != nil {
		return n, err
	}
	claims := map[string]any{}
	if err := said.Claims(&claims); err != nil {
		return n, err
	}
	if _, there := claims["nonce"]; there { // or an ID token would do
		return n, errors.New("a logout token has no nonce")
	}
	if err := timely(r.Now(), said.IssuedAt, claims); err != nil {
		return n, err
	}
	return signin.LogoutNotice{
		Issuer: p.about.Issuer, Subject: said.Subject, SessionID: said.SessionID, ID: said.TokenID, Until: said.Expiry.Add(2 * skew),
	}, nil
}

// plain is an error without what a provider answered: its words may hold tokens.
func plain(err error) error {
	var refused *oauth2.RetrieveError
	if errors.As(err, &refused) {
		return fmt.Errorf("the provider answered %s %s", refused.Response.Status, strings.ToValidUTF8(refused.ErrorCode, "?"))
	}
	return err
}
