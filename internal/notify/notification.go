package notify

import (
	"context"
	"slices"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/record"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/notices"
)

// Probe sends a verification message to the destination of a notification
// configuration and says what came of it. The token is the plain one; mail goes to the
// addresses.
type Probe func(ctx context.Context, n *notices.Notification, token string, addresses []string) notices.DeliveryResponse

// triesAMinute is how many verification messages somebody may have sent, through whichever door (docs/notifications.md).
const triesAMinute = 10

// mayNotify lets those through who may manage the notification configurations of a
// team, a workspace or a project, and notes the organization. An organization token may
// not, whatever else it may do (docs/notifications.md).
func (m *Room) mayNotify(v store.Reader, s belay.Principal, of *notices.Notification) error {
	if s.Organizational() {
		return belay.ErrNotFound
	}
	switch {
	case of.TeamID != "":
		t, _, err := gate.ManagedTeam(v, s, of.TeamID, gate.MayManageTeam, belay.ErrNotFound)
		of.OrganizationID = t.OrganizationID
		return err
	case of.ProjectID != "":
		p, _, err := gate.Project(v, s, of.ProjectID, belay.UpdateProject)
		of.OrganizationID = p.OrganizationID
		return err
	default:
		w, _, err := gate.Workspace(v, s, belay.WorkspaceRef{ID: of.WorkspaceID}, belay.UpdateWorkspace)
		of.OrganizationID = w.OrganizationID
		return err
	}
}

// notification hands out a notification configuration to those who may manage it.
func (m *Room) notification(v store.Reader, s belay.Principal, id string) (notices.Notification, error) {
	n, err := v.Notification(id)
	if err != nil {
		return n, err
	}
	return n, m.mayNotify(v.Peek(), s, &n)
}

// Notifications is the notification configurations of a team, a workspace or a project.
func (m *Room) Notifications(ctx context.Context, s belay.Principal, of notices.Notification) (list []notices.Notification, err error) {
	err = m.db.View(ctx, func(v *store.View) error {
		if err := m.mayNotify(v, s, &of); err != nil {
			return err
		}
		list, err = v.Notifications(of)
		return err
	})
	return list, err
}

// Notification is one notification configuration.
func (m *Room) Notification(ctx context.Context, s belay.Principal, id string) (n notices.Notification, err error) {
	err = m.db.View(ctx, func(v *store.View) error {
		n, err = m.notification(v, s, id)
		return err
	})
	return n, err
}

// CreateNotification makes a notification configuration. One that is to be enabled is
// kept only when its destination takes a verification message.
func (m *Room) CreateNotification(ctx context.Context, s belay.Principal, of notices.Notification, p notices.NotificationPatch) (notices.Notification, error) {
	n := notices.NewNotification(m.now())
	n.TeamID, n.WorkspaceID, n.ProjectID = of.TeamID, of.WorkspaceID, of.ProjectID
	err := m.db.View(ctx, func(v *store.View) error { return m.beginNotification(v, s, &n, p) })
	if err != nil {
		return n, err
	}
	if n.MustVerify(&notices.Notification{}, p) {
		if err := m.verify(ctx, s, &n, p.Token.Value, nil); err != nil {
			return n, err
		}
	}
	err = m.db.Update(ctx, func(tx *store.Tx) error {
		n.CreatedAt, n.UpdatedAt = tx.Now, tx.Now
		// The team, workspace or project is held here: two can't both be the twentieth.
		if err := m.beginNotification(&tx.Locked, s, &n, p); err != nil {
			return err
		}
		m.sealToken(&n, p)
		if err := tx.AddNotification(&n); err != nil {
			return err
		}
		if err := keepResponse(tx, &n); err != nil {
			return err
		}
		return emitNotification(tx, s, "notification_configuration.created", &n)
	})
	return n, err
}

// beginNotification checks a new configuration against everything but its destination.
func (m *Room) beginNotification(v store.Reader, s belay.Principal, n *notices.Notification, p notices.NotificationPatch) error {
	if err := m.mayNotify(v, s, n); err != nil {
		return err
	}
	if err := m.applyNotification(v.Peek(), n, p, true); err != nil {
		return err
	}
	others, err := v.Peek().Notifications(*n)
	if err == nil && len(others) >= notices.MaxNotifications {
		err = notices.TooManyNotifications()
	}
	return err
}

