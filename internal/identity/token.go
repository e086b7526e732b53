package identity

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/bearer"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/store"
)

// Authenticate is who a token acts for: belay.ErrUnauthenticated when nobody.
func (m *Room) Authenticate(ctx context.Context, token string) (belay.Principal, error) {
	return m.principal(ctx, token, func(hash string) (bearer.Bearer, error) { return m.db.Bearer(ctx, hash) })
}

// Glance is Authenticate for somebody who asks for a workspace. Under the context that it gives that is read
// by what was seen of it at once.
func (m *Room) Glance(ctx context.Context, token string, ref belay.WorkspaceRef) (context.Context, belay.Principal, error) {
	var seen *store.Glanced
	s, err := m.principal(ctx, token, func(hash string) (b bearer.Bearer, err error) {
		seen, b, err = m.db.Glance(ctx, hash, ref)
		return b, err
	})
	return seen.Under(ctx), s, err
}

// GlanceList is Glance for somebody who asks for a page of the workspaces of an organization, or what the explorer knows of them.
func (m *Room) GlanceList(ctx context.Context, token, organization, query string) (context.Context, belay.Principal, error) {
	var seen *store.GlancedList
	s, err := m.principal(ctx, token, func(hash string) (b bearer.Bearer, err error) {
		seen, b, err = m.db.GlanceList(ctx, hash, organization, query)
		return b, err
	})
	return seen.Under(ctx), s, err
}

// principal is who a token acts for, of what is found by its digest.
func (m *Room) principal(ctx context.Context, token string, find func(hash string) (bearer.Bearer, error)) (s belay.Principal, err error) {
	if token == "" {
		return s, belay.ErrUnauthenticated
	}
	now := m.now()
	if strings.HasPrefix(token, belay.RunTokenPrefix) {
		err = m.db.View(ctx, func(v *store.View) error {
			b, err := v.JobBearer(belay.HashToken(token))
			if err == nil {
				s, err = b.OfJob(now)
			}
			return unknown(err)
		})
		if belay.KindOf(err) != belay.Unauthenticated {
			return s, err
		}
	}
	b, err := find(belay.HashToken(token))
	if err == nil {
		s, err = b.Principal(now)
	}
	if err == nil && now.Sub(b.Token.LastUsedAt) > time.Minute {
		m.used.note(s.TokenID, belay.TokenUse{At: now, From: usedFrom(ctx)})
	}
	return s, unknown(err)
}

type fromKey struct{}

// From notes the address that a token comes from under the context.
func (m *Room) From(ctx context.Context, address string) context.Context {
	return context.WithValue(ctx, fromKey{}, address)
}

func usedFrom(ctx context.Context) string {
	address, _ := ctx.Value(fromKey{}).(string)
	return address
}

// unknown refuses a token that is not there as one that opens nothing.
func unknown(err error) error {
	if belay.KindOf(err) == belay.NotFound {
		return belay.ErrUnauthenticated
	}
	return err
}

// uses gathers when things were last used, by id, so that a request writes nothing for it.
type uses[T any] struct {
	mu sync.Mutex
	at map[string]T
}

func (u *uses[T]) note(id string, at T) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.at == nil {
		u.at = map[string]T{}
	}
	u.at[id] = at
}

func (u *uses[T]) take() map[string]T {
	u.mu.Lock()
	defer u.mu.Unlock()
	taken := u.at
	u.at = nil
	return taken
}

func (m *Room) noteUsedTokens(ctx context.Context) {
	used := m.used.take()
	for part := range slices.Chunk(slices.Sorted(maps.Keys(used)), store.RowsAtOnce) {
		if err := m.db.Update(ctx, func(tx *store.Tx) error { return tx.TouchTokens(part, used) }); err != nil {
			m.log.Warn("last use of tokens not noted", "error", err)
		}
	}
}

// NewToken is what a new token is asked for with.
type NewToken struct {
	Description string
	ExpiredAt   patch.Field[time.Time] // null: never; omitted: the usual life of such a token
}

// CreateUserToken makes a token for a user: for the caller, or by a site admin for anybody.
// The value is given this once.
func (m *Room) CreateUserToken(ctx context.Context, s belay.Principal, userID string, want NewToken) (t belay.Token, value string, err error) {
	err = m.db.Update(ctx, func(tx *store.Tx) error {
		if err := OwnsUser(s, userID); err != nil {
			return err
		}
		u, err := tx.User(userID)
		if err != nil {
			return err
		}
		actor, _ := s.Actor()
		own := belay.Token{OwnerKind: belay.UserPrincipal, OwnerID: u.ID, CreatedBy: actor}
		if s.ID == u.ID {
			own.IdentityID = s.IdentityID // or it would outlive what the caller came in by
			if err := stillThere(tx, own.IdentityID); err != nil {
				return err
			}
		}
		t, value, err = AddToken(tx, s, own, want)
		if err != nil {
			return err
		}
		return emitToken(tx, s, "token.created", &t)
	})
	return t, value, err
}

