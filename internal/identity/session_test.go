package identity_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/identity"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
	"github.com/belayhq/belay/signin"
)

var siteAdmin = belay.Principal{Kind: belay.UserPrincipal, SiteAdmin: true}

const (
	loginVerifier  = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	loginChallenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
)

var loginAsk = signin.Authorization{
	ClientID: signin.LoginClientID, RedirectURI: "http://127.0.0.1:10000/login", ResponseType: "code",
	Challenge: loginChallenge, ChallengeMethod: "S256",
}

// TestANewPasswordEndsWhatTheOldOneBegan changes a password while one signs in with the old
// one, and while one who is signed in lets a command line in.
func TestANewPasswordEndsWhatTheOldOneBegan(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		u, err := app.New(app.Config{DB: db}).CreateUser(t.Context(), siteAdmin,
			identity.NewUser{Username: "ann", Email: "ann@example.com", Password: "correct horse 0"})
		if err != nil {
			t.Fatal(err)
		}
		for round := range storetest.Rounds(3) {
			a := app.New(app.Config{DB: db}) // which has counted no tries
			raceThePassword(t, a, u.ID, fmt.Sprint("correct horse ", round), fmt.Sprint("correct horse ", round+1))
		}
	})
}

func raceThePassword(t *testing.T, a *app.App, id, old, replaced string) {
	t.Helper()
	ctx := t.Context()
	_, cookie, err := a.StartSession(ctx, identity.SignIn{Name: "ann", Password: old})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	all.Go(func() {
		if _, err := a.UpdateUser(ctx, siteAdmin, id, belay.UserPatch{}, patch.Of(replaced)); err != nil {
			t.Error(err)
		}
	})
	var raced, code string
	all.Go(func() {
		_, raced, _ = a.StartSession(ctx, identity.SignIn{Name: "ann", Password: old, Address: "10.0.0.1"})
	})
	all.Go(func() {
		for {
			s, err := a.Visitor(ctx, cookie, signin.Browser{})
			if err != nil {
				return
			}
			if next, err := a.AllowLogin(ctx, s, loginAsk); err == nil {
				code = next
			}
		}
	})
	all.Wait()
	for _, value := range []string{cookie, raced} {
		if _, err := a.Visitor(ctx, value, signin.Browser{}); belay.KindOf(err) != belay.Unauthenticated {
			t.Fatalf("%s: a session outlived the password that it was begun with: %v", replaced, err)
		}
	}
	_, err = a.RedeemLogin(ctx, signin.Redemption{Code: code, ClientID: loginAsk.ClientID, RedirectURI: loginAsk.RedirectURI, Verifier: loginVerifier})
	if !errors.Is(err, signin.ErrGrant) {
		t.Fatalf("%s: a code outlived the session that gave it: %v", replaced, err)
	}
}

// TestTriesCountForTheUserByWhicheverName takes turns between the names of one user.
func TestTriesCountForTheUserByWhicheverName(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
		a := app.New(app.Config{DB: db, Now: func() time.Time { return now }})
		if _, err := a.CreateUser(t.Context(), siteAdmin, identity.NewUser{Username: "ann", Email: "ann@example.com", Password: "correct horse"}); err != nil {
			t.Fatal(err)
		}
		names := []string{"ann", "ann@example.com", "Ann@Example.com"}
		for _, name := range names {
			if _, _, err := a.StartSession(t.Context(), identity.SignIn{Name: name, Password: "correct horse"}); err != nil {
				t.Errorf("as %s: %v", name, err)
			}
		}
		for i := range 7 {
			_, _, err := a.StartSession(t.Context(), identity.SignIn{Name: names[i%3], Password: "wrong horse", Address: "10.0.0.1"})
			want := belay.Unauthenticated
			if i >= 5 {
				want = belay.TooMany
			}
			if belay.KindOf(err) != want {
				t.Errorf("try %d, as %s: %v", i, names[i%3], err)
			}
		}
	})
}
