package notify

import (
	"context"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/store"
)

// FailedNotifications is the destinations of an organization that the caller manages and whose deliveries were given
// up since a moment, the latest first.
func (m *Room) FailedNotifications(ctx context.Context, s belay.Principal, organization string, since time.Time, most int) (list []store.FailedNotification, err error) {
	if s.Organizational() {
		return nil, nil
	}
	err = m.db.View(ctx, func(v *store.View) error {
		o, access, err := gate.Organization(v, s, organization, belay.Traverse)
		if err != nil {
			return err
		}
		of, teams := access.Scope(belay.UpdateWorkspace), access.Everywhere.Has(belay.ManageOwners)
		if !teams && !of.Everything && of.Projects == nil && of.Workspaces == nil {
			return nil
		}
		list, err = v.FailedNotifications(o.ID, of, teams, since, most)
		return err
	})
	return list, err
}
