package app

import (
	"context"
	"errors"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
)

// AdminUsername is the name of the user that the first start makes.
const AdminUsername = "admin"

// FirstStart makes the site admin and a token for it, once in the life of a database.
// value is the token to use, or empty to have one made; issued is empty when all was
// there already. Replicas that start together agree: one of them makes it.
func (a *App) FirstStart(ctx context.Context, value string) (issued string, err error) {
	err = a.db.Update(ctx, func(tx *store.Tx) error {
		issued = ""
		if err := tx.TakeTurn("first start"); err != nil {
			return err
		}
		if err := shipEngines(tx); err != nil {
			return err
		}
		done, err := tx.Meta("first-start")
		if err != nil || done != "" {
			return err
		}
		if issued = value; issued == "" {
			issued = belay.NewTokenValue()
		}
		return makeAdmin(tx, issued)
	})
	return issued, err
}

func makeAdmin(tx *store.Tx, value string) error {
	admin := belay.User{
		ID: belay.NewID("user"), Username: AdminUsername, Email: "admin@localhost.localdomain", IsAdmin: true, CreatedAt: tx.Now,
	}
	if err := tx.AddUser(&admin); err != nil {
		return err
	}
	if err := tx.AddToken(&belay.Token{
		ID: belay.NewID("at"), Hash: belay.HashToken(value), Tail: belay.TailOf(value), OwnerKind: belay.UserPrincipal, OwnerID: admin.ID,
		Description: "first start", CreatedBy: admin.ID, CreatedAt: tx.Now,
	}); err != nil {
		return err
	}
	return tx.SetMeta("first-start", tx.Now.Format("2006-01-02T15:04:05Z"))
}

// AsOperator runs fn with a token that acts as a site admin and is gone afterwards: for
// whoever holds the database itself.
func (a *App) AsOperator(ctx context.Context, fn func(token string) error) error {
	value := belay.NewTokenValue()
	operator := belay.User{ID: belay.NewID("user"), IsAdmin: true, IsServiceAccount: true}
	operator.Username = "operator-" + operator.ID[len("user-"):]
	if err := a.db.Update(ctx, func(tx *store.Tx) error {
		operator.CreatedAt = tx.Now
		if err := tx.AddUser(&operator); err != nil {
			return err
		}
		return tx.AddToken(&belay.Token{
			ID: belay.NewID("at"), Hash: belay.HashToken(value), OwnerKind: belay.UserPrincipal, OwnerID: operator.ID, Purpose: belay.OperatorPurpose,
			CreatedBy: operator.ID, CreatedAt: tx.Now, ExpiredAt: tx.Now.Add(time.Minute),
		})
	}); err != nil {
		return err
	}
	err := fn(value)
	return errors.Join(err, a.db.Update(context.WithoutCancel(ctx), func(tx *store.Tx) error {
		_, err := tx.DropUser(&operator)
		return err
	}))
}
