package identity

import (
	"cmp"
	"context"
	"errors"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/signin"
)

// LoginDescription is what a person knows a token of a command line by.
const LoginDescription = "tofu login"

// loginYears is how long the token of a command line's sign-in lives.
const loginYears = 2

// AllowLogin gives the code that a command line may exchange for a token of the caller, who
// is signed in with a browser.
func (m *Room) AllowLogin(ctx context.Context, s belay.Principal, ask signin.Authorization) (code string, err error) {
	if err := ownAccount(s); err != nil {
		return "", err
	}
	if err := errors.Join(ask.CheckClient(), ask.Check()); err != nil {
		return "", err
	}
	code = belay.RandomText(43)
	return code, m.db.Update(ctx, func(tx *store.Tx) error {
		// A new password ends the session and takes back its codes: it must not miss this one.
		if _, err := tx.User(s.ID); err != nil {
			return err
		}
		if there, err := tx.HasSession(s.SessionID); err != nil || !there {
			return cmp.Or[error](err, belay.ErrUnauthenticated)
		}
		return tx.AddLoginCode(&signin.LoginCode{
			Hash: belay.HashToken(code), UserID: s.ID, IdentityID: s.IdentityID, ClientID: ask.ClientID, RedirectURI: ask.RedirectURI,
			Challenge: ask.Challenge, CreatedAt: tx.Now, ExpiredAt: tx.Now.Add(signin.LoginCodeLifetime),
		})
	})
}

// RedeemLogin exchanges a code for a token, once. A code that comes a second time has
// been overheard: the token it was exchanged for is taken back.
func (m *Room) RedeemLogin(ctx context.Context, with signin.Redemption) (value string, err error) {
	var refusal error
	err = m.db.Update(ctx, func(tx *store.Tx) error {
		value, refusal = "", nil
		u, code, err := heldCode(tx, belay.HashToken(with.Code))
		if belay.KindOf(err) == belay.NotFound {
			refusal = signin.ErrGrant
			return nil
		}
		if err != nil {
			return err
		}
		if refusal = code.Redeem(with, tx.Now); refusal != nil {
			return takeBack(tx, &code)
		}
		value, refusal, err = redeem(tx, u, &code)
		return err
	})
	return value, errors.Join(err, refusal)
}

// heldCode is a code and its user. The user is held first, as whatever ends a user's
// codes does.
func heldCode(tx *store.Tx, hash string) (u belay.User, code signin.LoginCode, err error) {
	if code, err = tx.Peek().LoginCode(hash); err != nil {
		return u, code, err
	}
	if u, err = tx.User(code.UserID); err != nil {
		return u, code, err
	}
	code, err = tx.LoginCode(hash)
	return u, code, err
}

// takeBack keeps a code used up, and revokes the token that it gave.
func takeBack(tx *store.Tx, code *signin.LoginCode) error {
	if code.TokenID != "" {
		if err := tx.DropToken(&belay.Token{ID: code.TokenID}); err != nil {
			return err
		}
	}
	return tx.SaveLoginCode(code)
}

func redeem(tx *store.Tx, u belay.User, code *signin.LoginCode) (value string, refusal, err error) {
	if !u.CanSignIn() {
		return "", signin.ErrGrant, tx.SaveLoginCode(code)
	}
	t, value, err := AddToken(tx, belay.Principal{}, belay.Token{OwnerKind: belay.UserPrincipal, OwnerID: u.ID, CreatedBy: u.ID, IdentityID: code.IdentityID},
		NewToken{Description: LoginDescription, ExpiredAt: patch.Of(tx.Now.AddDate(loginYears, 0, 0))})
	if err != nil {
		return "", nil, err
	}
	code.TokenID = t.ID
	if err := tx.SaveLoginCode(code); err != nil {
		return "", nil, err
	}
	return value, nil, emitUser(tx, PrincipalOf(u), "user.logged-in", &u)
}
