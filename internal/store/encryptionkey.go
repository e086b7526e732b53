package store

import (
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/site"
)

var encryptionKeys = sqldb.NewTable(sqldb.Table[site.EncryptionKey]{
	Name: "encryption_keys",
	Own: []sqldb.Column[site.EncryptionKey]{
		{Name: "fingerprint", At: func(k *site.EncryptionKey) any { return &k.Fingerprint }},
		{Name: "leads", At: func(k *site.EncryptionKey) any { return &k.Leads }},
	},
})

// EncryptionKeys is the keys that servers have started with.
func (v *reads) EncryptionKeys() ([]site.EncryptionKey, error) {
	return encryptionKeys.Many(v, v.SQL(encryptionKeys.Selected))
}

// ReplaceEncryptionKeys writes the keys anew.
func (tx *Tx) ReplaceEncryptionKeys(keys []site.EncryptionKey) error {
	if err := tx.Do("DELETE FROM encryption_keys"); err != nil {
		return err
	}
	for i := range keys {
		if err := encryptionKeys.Insert(tx, &keys[i], nil); err != nil {
			return err
		}
	}
	return nil
}

// OldestStateFile is the key of the oldest file of a state; empty when there is none.
func (v *reads) OldestStateFile() (key string, err error) {
	key, _, err = sqldb.Value[string](v, v.SQL("SELECT blob_key FROM state_versions WHERE blob_key <> '' ORDER BY created_at, id LIMIT 1"))
	return key, err
}
