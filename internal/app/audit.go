package app

import (
	"context"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/store"
)

// AuditTrail is what was done in an organization and by whom. Without a name it is that
// of the token's own organization.
func (a *App) AuditTrail(ctx context.Context, s belay.Principal, organization string, want belay.AuditQuery) (list []belay.Event, total int, err error) {
	if organization == "" {
		if s.Kind != belay.OrganizationPrincipal {
			return nil, 0, belay.ErrNotFound
		}
		organization = s.OrganizationID
	}
	err = a.db.View(ctx, func(v *store.View) error {
		o, _, err := gate.Organization(v, s, organization, belay.ReadAuditTrail)
		if err != nil {
			return err
		}
		list, total, err = v.Events(o, want)
		return err
	})
	return list, total, err
}
