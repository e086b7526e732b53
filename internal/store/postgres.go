package store

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"github.com/belayhq/belay"
)

// retries is how often a transaction is run again that lost against another.
const retries = 8

// minConnections is how many connections the pool may open even on a small machine: most
// of them wait for a commit to reach the disk, and commits that wait together share one
// write. pool_max_conns in the URL goes before it.
const minConnections = 24

// postgresEngine is a pool of connections; several replicas may share the database.
type postgresEngine struct{ pool *pgxpool.Pool }

func openPostgres(ctx context.Context, url string) (*postgresEngine, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	if !strings.Contains(url, "pool_max_conns") {
		config.MaxConns = int32(max(minConnections, 4*runtime.NumCPU())) //nolint:gosec // a handful of cores
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	return &postgresEngine{pool}, nil
}

func (e *postgresEngine) reader() conn { return pgConn{e.pool} }

func (e *postgresEngine) ping(ctx context.Context) error { return e.pool.Ping(ctx) }

func (e *postgresEngine) close() error {
	e.pool.Close()
	return nil
}

func (e *postgresEngine) update(ctx context.Context, fn func(conn) error) error {
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
	tx, err := e.pool.Begin(ctx)
	if err != nil {
		return unreachable(err)
	}
	// From here on the client's leaving changes nothing: the answer must be true.
	detached := context.WithoutCancel(ctx)
	defer func() { _ = tx.Rollback(detached) }() // does nothing after a commit
	if err := fn(pgConn{tx}); err != nil {
		return err
	}
	return tx.Commit(detached)
}

func (e *postgresEngine) migrate(ctx context.Context, log *slog.Logger) error {
	// Replicas that start together take turns. The default probe waits 5 seconds.
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 600), lock.WithUnlockTimeout(1, 60))
	if err != nil {
		return err
	}
	db := stdlib.OpenDBFromPool(e.pool)
	defer func() { _ = db.Close() }()
	return migrate(ctx, goose.DialectPostgres, db, &postgresDialect, log, goose.WithSessionLocker(locker))
}

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
