package identity_test

import (
	"errors"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/identity"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
	"github.com/belayhq/belay/signin"
)

// TestWhatExpiresIsOver moves the clock: no session and no code outlives its time.
func TestWhatExpiresIsOver(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
			clock := func() time.Time { return now }
			db, err := store.Open(t.Context(), store.Options{URL: storetest.URL(t, engine), Now: clock})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = db.Close() })
			expire(t, app.New(app.Config{DB: db, Now: clock}), &now)
		})
	}
}

func expire(t *testing.T, a *app.App, now *time.Time) {
	t.Helper()
	ctx := t.Context()
	if _, err := a.CreateUser(ctx, siteAdmin, identity.NewUser{Username: "ann", Email: "ann@example.com", Password: "correct horse"}); err != nil {
		t.Fatal(err)
	}
	s, value, err := a.StartSession(ctx, identity.SignIn{Name: "ann", Password: "correct horse"})
	if err != nil {
		t.Fatal(err)
	}
	for after, good := range map[time.Duration]bool{signin.LoginCodeLifetime - time.Millisecond: true, signin.LoginCodeLifetime: false} {
		code, err := a.AllowLogin(ctx, s, loginAsk)
		if err != nil {
			t.Fatal(err)
		}
		*now = now.Add(after)
		_, err = a.RedeemLogin(ctx, signin.Redemption{Code: code, ClientID: loginAsk.ClientID, RedirectURI: loginAsk.RedirectURI, Verifier: loginVerifier})
		if good != (err == nil) || !good && !errors.Is(err, signin.ErrGrant) {
			t.Errorf("after %v: %v", after, err)
		}
	}
	if _, err := a.Visitor(ctx, value, signin.Browser{}); err != nil {
		t.Errorf("the session ended early: %v", err)
	}
	*now = now.Add(signin.SessionLifetime)
	if _, err := a.Visitor(ctx, value, signin.Browser{}); belay.KindOf(err) != belay.Unauthenticated {
		t.Errorf("the session goes on: %v", err)
	}
}
