package store

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/trace"
)

// work is how many statements were run, and how many rows they read and wrote.
type work struct{ statements, rows int }

// told ends the span of a view or a transaction. A refusal is no failure of the database.
func (db *DB) told(span trace.Span, err error, did *work, tries int) {
	if !span.Recorded() {
		return
	}
	system := "sqlite"
	if db.dialect == &postgresDialect {
		system = "postgresql" // as OpenTelemetry calls it
	}
	span.Set(trace.Text("db.system.name", system), trace.Number("belay.db.statements", did.statements), trace.Number("belay.db.rows", did.rows))
	if tries > 0 {
		span.Set(trace.Number("belay.db.tries", tries))
	}
	if kind := belay.KindOf(err); kind != belay.Internal && kind != belay.NotReady {
		err = nil
	}
	span.End(err)
}

// OnStatement has fn told the text of each statement from now on, which may be by several at once.
func (db *DB) OnStatement(fn func(sql string)) { db.said.Store(&fn) }

// tally counts a statement.
func (v *View) tally(sql string) {
	v.work.statements++
	if fn := v.db.said.Load(); fn != nil {
		(*fn)(sql)
	}
	if v.ctx.Value(backgroundKey{}) != nil {
		v.db.background.Add(1)
		return
	}
	v.db.statements.Add(1)
}
