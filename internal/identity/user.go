package identity

import (
	"context"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/record"
	"github.com/belayhq/belay/internal/store"
)

// NewUser is what a new user is made of.
type NewUser struct {
	Username, Email, Password string
	IsAdmin, IsServiceAccount bool
}

// CreateUser makes a user. Invitations of its e-mail address become memberships.
func (m *Room) CreateUser(ctx context.Context, s belay.Principal, want NewUser) (u belay.User, err error) {
	if err := gate.SiteAdmin(s); err != nil {
		return u, err
	}
	var problems belay.Problems
	hash, err := hashPassword(want.Password)
	if err := problems.Add(err); err != nil {
		return u, err
	}
	err = m.db.Update(ctx, func(tx *store.Tx) error {
		u = belay.User{
			ID: belay.NewID("user"), Username: want.Username, Email: want.Email, PasswordHash: hash,
			IsAdmin: want.IsAdmin, IsServiceAccount: want.IsServiceAccount, CreatedAt: tx.Now,
		}
		if err := problems.With(u.Check()); err != nil {
			return err
		}
		return addUser(tx, &u)
	})
	return u, err
}

// addUser writes a new user, or the one that was invited by its e-mail address in its place.
func addUser(tx *store.Tx, u *belay.User) error {
	if u.Email == "" {
		return tx.AddUser(u)
	}
	held, err := tx.UserMailed(u.Email)
	switch {
	case belay.KindOf(err) == belay.NotFound:
	case err != nil:
		return err
	case u.Succeed(&held):
		return tx.WelcomeUser(u)
	}
	return tx.AddUser(u)
}

// UpdateUser changes a user, and gives it a new password when there is one: then every
// browser that it was signed in with is signed out.
func (m *Room) UpdateUser(ctx context.Context, s belay.Principal, id string, change belay.UserPatch, password patch.Field[string]) (u belay.User, err error) {
	if err := gate.SiteAdmin(s); err != nil {
		return u, err
	}
	var problems belay.Problems
	if password.Set && password.Value == "" {
		problems.Attribute("password", "Password can't be blank")
	}
	hash, err := hashPassword(password.Value)
	if err := problems.Add(err); err != nil {
		return u, err
	}
	err = m.db.Update(ctx, func(tx *store.Tx) error {
		if u, err = tx.User(id); err != nil {
			return err
		}
		if u.Invited { // a place that is held, and nobody yet
			return belay.ErrNotFound
		}
		if u.ID == s.ID && change.IsAdmin.Set && !change.IsAdmin.Value {
			return belay.Refuse(belay.BadRequest, "you can't take the site from yourself")
		}
		if err := problems.With(u.Apply(change)); err != nil {
			return err
		}
		if hash == "" {
			return saveUser(tx, s, "user.updated", &u)
		}
		u.PasswordHash = hash
		return savePassword(tx, s, &u)
	})
	return u, err
}

// saveUser writes a user, and what was done to it.
func saveUser(tx *store.Tx, s belay.Principal, kind string, u *belay.User) error {
	if err := tx.SaveUser(u); err != nil {
		return err
	}
	return emitUser(tx, s, kind, u)
}

// emitUser records what a principal did to a user.
func emitUser(tx *store.Tx, s belay.Principal, kind string, u *belay.User) error {
	e := record.About(s, kind)
	e.ResourceType, e.ResourceID = "users", u.ID
	e.Payload = record.Payload(map[string]any{"name": u.Username})
	return tx.Emit(e)
}

// Account is the user that the caller is: for a token that is no user's, the service
// user that stands for it.
func (m *Room) Account(ctx context.Context, s belay.Principal) (u belay.User, err error) {
	id, _ := s.Actor()
	err = m.db.View(ctx, func(v *store.View) error {
		u, err = v.User(id)
		return err
	})
	return u, err
}

// SuspendUser takes a user's tokens out of use, or gives them back.
func (m *Room) SuspendUser(ctx context.Context, s belay.Principal, id string, suspended bool) (u belay.User, err error) {
	if err := gate.SiteAdmin(s); err != nil {
		return u, err
	}
	err = m.db.Update(ctx, func(tx *store.Tx) error {
		if u, err = tx.User(id); err != nil {
			return err
		}
		if suspended && u.ID == s.ID {
			return belay.Refuse(belay.BadRequest, "you can't suspend yourself")
		}
		u.Suspended = suspended
		if suspended {
			if err := tx.DropRunTokensBy(u.ID); err != nil {
				return err
			}
		}
		return tx.SaveUser(&u)
	})
	return u, err
}

// DeleteUser deletes a user with its tokens and memberships.
func (m *Room) DeleteUser(ctx context.Context, s belay.Principal, id string) error {
	if err := gate.SiteAdmin(s); err != nil {
		return err
	}
	return m.db.Update(ctx, func(tx *store.Tx) error {
		u, err := tx.Seizing().User(id)
		if err != nil {
			return err
		}
		if u.ID == s.ID {
			return belay.Refuse(belay.BadRequest, "you can't delete yourself")
		}
		orphans, err := tx.DropUser(&u)
		if err == nil && len(orphans) > 0 {
			err = belay.Refuse(belay.Conflict, "the user is the last owner of %s: an organization keeps at least one", strings.Join(orphans, ", "))
		}
		return err
	})
}
