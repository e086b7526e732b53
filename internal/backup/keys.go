package backup

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/belayhq/belay/internal/blob"
	"github.com/belayhq/belay/internal/seal"
	"github.com/belayhq/belay/internal/store"
)

// Sealed is how much a key seals.
type Sealed struct{ Values, Objects int }

// KeysInUse is how much each key seals, by its id. What can't be read is left to Verify.
func KeysInUse(ctx context.Context, db *store.DB, blobs blob.Store) (map[string]Sealed, error) {
	in := map[string]Sealed{}
	err := db.SealedValues(ctx, func(page []store.SealedValue) error {
		for _, s := range page {
			if id, err := seal.ValueKey(s.Sealed); err == nil {
				used := in[id]
				used.Values++
				in[id] = used
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	return in, eachObject(ctx, db, func(ctx context.Context, o store.Object) error {
		id, err := objectKey(ctx, blobs, o.Key)
		if err != nil {
			return unlessGone(err)
		}
		mu.Lock()
		defer mu.Unlock()
		used := in[id]
		used.Objects++
		in[id] = used
		return nil
	})
}

// objectKey is the id of the key that an object is sealed with.
func objectKey(ctx context.Context, blobs blob.Store, key string) (string, error) {
	rc, _, err := blobs.Sealed(ctx, key)
	if err != nil {
		return "", err
	}
	id, err := seal.StreamKey(rc)
	return id, errors.Join(err, rc.Close())
}

// unlessGone passes over what Verify tells.
func unlessGone(err error) error {
	if errors.Is(err, blob.ErrNotFound) || errors.Is(err, blob.ErrDamaged) || errors.Is(err, seal.ErrUnknownKey) {
		return nil
	}
	return err
}

// Reseal seals with the current key of a ring what is sealed with another one of its keys, and
// says how much that was. A server may serve meanwhile, if it has the same keys.
func Reseal(ctx context.Context, db *store.DB, blobs blob.Store, ring *seal.Ring) (done Sealed, err error) {
	err = db.SealedValues(ctx, func(page []store.SealedValue) error {
		n, err := resealPage(ctx, db, ring, page)
		done.Values += n
		return err
	})
	if err != nil {
		return done, err
	}
	var mu sync.Mutex
	err = eachObject(ctx, db, func(ctx context.Context, o store.Object) error {
		resealed, err := resealObject(ctx, blobs, ring, o)
		mu.Lock()
		defer mu.Unlock()
		if resealed {
			done.Objects++
		}
		return err
	})
	return done, err
}

func resealPage(ctx context.Context, db *store.DB, ring *seal.Ring, page []store.SealedValue) (n int, err error) {
	fresh := map[int]string{}
	for i, s := range page {
		id, err := seal.ValueKey(s.Sealed)
		if err != nil || id == ring.ID() {
			continue // what does not open is left to Verify
		}
		plain, err := ring.Unseal(s.Sealed, s.Context)
		if err != nil {
			return 0, fmt.Errorf("%s %s: %w", s.Of, s.Context, err)
		}
		fresh[i] = ring.Seal(plain, s.Context)
	}
	if len(fresh) == 0 {
		return 0, nil
	}
	return len(fresh), db.Update(ctx, func(tx *store.Tx) error {
		for i, sealed := range fresh {
			if err := tx.Reseal(page[i], sealed); err != nil {
				return err
			}
		}
		return nil
	})
}

// resealObject writes an object over itself. Who reads it meanwhile reads the one it opened.
func resealObject(ctx context.Context, blobs blob.Store, ring *seal.Ring, o store.Object) (bool, error) {
	id, err := objectKey(ctx, blobs, o.Key)
	if err != nil || id == ring.ID() {
		return false, unlessGone(err)
	}
	rc, err := blobs.Get(ctx, o.Key)
	if err != nil {
		return false, fmt.Errorf("%s %s: %w", o.Of, o.ID, err)
	}
	_, err = blobs.Put(ctx, o.Key, blob.Verified(rc, o.Sum, o.Size))
	return err == nil, errors.Join(err, rc.Close())
}
