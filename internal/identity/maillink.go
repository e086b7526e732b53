package identity

import (
	"cmp"
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/signin"
)

// Letters sends mail at once.
type Letters interface {
	Mails() bool // the server is set up to send mail
	Write(ctx context.Context, to string, l signin.Letter) error
}

// Mails says whether the server sends mail.
func (m *Room) Mails() bool { return m.letters != nil && m.letters.Mails() }

// What is done behind an answer, so that nobody can tell from the answer, or from the time
// it takes, whether an address is known.
const (
	mostLettersWaiting = 100
	lettersAtOnce      = 4
	letterWithin       = 30 * time.Second
)

// behind does something after the answer. What is too much is dropped: a person can ask again.
func (m *Room) behind(ctx context.Context, what string, do func(ctx context.Context) error) {
	select {
	case m.waiting <- struct{}{}:
	default:
		m.log.Warn("too much mail is waiting: " + what + " not sent")
		return
	}
	ctx = context.WithoutCancel(ctx)
	m.writing.Go(func() {
		defer func() { <-m.waiting }()
		m.sending <- struct{}{}
		defer func() { <-m.sending }()
		ctx, cancel := context.WithTimeout(ctx, letterWithin)
		defer cancel()
		if err := do(ctx); err != nil {
			m.log.Warn(what+" not sent", "error", err)
		}
	})
}

// AskForReset mails a link that gives a new password, if there is an account with the
// address that takes one. The answer is the same if there is none.
func (m *Room) AskForReset(ctx context.Context, email, address string) error {
	if !m.Mails() || !m.Passwords() {
		return belay.ErrNotFound
	}
	email = strings.TrimSpace(email)
	if err := m.tries.take("reset "+email, address, m.now()); err != nil {
		return err
	}
	if !utf8.ValidString(email) || strings.ContainsRune(email, 0) || belay.CheckEmail(email) != nil {
		return nil //nolint:nilerr // nobody has such an address, and nobody is told so
	}
	m.behind(ctx, "link to a new password", func(ctx context.Context) error {
		to, value, err := m.resetLink(ctx, email)
		if err != nil || value == "" {
			return err
		}
		return m.letters.Write(ctx, to, signin.Letter{
			Subject: "A new password for Belay",
			Before:  "Somebody, probably you, wants a new password for your account. Choose it here within an hour:",
			Path:    "/app/~/reset?link=" + value,
			After:   "If it was not you, do nothing: your password stays as it is.",
		})
	})
	return nil
}

// resetLink makes a link for the user of an address; none when there is no such user, it
// signs in otherwise, or has got enough of them. It goes to the address as the user has it: with
// other capitals it might be somebody else's.
func (m *Room) resetLink(ctx context.Context, email string) (to, value string, err error) {
	err = m.db.Update(ctx, func(tx *store.Tx) error {
		value = ""
		u, err := tx.UserMailed(email)
		if belay.KindOf(err) == belay.NotFound {
			return nil
		}
		if err != nil || !u.CanSignIn() {
			return err
		}
		if linked, err := tx.Peek().IdentitiesOf(u.ID); err != nil || len(linked) > 0 && u.PasswordHash == "" {
			return err // a provider vouches for it, and nobody else
		}
		to = u.Email
		value, err = addMailLink(tx, u.ID, "", signin.ResetLink, signin.ResetLinkLifetime)
		return err
	})
	return to, value, err
}

// addMailLink makes a link; none when the user has got enough of them.
func addMailLink(tx *store.Tx, userID, by, kind string, lifetime time.Duration) (value string, err error) {
	if n, err := tx.Peek().MailLinksSince(userID, tx.Now.Add(-signin.LinkPeriod)); err != nil || n >= signin.MostLinks {
		return "", err
	}
	value = belay.RandomText(43)
	return value, tx.AddMailLink(&signin.MailLink{
		Hash: belay.HashToken(value), Kind: kind, UserID: userID, CreatedBy: by, CreatedAt: tx.Now, ExpiredAt: tx.Now.Add(lifetime),
	})
}

// ErrLink is the answer to every link that is good for nothing.
var ErrLink = belay.Refuse(belay.BadRequest, "This link is not good, or no longer: each is good once. Sign in, or ask for another one.")

// LinkedUser is the user that a link was mailed to, for the page that it leads to.
func (m *Room) LinkedUser(ctx context.Context, kind, value string) (u belay.User, err error) {
	err = m.db.View(ctx, func(v *store.View) error {
		u, err = linkedUser(v, kind, value, m.now())
		return err
	})
	return u, err
}

// mostInvitations is of how many organizations the page of an invitation has the names.
const mostInvitations = 20

