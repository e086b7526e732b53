package app

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
)

// SignIn is a person's try to come in with a password.
type SignIn struct {
	Name     string // a username, or an e-mail address
	Password string
	Address  string // where the try comes from
}

// errSignIn tells nobody whether the user is there, has no password or is suspended.
var errSignIn = belay.Refuse(belay.Unauthenticated, "The username or the password is not right.")

// StartSession signs a person in: value is for the browser's cookie, and given this once.
func (a *App) StartSession(ctx context.Context, try SignIn) (s belay.Subject, value string, err error) {
	if err := a.tries.take(try.Name, try.Address, a.now()); err != nil {
		return s, "", err
	}
	u, err := a.userCalled(ctx, try.Name)
	if err != nil {
		return s, "", err
	}
	if !samePassword(u.PasswordHash, try.Password) || !u.CanSignIn() {
		return s, "", errSignIn
	}
	a.tries.forgive(try.Name, try.Address)
	s, value = subjectOf(u), belay.RandomText(43)
	return s, value, a.db.Update(ctx, func(tx *store.Tx) error {
		err := tx.AddSession(&belay.Session{
			ID: belay.NewID("session"), Hash: belay.HashToken(value), UserID: u.ID,
			CreatedAt: tx.Now, ExpiredAt: tx.Now.Add(belay.SessionLifetime),
		})
		if err != nil {
			return err
		}
		return emitUser(tx, s, "user.signed-in", &u)
	})
}

// userCalled is the user of a name or an e-mail address; one without a password when
// there is none.
func (a *App) userCalled(ctx context.Context, name string) (u belay.User, err error) {
	if !utf8.ValidString(name) || strings.ContainsRune(name, 0) {
		return u, nil // no database keeps such a name
	}
	err = a.db.View(ctx, func(v *store.View) error {
		if strings.Contains(name, "@") {
			u, err = v.UserMailed(name)
		} else {
			u, err = v.UserNamed(name)
		}
		return err
	})
	if belay.KindOf(err) == belay.NotFound {
		return belay.User{}, nil
	}
	return u, err
}

// subjectOf is a user that acts through a browser.
func subjectOf(u belay.User) belay.Subject {
	return belay.Subject{Kind: belay.UserSubject, ID: u.ID, Name: u.Username, SiteAdmin: u.IsAdmin}
}

// Visitor is who a browser is signed in as: belay.ErrUnauthenticated when nobody.
func (a *App) Visitor(ctx context.Context, value string) (s belay.Subject, err error) {
	if value == "" {
		return s, belay.ErrUnauthenticated
	}
	err = a.db.View(ctx, func(v *store.View) error {
		session, err := v.Session(belay.HashToken(value))
		if err != nil {
			return err
		}
		u, err := v.User(session.UserID)
		if err != nil {
			return err
		}
		if !a.now().Before(session.ExpiredAt) || !u.CanSignIn() {
			return belay.ErrUnauthenticated
		}
		s = subjectOf(u)
		return nil
	})
	if belay.KindOf(err) == belay.NotFound {
		return s, belay.ErrUnauthenticated
	}
	return s, err
}

// EndSession signs a browser out.
func (a *App) EndSession(ctx context.Context, value string) error {
	return a.db.Update(ctx, func(tx *store.Tx) error { return tx.DropSession(belay.HashToken(value)) })
}

// sweepEvery is how often what has expired is forgotten.
const sweepEvery = 10 * time.Minute

// sweepExpired forgets expired sessions and codes.
func (a *App) sweepExpired(ctx context.Context) {
	if err := a.db.Update(ctx, func(tx *store.Tx) error { return tx.DropExpired(tx.Now) }); err != nil {
		a.log.Warn("expired sessions not forgotten", "error", err)
	}
}
