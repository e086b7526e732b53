// Package runs owns runs, their jobs, logs and files, runners, configuration versions and engines. It knows no rule of what a run may do next.
package runs

import (
	"github.com/belayhq/belay/internal/store/base"
	"github.com/belayhq/belay/internal/store/core"
	"github.com/belayhq/belay/run"
)

// View reads.
type View struct{ core.View }

// Tx reads and writes in one transaction; base.Tx says why it is made so.
type Tx struct {
	View
	writes
	notes []run.Event // what was written of runs
}

type writes struct{ core.Tx }

// Read is the view over that of the database.
func Read(v base.View) View { return View{core.Read(v)} }

// Write is the transaction in that of the database.
func Write(tx base.Tx) Tx { return Tx{View: Read(tx.View), writes: writes{core.Write(tx)}} }

// Peek is the same view, but holds no row: for what a transaction only looks at.
func (v *View) Peek() *View {
	same := Read(*v.View.View.View.Peek())
	return &same
}
