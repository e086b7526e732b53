package store

import (
	"context"
	"encoding/json"

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

// The facts that say what was found out of keys.
const (
	keysCounted   = "keys-counted"
	keysResealing = "keys-resealing"
)

// NoteKeyCount notes how much each key seals.
func (tx *Tx) NoteKeyCount(c *site.KeyCount) error { return tx.note(keysCounted, c) }

// NoteResealing notes how far sealing anew has come.
func (tx *Tx) NoteResealing(r *site.Resealing) error { return tx.note(keysResealing, r) }

func (tx *Tx) note(name string, fact any) error {
	raw, err := json.Marshal(fact)
	if err != nil {
		return err
	}
	return tx.SetMeta(name, string(raw))
}

// Keys is the keys that servers have started with, and what was found out of them.
func (v *reads) Keys() (k site.Keys, err error) {
	if k.Loaded, err = v.EncryptionKeys(); err != nil {
		return k, err
	}
	for _, fact := range []struct {
		name string
		into any
	}{{keysCounted, &k.Counted}, {keysResealing, &k.Resealing}} {
		raw, err := v.Meta(fact.name)
		if err != nil {
			return k, err
		}
		if raw != "" {
			if err := json.Unmarshal([]byte(raw), fact.into); err != nil {
				return k, err
			}
		}
	}
	return k, nil
}

// Sealed is how many values and objects are sealed, by whichever key.
func (db *DB) Sealed(ctx context.Context) (all int, err error) {
	var counts []text
	for _, c := range sealedColumns {
		counts = append(counts, "SELECT count(*) FROM "+c.table+" WHERE "+c.where+"length("+c.column+") > 0")
	}
	for _, c := range objectColumns {
		counts = append(counts, "SELECT count(*) FROM "+c.table+" WHERE "+c.key+" <> ''")
	}
	for _, sql := range counts { // apart, so that none of them is long
		err := db.View(ctx, func(v *View) error {
			n, _, err := sqldb.Value[int](v, v.SQL(sql))
			all += n
			return err
		})
		if err != nil {
			return 0, err
		}
	}
	return all, nil
}
