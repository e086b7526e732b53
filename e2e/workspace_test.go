package e2e_test

import (
	"context"
	"testing"

	"github.com/hashicorp/go-tfe"
)

func TestWorkspaceLifeThroughGoTFE(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		ctx, c := context.Background(), s.admin()
		s.organization("acme")
		w, err := c.Workspaces.Create(ctx, "acme", tfe.WorkspaceCreateOptions{Name: tfe.String("network")})
		must(t, err)
		got, err := c.Workspaces.ReadByID(ctx, w.ID)
		must(t, err)
		if got.Name != "network" || got.Organization.Name != "acme" || got.Project == nil {
			t.Errorf("read back %+v", got)
		}
		_, err = c.Workspaces.Lock(ctx, w.ID, tfe.WorkspaceLockOptions{Reason: tfe.String("by hand")})
		must(t, err)
		if _, err = c.Workspaces.Lock(ctx, w.ID, tfe.WorkspaceLockOptions{}); err != tfe.ErrWorkspaceLocked {
			t.Errorf("second lock: %v", err)
		}
		_, err = c.Workspaces.Unlock(ctx, w.ID)
		must(t, err)
		must(t, c.Workspaces.SafeDeleteByID(ctx, w.ID))
		if _, err = c.Workspaces.ReadByID(ctx, w.ID); err != tfe.ErrResourceNotFound {
			t.Errorf("after delete: %v", err)
		}
	})
}
