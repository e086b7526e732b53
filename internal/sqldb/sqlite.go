package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/pressly/goose/v3"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/belayhq/belay/internal/fair"
)

// batchSize is how many transactions share one commit at the most. Each keeps its own
// savepoint, so one that fails undoes only itself.
const batchSize = 64

// batchTime is after how long a batch takes nobody in any more: those who wait for its commit
// have waited long enough.
const batchTime = 10 * time.Millisecond

// sqliteEngine is one file with one writer. Writers queue; the writer takes those that wait into
// one transaction, so that many share one sync to disk.
type sqliteEngine struct {
	reads   *statements
	readDB  *sql.DB
	write   *sql.DB
	jobs    *fair.Queue[*job]
	readers *fair.Gate
	closed  chan struct{}
	done    chan struct{}
	once    sync.Once

	release func() error // lets another process have the file
}

type job struct {
	ctx  context.Context
	fn   func(conn) error
	err  error
	done chan struct{}
}

func openSQLite(ctx context.Context, path string, alone bool, tenants *fair.Tenants) (*sqliteEngine, error) {
	release := func() error { return nil }
	if alone {
		var err error
		if release, err = own(ctx, path); err != nil {
			return nil, err
		}
	}
	e, err := connectSQLite(ctx, path, tenants)
	if err != nil {
		return nil, errors.Join(err, release())
	}
	e.release = release
	return e, nil
}

func connectSQLite(ctx context.Context, path string, tenants *fair.Tenants) (*sqliteEngine, error) {
	if err := keepPrivate(path); err != nil {
		return nil, err
	}
	write, err := sql.Open("sqlite", sqliteDSN(path, "_txlock=immediate", "_pragma=synchronous(FULL)", undoInMemory))
	if err != nil {
		return nil, err
	}
	write.SetMaxOpenConns(1)
	if err := write.PingContext(ctx); err != nil { // makes the file, so that readers find it
		return nil, fmt.Errorf("open %s: %w", path, errors.Join(err, write.Close()))
	}
	read, err := sql.Open("sqlite", sqliteDSN(path, "_pragma=query_only(1)"))
	if err != nil {
		return nil, errors.Join(err, write.Close())
	}
	readers := max(2, runtime.NumCPU())
	read.SetMaxOpenConns(readers)
	read.SetMaxIdleConns(readers)
	e := &sqliteEngine{
		reads: &statements{db: read}, readDB: read, write: write, jobs: fair.NewQueue[*job](tenants),
		closed: make(chan struct{}), done: make(chan struct{}), readers: tenants.Gate(readers, readers-max(1, readers/4)),
	}
	return e, e.start(ctx)
}

// own takes the one place beside a file that a process can have, until it is released or
// the process ends in whatever way. It is a lock of SQLite's own, on a file of its own:
// others may go on to read and write the database itself.
func own(ctx context.Context, path string) (release func() error, err error) {
	path += ".lock"
	if err := keepPrivate(path); err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	if _, err = db.ExecContext(ctx, "BEGIN EXCLUSIVE"); err == nil {
		return db.Close, nil
	}
	var failed *sqlite.Error
	if errors.As(err, &failed) && failed.Code() == sqlite3.SQLITE_BUSY {
		err = Unfit("another process serves the data in " + filepath.Dir(path))
	}
	return nil, errors.Join(err, db.Close())
}

// keepPrivate makes the file for its owner alone, or takes it back from others: SQLite
// gives the files beside it the same mode.
func keepPrivate(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600) //nolint:gosec // the path is the operator's
	if err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		err := os.Chmod(name, 0o600)
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) { // not ours to change
			return err
		}
	}
	return nil
}

// undoInMemory keeps what would undo a savepoint in memory: each page that a transaction
// changes is copied there, and would be written to a file of its own.
const undoInMemory = "_pragma=temp_store(2)"

func sqliteDSN(path string, options ...string) string {
	dsn := "file:" + (&url.URL{Path: path}).EscapedPath() +
		"?_pragma=journal_mode(WAL)&_pragma=foreign_keys(1)&_pragma=busy_timeout(5000)&_pragma=cache_size(-65536)"
	for _, option := range options {
		dsn += "&" + option
	}
	return dsn
}

func (e *sqliteEngine) start(ctx context.Context) error {
	conn, err := e.write.Conn(ctx)
	if err != nil {
		return errors.Join(err, e.readDB.Close(), e.write.Close())
	}
	go e.writeLoop(&statements{db: conn}, conn)
	return nil
}

func (e *sqliteEngine) reader() conn { return e.reads }

func (e *sqliteEngine) turn(ctx context.Context) (func(), error) { return e.readers.Enter(ctx) }

func (e *sqliteEngine) ping(ctx context.Context) error { return e.readDB.PingContext(ctx) }

// listen hears nothing: a file has one program.
func (e *sqliteEngine) listen(ctx context.Context, _ func(string)) { <-ctx.Done() }

func (e *sqliteEngine) update(ctx context.Context, fn func(conn) error) error {
	select {
	case <-e.closed:
		return errors.New("the database is closed")
	default:
	}
	j := &job{ctx: ctx, fn: fn, done: make(chan struct{})}
	e.jobs.Push(fair.Of(ctx), j)
	select {
	case <-j.done: // not cut short by ctx: the caller must learn whether it was kept
		return j.err
	case <-e.done:
		return errors.Join(j.err, errors.New("the database is closed"))
	}
}

