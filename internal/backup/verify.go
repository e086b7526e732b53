package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/belayhq/belay/internal/blob"
	"github.com/belayhq/belay/internal/seal"
	"github.com/belayhq/belay/internal/store"
)

// Fault is something that is not as it has to be.
type Fault struct {
	Of, ID  string // what it is of
	Object  string // the key of the object, where it is one
	Problem string
}

func (f Fault) String() string {
	if f.Object != "" {
		return f.Of + " " + f.ID + ": the object " + f.Object + " " + f.Problem
	}
	return f.Of + " " + f.ID + " " + f.Problem
}

// Verified is what was looked at.
type Verified struct {
	Objects, Values, Faults int
	Bytes                   int64
}

// atOnce is how many objects are read at once: a bucket is far away.
const atOnce = 8

// Verify looks at everything that a server keeps, while it serves or not: every object that a
// row names is there, opens and is the one that was stored; every sealed value opens; every
// counter is what it counts. fault is told what is not so, one at a time.
func Verify(ctx context.Context, db *store.DB, blobs blob.Store, ring *seal.Ring, fault func(Fault)) (Verified, error) {
	v := &verifier{db: db, blobs: blobs, ring: ring, fault: fault}
	err := eachObject(ctx, db, v.object)
	if err == nil {
		err = db.SealedValues(ctx, v.values)
	}
	if err == nil {
		err = v.counters(ctx)
	}
	return v.seen, err
}

type verifier struct {
	db    *store.DB
	blobs blob.Store
	ring  *seal.Ring
	fault func(Fault)

	mu   sync.Mutex
	seen Verified
}

func (v *verifier) tell(f Fault) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.seen.Faults++
	v.fault(f)
}

// eachObject does something with every object that a row names, several at once.
func eachObject(ctx context.Context, db *store.DB, do func(context.Context, store.Object) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	jobs := make(chan store.Object)
	var work sync.WaitGroup
	for range atOnce {
		work.Go(func() {
			for o := range jobs {
				if err := do(ctx, o); err != nil {
					stop(err)
				}
			}
		})
	}
	err := db.Objects(ctx, func(o store.Object) error {
		select {
		case jobs <- o:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	})
	close(jobs)
	work.Wait()
	if first := context.Cause(ctx); first != nil {
		return first
	}
	return err
}

// object looks at one object. That it can't be reached is an error; that it is not as it has
// to be is a fault, unless no row names it any more.
func (v *verifier) object(ctx context.Context, o store.Object) error {
	size, err := v.read(ctx, o)
	v.mu.Lock()
	v.seen.Objects++
	v.seen.Bytes += size
	v.mu.Unlock()
	var problem string
	switch {
	case err == nil:
		return nil
	case errors.Is(err, blob.ErrNotFound):
		problem = "is missing"
	case errors.Is(err, seal.ErrUnknownKey):
		problem = "is sealed with a key that this server does not have"
	case errors.Is(err, blob.ErrDamaged):
		problem = "is damaged: " + err.Error()
	default:
		return err
	}
	return v.db.View(ctx, func(view *store.View) error {
		named, err := view.ObjectStillNamed(o.Key)
		if err == nil && named {
			v.tell(Fault{Of: o.Of, ID: o.ID, Object: o.Key, Problem: problem})
		}
		return err
	})
}

func (v *verifier) read(ctx context.Context, o store.Object) (int64, error) {
	rc, err := v.blobs.Get(ctx, o.Key)
	if err != nil {
		return 0, err
	}
	size, err := io.Copy(io.Discard, blob.Verified(rc, o.Sum, o.Size))
	return size, errors.Join(err, rc.Close())
}

func (v *verifier) values(page []store.SealedValue) error {
	for _, s := range page {
		v.seen.Values++
		_, err := v.ring.Unseal(s.Sealed, s.Context)
		switch {
		case errors.Is(err, seal.ErrUnknownKey):
			v.tell(Fault{Of: s.Of, ID: s.Context, Problem: "is sealed with a key that this server does not have"})
		case err != nil:
			v.tell(Fault{Of: s.Of, ID: s.Context, Problem: "does not open: " + err.Error()})
		}
	}
	return nil
}

func (v *verifier) counters(ctx context.Context) error {
	return v.db.View(ctx, func(view *store.View) error {
		list, err := view.Recount()
		for _, m := range list {
			v.tell(Fault{Of: "the counter of " + m.Counter, ID: m.ID, Problem: fmt.Sprintf("says %d, and there are %d", m.Kept, m.Counted)})
		}
		return err
	})
}
