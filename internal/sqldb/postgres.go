package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/fair"
)

// retries is how often a transaction is run again that lost against another.
const retries = 8

// minConnections is how many connections the pool may open even on a small machine: most
// of them wait for a commit to reach the disk, and commits that wait together share one
// write. pool_max_conns in the URL goes before it.
const minConnections = 24

// fewestConnections serve at all: one hears what other replicas write, one brings the schema up
// to date, and requests want the others.
const fewestConnections = 4

// settings are what connections ask PostgreSQL for. A URL that names one goes before.
//
// No other processors help one statement: a count of one tenant's would take those of all others, and costs more than it does alone.
// What is read here and there comes from memory, or from a disk without arms: where it counts as four times what is read in order, a
// plan of a table's first pages reads all of it, and is kept while it grows.
var settings = map[string]string{"max_parallel_workers_per_gather": "0", "random_page_cost": "1.1"}

// postgresEngine is a pool of connections; several replicas may share the database.
type postgresEngine struct {
	pool *pgxpool.Pool
	gate *fair.Gate // to its connections
	made *atomic.Int64
}

func openPostgres(ctx context.Context, url string, tenants *fair.Tenants) (*postgresEngine, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, Unfit(err.Error()) // which leaves the password out
	}
	if !strings.Contains(url, "pool_max_conns") {
		config.MaxConns = int32(max(minConnections, 4*runtime.NumCPU())) //nolint:gosec // a handful of cores
	}
	if config.MaxConns < fewestConnections {
		return nil, Unfit(fmt.Sprintf("pool_max_conns is %d and must be at least %d", config.MaxConns, fewestConnections))
	}
	made := &atomic.Int64{}
	config.AfterConnect = func(ctx context.Context, c *pgx.Conn) error {
		made.Add(1)
		for name, value := range settings {
			if strings.Contains(url, name) {
				continue
			}
			if _, err := c.Exec(ctx, "SET "+name+" = "+value); err != nil {
				return err
			}
		}
		return nil
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	// The database may have few processors for so many connections, and its own processes rest for nobody: of one tenant, while
	// others are there, no more than keep half of them busy.
	most := int(config.MaxConns) - 1 // one listens
	return &postgresEngine{pool, tenants.Database(most, runtime.NumCPU()/2), made}, nil
}

func (e *postgresEngine) reader() conn { return pgConn{e.pool} }

func (e *postgresEngine) turn(ctx context.Context) (func(), error) { return e.gate.Enter(ctx) }

func (e *postgresEngine) ping(ctx context.Context) error { return e.pool.Ping(ctx) }

func (e *postgresEngine) close() error {
	e.pool.Close()
	return nil
}

// listen takes a connection of its own out of the pool.
func (e *postgresEngine) listen(ctx context.Context, told func(string)) {
	conn, err := e.pool.Acquire(ctx)
	if err != nil {
		return
	}
	mine := conn.Hijack() // never given back: what it listens to is nobody else's
	defer func() { _ = mine.Close(context.WithoutCancel(ctx)) }()
	if _, err := mine.Exec(ctx, "LISTEN belay"); err != nil {
		return
	}
	for {
		heard, err := mine.WaitForNotification(ctx)
		if err != nil {
			return
		}
		told(heard.Payload)
	}
}

