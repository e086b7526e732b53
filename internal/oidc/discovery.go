package oidc

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
)

// discovery is what an issuer tells of itself, asked for when it is first needed: a
// provider that is down must not keep us from starting.
type discovery struct {
	mu     sync.Mutex
	known  *oidc.Provider
	at     time.Time
	failed error
}

// The ages at which what is known of an issuer is asked for anew, and a failure is tried again.
const (
	knownFor  = time.Hour
	failedFor = 5 * time.Second
)

// get is what the issuer told. What it told before is good while it can't be asked.
func (d *discovery) get(ctx context.Context, client *http.Client, issuer string, now time.Time) (*oidc.Provider, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	age := now.Sub(d.at)
	switch {
	case d.known != nil && d.failed == nil && age < knownFor:
		return d.known, nil
	case d.failed != nil && age < failedFor:
		return d.settled()
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), AskWithin)
	defer cancel()
	known, err := oidc.NewProvider(oidc.ClientContext(ctx, client), issuer)
	d.at, d.failed = now, err
	if err == nil {
		d.known = known
	}
	return d.settled()
}

func (d *discovery) settled() (*oidc.Provider, error) {
	if d.known == nil {
		return nil, fmt.Errorf("ask the issuer who it is: %w", d.failed)
	}
	return d.known, nil
}
