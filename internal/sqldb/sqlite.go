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
	"slices"
	"sync"
	"time"

	"github.com/pressly/goose/v3"
	modernc "modernc.org/sqlite"
	"zombiezen.com/go/sqlite"

	"github.com/belayhq/belay/internal/fair"
)

// batchSize is how many transactions share one commit at the most. Each keeps its own
// savepoint, so one that fails undoes only itself.
const batchSize = 64

// batchTime is after how long a batch takes nobody in any more: those who wait for its commit
// have waited long enough.
const batchTime = 10 * time.Millisecond

// writeTime is how long a batch waits for another process that writes.
const writeTime = 30 * time.Second

// sharedTime takes the place of batchTime while several tenants are there, so that who has little does not wait for what another has much of.
// Where the last commit took longer it is that, so that commits do not take most of the writer's time, and sharedMost at the most: one of
// a few dozen waits for the disk, which would be waited for twice.
const (
	sharedTime = 500 * time.Microsecond
	sharedMost = 2 * time.Millisecond
)

// sqliteEngine is one file with one writer. Writers queue; the writer takes those that wait into
// one transaction, so that many share one sync to disk.
type sqliteEngine struct {
	path    string
	reads   *sqliteReaders
	write   *sqliteConn
	plain   *sql.DB // for who wants to know the file as the standard library does
	jobs    *fair.Queue[*job]
	commit  time.Duration // what the last one took
	journal *journal
	readers *fair.Gate
	closed  chan struct{}
	done    chan struct{}
	once    sync.Once
	ended   error // what closing it told

	release func() error // lets another process have the file
}

var errClosed = errors.New("the database is closed")

type job struct {
	ctx  context.Context
	fn   func(conn) error
	err  error
	done chan struct{}
}

func openSQLite(ctx context.Context, path string, cache int, alone bool, tenants *fair.Tenants) (*sqliteEngine, error) {
	release := func() error { return nil }
	if alone {
		var err error
		if release, err = own(ctx, path); err != nil {
			return nil, err
		}
	}
	e, err := connectSQLite(path, cache, tenants)
	if err != nil {
		return nil, errors.Join(err, release())
	}
	e.release = release
	return e, nil
}

func connectSQLite(path string, cache int, tenants *fair.Tenants) (*sqliteEngine, error) {
	if err := keepPrivate(path); err != nil {
		return nil, err
	}
	n := max(2, runtime.NumCPU())
	pragmas := []string{"journal_mode = WAL", "foreign_keys = 1", fmt.Sprintf("cache_size = -%d", cache<<10/(n+1))} // of each, in KiB
	// First: it makes the file, so that readers find it.
	write, err := connectFile(path, sqlite.OpenReadWrite|sqlite.OpenCreate, append(pragmas, "synchronous = FULL", undoInMemory, copiedByWriter)...)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	write.raw.SetBusyTimeout(0) // beginWriting waits
	reads := &sqliteReaders{free: make(chan struct{}, n), closed: make(chan struct{})}
	for range n {
		c, err := connectFile(path, sqlite.OpenReadWrite, append(pragmas, "query_only = 1")...)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("open %s: %w", path, err), write.close())
		}
		reads.give(c)
	}
	plain, err := sql.Open("sqlite", sqliteDSN(path, "_pragma=query_only(1)"))
	if err != nil {
		return nil, errors.Join(err, reads.close(), write.close())
	}
	journal, err := openJournal(path, tenants)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, err), plain.Close(), reads.close(), write.close())
	}
	e := &sqliteEngine{
		path: path, reads: reads, write: write, plain: plain, journal: journal, jobs: fair.NewQueue[*job](tenants),
		closed: make(chan struct{}), done: make(chan struct{}), readers: tenants.Database(n, n-max(1, n/4)),
	}
	go e.writeLoop()
	return e, nil
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
	var failed *modernc.Error
	if errors.As(err, &failed) && failed.Code() == int(sqlite.ResultBusy) {
		err = Unfit("another process serves the data in " + filepath.Dir(path))
	}
	return nil, errors.Join(err, db.Close())
}

