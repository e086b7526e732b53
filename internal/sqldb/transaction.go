package sqldb

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/belayhq/belay/internal/trace"
)

// Tx writes, and its view reads, in one transaction. Now is the one reading of the clock for it.
type Tx struct {
	Now   time.Time
	view  View
	wakes []Wake
	said  int // how many of the wakes other replicas are told of
}

// Writer is a transaction, or what embeds one.
type Writer interface{ writing() *Tx }

func (tx *Tx) writing() *Tx { return tx }

func (tx *Tx) reading() *View { return &tx.view }

// Inside is the view of the transaction: it holds the rows that it reads one by one.
func (tx *Tx) Inside() *View { return &tx.view }

// Update runs fn in one transaction, and last at its very end: all of it is kept, or nothing. It
// returns after the commit is durable. fn may be run again after a transient failure, so it must
// reach outside tx for nothing.
func (db *DB) Update(ctx context.Context, fn, last func(*Tx) error) (err error) {
	var wakes []Wake
	ctx, span := trace.Begin(ctx, "database transaction")
	tries, asked, all := 0, time.Now(), &work{}
	defer func() { db.told(span, err, all, tries) }()
	err = db.engine.update(ctx, func(c conn) error {
		// A client that goes away must not undo a statement halfway.
		detached := context.WithoutCancel(ctx)
		now := db.now().UTC().Truncate(time.Millisecond)
		tx := &Tx{Now: now, view: View{ctx: detached, db: db, conn: c, inTx: true, hold: db.dialect.Hold, work: all, changes: &rowChanges{}}}
		begun := time.Now()
		if tries++; tries == 1 && span.Recorded() { // it has its turn
			span.Set(trace.Number("belay.db.wait_us", int(begun.Sub(asked).Microseconds())))
		}
		before := all.rows
		err := guarded(fn, tx)
		if err == nil {
			err = tx.settleLast()
		}
		if err == nil {
			err = tx.notify()
		}
		if err == nil {
			err = last(tx)
		}
		db.noteWrite(time.Since(begun), int64(all.rows-before))
		wakes = tx.wakes
		return err
	})
	if err != nil {
		return db.room(err)
	}
	for _, kind := range wakes {
		db.wakes.tell(kind)
	}
	return nil
}

// guarded makes an error of a panic: the engine must end the transaction, and on SQLite
// its one writer must live.
func guarded(fn func(*Tx) error, tx *Tx) (err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err = fmt.Errorf("panic in a transaction: %v\n%s", panicked, debug.Stack())
		}
	}()
	return fn(tx)
}

// Exec runs a statement and returns how many rows it changed.
func (tx *Tx) Exec(q *Query) (int64, error) { return tx.view.exec(q) }

// Do runs a statement whose count of rows does not matter.
func (tx *Tx) Do(sql Text, args ...any) error {
	_, err := tx.Exec(tx.view.SQL(sql, args...))
	return err
}

// Lastly runs a statement that changes one row or none, before the next whose answer is waited for.
func (tx *Tx) Lastly(sql Text, args ...any) error { return tx.Later(tx.view.SQL(sql, args...)) }

// LastlyTold is Lastly of a statement that answers with a number, which is there once the transaction is kept.
func (tx *Tx) LastlyTold(into *int64, sql Text, args ...any) error {
	q := tx.view.SQL(sql, args...)
	end, ok := tx.view.conn.(ending)
	if !ok {
		n, _, err := Value[int64](&tx.view, q)
		*into = n
		tx.view.work.rows++
		return err
	}
	said := q.String()
	if err := tx.view.settle(said); err != nil {
		return err
	}
	tx.view.tally(said, q.Args)
	tx.view.work.rows++
	end.lastlyTold(into, said, q.Args)
	return nil
}

// Later is lastly of a statement that is made already.
func (tx *Tx) Later(q *Query) error {
	end, ok := tx.view.conn.(ending)
	if !ok {
		_, err := tx.Exec(q)
		return err
	}
	said := q.String()
	if err := tx.view.settle(said); err != nil {
		return err
	}
	tx.view.tally(said, q.Args)
	tx.view.work.rows++
	end.lastly(said, q.Args)
	return nil
}

// Unique turns a broken uniqueness into the domain's refusal.
func (tx *Tx) Unique(err, taken error) error {
	if err != nil && taken != nil && tx.view.db.dialect.uniqueViolation(err) {
		return taken
	}
	return err
}
