package identity

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/signin"
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
func (m *Room) StartSession(ctx context.Context, try SignIn) (s belay.Principal, value string, err error) {
	u, err := m.userCalled(ctx, try.Name)
	if err != nil {
		return s, "", err
	}
	who := u.ID // by whichever name
	if who == "" {
		who = "nobody called " + try.Name
	}
	if err := m.tries.take(who, try.Address, m.now()); err != nil {
		return s, "", err
	}
	if !samePassword(u.PasswordHash, try.Password) || !u.CanSignIn() || !m.passwordsFor(&u) {
		return s, "", errSignIn
	}
	m.tries.forgive(who, try.Address)
	value = belay.RandomText(43)
	return s, value, m.db.Update(ctx, func(tx *store.Tx) (err error) {
		s, err = addSession(tx, u, value)
		return err
	})
}

// addSession begins a session of a user whose password was compared, unless it was changed
// meanwhile: comparing takes long.
func addSession(tx *store.Tx, compared belay.User, value string) (s belay.Principal, err error) {
	u, err := tx.User(compared.ID)
	if belay.KindOf(err) == belay.NotFound {
		return s, errSignIn
	}
	if err != nil {
		return s, err
	}
	if u.PasswordHash != compared.PasswordHash || !u.CanSignIn() {
		return s, errSignIn
	}
	session := signin.Session{
		ID: belay.NewID("session"), Hash: belay.HashToken(value), UserID: u.ID,
		CreatedAt: tx.Now, ExpiredAt: tx.Now.Add(signin.SessionLifetime),
	}
	if err := tx.AddSession(&session); err != nil {
		return s, err
	}
	s = visitorOf(u, session)
	return s, emitUser(tx, s, "user.signed-in", &u)
}

// userCalled is the user of a name or an e-mail address; one without a password when
// there is none.
func (m *Room) userCalled(ctx context.Context, name string) (u belay.User, err error) {
	if !utf8.ValidString(name) || strings.ContainsRune(name, 0) {
		return u, nil // no database keeps such a name
	}
	err = m.db.View(ctx, func(v *store.View) error {
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

// PrincipalOf is a user that acts through a browser.
func PrincipalOf(u belay.User) belay.Principal {
	return belay.Principal{Kind: belay.UserPrincipal, ID: u.ID, Name: u.Username, SiteAdmin: u.IsAdmin}
}

// visitorOf is a user that is signed in.
func visitorOf(u belay.User, session signin.Session) belay.Principal {
	s := PrincipalOf(u)
	s.SessionID, s.IdentityID = session.ID, session.IdentityID
	return s
}

// Visitor is who a browser is signed in as: belay.ErrUnauthenticated when nobody.
func (m *Room) Visitor(ctx context.Context, value string, by signin.Browser) (s belay.Principal, err error) {
	return m.VisitorTo(ctx, "", value, by)
}

// VisitorTo is Visitor for a page of an organization, which is read together with who comes. What they may see of it is for
// others to ask.
func (m *Room) VisitorTo(ctx context.Context, organization, value string, by signin.Browser) (s belay.Principal, err error) {
	if value == "" {
		return s, belay.ErrUnauthenticated
	}
	err = m.db.View(ctx, func(v *store.View) error {
		session, u, err := v.VisitorTo(organization, belay.HashToken(value))
		if err != nil {
			return err
		}
		if !m.now().Before(session.ExpiredAt) || !u.CanSignIn() {
			return belay.ErrUnauthenticated
		}
		s = visitorOf(u, session)
		m.noteBrowser(&session, by)
		return nil
	})
	if belay.KindOf(err) == belay.NotFound {
		return s, belay.ErrUnauthenticated
	}
	return s, err
}

// EndSession signs a browser out.
func (m *Room) EndSession(ctx context.Context, value string) error {
	return m.db.Update(ctx, func(tx *store.Tx) error { return tx.DropSession(belay.HashToken(value)) })
}

// sweepEvery is how often what has expired is forgotten.
const sweepEvery = 10 * time.Minute

// sweepExpired forgets expired sessions and codes.
func (m *Room) sweepExpired(ctx context.Context) {
	if err := m.db.Update(ctx, func(tx *store.Tx) error { return tx.DropExpired(tx.Now) }); err != nil {
		m.log.Warn("expired sessions not forgotten", "error", err)
	}
}
