package identity

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/signin"
)

// How providers are asked again about those who came in by them.
const (
	DefaultRecheck = 5 * time.Minute // between two questions about somebody

	unusedRecheck = time.Hour       // about somebody who is not signed in and has no token
	recheckEvery  = 5 * time.Second // what is due is looked for
	recheckLease  = 2 * time.Minute // one replica asks; after a failure it is asked again
	recheckAtOnce = 50
	askedAtOnce   = 8
)

// RecheckPeople asks the providers about people whose turn it is. Who is no longer vouched
// for is out.
func (m *Room) RecheckPeople(ctx context.Context) {
	for ctx.Err() == nil {
		var due []signin.Identity
		err := m.db.View(ctx, func(v *store.View) (err error) {
			due, err = v.DueIdentities(m.now(), recheckAtOnce)
			return err
		})
		if err != nil {
			m.log.Warn("people not rechecked", "error", err)
			return
		}
		var asking sync.WaitGroup
		room := make(chan struct{}, askedAtOnce)
		for i := range due {
			room <- struct{}{}
			asking.Go(func() {
				defer func() { <-room }()
				if err := m.recheckOne(ctx, due[i]); err != nil && ctx.Err() == nil {
					m.log.Warn("person not rechecked", "identity", due[i].ID, "error", err)
				}
			})
		}
		asking.Wait()
		if len(due) < recheckAtOnce {
			return
		}
	}
}

// recheckOne asks about one person. The claim comes first: a provider may take a second
// question with the same refresh token for a theft.
func (m *Room) recheckOne(ctx context.Context, seen signin.Identity) error {
	claimed := false
	err := m.db.Update(ctx, func(tx *store.Tx) error {
		_, i, err := heldIdentity(tx, seen.ID, seen.UserID)
		claimed = err == nil && i.CheckAt.Equal(seen.CheckAt)
		if belay.KindOf(err) == belay.NotFound {
			return nil
		}
		if err != nil || !claimed {
			return err
		}
		i.CheckAt = tx.Now.Add(recheckLease)
		return tx.SaveIdentity(&i)
	})
	if err != nil || !claimed {
		return err
	}
	said, err := m.askAgain(ctx, &seen)
	switch {
	case errors.Is(err, signin.ErrGone):
		return m.letGo(ctx, seen)
	case err != nil:
		return err
	default:
		return m.heard(ctx, seen, &said)
	}
}

// askAgain is what a provider says now: signin.ErrGone when it says so, when its word has
// ended, or when its rules no longer let the person in.
func (m *Room) askAgain(ctx context.Context, i *signin.Identity) (said signin.Assertion, err error) {
	p, err := m.provider(func(p *signin.IdentityProvider) bool { return p.Issuer == i.Issuer })
	if err != nil || i.RefreshToken == "" {
		return said, signin.ErrGone
	}
	refresh, err := m.ring.Unseal(i.RefreshToken, i.ID)
	if err != nil {
		return said, err
	}
	if said, err = m.providers.Again(ctx, i.Issuer, i.Subject, string(refresh)); err != nil {
		return said, err
	}
	if p.Admits(&said) != nil {
		return said, signin.ErrGone
	}
	return said, nil
}

// heard takes what a provider said, unless the person came in anew meanwhile.
func (m *Room) heard(ctx context.Context, seen signin.Identity, said *signin.Assertion) error {
	return m.unlessNew(ctx, seen, func(tx *store.Tx, u *belay.User, i *signin.Identity) error {
		p, err := m.provider(func(p *signin.IdentityProvider) bool { return p.Issuer == i.Issuer })
		if err != nil {
			return err
		}
		return m.believe(tx, p, u, i, said, false)
	})
}

// letGo ends what a person began by a provider, and takes what its groups gave.
func (m *Room) letGo(ctx context.Context, seen signin.Identity) error {
	return m.unlessNew(ctx, seen, func(tx *store.Tx, u *belay.User, i *signin.Identity) error {
		if err := tx.EndIdentity(i.ID); err != nil {
			return err
		}
		i.RefreshToken, i.Groups, i.Admin, i.CheckAt = "", nil, false, time.Time{}
		if err := tx.SaveIdentity(i); err != nil {
			return err
		}
		if err := m.placeByIdentities(tx, u); err != nil {
			return err
		}
		return emitUser(tx, PrincipalOf(*u), "user.let-go", u)
	})
}

// unlessNew changes an identity, if it still has the refresh token that was used.
func (m *Room) unlessNew(ctx context.Context, seen signin.Identity, change func(*store.Tx, *belay.User, *signin.Identity) error) error {
	return m.db.Update(ctx, func(tx *store.Tx) error {
		u, i, err := heldIdentity(tx, seen.ID, seen.UserID)
		if belay.KindOf(err) == belay.NotFound {
			return nil
		}
		if err != nil || i.RefreshToken != seen.RefreshToken || !i.AssertedAt.Equal(seen.AssertedAt) {
			return err
		}
		return change(tx, &u, &i)
	})
}

// LogOutBehind ends sessions because a provider says that somebody has signed out there,
// and has the provider asked at once whether the person is still there.
func (m *Room) LogOutBehind(ctx context.Context, providerID, raw string) error {
	if m.providers == nil {
		return belay.ErrNotFound
	}
	notice, err := m.providers.LogoutToken(ctx, providerID, raw)
	if belay.KindOf(err) == belay.NotFound {
		return err
	}
	refused := &signin.GrantError{Code: "invalid_request", Detail: "the logout token is not good here"}
	if err != nil {
		m.log.Warn("logout token refused", "provider", providerID, "error", err)
		return refused
	}
	return m.db.Update(ctx, func(tx *store.Tx) error {
		if fresh, err := tx.SeeOnce(belay.HashToken("logout "+notice.Issuer+" "+notice.ID), notice.Until); err != nil {
			return err
		} else if !fresh {
			return refused
		}
		ids, err := namedBy(tx.Peek(), notice)
		for _, id := range ids {
			if err := m.endSessions(tx, id, notice.SessionID); err != nil {
				return err
			}
		}
		return err
	})
}

// namedBy is the ids of the identities that a notice is about.
func namedBy(v *store.View, n signin.LogoutNotice) ([]string, error) {
	if n.Subject == "" {
		return v.IdentitiesInSession(n.Issuer, n.SessionID)
	}
	i, err := v.IdentityOf(n.Issuer, n.Subject)
	if belay.KindOf(err) == belay.NotFound {
		return nil, nil
	}
	return []string{i.ID}, err
}

func (m *Room) endSessions(tx *store.Tx, id, providerSession string) error {
	seen, err := tx.Peek().Identity(id)
	if err != nil {
		return err
	}
	_, i, err := heldIdentity(tx, id, seen.UserID)
	if err != nil {
		return err
	}
	if i.RefreshToken != "" {
		i.CheckAt = tx.Now
		if err := tx.SaveIdentity(&i); err != nil {
			return err
		}
	}
	return tx.EndSessionsBy(id, providerSession)
}
