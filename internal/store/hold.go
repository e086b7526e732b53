package store

import "github.com/belayhq/belay/internal/store/base"

// Peek is the same view, but holds no row: for what a transaction only looks at.
func (v *View) Peek() *View { return v.on(v.baseView.Peek()) }

// Seizing is the same view, but holds a row as one that is to be deleted. Whoever holds it
// otherwise first, and deletes it then, waits for those who refer to it while they wait for it.
func (tx *Tx) Seizing() *View { return tx.on(tx.View.Seizing()) }

// on is the same view over another one of the database.
func (v *View) on(other *base.View) *View {
	same := v.db.reading(*other)
	same.mine = v.mine
	return &same
}
