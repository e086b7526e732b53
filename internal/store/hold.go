package store

// Peek is the same view, but holds no row: for what a transaction only looks at.
func (v *View) Peek() *View {
	peek := *v
	peek.hold = ""
	return &peek
}

// Holds says that reading a row alone holds it: what was read of it before may be past.
func (v *View) Holds() bool { return v.hold != "" }

// Seizing is the same view, but holds a row as one that is to be deleted. Whoever holds it
// otherwise first, and deletes it then, waits for those who refer to it while they wait for it.
func (tx *Tx) Seizing() *View {
	seizing := tx.View
	seizing.hold = tx.db.dialect.seize
	return &seizing
}
