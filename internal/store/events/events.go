// Package events owns what happened: events, who is told of them, and the deliveries that wait to be sent.
// It never decides who may read them.
package events

import (
	"context"

	"github.com/belayhq/belay/internal/store/base"
)

// View reads.
type View struct{ base.View }

// Tx reads and writes in one transaction; base.Tx says why it is made so.
type Tx struct {
	View
	writes
}

type writes struct{ base.Tx }

// Read is the view over that of the database.
func Read(v base.View) View { return View{v} }

// Write is the transaction in that of the database.
func Write(tx base.Tx) Tx { return Tx{View: Read(tx.View), writes: writes{tx}} }

// Peek is the same view, but holds no row: for what a transaction only looks at.
func (v *View) Peek() *View {
	same := Read(*v.View.Peek())
	return &same
}

// DB begins transactions.
type DB struct{ base.DB }

// View runs fn with a view of the database.
func (db *DB) View(ctx context.Context, fn func(*View) error) error {
	return db.Reads(ctx, func(v *base.View) error {
		within := Read(*v)
		return fn(&within)
	})
}

// Update runs fn in one transaction.
func (db *DB) Update(ctx context.Context, fn func(*Tx) error) error {
	return db.Writes(ctx, func(on *base.Tx) error {
		tx := Write(*on)
		return fn(&tx)
	})
}
