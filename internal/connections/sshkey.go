package connections

import (
	"context"
	"errors"

	"golang.org/x/crypto/ssh"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/inputs"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/record"
	"github.com/belayhq/belay/internal/store"
)

func (r *Room) sshKey(v store.Reader, s belay.Principal, id string, need belay.Permission) (inputs.SSHKey, error) {
	if err := gate.SSHKeys(s); err != nil {
		return inputs.SSHKey{}, err
	}
	k, err := v.SSHKey(id)
	if err != nil {
		return k, err
	}
	return k, gate.In(v.Peek(), s, k.Organization, need)
}

// CreateSSHKey gives an organization a private key.
func (r *Room) CreateSSHKey(ctx context.Context, s belay.Principal, organization string, p inputs.SSHKeyPatch) (k inputs.SSHKey, err error) {
	err = r.db.Update(ctx, func(tx *store.Tx) error {
		o, _, err := gate.Organization(tx.Peek(), s, organization, belay.ManageSSHKeys)
		if err != nil {
			return err
		}
		k = inputs.SSHKey{ID: belay.NewID("sshkey"), OrganizationID: o.ID, CreatedAt: tx.Now, Organization: o}
		if err := r.applyKey(&k, p); err != nil {
			return err
		}
		if err := tx.AddSSHKey(&k); err != nil {
			return err
		}
		return record.EmitOrganization(tx, s, "ssh_key.created", o.ID, "ssh-keys", k.ID, k.Name)
	})
	return k, err
}

func (r *Room) applyKey(k *inputs.SSHKey, p inputs.SSHKeyPatch) error {
	if err := k.Apply(p); err != nil {
		return err
	}
	if p.Value.Given() {
		k.Sealed, k.Fingerprint = r.ring.Seal([]byte(p.Value.Value), k.ID), fingerprint(p.Value.Value)
	}
	return nil
}

// SSHKeys is the SSH keys of an organization, to its members.
func (r *Room) SSHKeys(ctx context.Context, s belay.Principal, organization string, page belay.Page) (list []inputs.SSHKey, total int, err error) {
	err = r.db.View(ctx, func(v *store.View) error {
		if err := gate.SSHKeys(s); err != nil {
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

// fingerprint is that of the public part of a private key, where it can be read.
func fingerprint(key string) string {
	signer, err := ssh.ParsePrivateKey([]byte(key))
	var locked *ssh.PassphraseMissingError
	switch {
	case err == nil:
		return ssh.FingerprintSHA256(signer.PublicKey())
	case errors.As(err, &locked) && locked.PublicKey != nil:
		return ssh.FingerprintSHA256(locked.PublicKey)
	default:
		return ""
	}
}

// keyUsesLooked is how many workspaces are looked through for those that use a key.
const keyUsesLooked = 500

// KeyUses is which workspaces use some SSH keys of an organization, those that the caller reads, and whether there may be
// more: to those who manage keys.
func (r *Room) KeyUses(ctx context.Context, s belay.Principal, organization string, ids []string) (list []inputs.KeyUse, more bool, err error) {
	if len(ids) == 0 {
		return nil, false, nil
	}
	err = r.db.View(ctx, func(v *store.View) error {
		o, access, err := gate.Organization(v, s, organization, belay.ManageSSHKeys)
		if err != nil {
			return err
		}
		found, err := v.KeyUses(o, ids, keyUsesLooked)
		more = len(found) == keyUsesLooked
		for _, u := range found {
			if access.OnWorkspace(u.WorkspaceID, u.ProjectID).Has(belay.ReadWorkspace) {
				list = append(list, u)
			}
		}
		return err
	})
	return list, more, err
}

// SSHKey is one SSH key, to the members of its organization.
func (r *Room) SSHKey(ctx context.Context, s belay.Principal, id string) (k inputs.SSHKey, err error) {
	err = r.db.View(ctx, func(v *store.View) error {
		k, err = r.sshKey(v, s, id, belay.Traverse)
		return err
	})
	return k, err
}

// UpdateSSHKey changes an SSH key.
func (r *Room) UpdateSSHKey(ctx context.Context, s belay.Principal, id string, p inputs.SSHKeyPatch) (k inputs.SSHKey, err error) {
	err = r.db.Update(ctx, func(tx *store.Tx) error {
		if k, err = r.sshKey(&tx.Locked, s, id, belay.ManageSSHKeys); err != nil {
			return err
		}
		if err := r.applyKey(&k, p); err != nil {
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
func (r *Room) DeleteSSHKey(ctx context.Context, s belay.Principal, id string) error {
	return r.forgetting(ctx, func(tx *store.Tx) error {
		k, err := r.sshKey(tx.Peek(), s, id, belay.ManageSSHKeys)
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