// stillThere refuses who came in by an identity that has ended since.
func stillThere(tx *store.Tx, identityID string) error {
	if identityID == "" {
		return nil
	}
	i, err := tx.Peek().Identity(identityID)
	if belay.KindOf(err) == belay.NotFound || err == nil && i.CheckAt.IsZero() {
		return belay.ErrUnauthenticated
	}
	return err
}

// AddToken writes a token that a principal makes, and gives its value.
func AddToken(tx *store.Tx, s belay.Principal, t belay.Token, want NewToken) (belay.Token, string, error) {
	if err := t.Expire(want.ExpiredAt, s.EndsAt, tx.Now); err != nil {
		return t, "", err
	}
	value := belay.NewTokenValue()
	t.ID, t.Hash, t.Tail, t.CreatedAt = belay.NewID("at"), belay.HashToken(value), belay.TailOf(value), tx.Now
	if err := t.Describe(want.Description); err != nil {
		return t, "", err
	}
	return t, value, tx.AddToken(&t)
}

// UserTokens is the tokens of a user, without their values.
func (m *Room) UserTokens(ctx context.Context, s belay.Principal, userID string, page belay.Page) (list []belay.Token, total int, err error) {
	err = m.db.View(ctx, func(v *store.View) error {
		if err := OwnsUser(s, userID); err != nil {
			return err
		}
		if _, err := v.User(userID); err != nil {
			return err
		}
		list, total, err = v.TokensOf(userID, "", page)
		return err
	})
	return list, total, err
}

// Token is one token, to those who may manage it.
func (m *Room) Token(ctx context.Context, s belay.Principal, id string) (t belay.Token, err error) {
	err = m.db.View(ctx, func(v *store.View) error {
		t, err = m.token(v, s, id)
		return err
	})
	return t, err
}

// UpdateToken says what a token is for, and has it end earlier.
func (m *Room) UpdateToken(ctx context.Context, s belay.Principal, id string, p belay.TokenPatch) (t belay.Token, err error) {
	err = m.db.Update(ctx, func(tx *store.Tx) error {
		if t, err = m.token(&tx.Locked, s, id); err != nil {
			return err
		}
		before := t.Description
		if err := t.Apply(p, tx.Now); err != nil {
			return err
		}
		if t.OwnerKind == belay.TeamPrincipal && t.Description != before {
			if err := freeDescription(tx, &t); err != nil {
				return err
			}
		}
		if err := tx.SaveToken(&t); err != nil {
			return err
		}
		return emitToken(tx, s, "token.updated", &t)
	})
	return t, err
}

// DeleteToken revokes a token: the next request with it is refused.
func (m *Room) DeleteToken(ctx context.Context, s belay.Principal, id string) error {
	return m.db.Update(ctx, func(tx *store.Tx) error {
		t, err := m.token(&tx.Locked, s, id)
		if err != nil {
			return err
		}
		if err := tx.DropToken(&t); err != nil {
			return err
		}
		return emitToken(tx, s, "token.deleted", &t)
	})
}

// token hands out a token to those who may make and revoke the tokens of its owner. The
// token of a run, which nobody owns, is its issuer's: of the user, or of the token and of
// those who may revoke that.
func (m *Room) token(v store.Reader, s belay.Principal, id string) (belay.Token, error) {
	t, err := v.Token(id)
	if err != nil {
		return t, err
	}
	switch t.OwnerKind {
	case belay.UserPrincipal:
		err = OwnsUser(s, t.OwnerID)
	case belay.TeamPrincipal:
		_, err = m.tokensTeam(v.Peek(), s, t.OwnerID)
	case belay.OrganizationPrincipal:
		_, _, err = gate.Organization(v.Peek(), s, t.OrganizationID, belay.ManageOrganizationTokens)
	case belay.AgentPrincipal:
		_, err = gate.AgentPool(v.Peek(), s, t.OwnerID)
	default:
		switch err = OwnsUser(s, t.CreatedBy); {
		case err == nil || t.IssuedBy == "":
		case t.IssuedBy == s.TokenID:
			err = nil
		default:
			_, err = m.token(v.Peek(), s, t.IssuedBy)
		}
	}
	return t, err
}

// OwnsUser says whether the principal may act for a user: the user itself, or a site admin.
func OwnsUser(s belay.Principal, userID string) error {
	if s.SiteAdmin || s.Kind == belay.UserPrincipal && s.ID == userID {
		return nil
	}
	return belay.ErrNotFound
}
