package notify

import (
	"context"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/notices"
)

// SiteDeliveriesOn is one page of what was sent in all organizations, and of what waits, for site admins.
func (m *Room) SiteDeliveriesOn(ctx context.Context, s belay.Principal, want notices.SiteDeliveryQuery, page belay.Page) (list []notices.SiteDelivery, total int, err error) {
	if err := gate.SiteAdmin(s); err != nil {
		return nil, 0, err
	}
	err = m.db.View(ctx, func(v *store.View) error { list, total, err = v.SiteDeliveriesOn(want, page); return err })
	return list, total, err
}

// SiteDeliveries is a part of what was sent in all organizations, and of what waits, for site admins.
func (m *Room) SiteDeliveries(ctx context.Context, s belay.Principal, want notices.SiteDeliveryQuery) (part notices.SiteDeliveries, err error) {
	if err := gate.SiteAdmin(s); err != nil {
		return part, err
	}
	err = m.db.View(ctx, func(v *store.View) error { part, err = v.SiteDeliveries(want); return err })
	return part, err
}
