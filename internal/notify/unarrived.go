package notify

import (
	"context"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/store"
)

// Unarrived is what did not arrive in an organization: the states whose upload was begun before a moment, of workspaces
// that the caller may write states of, and the destinations that the caller manages and whose deliveries were given up
// since another. And the marks of what the caller has put off there. It tells so many of each.
func (m *Room) Unarrived(ctx context.Context, s belay.Principal, organization string, begun, since time.Time, most int) (u store.Unarrived, err error) {
	err = m.db.View(ctx, func(v *store.View) error {
		o, access, err := gate.Organization(v, s, organization, belay.Traverse)
		if err != nil {
			return err
		}
		want := store.UnarrivedQuery{OrganizationID: o.ID, UserID: s.ID, Now: m.now(), States: access.Scope(belay.ReadState.And(belay.WriteState)), Begun: begun, Since: since, Most: most}
		if want.Managed, err = managed(v, s, o, access); err != nil {
			return err
		}
		u, err = v.Unarrived(&want)
		return err
	})
	return u, err
}
