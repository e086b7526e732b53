package app

import (
	"context"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/store"
)

// Standing is how much of an organization goes on and waits for the caller, of what the caller may see.
func (a *App) Standing(ctx context.Context, s belay.Principal, organization string) (is belay.Standing, err error) {
	err = a.db.View(ctx, func(v *store.View) error {
		o, access, err := gate.Organization(v, s, organization, belay.Traverse)
		if err != nil {
			return err
		}
		campaigns := access.Everywhere.Has(belay.ReadExplorer) && a.Edition().Offers(belay.ChangeRequests)
		is, err = v.Standing(o, s.Holder().ID, access.Scope(belay.ReadWorkspace.And(belay.ApplyRuns)), access.Scope(belay.ReadWorkspace.And(belay.ReadRuns)), campaigns)
		return err
	})
	return is, err
}
