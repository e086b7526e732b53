package app

import (
	"context"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/record"
	"github.com/belayhq/belay/internal/store"
)

// noKeysFor hides SSH keys from organization tokens ("Tokens" in the spec).
func noKeysFor(s belay.Principal) error {
	if s.Organizational() {
		return belay.ErrNotFound
	}
	return nil
}

func (a *App) sshKey(v *store.View, s belay.Principal, id string, need belay.Permission) (belay.SSHKey, error) {
	if err := noKeysFor(s); err != nil {
		return belay.SSHKey{}, err
	}
	k, err := v.SSHKey(id)
	if err != nil {
		return k, err
	}
	return k, gate.In(v, s, k.Organization, need)
}

// CreateSSHKey gives an organization a private key.
func (a *App) CreateSSHKey(ctx context.Context, s belay.Principal, organization string, p belay.SSHKeyPatch) (k belay.SSHKey, err error) {
	err = a.db.Update(ctx, func(tx *store.Tx) error {
		o, _, err := gate.Organization(tx.Peek(), s, organization, belay.ManageSSHKeys)
		if err != nil {
			return err
		}
		k = belay.SSHKey{ID: belay.NewID("sshkey"), OrganizationID: o.ID, CreatedAt: tx.Now, Organization: o}
		if err := a.applyKey(&k, p); err != nil {
			return err
		}
		if err := tx.AddSSHKey(&k); err != nil {
			return err
		}
		return record.EmitOrganization(tx, s, "ssh_key.created", o.ID, "ssh-keys", k.ID, k.Name)
	})
	return k, err
}

func (a *App) applyKey(k *belay.SSHKey, p belay.SSHKeyPatch) error {
	if err := k.Apply(p); err != nil {
		return err
	}
	if p.Value.Given() {
		k.Sealed = a.ring.Seal([]byte(p.Value.Value), k.ID)
	}
	return nil
}

// SSHKeys is the SSH keys of an organization, to its members.
func (a *App) SSHKeys(ctx context.Context, s belay.Principal, organization string, page belay.Page) (list []belay.SSHKey, total int, err error) {
	err = a.db.View(ctx, func(v *store.View) error {
		if err := noKeysFor(s); err != nil {
			return err
		}
		o, _, err := gate.Organization(v, s, organization, belay.Traverse)
		if err != nil {
			return err
		}
		list, total, err = v.SSHKeys(o, page)
		return err
	})
	return list, total, err
}

// SSHKey is one SSH key, to the members of its organization.
func (a *App) SSHKey(ctx context.Context, s belay.Principal, id string) (k belay.SSHKey, err error) {
	err = a.db.View(ctx, func(v *store.View) error {
		k, err = a.sshKey(v, s, id, belay.Traverse)
		return err
	})
	return k, err
}

// UpdateSSHKey changes an SSH key.
func (a *App) UpdateSSHKey(ctx context.Context, s belay.Principal, id string, p belay.SSHKeyPatch) (k belay.SSHKey, err error) {
	err = a.db.Update(ctx, func(tx *store.Tx) error {
		if k, err = a.sshKey(&tx.View, s, id, belay.ManageSSHKeys); err != nil {
			return err
		}
		if err := a.applyKey(&k, p); err != nil {
			return err
		}
		if err := tx.SaveSSHKey(&k); err != nil {
			return err
		}
		return record.EmitOrganization(tx, s, "ssh_key.updated", k.OrganizationID, "ssh-keys", k.ID, k.Name)
	})
	return k, err
}

// DeleteSSHKey deletes an SSH key; workspaces that used it lose it silently.
func (a *App) DeleteSSHKey(ctx context.Context, s belay.Principal, id string) error {
	return a.forgetting(ctx, func(tx *store.Tx) error {
		k, err := a.sshKey(tx.Peek(), s, id, belay.ManageSSHKeys)
		if err != nil {
			return err
		}
		// Workspaces are held before what they use: whoever gives one to a workspace does so.
		if err := tx.ForgetSSHKey(&k); err != nil {
			return err
		}
		if k, err = tx.Seizing().SSHKey(id); err != nil {
			return err
		}
		if err := tx.DropSSHKey(&k); err != nil {
			return err
		}
		return record.EmitOrganization(tx, s, "ssh_key.deleted", k.OrganizationID, "ssh-keys", k.ID, k.Name)
	})
}

// AssignSSHKey gives a workspace an SSH key of its organization; an empty id takes the
// key away.
func (a *App) AssignSSHKey(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef, keyID string) (view WorkspaceView, err error) {
	err = a.db.Update(ctx, func(tx *store.Tx) error {
		if err := noKeysFor(s); err != nil {
			return err
		}
		w, access, err := gate.Workspace(&tx.View, s, ref, belay.UpdateWorkspace)
		if err != nil {
			return err
		}
		if keyID != "" {
			// Held, so that the key is not deleted between this look and the commit.
			k, err := tx.SSHKey(keyID)
			if err != nil {
				return err
			}
			if k.OrganizationID != w.OrganizationID {
				return belay.ErrNotFound
			}
		}
		before := w
		w.SSHKeyID, w.UpdatedAt = keyID, tx.Now
		if err := tx.SaveWorkspace(&w, &before); err != nil {
			return err
		}
		view = a.seenWorkspace(w, access)
		return record.EmitWorkspace(tx, s, "workspace.ssh_key_assigned", &w)
	})
	return view, err
}
