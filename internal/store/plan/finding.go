package plan

import (
	"context"
	"errors"
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"
)

// finding keeps what was found, by keys that hold all it depends on: generations, and what its asker may see. Those who ask
// for the same while one looks for it wait for that one: what is found under a key would be given to them a moment later.
type finding[K comparable, N any] struct {
	kept *lru.Cache[K, N]

	mu  sync.Mutex
	now map[K]*search[N]
}

// search is one that is on its way.
type search[N any] struct {
	found N
	err   error
	left  bool // whoever looked has gone, so that nobody knows
	done  chan struct{}
}

func newFinding[K comparable, N any](most int) *finding[K, N] {
	kept, err := lru.New[K, N](most)
	if err != nil { // for a size below one only
		panic(err)
	}
	return &finding[K, N]{kept: kept, now: map[K]*search[N]{}}
}

// errNobodyLooked is what those are told who waited for one that panicked.
var errNobodyLooked = errors.New("nobody looked")

// of is what is kept under a key, else what look finds, which says whether to keep it. mine says that this call looked. A
// transaction waits for nobody, and what it finds may be undone.
func (f *finding[K, N]) of(v *View, key K, look func() (N, bool, error)) (found N, mine bool, err error) {
	if v.InTx() {
		found, ok := f.kept.Get(key)
		if !ok {
			found, _, err = look()
		}
		return found, !ok, err
	}
	return f.share(v.Context(), key, look)
}

func (f *finding[K, N]) share(ctx context.Context, key K, look func() (N, bool, error)) (found N, mine bool, err error) {
	for {
		f.mu.Lock()
		if found, ok := f.kept.Get(key); ok {
			f.mu.Unlock()
			return found, false, nil
		}
		other := f.now[key]
		if other == nil {
			me := &search[N]{err: errNobodyLooked, done: make(chan struct{})}
			f.now[key] = me
			f.mu.Unlock()
			found, err = f.look(ctx, key, me, look)
			return found, true, err
		}
		f.mu.Unlock()
		select {
		case <-other.done:
		case <-ctx.Done():
			return found, false, ctx.Err()
		}
		if !other.left {
			return other.found, false, other.err
		}
	}
}

func (f *finding[K, N]) look(ctx context.Context, key K, me *search[N], look func() (N, bool, error)) (N, error) {
	keep := false
	defer func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if delete(f.now, key); keep && me.err == nil {
			f.kept.Add(key, me.found)
		}
		me.left = me.err != nil && ctx.Err() != nil
		close(me.done)
	}()
	me.found, keep, me.err = look()
	return me.found, me.err
}
