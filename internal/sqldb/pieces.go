package sqldb

import (
	"iter"
	"slices"
)

// pieceRows is how many rows PostgreSQL writes with a dozen indexes, or holds that another has changed since it was asked, in about a
// millisecond.
const pieceRows = 12

// InPieces is keys, in order, for as many statements as should ask for their rows: for one, or for many where several tenants are there and each
// statement keeps a processor of the database's busy. Between two others have it. One writer is to be done soon instead.
func (v *View) InPieces(keys []string) iter.Seq[[]string] {
	size := pieceRows
	if v.db.OneWriter() || !v.db.tenants.Several() {
		size = max(1, len(keys))
	}
	return slices.Chunk(slices.Sorted(slices.Values(keys)), size)
}

// InPieces is that of a view.
func (tx *Tx) InPieces(keys []string) iter.Seq[[]string] { return tx.view.InPieces(keys) }
