package identity

import (
	"context"
	"crypto/subtle"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/signin"
)

// link links an identity to the user that left to have it linked, and is still signed in
// with the same browser.
func (m *Room) link(ctx context.Context, f *flow, p *signin.IdentityProvider, said *signin.Assertion, session string) (in Arrival, err error) {
	s, err := m.Visitor(ctx, session, signin.Browser{})
	if err != nil {
		return in, err
	}
	if s.ID != f.LinkTo || subtle.ConstantTimeCompare([]byte(s.SessionID), []byte(f.Session)) != 1 {
		return in, belay.Refuse(belay.Forbidden, "You are signed in as somebody else than who wanted this. Begin again.")
	}
	in = Arrival{Subject: s, Linked: true}
	return in, m.db.Update(ctx, func(tx *store.Tx) error {
		if err := tx.TakeTurn("first sign-in"); err != nil {
			return err
		}
		i, err := m.linkable(tx, s.ID, said)
		if err != nil {
			return err
		}
		u, i, err := heldIdentity(tx, i.ID, s.ID)
		if err != nil {
			return err
		}
		if err := m.believe(tx, p, &u, &i, said, true); err != nil {
			return err
		}
		return emitUser(tx, s, "user.identity-linked", &u)
	})
}

// linkable is the identity to link: a new one, or one that is linked to the same user.
func (m *Room) linkable(tx *store.Tx, userID string, said *signin.Assertion) (signin.Identity, error) {
	i, err := tx.Peek().IdentityOf(said.Issuer, said.Subject)
	switch {
	case belay.KindOf(err) == belay.NotFound:
		return addIdentity(tx, userID, said.Issuer, said.Subject)
	case err == nil && i.UserID != userID:
		return i, belay.Refuse(belay.Conflict, "This identity belongs to another account here.")
	default:
		return i, err
	}
}

// NewIdentity is what a site admin links an identity with.
type NewIdentity struct{ Issuer, Subject string }

// LinkIdentity links an identity to a user, by a site admin.
func (m *Room) LinkIdentity(ctx context.Context, s belay.Principal, userID string, want NewIdentity) (i signin.Identity, err error) {
	if err := gate.SiteAdmin(s); err != nil {
		return i, err
	}
	var problems belay.Problems
	if _, err := m.provider(func(p *signin.IdentityProvider) bool { return p.Issuer == want.Issuer }); err != nil {
		problems.Attribute("issuer", "Issuer is not one of the identity providers of this server")
	}
	if want.Subject == "" || len(want.Subject) > belay.MaxLabel {
		problems.Attribute("subject", "Subject is 1 to %d characters", belay.MaxLabel)
	}
	if err := problems.Err(); err != nil {
		return i, err
	}
	err = m.db.Update(ctx, func(tx *store.Tx) error {
		u, err := tx.User(userID)
		if err != nil || u.Invited || u.IsServiceAccount {
			return orNotFound(err)
		}
		if i, err = addIdentity(tx, u.ID, want.Issuer, want.Subject); err != nil {
			return err
		}
		return emitUser(tx, s, "user.identity-linked", &u)
	})
	return i, err
}

func orNotFound(err error) error {
	if err == nil {
		return belay.ErrNotFound
	}
	return err
}

// Identities is the identities of a user, to itself and to site admins.
func (m *Room) Identities(ctx context.Context, s belay.Principal, userID string) (list []signin.Identity, err error) {
	if err := OwnsUser(s, userID); err != nil {
		return nil, err
	}
	err = m.db.View(ctx, func(v *store.View) error {
		if _, err := v.User(userID); err != nil {
			return err
		}
		list, err = v.IdentitiesOf(userID)
		return err
	})
	return list, err
}

// UnlinkIdentity takes an identity from a user, with what it began and what its groups
// gave. A user keeps one way to sign in; a site admin may take the last.
func (m *Room) UnlinkIdentity(ctx context.Context, s belay.Principal, id string) error {
	return m.db.Update(ctx, func(tx *store.Tx) error {
		seen, err := tx.Peek().Identity(id)
		if err != nil {
			return err
		}
		if err := OwnsUser(s, seen.UserID); err != nil {
			return err
		}
		u, i, err := heldIdentity(tx, id, seen.UserID)
		if err != nil {
			return err
		}
		all, err := tx.Peek().IdentitiesOf(u.ID)
		if err != nil {
			return err
		}
		if len(all) == 1 && !m.takesPassword(&u) && !s.SiteAdmin {
			return belay.Refuse(belay.Conflict, "This is the only way you can sign in. Give yourself a password first.")
		}
		if err := tx.DropIdentity(&i); err != nil {
			return err
		}
		if err := m.placeByIdentities(tx, &u); err != nil {
			return err
		}
		return emitUser(tx, s, "user.identity-unlinked", &u)
	})
}

// takesPassword says whether a user can sign in with a password.
func (m *Room) takesPassword(u *belay.User) bool {
	return u.PasswordHash != "" && m.passwordsFor(u)
}

// passwordsFor says whether a user may sign in with a password, if it has one. Where
// passwords are switched off there is one who may: who is called when the provider is down.
func (m *Room) passwordsFor(u *belay.User) bool {
	return m.breakGlass == "" || u.Username == m.breakGlass && u.IsAdmin && !u.AdminByGroups
}

// Passwords says whether people sign in with passwords here.
func (m *Room) Passwords() bool { return m.breakGlass == "" }

// Ways is how the caller can sign in: its identities, and whether with a password.
func (m *Room) Ways(ctx context.Context, s belay.Principal) (list []signin.Identity, password bool, err error) {
	if err := ownAccount(s); err != nil {
		return nil, false, err
	}
	err = m.db.View(ctx, func(v *store.View) error {
		u, err := v.User(s.ID)
		if err != nil {
			return err
		}
		password = m.takesPassword(&u)
		list, err = v.IdentitiesOf(s.ID)
		return err
	})
	return list, password, err
}
