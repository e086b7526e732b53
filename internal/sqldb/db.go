// Package sqldb is the engine room: the two databases, the transactions that share a commit,
// statements in the making, the mapping of tables, the steps of a schema, and who is woken by what.
// It knows no noun and no table: what is asked, and what for, is for those who use it.
package sqldb

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/fair"
)

// DB is an open database of either engine.
type DB struct {
	engine     engine
	dialect    *Dialect
	schema     Schema
	statements atomic.Int64
	background atomic.Int64 // statements of Background
	now        func() time.Time
	held       atomic.Pointer[func(time.Duration)] // is told how long each transaction ran
	said       atomic.Pointer[func(string, []any)] // is told each statement
	heaviest   atomic.Int64                        // rows that one transaction read and wrote, the most so far
	wakes      wakes
	tenants    *fair.Tenants
}

// engine runs statements on one kind of database.
type engine interface {
	// reader is what views read with, each when it has its turn.
	reader() conn
	turn(ctx context.Context) (leave func(), err error)
	// update runs fn in one transaction and returns after it is durable. It may run fn
	// again when the database asks for a retry.
	update(ctx context.Context, fn func(conn) error) error
	ping(ctx context.Context) error
	// listen tells what other replicas notify of, until the connection or ctx ends.
	listen(ctx context.Context, told func(kind string))
	migrate(ctx context.Context, s Schema, log *slog.Logger) error
	// raw is the database as the standard library knows it, for reading, until done is called.
	raw() (db *sql.DB, done func())
	load() Busy
	// connections is how many were made so far.
	connections() int64
	close() error
}

// conn runs statements: a pool, a connection or a transaction.
type conn interface {
	query(ctx context.Context, sql string, args []any) (rows, error)
	exec(ctx context.Context, sql string, args []any) (int64, error)
}

// ending is a transaction that sends statements together, and the last ones with its commit.
type ending interface {
	lastly(sql string, args []any)
	lastlyTold(into *int64, sql string, args []any) // of a statement that answers with a number
}

// rows is the answer of a query.
type rows interface {
	Next() bool
	Scan(dest ...any) error
	Err() error
	Close() error
}

// Options is how a database is opened.
type Options struct {
	URL string // postgres://…, or sqlite:/path/to/file
	Log *slog.Logger
	Now func() time.Time // the clock; time.Now when nil

	Cache int // MiB that SQLite keeps pages in, for all its connections together; DefaultCache when 0

	Existing bool // open only what is there already, with the schema that this program has
	// AnySchema opens an older one too, with Existing: only to look at its schema.
	AnySchema bool
	Alone     bool // refuse a SQLite file that another process has opened alone
}

// DefaultCache is how many MiB SQLite keeps pages in.
const DefaultCache = 64

// Unfit says why a database can't be opened by this program as it is asked to.
type Unfit string

func (u Unfit) Error() string { return string(u) }

// Open connects to the database and brings its schema up to date.
func Open(ctx context.Context, o Options, s Schema) (*DB, error) {
	db := &DB{now: o.Now, schema: s}
	db.tenants = fair.New(time.Now)
	if db.now == nil {
		db.now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	var err error
	if path, ok := strings.CutPrefix(o.URL, "sqlite:"); ok {
		db.dialect = &sqliteDialect
		if o.Existing {
			if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
				return nil, errNoDatabase
			}
		}
		db.engine, err = openSQLite(ctx, path, cmp.Or(o.Cache, DefaultCache), o.Alone, db.tenants)
	} else {
		db.dialect = &postgresDialect
		db.engine, err = openPostgres(ctx, o.URL, db.tenants)
	}
	if err != nil {
		return nil, err
	}
	err = db.fits(ctx, o.Existing && !o.AnySchema)
	if err == nil && !o.Existing {
		err = db.engine.migrate(ctx, s, o.Log)
	}
	if err != nil {
		return nil, errors.Join(err, db.engine.close())
	}
	return db, nil
}

// Close waits for the transactions under way and closes the database.
func (db *DB) Close() error { return db.engine.close() }

// Ping says whether the database answers.
func (db *DB) Ping(ctx context.Context) error { return db.engine.ping(ctx) }

// Engine is the name of the database's kind: sqlite or postgres.
func (db *DB) Engine() string { return db.dialect.Name }

// OneWriter says whether a transaction keeps all others waiting: then what is known before it
// begins is worth to be read before.
func (db *DB) OneWriter() bool { return db.dialect.Hold == "" }

// RowsNow is RowsAtOnce, and a tenth of it while other tenants than whose work a context is are there, who may share one
// writer or a processor.
func (db *DB) RowsNow(ctx context.Context) int {
	if db.tenants.Others(ctx) {
		return RowsAtOnce / 10
	}
	return RowsAtOnce
}

// Versioned says whether a change of a row can be told by its version.
func (db *DB) Versioned() bool { return db.dialect.versioned }

// Connections is how many connections to the database were made so far. With a new one it may be another
// server, which took over and does not know all that the one before did: versions of rows are good for
// one number alone.
func (db *DB) Connections() int64 { return db.engine.connections() }

// Tenants are those who share the database; its gates are for what else they share.
func (db *DB) Tenants() *fair.Tenants { return db.tenants }

// Moment is what the clock says.
func (db *DB) Moment() time.Time { return db.now() }

// Busy is how busy the connections to the database are.
type Busy struct {
	Open, InUse, Max int
	Waited           int64 // how often somebody waited for a connection
	Queue            int   // transactions that wait for SQLite's one writer
}

// Busy tells it without asking the database.
func (db *DB) Busy() Busy { return db.engine.load() }

// room makes a refusal of a disk that is full: nothing was kept, and the client may try
// again. The cause is for the log alone: no refusal in it is to be taken for this one.
func (db *DB) room(err error) error {
	if err == nil || !db.dialect.full(err) {
		return err
	}
	refusal := belay.Refuse(belay.NotReady, "the database has no room left at the moment, try again later")
	refusal.Err = errors.New(err.Error())
	return refusal
}