func (e *sqliteEngine) writeLoop(c *statements, raw *sql.Conn) {
	defer close(e.done)
	for closed := false; !closed; {
		select {
		case <-e.jobs.More():
		case <-e.closed:
			closed = true
		}
		for e.runBatch(c) {
			continue
		}
	}
	c.close()
	_ = raw.Close()
}

// runBatch runs the jobs that wait in one transaction, each in its own savepoint, until they are
// many or have taken long. Each time whoever has used the writer least comes next. When the
// transaction itself is lost, on a full disk say, no job of the batch is kept. It says whether
// there was any.
func (e *sqliteEngine) runBatch(c *statements) bool {
	tenant, j, found := e.jobs.Pop()
	if !found {
		return false
	}
	ctx := context.Background()
	var batch []*job
	_, lost := c.exec(ctx, "BEGIN IMMEDIATE", nil)
	for began := time.Now(); found; tenant, j, found = e.jobs.Pop() {
		before := time.Now()
		if batch = append(batch, j); lost == nil {
			lost = runSavepoint(ctx, c, j)
		}
		now := time.Now()
		e.jobs.Used(tenant, now.Sub(before))
		if lost != nil || len(batch) == batchSize || now.Sub(began) > batchTime {
			break
		}
	}
	if lost == nil {
		_, lost = c.exec(ctx, "COMMIT", nil)
	}
	if lost != nil {
		_, _ = c.exec(ctx, "ROLLBACK", nil) // it may be rolled back already
	}
	for _, j := range batch {
		if lost != nil {
			j.err = errors.Join(j.err, fmt.Errorf("transaction: %w", lost))
		}
		close(j.done)
	}
	return true
}

// runSavepoint runs a job and notes its error. lost says that the transaction around it
// can't go on.
func runSavepoint(ctx context.Context, c *statements, j *job) (lost error) {
	if j.err = j.ctx.Err(); j.err != nil {
		return nil //nolint:nilerr // the client has gone: nothing was begun for it
	}
	if _, err := c.exec(ctx, "SAVEPOINT job", nil); err != nil {
		return err
	}
	if j.err = j.fn(c); j.err != nil {
		if _, err := c.exec(ctx, "ROLLBACK TO job", nil); err != nil {
			return err
		}
	}
	_, err := c.exec(ctx, "RELEASE job", nil)
	return err
}

func (e *sqliteEngine) close() error {
	e.once.Do(func() { close(e.closed) })
	<-e.done
	return errors.Join(e.readDB.Close(), e.write.Close(), e.release())
}

func (e *sqliteEngine) migrate(ctx context.Context, s Schema, log *slog.Logger) error {
	// The writer has the one connection of the pool, and migrations bring their own.
	dsn := sqliteDSN(e.path(ctx), "_txlock=immediate", "_pragma=synchronous(FULL)")
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	return s.migrate(ctx, goose.DialectSQLite3, db, &sqliteDialect, log)
}

func (e *sqliteEngine) raw() (*sql.DB, func()) { return e.readDB, func() {} }

func (e *sqliteEngine) load() Busy {
	reads := e.readDB.Stats()
	return Busy{Open: reads.OpenConnections + 1, InUse: reads.InUse, Max: reads.MaxOpenConnections + 1, Waited: reads.WaitCount, Queue: e.jobs.Len()}
}

func (e *sqliteEngine) path(ctx context.Context) string {
	var seq int
	var name, file string
	_ = e.readDB.QueryRowContext(ctx, "PRAGMA database_list").Scan(&seq, &name, &file)
	return file
}

// preparer is a *sql.DB or a *sql.Conn.
type preparer interface {
	PrepareContext(ctx context.Context, query string) (*sql.Stmt, error)
}

// maxStatements bounds the prepared statements that are kept: filters make many texts.
const maxStatements = 1000

// statements keeps every statement prepared: preparing costs more than running most.
type statements struct {
	db       preparer
	mu       sync.RWMutex
	prepared map[string]*sql.Stmt
}

func (s *statements) prepare(ctx context.Context, query string) (*sql.Stmt, error) {
	s.mu.RLock()
	stmt := s.prepared[query]
	s.mu.RUnlock()
	if stmt != nil {
		return stmt, nil
	}
	stmt, err := s.db.PrepareContext(context.WithoutCancel(ctx), query)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if other := s.prepared[query]; other != nil {
		_ = stmt.Close()
		return other, nil
	}
	if s.prepared == nil || len(s.prepared) >= maxStatements {
		s.forget()
	}
	s.prepared[query] = stmt
	return stmt, nil
}

// forget drops all statements. Those in use stay open until a minute has passed.
func (s *statements) forget() {
	old := s.prepared
	s.prepared = make(map[string]*sql.Stmt, maxStatements)
	time.AfterFunc(time.Minute, func() {
		for _, stmt := range old {
			_ = stmt.Close()
		}
	})
}

// close closes all statements. Those of a single connection keep it open, and the journal
// beside the file, which nobody else closes.
func (s *statements) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, stmt := range s.prepared {
		_ = stmt.Close()
	}
	s.prepared = nil
}

func (s *statements) query(ctx context.Context, query string, args []any) (rows, error) {
	stmt, err := s.prepare(ctx, query)
	if err != nil {
		return nil, err
	}
	return stmt.QueryContext(ctx, args...)
}

func (s *statements) exec(ctx context.Context, query string, args []any) (int64, error) {
	stmt, err := s.prepare(ctx, query)
	if err != nil {
		return 0, err
	}
	result, err := stmt.ExecContext(ctx, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}
