// Package store owns the SQL: one text for SQLite and PostgreSQL, one file per noun.
// It is the only room that knows a database. It never decides who may do what and
// holds no rule of the domain; a unique violation leaves it as the domain's refusal.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/explorer"
	"github.com/belayhq/belay/internal/trace"
	"github.com/belayhq/belay/run"
)

// text is SQL. Its type is unexported and only constants become it by themselves, so a
// user's string can't be joined to it: that does not compile.
type text string

// DB is an open database of either engine.
type DB struct {
	engine     engine
	dialect    *dialect
	statements atomic.Int64
	background atomic.Int64                       // statements of Background
	access     *lru.Cache[string, belay.Access]   // by subject, organization and its access generation
	counts     *lru.Cache[string, int]            // by organization, its generation and the filter
	answers    *lru.Cache[string, answer]         // of the explorer: by organization, its generations and the question
	explored   *lru.Cache[string, []explorer.Row] // pages of what workspaces use, by the same
	now        func() time.Time
	held       atomic.Pointer[func(time.Duration)] // is told how long each transaction ran
	said       atomic.Pointer[func(string)]        // is told each statement
	heaviest   atomic.Int64                        // rows that one transaction read and wrote, the most so far
	queued     chan struct{}                       // holds one when events were queued since it was last read
	wakes      wakes
}

// engine runs statements on one kind of database.
type engine interface {
	// reader is what views read with.
	reader() conn
	// update runs fn in one transaction and returns after it is durable. It may run fn
	// again when the database asks for a retry.
	update(ctx context.Context, fn func(conn) error) error
	ping(ctx context.Context) error
	// listen tells what other replicas notify of, until the connection or ctx ends.
	listen(ctx context.Context, told func(kind string))
	migrate(ctx context.Context, log *slog.Logger) error
	// raw is the database as the standard library knows it, for reading, until done is called.
	raw() (db *sql.DB, done func())
	load() Busy
	close() error
}

// conn runs statements: a pool, a connection or a transaction.
type conn interface {
	query(ctx context.Context, sql string, args []any) (rows, error)
	exec(ctx context.Context, sql string, args []any) (int64, error)
}

// ending is a transaction that sends statements together, and the last ones with its commit.
type ending interface{ lastly(sql string, args []any) }

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

	Existing bool // open only what is there already, with the schema that this program has
	// AnySchema opens an older one too, with Existing: only to look at its schema.
	AnySchema bool
	Alone     bool // refuse a SQLite file that another process has opened alone
}

// Unfit says why a database can't be opened by this program as it is asked to.
type Unfit string

func (u Unfit) Error() string { return string(u) }

// Open connects to the database and brings its schema up to date.
func Open(ctx context.Context, o Options) (*DB, error) {
	db := &DB{now: o.Now, queued: make(chan struct{}, 1)}
	if db.now == nil {
		db.now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	db.access, _ = lru.New[string, belay.Access](4096) // fails only for a size below one
	db.counts, _ = lru.New[string, int](4096)
	db.answers, _ = lru.New[string, answer](256)
	db.explored, _ = lru.New[string, []explorer.Row](16)
	var err error
	if path, ok := strings.CutPrefix(o.URL, "sqlite:"); ok {
		db.dialect = &sqliteDialect
		if o.Existing {
			if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
				return nil, errNoDatabase
			}
		}
		db.engine, err = openSQLite(ctx, path, o.Alone)
	} else {
		db.dialect = &postgresDialect
		db.engine, err = openPostgres(ctx, o.URL)
	}
	if err != nil {
		return nil, err
	}
	err = db.fits(ctx, o.Existing && !o.AnySchema)
	if err == nil && !o.Existing {
		err = db.engine.migrate(ctx, o.Log)
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

// Engine is the name of the database's kind: sqlite or postgres.
func (db *DB) Engine() string { return db.dialect.name }

// OneWriter says whether a transaction keeps all others waiting: then what is known before it
// begins is worth to be read before.
func (db *DB) OneWriter() bool { return db.dialect.hold == "" }

// OnWrite has fn told how long each transaction runs from now on, its commit not counted. On
// SQLite nobody else writes meanwhile.
func (db *DB) OnWrite(fn func(took time.Duration)) { db.held.Store(&fn) }

// HeaviestWrite is how many rows the transaction read and wrote that had the most of them,
// since this was last asked. It is what keeps others waiting who write, told without a clock.
func (db *DB) HeaviestWrite() int { return int(db.heaviest.Swap(0)) }

// View reads. Each of its methods is one statement; what they read may be from
// different moments. It lives no longer than the call it serves, so it carries its context.
type View struct {
	ctx  context.Context
	db   *DB
	conn conn
	inTx bool                     // part of a transaction that may yet be undone: nothing it reads is kept
	hold text                     // how rows are held against other writers until the transaction ends
	mine *map[string]belay.Access // what was read of the principal's access: it is read once
	work *work                    // what was done so far

	changes *rowChanges // of a transaction, that are yet to be written
}

// Tx reads and writes in one transaction. Now is the one reading of the clock for it.
type Tx struct {
	View
	Now    time.Time
	queued bool // an event was queued for delivery
	wakes  []Wake
	notes  []run.Event // of runs, that were written

	counters counters
}

// View runs fn with a view of the database.
func (db *DB) View(ctx context.Context, fn func(*View) error) error {
	if c := ConductOf(ctx); c != nil && c.view != nil {
		within := *c.view
		return fn(&within)
	}
	ctx, span := trace.Begin(ctx, "database view")
	did := &work{}
	err := db.room(fn(&View{ctx: ctx, db: db, conn: db.engine.reader(), mine: new(map[string]belay.Access), work: did}))
	db.told(span, err, did, 0)
	return err
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
	var queued bool
	var wakes []Wake
	ctx, span := trace.Begin(ctx, "database transaction")
	tries, asked, all := 0, time.Now(), &work{}
	defer func() { db.told(span, err, all, tries) }()
	err = db.engine.update(ctx, func(c conn) error {
		// A client that goes away must not undo a statement halfway.
		detached := context.WithoutCancel(ctx)
		now := db.now().UTC().Truncate(time.Millisecond)
		tx := &Tx{View: View{ctx: detached, db: db, conn: c, inTx: true, hold: db.dialect.hold, mine: new(map[string]belay.Access), work: all, changes: &rowChanges{}}, Now: now}
		begun := time.Now()
		if tries++; tries == 1 && span.Recorded() { // it has its turn
			span.Set(trace.Number("belay.db.wait_us", int(begun.Sub(asked).Microseconds())))
		}
		before := all.rows
		err := guarded(fn, tx)
		if err == nil {
			err = tx.settleLast()
		}
		if err == nil {
			err = tx.notify()
		}
		if err == nil {
			err = tx.count()
		}
		db.noteWrite(time.Since(begun), int64(all.rows-before))
		queued, wakes = tx.queued, tx.wakes
		return err
	})
	if err != nil {
		return db.room(err)
	}
	for _, kind := range wakes {
		db.wakes.tell(kind)
	}
	if queued {
		select {
		case db.queued <- struct{}{}:
		default: // whoever waits has yet to read the one before
		}
	}
	return nil
}

func (db *DB) noteWrite(took time.Duration, rows int64) {
	if fn := db.held.Load(); fn != nil {
		(*fn)(took)
	}
	for most := db.heaviest.Load(); rows > most && !db.heaviest.CompareAndSwap(most, rows); {
		most = db.heaviest.Load()
	}
}

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

// guarded makes an error of a panic: the engine must end the transaction, and on SQLite
// its one writer must live.
func guarded(fn func(*Tx) error, tx *Tx) (err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err = fmt.Errorf("panic in a transaction: %v\n%s", panicked, debug.Stack())
		}
	}()
	return fn(tx)
}

