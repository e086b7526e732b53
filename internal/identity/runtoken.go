package identity

import (
	"context"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/record"
	"github.com/belayhq/belay/internal/store"
)

// IssueRunToken makes a token that acts as a run of the workspace, for those who may
// queue runs there. Its value is given this once.
func (m *Room) IssueRunToken(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef, want NewToken) (t belay.Token, value string, err error) {
	err = m.db.Update(ctx, func(tx *store.Tx) error {
		w, access, err := gate.Workspace(tx.Peek(), s, ref, belay.QueueRuns)
		if err != nil {
			return err
		}
		t, err = belay.NewRunToken(w, access.OnWorkspace(w.ID, w.ProjectID), want.ExpiredAt.Value, tx.Now)
		if err != nil {
			return err
		}
		if err := holdIssuer(tx, s, w.OrganizationID); err != nil {
			return err
		}
		t.CreatedBy, _ = s.Actor()
		t.IssuedBy = s.TokenID // it goes with that, which can be revoked
		if want.ExpiredAt.Value.IsZero() && !s.EndsAt.IsZero() && s.EndsAt.Before(t.ExpiredAt) {
			t.ExpiredAt = s.EndsAt
		}
		want.ExpiredAt = patch.Of(t.ExpiredAt)
		if t, value, err = AddToken(tx, s, t, want); err != nil {
			return err
		}
		return record.EmitWithin(tx, s, "run_token.issued", &w, "authentication-tokens", t.ID, map[string]any{"name": w.Name, "run": t.OwnerID, "purpose": t.Purpose})
	})
	return t, value, err
}

// holdIssuer holds the user who issues a token for a run, and its place in the organization:
// the token goes with either.
func holdIssuer(tx *store.Tx, s belay.Principal, organizationID string) error {
	if s.Kind != belay.UserPrincipal {
		return nil
	}
	u, err := tx.User(s.ID)
	if err == nil && u.Suspended {
		err = belay.ErrUnauthenticated
	}
	if err == nil && !s.SiteAdmin {
		_, err = tx.MembershipOf(organizationID, s.ID)
	}
	return err
}
