package core

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/inputs"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/base"
)

var sshKeys = sqldb.NewTable(sqldb.Table[inputs.SSHKey]{
	Name: "ssh_keys",
	Hold: "k",
	From: "ssh_keys k JOIN organizations o ON o.id = k.organization_id",
	Own: []sqldb.Column[inputs.SSHKey]{
		{Name: "id", At: func(k *inputs.SSHKey) any { return &k.ID }},
		{Name: "organization_id", At: func(k *inputs.SSHKey) any { return &k.OrganizationID }},
		{Name: "name", At: func(k *inputs.SSHKey) any { return &k.Name }},
		{Name: "sealed", At: func(k *inputs.SSHKey) any { return &k.Sealed }},
		{Name: "fingerprint", At: func(k *inputs.SSHKey) any { return &k.Fingerprint }},
		{Name: "created_at", At: func(k *inputs.SSHKey) any { return sqldb.Millis(&k.CreatedAt) }},
	},
	Joined: base.Belongs(func(k *inputs.SSHKey) *belay.Organization { return &k.Organization }),
})

// SSHKey is one SSH key, by id.
func (v *View) SSHKey(id string) (inputs.SSHKey, error) { return sshKeys.One(v, "k.id = ?", id) }

// SSHKeys is one page of an organization's SSH keys, by name.
func (v *View) SSHKeys(o belay.Organization, page belay.Page) ([]inputs.SSHKey, int, error) {
	return sshKeys.Page(v, page, "k.name", "k.organization_id = ?", o.ID)
}

// KeyUses is so many of the workspaces of an organization that use some of its keys, by name.
func (v *View) KeyUses(o belay.Organization, ids []string, most int) ([]inputs.KeyUse, error) {
	q := v.SQL("SELECT w.ssh_key_id, w.id, w.name, w.project_id FROM workspaces w WHERE w.organization_id = ? AND w.ssh_key_id <> '' AND w.ssh_key_id", o.ID).In("", ids)
	return sqldb.Collect(v, q.Add(" ORDER BY w.name, w.id").First(most), func(u *inputs.KeyUse) []any {
		return []any{&u.KeyID, &u.WorkspaceID, &u.Workspace, &u.ProjectID}
	})
}

// AddSSHKey writes a new SSH key.
func (tx *Tx) AddSSHKey(k *inputs.SSHKey) error { return sshKeys.Insert(tx, k, base.NameTaken) }

// SaveSSHKey writes an SSH key.
func (tx *Tx) SaveSSHKey(k *inputs.SSHKey) error { return sshKeys.Update(tx, k, base.NameTaken) }

// ForgetSSHKey has workspaces that use an SSH key use none; those that are many do so later.
func (tx *Tx) ForgetSSHKey(k *inputs.SSHKey) error {
	_, err := tx.Forget(toSSHKey, []string{k.ID})
	return err
}

// DropSSHKey deletes an SSH key; workspaces that used it use none from then on.
func (tx *Tx) DropSSHKey(k *inputs.SSHKey) error {
	return tx.Do("DELETE FROM ssh_keys WHERE id = ?", k.ID)
}
