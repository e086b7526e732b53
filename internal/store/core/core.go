// Package core owns workspaces, what they are in, what is set for them and what they hold: organizations,
// projects, tags, variables, agent pools, states. These know each other, so they have one room. It never decides
// who may do what.
package core

import (
	"context"

	"github.com/belayhq/belay/internal/store/base"
	"github.com/belayhq/belay/internal/store/events"
)

// View reads.
type View struct{ events.View }

// Tx reads and writes in one transaction; base.Tx says why it is made so.
type Tx struct {
	View
	writes
}

type writes struct{ events.Tx }

// Read is the view over that of the database.
func Read(v base.View) View { return View{events.Read(v)} }

// Write is the transaction in that of the database.
func Write(tx base.Tx) Tx { return Tx{View: Read(tx.View), writes: writes{events.Write(tx)}} }

// Peek is the same view, but holds no row: for what a transaction only looks at.
func (v *View) Peek() *View {
	same := Read(*v.View.View.Peek())
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