func (m *Room) applyNotification(v *store.View, n *notices.Notification, p notices.NotificationPatch, creating bool) error {
	var problems belay.Problems
	if err := problems.Add(n.Apply(p, creating)); err != nil {
		return err
	}
	if !creating && n.Destination == notices.EmailDestination && !p.UserIDs.Set {
		n.UserIDs = nil // clients leave the relationship out when nobody is left in it
	}
	if p.UserIDs.Set {
		wanted := slices.Compact(slices.Sorted(slices.Values(p.UserIDs.Value)))
		known, err := v.MembersAmong(n.OrganizationID, wanted)
		if err != nil {
			return err
		}
		if len(known) < len(wanted) {
			problems.At(belay.Related("users"), "Users must be members of the organization")
		}
		if len(wanted) > 0 && n.Destination != notices.EmailDestination {
			problems.At(belay.Related("users"), "Users can be given only for the destination type email")
		}
		n.UserIDs = wanted
	}
	return problems.Err()
}

// sealToken seals a token that was given; null or nothing takes the old one away.
func (m *Room) sealToken(n *notices.Notification, p notices.NotificationPatch) {
	switch {
	case !p.Token.Set:
	case p.Token.Value == "":
		n.SealedToken = ""
	default:
		n.SealedToken = m.ring.Seal([]byte(p.Token.Value), n.ID)
	}
}

func keepResponse(tx *store.Tx, n *notices.Notification) error {
	if n.Response == nil {
		return nil
	}
	return tx.SaveNotificationResponse(n.ID, n.Response)
}

// UpdateNotification changes a notification configuration. A change that enables it or
// sends it elsewhere is kept only when the destination takes a verification message.
func (m *Room) UpdateNotification(ctx context.Context, s belay.Principal, id string, p notices.NotificationPatch) (notices.Notification, error) {
	n, err := m.Notification(ctx, s, id)
	if err != nil {
		return n, err
	}
	before := n
	err = m.db.View(ctx, func(v *store.View) error { return m.applyNotification(v, &n, p, false) })
	if err != nil {
		return n, err
	}
	var answer *notices.DeliveryResponse
	if n.MustVerify(&before, p) {
		token := p.Token.Value
		if !p.Token.Set {
			if token, err = m.signingToken(&before); err != nil {
				return n, err
			}
		}
		if err := m.verify(ctx, s, &n, token, nil); err != nil {
			return n, m.noteResponse(ctx, &n, err)
		}
		answer = n.Response
	}
	err = m.db.Update(ctx, func(tx *store.Tx) error {
		if n, err = m.notification(&tx.Locked, s, id); err != nil {
			return err
		}
		if err := m.applyNotification(tx.Peek(), &n, p, false); err != nil {
			return err
		}
		m.sealToken(&n, p)
		n.UpdatedAt = tx.Now
		if err := tx.SaveNotification(&n); err != nil {
			return err
		}
		if answer != nil {
			n.Response = answer
			if err := keepResponse(tx, &n); err != nil {
				return err
			}
		}
		return emitNotification(tx, s, "notification_configuration.updated", &n)
	})
	return n, err
}

// VerifyNotification sends a verification message, and keeps the answer whatever it is.
// enable then enables a configuration whose destination took it.
func (m *Room) VerifyNotification(ctx context.Context, s belay.Principal, id string, enable bool) (n notices.Notification, err error) {
	var addresses []string
	err = m.db.View(ctx, func(v *store.View) error {
		if n, err = m.notification(v, s, id); err != nil || n.Destination != notices.EmailDestination {
			return err
		}
		addresses, err = v.MailAddresses(&n, notices.TriggerVerification)
		return err
	})
	if err != nil {
		return n, err
	}
	if !enable || n.Destination.Webhook() {
		token, err := m.signingToken(&n)
		if err != nil {
			return n, err
		}
		if err := m.verify(ctx, s, &n, token, addresses); err != nil {
			return n, m.noteResponse(ctx, &n, err)
		}
	}
	answer := n.Response
	err = m.db.Update(ctx, func(tx *store.Tx) error {
		if n, err = m.notification(&tx.Locked, s, id); err != nil {
			return err
		}
		n.Response = answer
		if err := keepResponse(tx, &n); err != nil || !enable || n.Enabled {
			return err
		}
		n.Enabled, n.UpdatedAt = true, tx.Now
		if err := tx.SaveNotification(&n); err != nil {
			return err
		}
		return emitNotification(tx, s, "notification_configuration.updated", &n)
	})
	return n, err
}

