package vcs

import (
	"context"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// App is a GitHub App: who the server is at GitHub, beside any user.
type App struct {
	ID      string // of the App, or of its client
	Key     *rsa.PrivateKey
	HTTPURL string // of GitHub's pages and repositories
	APIURL  string
	Secret  []byte // that its webhooks are signed with
}

// ParseAppKey reads the private key of an App as GitHub gives it: PEM of an RSA key.
func ParseAppKey(raw []byte) (*rsa.PrivateKey, error) {
	block, _ := pem.Decode(raw)
	if block == nil {
		return nil, errors.New("it is no PEM")
	}
	if key, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
		return key, nil
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if key, ok := parsed.(*rsa.PrivateKey); err == nil && ok {
		return key, nil
	}
	return nil, errors.New("it is no private RSA key")
}

// AppInstallation is an account that the App is installed in.
type AppInstallation struct {
	Number                      int64
	Account, Kind, URL, IconURL string
	Suspended                   bool
}

// AppClient asks GitHub as an App.
type AppClient struct {
	app  App
	rest *rest
	now  func() time.Time
}

// The claims of an App are good for ten minutes at most, by both clocks.
const (
	claimsFor  = 9 * time.Minute
	clocksDiff = time.Minute
)

// OpenApp is a client of an App. The HTTP client decides which addresses may be reached.
func OpenApp(a App, h *http.Client, now func() time.Time) (*AppClient, error) {
	a.HTTPURL, a.APIURL = strings.TrimRight(a.HTTPURL, "/"), strings.TrimRight(a.APIURL, "/")
	r, err := newRest("GitHub App", a.APIURL, "", h)
	if err != nil {
		return nil, err
	}
	Connection{}.authorize(gitHub, r.header)
	c := &AppClient{app: a, rest: r, now: now}
	r.tokens = c
	return c, nil
}

// Token is what the App proves itself with: claims that it signs.
func (a *AppClient) Token(context.Context) (string, error) {
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: a.app.Key}, (&jose.SignerOptions{}).WithType("JWT"))
	if err != nil {
		return "", err
	}
	now := a.now()
	return jwt.Signed(signer).Claims(jwt.Claims{
		Issuer: a.app.ID, IssuedAt: jwt.NewNumericDate(now.Add(-clocksDiff)), Expiry: jwt.NewNumericDate(now.Add(claimsFor)),
	}).Serialize()
}

// Refused does nothing: claims are signed anew for each question.
func (a *AppClient) Refused(string) {}

type appInstallation struct {
	ID      int64 `json:"id"`
	Account struct {
		Login     string `json:"login"`
		Slug      string `json:"slug"` // of an enterprise
		Type      string `json:"type"`
		AvatarURL string `json:"avatar_url"`
	} `json:"account"`
	HTMLURL     string     `json:"html_url"`
	TargetType  string     `json:"target_type"`
	SuspendedAt *time.Time `json:"suspended_at"`
}

// Installations is everybody who installed the App.
func (a *AppClient) Installations(ctx context.Context) (list []AppInstallation, err error) {
	var page []appInstallation
	whole, err := a.rest.pages(ctx, call{method: http.MethodGet, path: "/app/installations", answer: &page}, "per_page", 100, func(header http.Header) bool {
		for _, i := range page {
			one := AppInstallation{
				Number: i.ID, Account: i.Account.Login + i.Account.Slug, Kind: i.TargetType, URL: i.HTMLURL, IconURL: i.Account.AvatarURL, Suspended: i.SuspendedAt != nil,
			}
			if one.Kind == "" {
				one.Kind = i.Account.Type
			}
			list = append(list, one)
		}
		page = nil
		return linked(header)
	})
	return list, a.rest.listed(whole, err)
}

// InstallationToken is a token of an installation for one repository, and until when it is good. With
// onlyRead it reads files and may do nothing else.
func (a *AppClient) InstallationToken(ctx context.Context, number int64, repo string, onlyRead bool) (token string, until time.Time, err error) {
	var answer struct {
		Token     string    `json:"token"`
		ExpiresAt time.Time `json:"expires_at"`
	}
	wanted := map[string]any{"repositories": []string{path.Base(repo)}}
	if onlyRead {
		wanted["permissions"] = map[string]string{"contents": "read"}
	}
	where := "/app/installations/" + strconv.FormatInt(number, 10) + "/access_tokens"
	_, err = a.rest.do(ctx, call{method: http.MethodPost, path: where, send: wanted, answer: &answer})
	if err == nil && (answer.Token == "" || answer.ExpiresAt.IsZero()) {
		err = &Error{Service: a.rest.service, Detail: "its answer names no token"}
	}
	return answer.Token, answer.ExpiresAt, err
}

// Reached is how an installation's repositories are reached, with tokens of it.
func (a *AppClient) Reached(tokens Tokens) Connection {
	return Connection{Service: "github_app", HTTPURL: a.app.HTTPURL, APIURL: a.app.APIURL, Tokens: tokens}
}

// Verify says whether a delivery to the App was signed with its secret.
func (a *AppClient) Verify(header http.Header, body []byte) bool {
	return len(a.app.Secret) > 0 && Verify("github_app", header, body, [][]byte{a.app.Secret})
}

// ReadApp turns a delivery to the App into what happened, and the installation where it did. Moved says
// that an installation came, went or changed.
func ReadApp(header http.Header, body []byte) (number int64, moved bool, events []Event, delivery string, err error) {
	var about struct {
		Installation struct {
			ID int64 `json:"id"`
		} `json:"installation"`
	}
	if err := decode(body, &about); err != nil {
		return 0, false, nil, "", err
	}
	switch header.Get("X-GitHub-Event") {
	case "installation", "installation_repositories", "installation_target":
		return about.Installation.ID, true, nil, "", nil
	}
	events, delivery, err = Read("github_app", header, body)
	return about.Installation.ID, false, events, delivery, err
}
