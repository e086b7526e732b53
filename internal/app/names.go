package app

import (
	"context"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/store"
)

// readNames has new names found by their parts, where the database does not see to it by itself.
func (a *App) readNames(ctx context.Context) {
	for more := true; more && ctx.Err() == nil; {
		var err error
		if more, err = a.db.ReadNames(ctx); err != nil && ctx.Err() == nil {
			a.log.Warn("names not read", "error", err)
			return
		}
	}
}

// WorkspaceNames is what those of some workspaces of an organization are called that the caller reads, by id.
func (a *App) WorkspaceNames(ctx context.Context, s belay.Principal, organization string, ids []string) (names map[string]string, err error) {
	err = a.db.View(ctx, func(v *store.View) error {
		o, access, err := gate.Organization(v, s, organization, belay.Traverse)
		if err != nil {
			return err
		}
		names, err = gate.WorkspaceNames(v, o, access, ids)
		return err
	})
	return names, err
}
