package store

import "github.com/belayhq/belay"

var sshKeys = newTable(table[belay.SSHKey]{
	name: "ssh_keys",
	hold: "k",
	from: "ssh_keys k JOIN organizations o ON o.id = k.organization_id",
	own: []column[belay.SSHKey]{
		{"id", func(k *belay.SSHKey) any { return &k.ID }},
		{"organization_id", func(k *belay.SSHKey) any { return &k.OrganizationID }},
		{"name", func(k *belay.SSHKey) any { return &k.Name }},
		{"sealed", func(k *belay.SSHKey) any { return &k.Sealed }},
		{"created_at", func(k *belay.SSHKey) any { return millis{&k.CreatedAt} }},
	},
	joined: belongs(func(k *belay.SSHKey) *belay.Organization { return &k.Organization }),
})

// belongs is the columns of the organization that a row belongs to: enough to ask who
// may see the row.
func belongs[N any](of func(*N) *belay.Organization) []column[N] {
	return []column[N]{
		{"o.id", func(n *N) any { return &of(n).ID }},
		{"o.name", func(n *N) any { return &of(n).Name }},
		{"o.access_generation", func(n *N) any { return &of(n).AccessGeneration }},
		{"o.user_tokens_enabled", func(n *N) any { return &of(n).UserTokensEnabled }},
	}
}

// SSHKey is one SSH key, by id.
func (v *View) SSHKey(id string) (belay.SSHKey, error) { return sshKeys.one(v, "k.id = ?", id) }

// SSHKeys is one page of an organization's SSH keys, by name.
func (v *View) SSHKeys(o belay.Organization, page belay.Page) ([]belay.SSHKey, int, error) {
	return sshKeys.page(v, page, "k.name", "k.organization_id = ?", o.ID)
}

// AddSSHKey writes a new SSH key.
func (tx *Tx) AddSSHKey(k *belay.SSHKey) error { return sshKeys.insert(tx, k, nameTaken) }

// SaveSSHKey writes an SSH key.
func (tx *Tx) SaveSSHKey(k *belay.SSHKey) error { return sshKeys.update(tx, k, nameTaken) }

// ForgetSSHKey has workspaces that use an SSH key use none; those that are many do so later.
func (tx *Tx) ForgetSSHKey(k *belay.SSHKey) error {
	_, err := tx.forget(toSSHKey, []string{k.ID})
	return err
}

// DropSSHKey deletes an SSH key; workspaces that used it use none from then on.
func (tx *Tx) DropSSHKey(k *belay.SSHKey) error {
	return tx.do("DELETE FROM ssh_keys WHERE id = ?", k.ID)
}
