package store

// Peek is the same view, but holds no row: for what a transaction only looks at.
func (v *View) Peek() *View { return v.on(v.sqlView.Peek()) }

// Holds says that reading a row alone holds it: what was read of it before may be past.
func (v *View) Holds() bool { return v.Hold() != "" }

// Seizing is the same view, but holds a row as one that is to be deleted. Whoever holds it
// otherwise first, and deletes it then, waits for those who refer to it while they wait for it.
func (tx *Tx) Seizing() *View { return tx.on(tx.sqlView.Seizing()) }

// on is the same view over another one of the database.
func (v *View) on(other *sqlView) *View {
	same := *v
	same.sqlView = other
	return &same
}