// keepPrivate makes the file for its owner alone, or takes it back from others: SQLite
// gives the files beside it the same mode.
func keepPrivate(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
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
const undoInMemory = "temp_store = 2"

// sqliteDSN is the file for the standard library, which migrates, backs up and restores by it.
func sqliteDSN(path string, options ...string) string {
	dsn := "file:" + (&url.URL{Path: path}).EscapedPath() + "?_pragma=journal_mode(WAL)&_pragma=foreign_keys(1)&_pragma=busy_timeout(5000)"
	for _, option := range options {
		dsn += "&" + option
	}
	return dsn
}

func (e *sqliteEngine) reader() conn { return e.reads }

func (e *sqliteEngine) turn(ctx context.Context) (func(), error) { return e.readers.Enter(ctx) }

func (e *sqliteEngine) ping(ctx context.Context) error {
	_, err := e.reads.exec(ctx, "SELECT 1", nil)
	return err
}

// listen hears nothing: a file has one program.
func (e *sqliteEngine) listen(ctx context.Context, _ func(string)) { <-ctx.Done() }

func (e *sqliteEngine) update(ctx context.Context, fn func(conn) error) error {
	select {
	case <-e.closed:
		return errClosed
	default:
	}
	fair.WorkOf(ctx).Yield()
	j := &job{ctx: ctx, fn: fn, done: make(chan struct{})}
	e.jobs.Push(ctx, j)
	select {
	case <-j.done: // not cut short by ctx: the caller must learn whether it was kept
		e.jobs.Done(fair.Of(ctx))
		return j.err
	case <-e.done:
		return errors.Join(j.err, errClosed)
	}
}

func (e *sqliteEngine) writeLoop() {
	defer close(e.done)
	for closed := false; !closed; {
		select {
		case <-e.jobs.More():
		case <-e.closed:
			closed = true
			e.jobs.Hurry()
		}
		for e.runBatch(e.write) {
			e.journal.end(e.write)
		}
	}
}

// runBatch runs the jobs that wait in one transaction, each in its own savepoint, until they are
// many or have taken long. Each time whoever has used the writer least comes next. When the
// transaction itself is lost, on a full disk say, no job of the batch is kept. It says whether
// there was any.
func (e *sqliteEngine) runBatch(c *sqliteConn) bool {
	tenant, j, found := e.jobs.Pop()
	if !found {
		return false
	}
	ctx := context.Background()
	var batch []*job
	var rest []string // who are to, since they had much of it
	shared := false
	lost := beginWriting(ctx, c)
	began := time.Now()
	for ; found; tenant, j, found = e.jobs.Pop() {
		before := time.Now()
		if batch = append(batch, j); lost == nil {
			lost = runSavepoint(ctx, c, j)
		}
		now := time.Now()
		if e.jobs.Used(tenant, now.Sub(before)) && !slices.Contains(rest, tenant) {
			rest = append(rest, tenant)
		}
		fair.YieldProcessor() // who reads meanwhile waits for one, and not for the batch
		long := e.long(tenant)
		shared = shared || long < batchTime
		if lost != nil || len(batch) == batchSize || now.Sub(began) > long {
			break
		}
	}
	if lost == nil {
		before := time.Now()
		_, lost = c.exec(ctx, "COMMIT", nil)
		e.commit = time.Since(before)
		e.jobs.UsedTogether(rest, min(e.commit, before.Sub(began))) // what a slow disk takes beyond that is not theirs
		e.journal.grew()
	}
	if lost != nil {
		_, _ = c.exec(ctx, "ROLLBACK", nil) // it may be rolled back already
	}
	for _, j := range slices.Backward(batch) { // whoever had used least came first, and goes on first: it is the last that is woken
		if lost != nil {
			j.err = errors.Join(j.err, fmt.Errorf("transaction: %w", lost))
		}
		close(j.done)
	}
	if shared {
		runtime.Gosched() // or they wait for this processor until the next commit, which the runtime may notice late
	}
	return true
}

// long is for how long a batch takes others in, after a job of a tenant.
func (e *sqliteEngine) long(tenant string) time.Duration {
	if e.jobs.Alone(tenant) {
		return batchTime
	}
	return min(sharedMost, max(sharedTime, e.commit))
}

// beginWriting waits for another process that writes, such as a server beside a backup. That one leaves the file for less than a
// hundredth of its time, between two transactions, and SQLite's own wait looks ten times a second: it would miss most of them.
func beginWriting(ctx context.Context, c *sqliteConn) error {
	for until := time.Now().Add(writeTime); ; time.Sleep(time.Millisecond) {
		_, err := c.exec(ctx, "BEGIN IMMEDIATE", nil)
		if sqlite.ErrCode(err).ToPrimary() != sqlite.ResultBusy {
			return err
		}
		if time.Now().After(until) {
			return fmt.Errorf("another process has written for %s: %w", writeTime, err)
		}
	}
}

// runSavepoint runs a job and notes its error. lost says that the transaction around it
// can't go on.
func runSavepoint(ctx context.Context, c *sqliteConn, j *job) (lost error) {
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
	e.once.Do(func() {
		close(e.closed)
		<-e.done
		e.ended = errors.Join(e.journal.stop(), e.reads.close(), e.plain.Close(), e.write.close(), e.journal.close(), e.release())
	})
	return e.ended
}

func (e *sqliteEngine) migrate(ctx context.Context, s Schema, log *slog.Logger) error {
	dsn := sqliteDSN(e.path, "_txlock=immediate", "_pragma=synchronous(FULL)")
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	if err := s.migrate(ctx, goose.DialectSQLite3, db, &sqliteDialect, log); err != nil {
		return err
	}
	return giveStatistics(e.path)
}

func (e *sqliteEngine) raw() (*sql.DB, func()) { return e.plain, func() {} }

func (e *sqliteEngine) connections() int64 { return 1 }

func (e *sqliteEngine) load() Busy {
	n := cap(e.reads.free)
	return Busy{Open: n + 1, InUse: n - len(e.reads.free), Max: n + 1, Waited: e.reads.waited.Load(), Queue: e.jobs.Len()}
}
