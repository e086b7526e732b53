package oidc

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"

	"github.com/belayhq/belay/signin"
)

// Workloads checks the tokens that other issuers give to jobs. It asks only issuers that it
// is told to, by a client that reaches nothing private.
type Workloads struct {
	http *http.Client
	Now  func() time.Time

	mu    sync.Mutex
	known map[string]*discovery // by issuer
}

// mostIssuers is how many issuers are kept at once.
const mostIssuers = 200

// NewWorkloads makes the room for tokens of jobs. The client guards where it goes.
func NewWorkloads(client *http.Client) *Workloads {
	inside := *client
	inside.Transport = answers{client.Transport}
	return &Workloads{http: &inside, Now: time.Now, known: map[string]*discovery{}}
}

// Issuer is what a token calls its issuer. Nothing of it is proved yet.
func (w *Workloads) Issuer(raw string) (string, error) {
	parts := strings.Split(raw, ".")
	if len(parts) != 3 {
		return "", errors.New("the token is not a signed JWT")
	}
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return "", err
	}
	var claims struct {
		Issuer string `json:"iss"`
	}
	err = json.Unmarshal(payload, &claims)
	return claims.Issuer, err
}

// Check is what an issuer says of a job, if the token is the issuer's and of now.
func (w *Workloads) Check(ctx context.Context, issuer, raw string) (t signin.WorkloadToken, err error) {
	known, err := w.issuer(issuer).get(ctx, w.http, issuer, w.Now())
	if err != nil {
		return t, err
	}
	ctx = oidc.ClientContext(ctx, w.http)
	said, err := known.VerifierContext(ctx, &oidc.Config{
		SkipClientIDCheck: true, SupportedSigningAlgs: algorithms, Now: func() time.Time { return w.Now().Add(-skew) },
	}).Verify(ctx, raw)
	if err != nil {
		return t, err
	}
	t = signin.WorkloadToken{Issuer: issuer, Audience: said.Audience, Claims: map[string]any{}, Until: said.Expiry.Add(2 * skew)}
	if err := said.Claims(&t.Claims); err != nil {
		return t, err
	}
	t.ID, _ = t.Claims["jti"].(string)
	if t.ID == "" {
		t.ID = raw[:strings.LastIndexByte(raw, '.')] // a signature may have several spellings
	}
	return t, timely(w.Now(), said.IssuedAt, t.Claims)
}

func (w *Workloads) issuer(issuer string) *discovery {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.known[issuer] == nil {
		if len(w.known) >= mostIssuers {
			clear(w.known)
		}
		w.known[issuer] = &discovery{}
	}
	return w.known[issuer]
}
