package backup

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/belayhq/belay/internal/blob"
	"github.com/belayhq/belay/internal/seal"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/site"
)

// KeysInUse is how much each key seals, by its id, and notes that for those who look after the site. What can't be read is
// left to Verify.
func KeysInUse(ctx context.Context, db *store.DB, blobs blob.Store, ring *seal.Ring) (map[string]site.KeyUse, error) {
	in := map[string]site.KeyUse{}
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
	err = eachObject(ctx, db, func(ctx context.Context, o store.Object) error {
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
	if err != nil {
		return nil, err
	}
	return in, noteCount(ctx, db, ring, in)
}

func noteCount(ctx context.Context, db *store.DB, ring *seal.Ring, uses map[string]site.KeyUse) error {
	return db.Update(ctx, func(tx *store.Tx) error {
		return tx.NoteKeyCount(&site.KeyCount{At: tx.Now, Leads: ring.ID(), Uses: uses})
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

// noteEvery is how often it is noted how far sealing anew has come.
const noteEvery = 2 * time.Second

// sealer seals anew, and says how far it has come.
type sealer struct {
	db    *store.DB
	blobs blob.Store
	ring  *seal.Ring

	mu    sync.Mutex
	far   site.Resealing
	done  site.KeyUse // what was sealed anew
	whole site.KeyUse // what is sealed with the current key now
}

// Reseal seals with the current key of a ring what is sealed with another one of its keys, and
// says how much that was. A server may serve meanwhile, if it has the same keys. How far it has come is noted for those
// who look after the site.
func Reseal(ctx context.Context, db *store.DB, blobs blob.Store, ring *seal.Ring) (done site.KeyUse, err error) {
	all, err := db.Sealed(ctx)
	if err != nil {
		return done, err
	}
	s := &sealer{db: db, blobs: blobs, ring: ring, far: site.Resealing{Key: ring.ID(), BeganAt: db.Moment(), All: all}}
	if err := s.note(ctx, nil); err != nil {
		return done, err
	}
	if err = db.SealedValues(ctx, func(page []store.SealedValue) error { return s.values(ctx, page) }); err == nil {
		err = eachObject(ctx, db, s.object)
	}
	if err != nil {
		return s.done, errors.Join(err, s.note(context.WithoutCancel(ctx), nil))
	}
	s.far.EndedAt = db.Moment()
	return s.done, s.note(ctx, map[string]site.KeyUse{ring.ID(): s.whole})
}

// note notes how far it has come; at the end, how much each key seals.
func (s *sealer) note(ctx context.Context, uses map[string]site.KeyUse) error {
	s.mu.Lock()
	s.far.SeenAt, s.far.Sealed = s.db.Moment(), s.done.Values+s.done.Objects
	far := s.far
	s.mu.Unlock()
	if err := s.db.Update(ctx, func(tx *store.Tx) error { return tx.NoteResealing(&far) }); err != nil || uses == nil {
		return err
	}
	return noteCount(ctx, s.db, s.ring, uses)
}

// looked counts what was looked at, and notes now and then how far that is.
func (s *sealer) looked(ctx context.Context, n int, count func()) error {
	s.mu.Lock()
	s.far.Looked += n
	count()
	due := s.db.Moment().Sub(s.far.SeenAt) >= noteEvery
	if due {
		s.far.SeenAt = s.db.Moment() // nobody else notes it meanwhile
	}
	s.mu.Unlock()
	if due {
		return s.note(ctx, nil)
	}
	return nil
}

// values seals anew what of a page is sealed with another key.
func (s *sealer) values(ctx context.Context, page []store.SealedValue) error {
	fresh, mine := map[int]string{}, 0
	for i, v := range page {
		id, err := seal.ValueKey(v.Sealed)
		if err != nil {
			continue // what does not open is left to Verify
		}
		if mine++; id == s.ring.ID() {
			continue
		}
		plain, err := s.ring.Unseal(v.Sealed, v.Context)
		if err != nil {
			return fmt.Errorf("%s %s: %w", v.Of, v.Context, err)
		}
		fresh[i] = s.ring.Seal(plain, v.Context)
	}
	if len(fresh) > 0 {
		err := s.db.Update(ctx, func(tx *store.Tx) error {
			for i, sealed := range fresh {
				if err := tx.Reseal(page[i], sealed); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return s.looked(ctx, len(page), func() { s.whole.Values, s.done.Values = s.whole.Values+mine, s.done.Values+len(fresh) })
}

// object writes an object over itself, where it is sealed with another key. Who reads it meanwhile reads the one it opened.
func (s *sealer) object(ctx context.Context, o store.Object) error {
	id, err := objectKey(ctx, s.blobs, o.Key)
	if err != nil {
		return errors.Join(unlessGone(err), s.looked(ctx, 1, func() {}))
	}
	if id == s.ring.ID() {
		return s.looked(ctx, 1, func() { s.whole.Objects++ })
	}
	rc, err := s.blobs.Get(ctx, o.Key)
	if err != nil {
		return fmt.Errorf("%s %s: %w", o.Of, o.ID, err)
	}
	_, err = s.blobs.Put(ctx, o.Key, blob.Verified(rc, o.Sum, o.Size))
	if err = errors.Join(err, rc.Close()); err != nil {
		return err
	}
	return s.looked(ctx, 1, func() { s.whole.Objects++; s.done.Objects++ })
}
