package app

import (
	"context"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/store"
)

// readTrail reads the audit trail of an organization: without a name, that of the token's own.
func (a *App) readTrail(ctx context.Context, s belay.Principal, organization string, read func(*store.View, belay.Organization) error) error {
	if organization == "" {
		if s.Kind != belay.OrganizationPrincipal {
			return belay.ErrNotFound
		}
		organization = s.OrganizationID
	}
	return a.db.View(ctx, func(v *store.View) error {
		o, _, err := gate.Organization(v, s, organization, belay.ReadAuditTrail)
		if err != nil {
			return err
		}
		return read(v, o)
	})
}

// AuditTrail is what was done in an organization and by whom. Without a name it is that
// of the token's own organization.
func (a *App) AuditTrail(ctx context.Context, s belay.Principal, organization string, want belay.AuditQuery) (list []belay.Event, total int, err error) {
	err = a.readTrail(ctx, s, organization, func(v *store.View, o belay.Organization) error {
		list, total, err = v.Events(o, want)
		return err
	})
	return list, total, err
}

// NewestEvent is the id of what happened last in an organization, to everybody who sees that one: what it was is not told.
func (a *App) NewestEvent(ctx context.Context, s belay.Principal, organization string) (id string, err error) {
	err = a.db.View(ctx, func(v *store.View) error {
		o, _, err := gate.Organization(v, s, organization, belay.Traverse)
		if err != nil {
			return err
		}
		id, err = v.EventsFloor(o, 1)
		return err
	})
	return id, err
}

// EventsSought is how many events are looked through, the newest, for what no index finds.
const EventsSought = 20_000

// SeekEvents is AuditTrail, and bounds how far a reading goes back that looks for what no index finds. It says
// whether there were more events than it looked through.
func (a *App) SeekEvents(ctx context.Context, s belay.Principal, organization string, want belay.AuditQuery) (list []belay.Event, total int, cut bool, err error) {
	err = a.readTrail(ctx, s, organization, func(v *store.View, o belay.Organization) error {
		if err := bound(v, o, &want); err != nil {
			return err
		}
		cut = want.FromEvent != "" && (want.Since.IsZero() || belay.EventIDSince(want.Since) < want.FromEvent)
		list, total, err = v.Events(o, want)
		return err
	})
	return list, total, cut, err
}

// bound notes with which event a reading ends that looks for what no index finds.
func bound(v *store.View, o belay.Organization, want *belay.AuditQuery) (err error) {
	if want.Seeks() && want.FromEvent == "" {
		want.FromEvent, err = v.EventsFloor(o, EventsSought)
	}
	return err
}

// EventsOn is the next events of what SeekEvents finds, the newest first, and notes in the query where those after
// them begin. It counts nothing: a walk from end to end reads each event once.
func (a *App) EventsOn(ctx context.Context, s belay.Principal, organization string, want *belay.AuditQuery) (list []belay.Event, err error) {
	err = a.readTrail(ctx, s, organization, func(v *store.View, o belay.Organization) error {
		if err := bound(v, o, want); err != nil {
			return err
		}
		want.NewestFirst = true
		list, err = v.EventsOn(o, *want)
		if len(list) > 0 {
			want.Before = list[len(list)-1].ID
		}
		return err
	})
	return list, err
}

// AuditEvent is one event of the audit trail.
func (a *App) AuditEvent(ctx context.Context, s belay.Principal, organization, id string) (e belay.Event, err error) {
	err = a.readTrail(ctx, s, organization, func(v *store.View, o belay.Organization) error {
		e, err = v.Event(o, id)
		return err
	})
	return e, err
}
