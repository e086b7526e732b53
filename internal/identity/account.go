package identity

import (
	"context"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
)

// ownAccount refuses tokens that are no user's: the service user behind them is nobody's account.
func ownAccount(s belay.Principal) error {
	if s.Kind == belay.UserPrincipal {
		return nil
	}
	return belay.ErrNotFound
}

// UpdateAccount changes the caller's own username or e-mail address.
func (m *Room) UpdateAccount(ctx context.Context, s belay.Principal, change belay.UserPatch) (u belay.User, err error) {
	if err := ownAccount(s); err != nil {
		return u, err
	}
	err = m.db.Update(ctx, func(tx *store.Tx) error {
		if u, err = tx.User(s.ID); err != nil {
			return err
		}
		if err := u.ApplyOwn(change); err != nil {
			return err
		}
		return saveUser(tx, s, "user.updated", &u)
	})
	return u, err
}

// NewPassword is what a user changes its password with.
type NewPassword struct{ Current, Password, Confirmation string }

func (p NewPassword) check() error {
	var problems belay.Problems
	if p.Current == "" {
		problems.Attribute("current_password", "Current password can't be blank")
	}
	if p.Password == "" {
		problems.Attribute("password", "Password can't be blank")
	}
	if p.Password != "" && p.Confirmation != p.Password {
		problems.Attribute("password_confirmation", "Password confirmation doesn't match the password")
	}
	return problems.Err()
}

// ChangePassword changes the caller's own password and signs every browser out. Tries
// are counted as those of the sign-in page are.
func (m *Room) ChangePassword(ctx context.Context, s belay.Principal, want NewPassword) (u belay.User, err error) {
	if err := ownAccount(s); err != nil {
		return u, err
	}
	if err := want.check(); err != nil {
		return u, err
	}
	if err := m.tries.take(s.ID, "", m.now()); err != nil {
		return u, err
	}
	if err := m.db.View(ctx, func(v *store.View) error { u, err = v.User(s.ID); return err }); err != nil {
		return u, err
	}
	if !m.passwordsFor(&u) { // it would open nothing
		return u, belay.ErrNotFound
	}
	if !samePassword(u.PasswordHash, want.Current) {
		var problems belay.Problems
		problems.Attribute("current_password", "Current password is not right")
		return u, problems
	}
	m.tries.forgive(s.ID, "")
	hash, err := hashPassword(want.Password)
	if err != nil {
		return u, err
	}
	return m.replacePassword(ctx, s, u.PasswordHash, hash)
}

// replacePassword writes a new password, unless another took the old one's place meanwhile.
func (m *Room) replacePassword(ctx context.Context, s belay.Principal, was, hash string) (u belay.User, err error) {
	err = m.db.Update(ctx, func(tx *store.Tx) error {
		if u, err = tx.User(s.ID); err != nil {
			return err
		}
		if u.PasswordHash != was {
			return belay.Refuse(belay.Conflict, "the password was changed by another request")
		}
		u.PasswordHash = hash
		return savePassword(tx, s, &u)
	})
	return u, err
}

// savePassword writes a user with a new password: every browser is signed out, and no link to another one is good any more.
func savePassword(tx *store.Tx, s belay.Principal, u *belay.User) error {
	if err := tx.UseMailLinks(u.ID); err != nil {
		return err
	}
	if err := tx.DropSessionsOf(u.ID); err != nil {
		return err
	}
	return saveUser(tx, s, "user.password-changed", u)
}