// verify sends the verification message and refuses what the destination did not take.
// The answer of the destination, if it came to that, is the configuration's.
func (m *Room) verify(ctx context.Context, s belay.Principal, n *notices.Notification, token string, addresses []string) error {
	n.Response = nil
	if m.probe == nil {
		return belay.Refuse(belay.BadRequest, "Verification failed: this server sends no notifications")
	}
	if err := store.Rehearsed(ctx); err != nil {
		return err
	}
	if err := m.tried.Hold(s.ID, "Too many verification messages."); err != nil {
		return err
	}
	if err := m.db.Outside(ctx); err != nil {
		return err
	}
	answer := m.probe(ctx, n, token, addresses)
	n.Response = &answer
	switch {
	case answer.Successful:
		return nil
	case answer.Code != "":
		return belay.Refuse(belay.BadRequest, "Verification failed: the destination answered with status %s", answer.Code)
	default:
		return belay.Refuse(belay.BadRequest, "Verification failed: %s", answer.Body)
	}
}

// noteResponse keeps the answer of a destination that refused, and gives the refusal back.
func (m *Room) noteResponse(ctx context.Context, n *notices.Notification, refusal error) error {
	if n.Response == nil {
		return refusal // it was not asked
	}
	err := m.db.Update(ctx, func(tx *store.Tx) error { return keepResponse(tx, n) })
	if err != nil {
		return err
	}
	return refusal
}

// signingToken is the plain token of a configuration.
func (m *Room) signingToken(n *notices.Notification) (string, error) {
	if n.SealedToken == "" {
		return "", nil
	}
	plain, err := m.ring.Unseal(n.SealedToken, n.ID)
	return string(plain), err
}

// DeleteNotification deletes a notification configuration and what waits to be sent for it.
func (m *Room) DeleteNotification(ctx context.Context, s belay.Principal, id string) error {
	return m.db.Update(ctx, func(tx *store.Tx) error {
		n, err := m.notification(&tx.Locked, s, id)
		if err != nil {
			return err
		}
		if err := tx.DropNotification(&n); err != nil {
			return err
		}
		return emitNotification(tx, s, "notification_configuration.deleted", &n)
	})
}

// Deliveries is what was sent for a notification configuration, what waits, and what was
// given up.
func (m *Room) Deliveries(ctx context.Context, s belay.Principal, id string, want notices.DeliveryQuery) (list []notices.Delivery, total int, err error) {
	err = m.db.View(ctx, func(v *store.View) error {
		n, err := m.notification(v, s, id)
		if err != nil {
			return err
		}
		list, total, err = v.Deliveries(n.ID, want)
		return err
	})
	return list, total, err
}

// SentRevision is a text that changes with what was sent for a configuration.
func (m *Room) SentRevision(ctx context.Context, s belay.Principal, id string) (revision string, err error) {
	err = m.db.View(ctx, func(v *store.View) error {
		if _, err := m.notification(v, s, id); err != nil {
			return err
		}
		counts, err := v.DeliveryCounts(id)
		revision = counts.Revision()
		return err
	})
	return revision, err
}

// RetryDelivery has one delivery of a configuration sent now: again, or before its time.
func (m *Room) RetryDelivery(ctx context.Context, s belay.Principal, id, delivery string) error {
	return m.db.Update(ctx, func(tx *store.Tx) error {
		n, err := m.notification(tx.Peek(), s, id)
		if err != nil {
			return err
		}
		found, err := tx.RetryDelivery(n.ID, delivery)
		if err == nil && !found {
			err = belay.ErrNotFound
		}
		if err != nil {
			return err
		}
		return emitNotification(tx, s, "notification_configuration.retried", &n)
	})
}

// RetryDeliveries gives the deliveries of a configuration that were given up all their
// tries again.
func (m *Room) RetryDeliveries(ctx context.Context, s belay.Principal, id string) error {
	var err error
	for more := true; more && err == nil; {
		err = m.db.Update(ctx, func(tx *store.Tx) error {
			n, err := m.notification(tx.Peek(), s, id)
			if err != nil {
				return err
			}
			if more, err = tx.RetryDeliveries(n.ID); err != nil || more {
				return err
			}
			return emitNotification(tx, s, "notification_configuration.retried", &n)
		})
	}
	return err
}

// emitNotification records what a principal did to a notification configuration.
func emitNotification(tx *store.Tx, s belay.Principal, kind string, n *notices.Notification) error {
	e := record.About(s, kind)
	e.OrganizationID, e.WorkspaceID = n.OrganizationID, n.WorkspaceID
	e.ResourceType, e.ResourceID = "notification-configurations", n.ID
	typ, id := n.Subscribable()
	e.Payload = record.Payload(map[string]any{"name": n.Name, "destination-type": string(n.Destination), typ: id})
	return tx.Emit(e)
}
