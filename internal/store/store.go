// Package store owns the SQL: one text for SQLite and PostgreSQL, one file per noun.
// It and the engine room below it are all that knows a database. It never decides who may do what and
// holds no rule of the domain; a unique violation leaves it as the domain's refusal.
package store

import (
	"context"
	"embed"
	"io/fs"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/base"
	"github.com/belayhq/belay/internal/store/core"
	"github.com/belayhq/belay/internal/store/events"
	"github.com/belayhq/belay/internal/store/people"
	"github.com/belayhq/belay/internal/store/plan"
	"github.com/belayhq/belay/internal/store/repos"
	"github.com/belayhq/belay/internal/store/runs"
)

//go:embed migrations/*.sql
var migrations embed.FS

// besideTables is what triggers fill: what finds parts of names, see grams.go, and once who held locks.
var besideTables = []string{"workspace_grams", "unread_names", "workspace_names", "workspace_locks"}

var theSchema = sqldb.NewSchema(folder(migrations, "migrations"), besideTables...)

func folder(files fs.FS, name string) fs.FS {
	inside, err := fs.Sub(files, name)
	if err != nil { // for a name that is no path
		panic(err)
	}
	return inside
}

// DB is an open database, and what is kept of it in memory.
type DB struct {
	*sqlDB
	eventsDB
	coreDB
	planDB
	access *lru.Cache[string, belay.Access] // by principal, organization and its access generation
	memory *memory                          // of tokens and workspaces, by the versions of their rows
	queued chan struct{}                    // holds one when events were queued since it was last read
}

// Open connects to the database and brings its schema up to date.
func Open(ctx context.Context, o Options) (*DB, error) {
	db := &DB{queued: make(chan struct{}, 1)}
	shared := base.DB{
		Reads: func(ctx context.Context, fn func(*base.View) error) error {
			return db.View(ctx, func(v *View) error { return fn(&v.baseView) })
		},
		Writes: func(ctx context.Context, fn func(*base.Tx) error) error {
			return db.Update(ctx, func(tx *Tx) error { return fn(&tx.baseTx) })
		},
		RowsNow: func(ctx context.Context) int { return db.RowsNow(ctx) },
	}
	db.eventsDB, db.coreDB, db.planDB = eventsDB{DB: shared}, coreDB{DB: shared}, plan.NewDB(shared)
	db.access, _ = lru.New[string, belay.Access](4096) // fails only for a size below one
	db.memory = newMemory()
	var err error
	if db.sqlDB, err = sqldb.Open(ctx, o, theSchema); err != nil {
		return nil, err
	}
	return db, nil
}

// View makes current reads. Each of its methods is one statement; what they read may be from
// different moments. It lives no longer than the call it serves, so it carries its context.
type View struct{ reads }

// Locked makes locked reads: a row that is read by itself stays as it is until the transaction ends. Lists and counts
// lock nothing, and neither does what the row of a workspace stands for: states and configuration versions.
type Locked struct {
	reads
	_ struct{} // a View can't be converted into it
}

// reads is what can be read either way, which its maker says.
type reads struct {
	baseView
	eventsView
	coreView
	peopleView
	reposView
	runsView
	planView
	db   *DB
	mine *map[string]belay.Access // what was read of the principal's access: it is read once
}

// Tx reads and writes in one transaction. Now is the one reading of the clock for it.
type Tx struct {
	Locked
	writes
}

// What the rooms give, by the names that this one knows it by.
type (
	baseView   = base.View
	eventsView = events.View
	coreView   = core.View
	peopleView = people.View
	reposView  = repos.View
	runsView   = runs.View
	planView   = plan.View

	baseTx   = base.Tx
	eventsTx = events.Tx
	coreTx   = core.Tx
	peopleTx = people.Tx
	reposTx  = repos.Tx
	runsTx   = runs.Tx
	planTx   = plan.Tx

	eventsDB = events.DB
	coreDB   = core.DB
	planDB   = plan.DB
)

// writes stands a step below what is read: base.Tx says why.
type writes struct{ rooms }

type rooms struct {
	baseTx
	eventsTx
	coreTx
	peopleTx
	reposTx
	runsTx
	planTx
}

func (db *DB) reading(v base.View) reads {
	return reads{
		baseView: v, eventsView: events.Read(v), coreView: core.Read(v), peopleView: people.Read(v), reposView: repos.Read(v), runsView: runs.Read(v), planView: db.planDB.Read(v),
		db: db, mine: new(map[string]belay.Access),
	}
}

func (db *DB) writing(tx base.Tx) *Tx {
	return &Tx{Locked: Locked{reads: db.reading(tx.View)}, writes: writes{rooms{tx, events.Write(tx), core.Write(tx), people.Write(tx), repos.Write(tx), runs.Write(tx), db.planDB.Write(tx)}}}
}

// View runs fn with a view of the database.
func (db *DB) View(ctx context.Context, fn func(*View) error) error {
	if c := ConductOf(ctx); c != nil && c.view != nil {
		return fn(&View{*c.view})
	}
	return db.sqlDB.View(ctx, func(v *sqlView) error {
		return fn(&View{db.reading(base.View{View: v})})
	})
}

// Update runs fn in one transaction: all of it is kept, or nothing. It returns after the
// commit is durable. fn may be run again after a transient failure, so it must reach
// outside tx for nothing.
func (db *DB) Update(ctx context.Context, fn func(*Tx) error) error {
	if c := ConductOf(ctx); c != nil {
		return c.update(ctx, db, fn)
	}
	return db.transact(ctx, fn)
}

func (db *DB) transact(ctx context.Context, fn func(*Tx) error) (err error) {
	defer func() {
		if belay.KindOf(err) != belay.Invalid { // then it lay with what was sent alone, and nothing is different from what was read
			core.Rise(ctx)
		}
	}()
	var tx *Tx
	err = db.sqlDB.Update(ctx, func(on *sqlTx) error {
		tx = db.writing(base.Write(on))
		return fn(tx)
	}, func(*sqlTx) error { return tx.Count() })
	if err != nil {
		return err
	}
	db.Moved(tx.GenerationsMoved())
	if !tx.IsQueued() {
		return nil
	}
	select {
	case db.queued <- struct{}{}:
	default: // whoever waits has yet to read the one before
	}
	return nil
}

// Queued gives something after events that may be delivered were committed here.
// Other replicas' commits are not heard of.
func (db *DB) Queued() <-chan struct{} { return db.queued }