// Invitation is what a link invites to, for the page that it leads to.
func (m *Room) Invitation(ctx context.Context, value string) (i signin.Invitation, err error) {
	err = m.db.View(ctx, func(v *store.View) error {
		u, err := linkedUser(v, signin.InvitationLink, value, m.now())
		if err != nil {
			return err
		}
		l, err := v.MailLink(belay.HashToken(value))
		if err != nil {
			return err
		}
		places, err := v.MembershipsPage(belay.Organization{}, belay.MembershipQuery{UserID: u.ID, Page: belay.Page{Number: 1, Size: mostInvitations}})
		i = signin.Invitation{Email: u.Email, By: l.CreatedBy}
		for j := range places {
			if o := &places[j].Organization; !o.Gone() {
				i.Organizations = append(i.Organizations, o.Name)
			}
		}
		return err
	})
	return i, err
}

// linkedUser is the user of a link that is good. The user is held first, then the link.
func linkedUser(v store.Reader, kind, value string, now time.Time) (u belay.User, err error) {
	hash := belay.HashToken(value)
	l, err := v.Peek().MailLink(hash)
	if err == nil {
		if u, err = v.User(l.UserID); err == nil {
			l, err = v.MailLink(hash)
		}
	}
	invited := kind == signin.InvitationLink
	switch {
	case belay.KindOf(err) == belay.NotFound:
		return u, ErrLink
	case err != nil:
		return u, err
	case !l.Good(kind, now) || u.Invited != invited || !invited && !u.CanSignIn():
		return u, ErrLink
	}
	return u, nil
}

// ResetPassword gives the user of a link a new password. It signs every browser out, and
// ends all links of the user.
func (m *Room) ResetPassword(ctx context.Context, value, password string) error {
	if !m.Passwords() {
		return belay.ErrNotFound
	}
	hash, err := m.newPassword(ctx, signin.ResetLink, value, password)
	if err != nil {
		return err
	}
	return m.db.Update(ctx, func(tx *store.Tx) error {
		u, err := linkedUser(&tx.Locked, signin.ResetLink, value, tx.Now)
		if err != nil {
			return err
		}
		u.PasswordHash = hash
		return savePassword(tx, PrincipalOf(u), &u)
	})
}

// newPassword hashes a password for whoever has a good link: hashing takes long, and a
// stranger must not have it done.
func (m *Room) newPassword(ctx context.Context, kind, value, password string) (hash string, err error) {
	if _, err := m.LinkedUser(ctx, kind, value); err != nil {
		return "", err
	}
	if password == "" {
		var problems belay.Problems
		problems.Attribute("password", "Password can't be blank")
		return "", problems
	}
	return hashPassword(password)
}

// AcceptInvitation makes the place that was held for an address somebody's account, and
// signs that person in.
func (m *Room) AcceptInvitation(ctx context.Context, value, username, password string) (session string, err error) {
	if !m.Passwords() {
		return "", belay.ErrNotFound
	}
	hash, err := m.newPassword(ctx, signin.InvitationLink, value, password)
	if err != nil {
		return "", err
	}
	session = belay.RandomText(43)
	return session, m.db.Update(ctx, func(tx *store.Tx) error {
		held, err := linkedUser(&tx.Locked, signin.InvitationLink, value, tx.Now)
		if err != nil {
			return err
		}
		u := belay.User{ID: held.ID, Username: username, Email: held.Email, PasswordHash: hash, CreatedAt: tx.Now}
		if err := u.Check(); err != nil {
			return err
		}
		if err := tx.UseMailLinks(u.ID); err != nil {
			return err
		}
		if err := addUser(tx, &u); err != nil {
			return err
		}
		if err := emitUser(tx, PrincipalOf(u), "user.created", &u); err != nil {
			return err
		}
		_, err = addSession(tx, u, session)
		return err
	})
}

// InvitationLink makes the link of an invitation, where mail is sent.
func (m *Room) InvitationLink(tx *store.Tx, s belay.Principal, userID string) (string, error) {
	if !m.Mails() {
		return "", nil
	}
	return addMailLink(tx, userID, s.Name, signin.InvitationLink, signin.InvitationLinkLifetime)
}

// MailInvitation sends somebody who is not here yet the link to come in by.
func (a *Room) MailInvitation(ctx context.Context, s belay.Principal, o belay.Organization, m belay.Membership, value string) {
	a.behind(ctx, "invitation", func(ctx context.Context) error {
		return a.letters.Write(ctx, m.Email, signin.Letter{
			Subject: "You are invited to " + o.Name + " on Belay",
			Before:  cmp.Or(s.Name, "Somebody") + " invites you to the organization " + o.Name + ". Come in here within a week:",
			Path:    "/app/~/invitation?link=" + value,
			After:   "If you don't want to, do nothing.",
		})
	})
}
