package notify

import (
	"context"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/notices"
)

// Told makes what a delivery says again, as it would be sent now. Where nothing is left to tell of it is not found.
type Told func(v *store.View, n *notices.Notification, d *notices.Delivery) (string, error)

// Sent is one delivery of a configuration, and what it says: empty where what it tells of is gone. Whoever manages the
// configuration could have it sent to themselves.
func (m *Room) Sent(ctx context.Context, s belay.Principal, id, delivery string) (d notices.Delivery, message string, err error) {
	err = m.db.View(ctx, func(v *store.View) error {
		n, err := m.notification(v, s, id)
		if err != nil {
			return err
		}
		if d, err = v.Delivery(n.ID, delivery); err != nil || m.told == nil {
			return err
		}
		if message, err = m.told(v, &n, &d); belay.KindOf(err) == belay.NotFound {
			return nil
		}
		return err
	})
	return d, message, err
}

// TryNotification sends a verification message to a destination as it would be made, and keeps nothing.
func (m *Room) TryNotification(ctx context.Context, s belay.Principal, of notices.Notification, p notices.NotificationPatch) (notices.DeliveryResponse, error) {
	n := notices.NewNotification(m.now())
	n.TeamID, n.WorkspaceID, n.ProjectID = of.TeamID, of.WorkspaceID, of.ProjectID
	err := m.db.View(ctx, func(v *store.View) error { return m.beginNotification(v, s, &n, p) })
	if err != nil {
		return notices.DeliveryResponse{}, err
	}
	if n.Destination == notices.EmailDestination && len(n.EmailAddresses) == 0 {
		return notices.DeliveryResponse{}, belay.Refuse(belay.Invalid, "Name an address that the message goes to: without one everybody of the team would get it.")
	}
	if err := m.verify(ctx, s, &n, p.Token.Value, n.EmailAddresses); err != nil {
		return notices.DeliveryResponse{}, err
	}
	return *n.Response, nil
}
