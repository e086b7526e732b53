package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/belayhq/belay/internal/seal"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/site"
)

// errForeignKey is the refusal to serve data with keys that don't open it.
var errForeignKey = fmt.Errorf("%w: the encryption key that is given is another", seal.ErrNoKey)

// Fresh says that a database knows of no encryption key: nothing in it was ever sealed, so
// that the first one may be made.
func Fresh(ctx context.Context, db *store.DB) (fresh bool, err error) {
	err = db.View(ctx, func(v *store.View) error {
		known, err := v.EncryptionKeys()
		if err != nil || len(known) > 0 {
			return err
		}
		ids, err := v.SealedWith()
		if err != nil || len(ids) > 0 {
			return err
		}
		file, err := v.OldestStateFile()
		fresh = file == ""
		return err
	})
	return fresh, err
}

// TakeKeys refuses to go on without a key that data is sealed with, and notes the keys that
// the server goes on with.
func (a *App) TakeKeys(ctx context.Context) error {
	ring := a.ring.Fingerprints()
	var known []site.EncryptionKey
	if err := a.db.View(ctx, func(v *store.View) (err error) { known, err = v.EncryptionKeys(); return err }); err != nil {
		return err
	}
	if len(known) == 0 || slices.ContainsFunc(known, func(k site.EncryptionKey) bool { return !slices.Contains(ring, k.Fingerprint) }) {
		if err := a.opens(ctx, ring); err != nil {
			return err
		}
	}
	return a.db.Update(ctx, func(tx *store.Tx) error {
		if err := tx.TakeTurn("encryption keys"); err != nil {
			return err
		}
		known, err := tx.EncryptionKeys()
		if err != nil {
			return err
		}
		if slices.ContainsFunc(known, func(k site.EncryptionKey) bool { return k.Leads && !slices.Contains(ring, k.Fingerprint) }) {
			return errForeignKey
		}
		return noteKeys(tx, known, ring)
	})
}

// noteKeys writes down the keys of a ring, when they are not those that are known.
func noteKeys(tx *store.Tx, known []site.EncryptionKey, ring []string) error {
	keys := make([]site.EncryptionKey, len(ring))
	for i, fingerprint := range ring {
		keys[i] = site.EncryptionKey{Fingerprint: fingerprint, Leads: i == 0}
	}
	same := func(k site.EncryptionKey) bool { return slices.Contains(known, k) }
	if len(known) == len(keys) && !slices.ContainsFunc(keys, func(k site.EncryptionKey) bool { return !same(k) }) {
		return nil
	}
	return tx.ReplaceEncryptionKeys(keys)
}

// opens says whether a ring opens what is sealed: every value in the database, and the
// oldest file of a state, which has the oldest key.
func (a *App) opens(ctx context.Context, ring []string) error {
	var ids []string
	var file string
	err := a.db.View(ctx, func(v *store.View) (err error) {
		if ids, err = v.SealedWith(); err != nil {
			return err
		}
		file, err = v.OldestStateFile()
		return err
	})
	if err != nil {
		return err
	}
	for _, id := range ids {
		if !slices.ContainsFunc(ring, func(f string) bool { return strings.HasPrefix(f, id+".") }) {
			return errForeignKey
		}
	}
	if file == "" || a.objects.Absent() {
		return nil
	}
	rc, err := a.objects.OpenSealed(ctx, file, 0)
	if errors.Is(err, seal.ErrUnknownKey) {
		return errForeignKey
	}
	if err != nil {
		return nil //nolint:nilerr // a file that is lost or damaged says nothing of the key
	}
	return rc.Close()
}
