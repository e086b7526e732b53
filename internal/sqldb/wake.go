package sqldb

import (
	"context"
	"sync"
	"time"
)

// Wake is a kind of change that somebody waits for.
type Wake string

// wakes is who waits for what.
type wakes struct {
	mu      sync.Mutex
	waiting map[Wake][]chan struct{}
}

// Watch gives something after a change of the kind was committed: here, and on PostgreSQL
// by other replicas too, while Listen runs. Several changes may be told as one, and one
// may be lost: whoever waits looks again after a while. stop ends it.
func (db *DB) Watch(kind Wake) (told <-chan struct{}, stop func()) {
	mine := make(chan struct{}, 1)
	db.wakes.mu.Lock()
	defer db.wakes.mu.Unlock()
	if db.wakes.waiting == nil {
		db.wakes.waiting = map[Wake][]chan struct{}{}
	}
	db.wakes.waiting[kind] = append(db.wakes.waiting[kind], mine)
	return mine, func() { db.wakes.drop(kind, mine) }
}

func (w *wakes) drop(kind Wake, mine chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	kept := w.waiting[kind][:0]
	for _, other := range w.waiting[kind] {
		if other != mine {
			kept = append(kept, other)
		}
	}
	if w.waiting[kind] = kept; len(kept) == 0 {
		delete(w.waiting, kind) // there are as many kinds as logs
	}
}

func (w *wakes) tell(kind Wake) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, waiting := range w.waiting[kind] {
		select {
		case waiting <- struct{}{}:
		default: // it has yet to read the one before
		}
	}
}

// Wake tells whoever watches, when the transaction is committed.
func (tx *Tx) Wake(kind Wake) {
	for _, told := range tx.wakes {
		if told == kind {
			return
		}
	}
	tx.wakes = append(tx.wakes, kind)
}

// notify tells the other replicas, as part of the transaction.
func (tx *Tx) notify() error {
	if said := tx.saying(); said != nil {
		return tx.Later(tx.view.SQL("SELECT ").Add(tx.view.db.dialect.notify, said))
	}
	return nil
}

// notifyWith tells them with a statement that writes new rows.
func (tx *Tx) notifyWith(q *Query) {
	if said := tx.saying(); said != nil {
		q.Add(" RETURNING ").Add(tx.view.db.dialect.notify, said)
	}
}

// saying is what other replicas are yet to be told; nil: nothing.
func (tx *Tx) saying() (kinds []string) {
	if tx.view.db.dialect.notify == "" {
		return nil
	}
	for _, kind := range tx.wakes[tx.said:] {
		kinds = append(kinds, string(kind))
	}
	tx.said = len(tx.wakes)
	return kinds
}

// listenAgain is how long after a lost connection the next is tried.
const listenAgain = time.Second

// Listen hears what other replicas commit, until ctx ends.
func (db *DB) Listen(ctx context.Context) {
	for ctx.Err() == nil {
		db.engine.listen(ctx, func(kind string) { db.wakes.tell(Wake(kind)) })
		select {
		case <-time.After(listenAgain):
		case <-ctx.Done():
		}
	}
}
