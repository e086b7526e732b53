package app

import (
	"context"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/record"
	"github.com/belayhq/belay/internal/store"
)

// RemoteStateConsumers is the workspaces that may read the state of one during their
// runs: every other one of the organization or of the project when it shares with all of
// them, unless only the configured ones are asked for. Those that the caller can't read are left out.
func (a *App) RemoteStateConsumers(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef, configured bool, want belay.WorkspaceQuery) (list []WorkspaceView, total int, err error) {
	err = a.db.View(ctx, func(v *store.View) error {
		w, access, err := gate.Workspace(v, s, ref, belay.ReadWorkspace)
		if err != nil {
			return err
		}
		o, err := v.Organization(w.OrganizationID)
		if err != nil {
			return err
		}
		want.Scope = access.Scope(belay.ReadWorkspace)
		switch {
		case w.SharesByList() || configured:
			want.ConsumersOf = w.ID
		case w.ProjectRemoteState:
			want.Projects = []string{w.ProjectID}
			fallthrough
		default:
			want.WithoutWorkspace = w.ID
		}
		found, n, err := v.Workspaces(o, want)
		list = make([]WorkspaceView, len(found))
		for i, consumer := range found {
			list[i] = a.seenWorkspace(consumer, access)
		}
		total = n
		return err
	})
	return list, total, err
}

// ChangeConsumers adds, removes or replaces the consumers of a workspace. All of them
// must be workspaces of its organization that the caller can read; else none changes.
func (a *App) ChangeConsumers(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef, change belay.ConsumersChange, named []string) error {
	if err := belay.CheckConsumerCount(len(named)); err != nil {
		return err
	}
	return a.db.Update(ctx, func(tx *store.Tx) error {
		w, access, err := gate.Workspace(&tx.View, s, ref, change.Need())
		if err != nil {
			return err
		}
		readable, err := readableAmong(tx.Peek(), access, w.OrganizationID, named)
		if err != nil {
			return err
		}
		ids, err := w.CheckConsumers(change, named, readable)
		if err != nil {
			return err
		}
		if err := saveConsumers(tx, &w, change, ids); err != nil {
			return err
		}
		return record.EmitWithin(tx, s, "workspace.consumers_"+string(change), &w, "workspaces", w.ID, map[string]any{"name": w.Name, "consumers": ids})
	})
}

func saveConsumers(tx *store.Tx, w *belay.Workspace, change belay.ConsumersChange, ids []string) error {
	switch change {
	case belay.RemoveConsumers:
		return tx.DropConsumers(w, ids)
	case belay.SetConsumers:
		if err := tx.DropEveryConsumer(w); err != nil {
			return err
		}
	}
	return tx.AddConsumers(w, ids)
}

// readableAmong is which of some workspaces are in the organization and the caller can
// read, with the organization of each.
func readableAmong(v *store.View, access belay.Access, organizationID string, ids []string) (map[string]string, error) {
	places, err := v.WorkspacePlaces(ids)
	if err != nil {
		return nil, err
	}
	readable := make(map[string]string, len(places))
	for _, p := range places {
		if p.OrganizationID == organizationID && access.OnWorkspace(p.ID, p.ProjectID).Has(belay.ReadWorkspace) {
			readable[p.ID] = p.OrganizationID
		}
	}
	return readable, nil
}

// IssueRunToken makes a token that acts as a run of the workspace, for those who may
// queue runs there. Its value is given this once.
func (a *App) IssueRunToken(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef, want NewToken) (t belay.Token, value string, err error) {
	err = a.db.Update(ctx, func(tx *store.Tx) error {
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
		if t, value, err = addToken(tx, s, t, want); err != nil {
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
