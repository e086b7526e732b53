package store

import "github.com/belayhq/belay"

var encryptionKeys = newTable(table[belay.EncryptionKey]{
	name: "encryption_keys",
	own: []column[belay.EncryptionKey]{
		{"fingerprint", func(k *belay.EncryptionKey) any { return &k.Fingerprint }},
		{"leads", func(k *belay.EncryptionKey) any { return &k.Leads }},
	},
})

// EncryptionKeys is the keys that servers have started with.
func (v *View) EncryptionKeys() ([]belay.EncryptionKey, error) {
	return encryptionKeys.many(v, v.sql(encryptionKeys.selected))
}

// ReplaceEncryptionKeys writes the keys anew.
func (tx *Tx) ReplaceEncryptionKeys(keys []belay.EncryptionKey) error {
	if err := tx.do("DELETE FROM encryption_keys"); err != nil {
		return err
	}
	for i := range keys {
		if err := encryptionKeys.insert(tx, &keys[i], nil); err != nil {
			return err
		}
	}
	return nil
}

// OldestStateFile is the key of the oldest file of a state; empty when there is none.
func (v *View) OldestStateFile() (key string, err error) {
	key, _, err = value[string](v, v.sql("SELECT blob_key FROM state_versions WHERE blob_key <> '' ORDER BY created_at, id LIMIT 1"))
	return key, err
}