func (e *postgresEngine) update(ctx context.Context, fn func(conn) error) error {
	fair.WorkOf(ctx).Yield()
	leave, err := e.gate.EnterInLine(ctx)
	if err != nil {
		return err
	}
	defer leave()
	for attempt := 1; ; attempt++ {
		err := e.once(ctx, fn)
		if err == nil || attempt == retries || !postgresDialect.transient(err) {
			return err
		}
		select {
		case <-time.After(time.Duration(attempt) * time.Duration(1+rand.IntN(10)) * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (e *postgresEngine) once(ctx context.Context, fn func(conn) error) error {
	c, err := e.pool.Acquire(ctx)
	if err != nil {
		return unreachable(err)
	}
	defer c.Release() // which closes a connection that is still in a transaction
	// From here on the client's leaving changes nothing: the answer must be true.
	detached := context.WithoutCancel(ctx)
	tx := &pgTx{on: c}
	err = fn(tx)
	if err == nil {
		err = tx.commit(detached)
	}
	if c.Conn().PgConn().TxStatus() != idle {
		_, _ = c.Exec(detached, "ROLLBACK")
	}
	return err
}

// idle is a connection in no transaction.
const idle = 'I'

// pgTx is a transaction. Statements whose answers nobody waits for go together with the next that
// somebody does wait for, or with its commit, and so does its beginning: each way to the database and
// back costs both sides more than many a statement.
type pgTx struct {
	on    *pgxpool.Conn
	begun bool // its beginning was sent, or waits with others
	last  *pgx.Batch
	told  map[int]*int64 // where the numbers go that some of those answer with
}

func (t *pgTx) lastly(sql string, args []any) {
	if t.last == nil {
		t.last = &pgx.Batch{}
	}
	if !t.begun {
		t.begun = true
		t.last.Queue("BEGIN")
	}
	t.last.Queue(sql, args...)
}

func (t *pgTx) lastlyTold(into *int64, sql string, args []any) {
	t.lastly(sql, args)
	if t.told == nil {
		t.told = map[int]*int64{}
	}
	t.told[t.last.Len()-1] = into
}

// send sends what waits and one statement more, and reads the answers up to that one's.
func (t *pgTx) send(ctx context.Context, sql string, args []any) (pgx.BatchResults, error) {
	t.lastly(sql, args)
	before := t.last.Len() - 1
	sent, told := t.on.SendBatch(ctx, t.last), t.told
	t.last, t.told = nil, nil
	for i := range before {
		var err error
		if into := told[i]; into != nil {
			err = sent.QueryRow().Scan(into)
		} else {
			_, err = sent.Exec()
		}
		if err != nil {
			_ = sent.Close() // says the same again
			return nil, unreachable(err)
		}
	}
	return sent, nil
}

func (t *pgTx) query(ctx context.Context, sql string, args []any) (rows, error) {
	if t.begun && t.last == nil {
		return pgConn{t.on}.query(ctx, sql, args)
	}
	sent, err := t.send(ctx, sql, args)
	if err != nil {
		return nil, err
	}
	found, err := sent.Query()
	if err != nil {
		_ = sent.Close()
		return nil, unreachable(err)
	}
	return sentRows{pgRows{found}, sent}, nil
}

// sentRows is the rows of a statement that was sent together with others, the last of them.
type sentRows struct {
	pgRows
	sent pgx.BatchResults
}

func (r sentRows) Close() error { return joinClose(r.pgRows.Close(), r.sent.Close()) }

func (t *pgTx) exec(ctx context.Context, sql string, args []any) (n int64, err error) {
	if t.begun && t.last == nil {
		return pgConn{t.on}.exec(ctx, sql, args)
	}
	sent, err := t.send(ctx, sql, args)
	if err != nil {
		return 0, err
	}
	defer func() { err = joinClose(err, sent.Close()) }()
	done, err := sent.Exec()
	return done.RowsAffected(), unreachable(err)
}

// commit sends the last statements and the commit together: the rows that those change, for
// which others wait, are held for no round trip. After one that fails the rest is passed over.
// What has asked for nothing has not even begun.
func (t *pgTx) commit(ctx context.Context) (err error) {
	if !t.begun {
		return nil
	}
	sent, err := t.send(ctx, "COMMIT", nil)
	if err != nil {
		return err
	}
	defer func() { err = joinClose(err, sent.Close()) }()
	done, err := sent.Exec()
	if err == nil && done.String() == "ROLLBACK" { // what COMMIT does where a statement has failed
		err = pgx.ErrTxCommitRollback
	}
	return err
}

func (e *postgresEngine) migrate(ctx context.Context, s Schema, log *slog.Logger) error {
	// Replicas that start together take turns. The lock ends with its connection at the latest.
	turn, err := e.pool.Acquire(ctx)
	if err != nil {
		return unreachable(err)
	}
	defer turn.Release()
	if _, err := turn.Exec(ctx, "SELECT pg_advisory_lock($1)", lock.DefaultLockID); err != nil {
		return fmt.Errorf("wait to migrate: %w", err)
	}
	defer func() {
		_, _ = turn.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", lock.DefaultLockID)
	}()
	db := stdlib.OpenDBFromPool(e.pool)
	defer func() { _ = db.Close() }()
	return s.migrate(ctx, goose.DialectPostgres, db, &postgresDialect, log)
}

func (e *postgresEngine) raw() (*sql.DB, func()) {
	db := stdlib.OpenDBFromPool(e.pool)
	return db, func() { _ = db.Close() }
}

func (e *postgresEngine) load() Busy {
	pool := e.pool.Stat()
	return Busy{Open: int(pool.TotalConns()), InUse: int(pool.AcquiredConns()), Max: int(pool.MaxConns()), Waited: pool.EmptyAcquireCount()}
}

func (e *postgresEngine) connections() int64 { return e.made.Load() }

// pgRunner is a pool or a transaction.
type pgRunner interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

type pgConn struct{ run pgRunner }

func (c pgConn) query(ctx context.Context, sql string, args []any) (rows, error) {
	found, err := c.run.Query(ctx, sql, args...)
	if err != nil {
		return nil, unreachable(err)
	}
	return pgRows{found}, nil
}

func (c pgConn) exec(ctx context.Context, sql string, args []any) (int64, error) {
	tag, err := c.run.Exec(ctx, sql, args...)
	return tag.RowsAffected(), unreachable(err)
}

// unreachable makes a refusal of a database that can't be connected to: nothing has
// begun, so the client may try again.
func unreachable(err error) error {
	var connecting *pgconn.ConnectError
	if !errors.As(err, &connecting) {
		return err
	}
	refusal := belay.Refuse(belay.NotReady, "the database can't be reached, try again shortly")
	refusal.Err = err
	return refusal
}

// pgRows gives pgx's rows the Close of database/sql.
type pgRows struct{ pgx.Rows }

func (r pgRows) Close() error {
	r.Rows.Close()
	return r.Err()
}