// Queued gives something after events that may be delivered were committed here.
// Other replicas' commits are not heard of.
func (db *DB) Queued() <-chan struct{} { return db.queued }

func (v *View) query(sql string, args []any) (rows, error) {
	if err := v.settle(sql); err != nil {
		return nil, err
	}
	v.tally(sql)
	return v.conn.query(v.ctx, sql, args)
}

// exec runs a statement and returns how many rows it changed.
func (v *View) exec(q *query) (int64, error) {
	sql := q.String()
	if err := v.settle(sql); err != nil {
		return 0, err
	}
	v.tally(sql)
	n, err := v.conn.exec(v.ctx, sql, q.args)
	v.work.rows += int(n)
	return n, err
}

// do runs a statement whose count of rows does not matter.
func (tx *Tx) do(sql text, args ...any) error {
	_, err := tx.exec(tx.sql(sql, args...))
	return err
}

// lastly runs a statement that changes one row, before the next whose answer is waited for.
func (tx *Tx) lastly(sql text, args ...any) error { return tx.later(tx.sql(sql, args...)) }

// later is lastly of a statement that is made already.
func (tx *Tx) later(q *query) error {
	end, ok := tx.conn.(ending)
	if !ok {
		_, err := tx.exec(q)
		return err
	}
	said := q.String()
	if err := tx.settle(said); err != nil {
		return err
	}
	tx.tally(said)
	tx.work.rows++
	end.lastly(said, q.args)
	return nil
}

// sql begins a statement in the dialect of the database.
func (v *View) sql(sql text, args ...any) *query {
	q := &query{dialect: v.db.dialect}
	return q.add(sql, args...)
}

// value reads one value of one row. found is false when there is no row.
func value[T any](v *View, q *query) (result T, found bool, err error) {
	list, err := values[T](v, q)
	if err != nil || len(list) == 0 {
		return result, false, err
	}
	return list[0], true, nil
}

// values reads one value of every row.
func values[T any](v *View, q *query) (list []T, err error) {
	return collect(v, q, func(n *T) []any { return []any{n} })
}

// collect reads every row through the destinations that dest gives for a noun.
func collect[N any](v *View, q *query, dest func(*N) []any) (list []N, err error) {
	found, err := v.query(q.String(), q.args)
	if err != nil {
		return nil, err
	}
	defer func() { err = joinClose(err, found.Close()) }()
	var scratch, zero N
	into := dest(&scratch)
	for found.Next() {
		scratch = zero
		if err := found.Scan(into...); err != nil {
			return nil, err
		}
		list = append(list, scratch)
	}
	v.work.rows += len(list)
	return list, found.Err()
}

func joinClose(err, closing error) error {
	if err != nil {
		return err
	}
	return closing
}
