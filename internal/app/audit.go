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

// EventsSought is how many events are looked through, the newest, for what no index finds.
const EventsSought = 20_000

// SeekEvents is AuditTrail, and bounds how far a reading goes back that looks for what no index finds. It says
// whether there were more events than it looked through.
func (a *App) SeekEvents(ctx context.Context, s belay.Principal, organization string, want belay.AuditQuery) (list []belay.Event, total int, cut bool, err error) {
	err = a.db.View(ctx, func(v *store.View) error {
		o, _, err := gate.Organization(v, s, organization, belay.ReadAuditTrail)
		if err != nil {
			return err
		}
		if want.Seeks() {
			if want.FromEvent, err = v.EventsFloor(o, EventsSought); err != nil {
				return err
			}
		}
		cut = want.FromEvent != "" && (want.Since.IsZero() || belay.EventIDSince(want.Since) < want.FromEvent)
		list, total, err = v.Events(o, want)
		return err
	})
	return list, total, cut, err
}

// AuditEvent is one event of the audit trail.
func (a *App) AuditEvent(ctx context.Context, s belay.Principal, organization, id string) (e belay.Event, err error) {
	err = a.db.View(ctx, func(v *store.View) error {
		o, _, err := gate.Organization(v, s, organization, belay.ReadAuditTrail)
		if err != nil {
			return err
		}
		e, err = v.Event(o, id)
		return err
	})
	return e, err
}
