// Package bearer owns whether a token opens anything, and whose it is then: rules over facts that
// the store fetches. It asks nobody and never says what its owner may do.
package bearer

import (
	"time"

	"github.com/belayhq/belay"
)

// Bearer is a token with all that is asked before it acts for its owner.
type Bearer struct {
	Token      belay.Token
	User       belay.User         // the owner, or the issuer, where that is a user
	Team       string             // the name of the owner, where that is a team
	Of         belay.Organization // its name and its service user
	Issuer     belay.Token        // the token that it was issued by, if any
	IssuerGone bool               // it was issued by one that is not there any more
}

// Principal is who the token acts for: ErrUnauthenticated when it has expired, or its owner is gone or
// suspended, or its organization, or the token that issued it.
func (b *Bearer) Principal(now time.Time) (belay.Principal, error) {
	t := &b.Token
	expired := !t.ExpiredAt.IsZero() && !now.Before(t.ExpiredAt)
	ownerless := t.OwnerKind == belay.UserPrincipal && (b.User.ID == "" || b.User.Suspended)
	if expired || ownerless || b.IssuerGone || b.Of.Gone() {
		return belay.Principal{}, belay.ErrUnauthenticated
	}
	s := belay.Principal{
		Kind: t.OwnerKind, ID: t.OwnerID, TokenID: t.ID, Purpose: t.Purpose, IdentityID: t.IdentityID,
		EndsAt: t.Bound(), OrganizationID: t.OrganizationID, WorkspaceID: t.WorkspaceID, ServiceUserID: b.Of.ServiceUserID,
		ServiceName: belay.ServiceUsername(b.Of.Name), ByOrganization: t.ByOrganization,
	}
	switch t.OwnerKind {
	case belay.UserPrincipal:
		s.Name, s.SiteAdmin = b.User.Username, b.User.IsAdmin
	case belay.TeamPrincipal:
		s.Name = b.Team
	case belay.RunPrincipal:
		s.Name = t.OwnerID
		if by := b.Issuer; by.OwnerKind != "" {
			s.Issuer = &belay.Principal{
				Kind: by.OwnerKind, ID: by.OwnerID, ByOrganization: by.ByOrganization, SiteAdmin: b.User.IsAdmin && !b.User.Suspended,
			}
		}
	default:
		s.Name = b.Of.Name
	}
	return s, nil
}

// Plain says whether all that the token is made of stands in its own row, its owner's and its organization's, and
// all of these are there. What another token has issued is asked for that one, too.
func (b *Bearer) Plain() bool {
	t := &b.Token
	if b.Issuer.OwnerKind != "" || b.IssuerGone {
		return false
	}
	switch t.OwnerKind {
	case belay.UserPrincipal:
		return b.User.ID == t.OwnerID && t.OrganizationID == ""
	case belay.TeamPrincipal:
		return b.Team != "" && b.Of.Name != ""
	case belay.OrganizationPrincipal:
		return b.Of.Name != ""
	default:
		return false
	}
}

// OfJob is the run whose engine acts with the token: it has none once its job has ended.
func (b *Bearer) OfJob(now time.Time) (belay.Principal, error) {
	if b.Token.ExpiredAt.IsZero() {
		return belay.Principal{}, belay.ErrUnauthenticated
	}
	b.Token.ID, b.Token.OwnerKind, b.Token.Purpose = belay.TokenOfJob(b.Token.ID), belay.RunPrincipal, belay.PlanPurpose
	return b.Principal(now)
}

// TokenEnds is when tokens of a status end.
type TokenEnds struct {
	Never        bool      // also those that don't
	Dated        bool      // those that do, within
	After, Until time.Time // the one and, with it, the other; zero: whenever
}

// TokensOf is when the tokens of a status end; nothing for one that is not known.
func TokensOf(status string, now time.Time) TokenEnds {
	const day = 24 * time.Hour
	switch status {
	case "active":
		return TokenEnds{Never: true, Dated: true, After: now}
	case "expired":
		return TokenEnds{Dated: true, Until: now}
	case "no_expiration":
		return TokenEnds{Never: true}
	case "expiring_in_7_days":
		return TokenEnds{Dated: true, After: now, Until: now.Add(7 * day)}
	case "expiring_in_30_days":
		return TokenEnds{Dated: true, After: now, Until: now.Add(30 * day)}
	default:
		return TokenEnds{}
	}
}

// Includes says whether a token ends then.
func (e TokenEnds) Includes(t *belay.Token) bool {
	if t.ExpiredAt.IsZero() {
		return e.Never
	}
	return e.Dated && t.ExpiredAt.After(e.After) && (e.Until.IsZero() || !t.ExpiredAt.After(e.Until))
}
