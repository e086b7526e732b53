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
		want.Now = m.now()
		narrow(&want, s, o, access)
		want.Requests, want.States = access.Scope(belay.ReadChangeRequests), access.Scope(belay.ReadState.And(belay.WriteState))
		if want.Managed, err = managed(v, s, o, access); err != nil {
			return err
		}
		w, err = v.Waiting(o, &want)
		return err
	})
	return w, err
}

// narrow has a question ask for the runs and the locks that wait for the caller in an organization.
func narrow(want *store.WaitingQuery, s belay.Principal, o belay.Organization, access belay.Access) {
	within := func(p belay.Permission) belay.Scope { return access.Scope(belay.ReadWorkspace.And(p)) }
	want.UserID, want.HolderID = s.ID, s.Holder().ID
	want.Planned.OrganizationID, want.Failed.OrganizationID = o.ID, o.ID
	want.Planned.Scope, want.Failed.Scope, want.Apply = within(belay.ReadRuns), within(belay.ReadRuns), within(belay.ApplyRuns)
	want.Own, want.Break = within(belay.ReadWorkspace), within(belay.ForceUnlockWorkspace)
}

// WaitsIn is how many of the plans and of the caller's own locks that Waiting lists wait in each of some organizations, by id.
func (m *Room) WaitsIn(ctx context.Context, s belay.Principal, in []belay.Organization, want store.WaitingQuery) (counts map[string]int, err error) {
	err = m.db.View(ctx, func(v *store.View) error {
		wants := make(map[string]*store.WaitingQuery, len(in))
		for _, o := range in {
			access, err := gate.AccessIfTaken(v, s, o)
			if err != nil {
				return err
			}
			if access.Everywhere.Has(belay.Traverse) {
				each := want
				narrow(&each, s, o, access)
				wants[o.ID] = &each
			}
		}
		if len(wants) > 0 {
			counts, err = v.WaitsIn(wants)
		}
		return err
	})
	return counts, err
}
