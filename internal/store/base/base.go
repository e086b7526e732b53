// Package base owns what all rooms of the store have in common: how they read and write in one
// transaction, the counters, what is tied, held, hidden or due. It never knows the columns of a noun.
package base

import (
	"context"

	"github.com/belayhq/belay/internal/sqldb"
)

// View reads. The view of every room holds one.
type View struct{ *sqldb.View }

// Tx writes in one transaction. That of every room holds one.
//
// What it writes with stands a step below what it reads with, here and in every room: a name
// that both have is then the view's, and is read in one way.
type Tx struct {
	View
	writes
	kept *kept
}

type writes struct{ *sqldb.Tx }

// Write is a transaction of the database, for all rooms that write in it.
func Write(tx *sqldb.Tx) Tx {
	return Tx{View: View{tx.Inside()}, writes: writes{tx}, kept: &kept{}}
}

// Peek is the same view, but holds no row: for what a transaction only looks at.
func (v *View) Peek() *View { return &View{v.View.Peek()} }

// Seizing is the same view, but holds a row as one that is to be deleted. Whoever holds it
// otherwise first, and deletes it then, waits for those who refer to it while they wait for it.
func (v *View) Seizing() *View { return &View{v.View.Seizing()} }

// Holds says that reading a row alone holds it: what was read of it before may be past.
func (v *View) Holds() bool { return v.Hold() != "" }

// Reader is the view or the transaction of any room.
type Reader interface {
	sqldb.Reader
	SQL(sql sqldb.Text, args ...any) *sqldb.Query
}

// Writer is the transaction of any room.
type Writer interface {
	sqldb.Writer
	SQL(sql sqldb.Text, args ...any) *sqldb.Query
	Exec(q *sqldb.Query) (int64, error)
}

// DB begins the transactions of all rooms.
type DB struct {
	Reads  func(context.Context, func(*View) error) error
	Writes func(context.Context, func(*Tx) error) error
	// RowsNow is how many rows one transaction writes at the most where it is free to choose.
	RowsNow func(ctx context.Context) int
}
