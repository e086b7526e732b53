package repos

import (
	"cmp"
	"context"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/forge"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/record"
	"github.com/belayhq/belay/internal/store"
)

// Told is what services told through a connection, and what became of it.
func (r *Room) Told(ctx context.Context, s belay.Principal, clientID string, page belay.Page) (list []forge.ToldDelivery, total int, err error) {
	err = r.DB.View(ctx, func(v *store.View) error {
		c, steered, err := managed(v, s, clientID)
		if err != nil {
			return err
		}
		list, total, err = v.ToldDeliveries(&c, steered, page)
		return err
	})
	return list, total, err
}

// managed is a connection that the caller manages, and the workspaces in which the caller may run anything.
func managed(v *store.View, s belay.Principal, clientID string) (c forge.OAuthClient, steered belay.Scope, err error) {
	if c, err = v.OAuthClient(clientID); err != nil {
		return c, steered, err
	}
	if err := gate.In(v, s, c.Organization, belay.ManageVCS); err != nil {
		return c, steered, err
	}
	access, err := v.Access(s, c.Organization)
	return c, access.Scope(belay.Steering), err
}

var errDeliveryUsed = belay.Refuse(belay.Forbidden, "Only those who may queue and apply runs in all workspaces of the repository can have it told again")

// Redeliver has what a service told worked on once more, for those who manage connections. Runs of the commit begin in all
// workspaces of the repository that had none, and were told of no newer one: whoever asks must be allowed to run
// anything there. No workspace runs a commit twice.
func (r *Room) Redeliver(ctx context.Context, s belay.Principal, id string) error {
	return r.DB.Update(ctx, func(tx *store.Tx) error {
		v := tx.Peek()
		d, err := v.HookDelivery(id)
		if err != nil {
			return err
		}
		clientID, err := v.ClientOfHook(d.HookID)
		if err != nil {
			return err
		}
		c, steered, err := managed(v, s, clientID)
		if err != nil {
			return err
		}
		if used, err := v.HookUsedBeyond(d.HookID, steered); err != nil || used {
			return cmp.Or(err, error(errDeliveryUsed))
		}
		if err := tx.Redeliver(id); err != nil {
			return err
		}
		return record.EmitOrganization(tx, s, "vcs_delivery.redelivered", c.OrganizationID, "vcs-deliveries", id, cmp.Or(d.About, d.DeliveryID))
	})
}
