package sqldb

import (
	"context"
	"time"

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

// Statements is how many statements have run since the database was opened, but for those
// of the background.
func (db *DB) Statements() int64 { return db.statements.Load() }

// BackgroundStatements is how many statements the background has run since then.
func (db *DB) BackgroundStatements() int64 { return db.background.Load() }

type backgroundKey struct{}

// Background marks work that no request waits for. Its statements are counted apart: what a
// request costs can be told while it goes on.
func Background(ctx context.Context) context.Context {
	return context.WithValue(ctx, backgroundKey{}, true)
}

// OnStatement has fn told each statement from now on, which may be by several at once.
func (db *DB) OnStatement(fn func(sql string, args []any)) { db.said.Store(&fn) }

// tally counts a statement.
func (v *View) tally(sql string, args []any) {
	v.work.statements++
	if fn := v.db.said.Load(); fn != nil {
		(*fn)(sql, args)
	}
	if v.ctx.Value(backgroundKey{}) != nil {
		v.db.background.Add(1)
		return
	}
	v.db.statements.Add(1)
}

// OnWrite has fn told how long each transaction runs from now on, its commit not counted. On
// SQLite nobody else writes meanwhile.
func (db *DB) OnWrite(fn func(took time.Duration)) { db.held.Store(&fn) }

// HeaviestWrite is how many rows the transaction read and wrote that had the most of them,
// since this was last asked. It is what keeps others waiting who write, told without a clock.
func (db *DB) HeaviestWrite() int { return int(db.heaviest.Swap(0)) }

func (db *DB) noteWrite(took time.Duration, rows int64) {
	if fn := db.held.Load(); fn != nil {
		(*fn)(took)
	}
	for most := db.heaviest.Load(); rows > most && !db.heaviest.CompareAndSwap(most, rows); {
		most = db.heaviest.Load()
	}
}
