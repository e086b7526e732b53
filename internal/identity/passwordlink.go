package identity

import (
	"context"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/signin"
)

// PasswordLink is a link by which a user sets a password. Its value is told once, to the site admin who makes it.
type PasswordLink struct {
	UserID, Value string
	EndsAt        time.Time
}

// PasswordLink makes a link to a new password for another user, where no mail is sent or none arrives. It ends the links that
// were made before, and by itself after its use or a day.
func (m *Room) PasswordLink(ctx context.Context, s belay.Principal, userID string) (l PasswordLink, err error) {
	if err := gate.SiteAdmin(s); err != nil {
		return l, err
	}
	if !m.Passwords() {
		return l, belay.ErrNotFound
	}
	err = m.db.Update(ctx, func(tx *store.Tx) error {
		u, err := tx.User(userID)
		switch {
		case err != nil:
			return err
		case u.Invited: // a place that is held, and nobody yet
			return belay.ErrNotFound
		case u.ID == s.ID: // or a browser would change the password of whoever is signed in, and not ask for the one before
			return belay.Refuse(belay.Conflict, "nobody makes a link for themselves: your profile changes your password")
		case !u.CanSignIn():
			return belay.Refuse(belay.Conflict, "%s is suspended, or a service account: nobody signs in as them", u.Username)
		}
		if err := tx.UseMailLinks(u.ID); err != nil {
			return err
		}
		value, err := addMailLink(tx, u.ID, s.Name, signin.ResetLink, signin.PasswordLinkLifetime)
		if err == nil && value == "" {
			err = belay.Refuse(belay.Conflict, "%s got enough links for a day", u.Username)
		}
		if err != nil {
			return err
		}
		l = PasswordLink{u.ID, value, tx.Now.Add(signin.PasswordLinkLifetime)}
		return emitUser(tx, s, "user.password-link-made", &u)
	})
	return l, err
}

// Path is the page that the link leads to.
func (l *PasswordLink) Path() string { return "/app/~/reset?link=" + l.Value }
