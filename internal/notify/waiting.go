package notify

import (
	"context"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/store"
)

// Waiting is what waits for the caller in an organization, and the marks of what the caller has put off there: of what is
// asked for, that which the caller would be shown.
func (m *Room) Waiting(ctx context.Context, s belay.Principal, organization string, want store.WaitingQuery) (w store.Waiting, err error) {
	err = m.db.View(ctx, func(v *store.View) error {
		o, access, err := gate.Organization(v, s, organization, belay.Traverse)
		if err != nil {
			return err
		}
		within := func(p belay.Permission) belay.Scope { return access.Scope(belay.ReadWorkspace.And(p)) }
		want.UserID, want.HolderID, want.Now = s.ID, s.Holder().ID, m.now()
		want.Planned.OrganizationID, want.Failed.OrganizationID = o.ID, o.ID
		want.Planned.Scope, want.Failed.Scope, want.Apply = within(belay.ReadRuns), within(belay.ReadRuns), within(belay.ApplyRuns)
		want.Own, want.Break = within(belay.ReadWorkspace), within(belay.ForceUnlockWorkspace)
		want.Requests, want.States = access.Scope(belay.ReadChangeRequests), access.Scope(belay.ReadState.And(belay.WriteState))
		if want.Managed, err = managed(v, s, o, access); err != nil {
			return err
		}
		w, err = v.Waiting(o, &want)
		return err
	})
	return w, err
}
