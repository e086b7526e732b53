package sqldb

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"zombiezen.com/go/sqlite"
)

// maxStatements bounds the prepared statements that a connection keeps: filters make many texts.
const maxStatements = 1000

// busyTime is how long a connection waits for another process, SQLite's own way. Who writes waits otherwise: see beginWriting.
const busyTime = 5 * time.Second

// sqliteConn is a connection to the file, which one goroutine uses at a time. It keeps its statements
// prepared: preparing costs more than running most.
type sqliteConn struct {
	raw      *sqlite.Conn
	prepared map[string]*statement
	stop     chan struct{} // closed: what runs ends
}

// statement is one that is prepared. It may be asked for again while its rows are read.
type statement struct {
	*sqlite.Stmt
	takes []int // which argument each of its places takes, from 0
	inUse bool
	again bool // prepared beside one in use; nobody keeps it
}

func connectFile(path string, flags sqlite.OpenFlags, pragmas ...string) (*sqliteConn, error) {
	raw, err := sqlite.OpenConn(path, flags)
	if err != nil {
		return nil, err
	}
	raw.SetBusyTimeout(busyTime)
	c := &sqliteConn{raw: raw, prepared: map[string]*statement{}}
	for _, pragma := range pragmas {
		if _, err := c.exec(context.Background(), "PRAGMA "+pragma, nil); err != nil {
			return nil, errors.Join(fmt.Errorf("pragma %s: %w", pragma, err), raw.Close())
		}
	}
	return c, nil
}

func (c *sqliteConn) close() error {
	c.forget()
	return c.raw.Close()
}

// forget drops the statements that nobody uses.
func (c *sqliteConn) forget() {
	for query, s := range c.prepared {
		if !s.inUse {
			_ = s.Finalize() // which tells again what its last run told
			delete(c.prepared, query)
		}
	}
}

func (c *sqliteConn) prepare(query string) (*statement, error) {
	known := c.prepared[query]
	if known != nil && !known.inUse {
		known.inUse = true
		return known, nil
	}
	raw, trailing, err := c.raw.PrepareTransient(query)
	if err != nil {
		return nil, err
	}
	s := &statement{Stmt: raw, inUse: true, again: known != nil}
	if trailing > 0 {
		err = fmt.Errorf("more than one statement: %s", query)
	}
	for i := 1; i <= raw.BindParamCount() && err == nil; i++ {
		var n int
		n, err = strconv.Atoi(strings.TrimPrefix(raw.BindParamName(i), "$")) // as a Query writes them
		s.takes = append(s.takes, n-1)
	}
	if err != nil {
		return nil, errors.Join(err, raw.Finalize())
	}
	if !s.again {
		if len(c.prepared) >= maxStatements {
			c.forget()
		}
		c.prepared[query] = s
	}
	return s, nil
}

// done takes a statement back.
func (c *sqliteConn) done(s *statement) error {
	if s.again {
		return s.Finalize()
	}
	s.inUse = false
	_ = s.Reset() // which tells again what its last run told
	return s.ClearBindings()
}

// begin prepares a statement with its arguments.
func (c *sqliteConn) begin(query string, args []any) (*statement, error) {
	s, err := c.prepare(query)
	if err != nil {
		return nil, err
	}
	for i, n := range s.takes {
		if n >= len(args) {
			err = fmt.Errorf("a statement lacks argument %d: %s", n+1, query)
		} else if err == nil {
			err = bind(s.Stmt, i+1, args[n])
		}
	}
	if err != nil {
		return nil, errors.Join(err, c.done(s))
	}
	return s, nil
}

// under has what runs end with ctx, until free is called.
func (c *sqliteConn) under(ctx context.Context) (free func()) {
	if ctx.Done() == nil {
		return func() {}
	}
	if c.stop == nil {
		c.stop = make(chan struct{})
		c.raw.SetInterrupt(c.stop)
	}
	stop := c.stop
	unheard := context.AfterFunc(ctx, func() { close(stop) })
	return func() {
		if !unheard() {
			<-stop
			c.raw.SetInterrupt(nil)
			c.stop = nil
		}
	}
}

func (c *sqliteConn) query(ctx context.Context, query string, args []any) (rows, error) {
	return c.lend(ctx, query, args, func() {})
}

// lend is query of a connection that is given back with the rows. After an error it is not given back.
func (c *sqliteConn) lend(ctx context.Context, query string, args []any, back func()) (rows, error) {
	s, err := c.begin(query, args)
	if err != nil {
		return nil, err
	}
	return &sqliteRows{ctx: ctx, conn: c, statement: s, free: c.under(ctx), back: back}, nil
}

func (c *sqliteConn) exec(ctx context.Context, query string, args []any) (changed int64, err error) {
	s, err := c.begin(query, args)
	if err != nil {
		return 0, err
	}
	defer func() { err = joinClose(err, c.done(s)) }()
	defer c.under(ctx)()
	for more := true; more; {
		if more, err = s.Step(); err != nil {
			return 0, ended(ctx, err)
		}
	}
	return int64(c.raw.Changes()), nil
}

// ended is the error of the context where that is why a statement ended.
func ended(ctx context.Context, err error) error {
	if sqlite.ErrCode(err).ToPrimary() == sqlite.ResultInterrupt && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// sqliteRows is the answer of a statement.
type sqliteRows struct {
	ctx       context.Context
	conn      *sqliteConn
	statement *statement // nil: it was given back
	free      func()
	back      func() // gives the connection back
	err       error
}

func (r *sqliteRows) Next() bool {
	if r.statement == nil || r.err != nil {
		return false
	}
	more, err := r.statement.Step()
	if err != nil {
		r.err = ended(r.ctx, err)
	}
	return more && err == nil
}

func (r *sqliteRows) Scan(dest ...any) error {
	if n := r.statement.ColumnCount(); n != len(dest) {
		return fmt.Errorf("a row of %d columns for %d fields", n, len(dest))
	}
	for i, field := range dest {
		if err := scan(r.statement.Stmt, i, field); err != nil {
			return fmt.Errorf("column %s: %w", r.statement.ColumnName(i), err)
		}
	}
	return nil
}

func (r *sqliteRows) Err() error { return r.err }

func (r *sqliteRows) Close() error {
	if r.statement == nil {
		return nil
	}
	r.free() // first: while it is interrupted nothing can be taken back
	err := r.conn.done(r.statement)
	r.statement = nil
	r.back()
	return err
}

// sqliteReaders is the connections that views read with. The one that read last reads next: after each commit
// a connection reads its pages anew, so that few of them should.
type sqliteReaders struct {
	free   chan struct{} // one for each connection that is idle
	mu     sync.Mutex
	idle   []*sqliteConn
	closed chan struct{}
	waited atomic.Int64 // how often nobody was free
}

// give takes a connection back.
func (p *sqliteReaders) give(c *sqliteConn) {
	p.mu.Lock()
	p.idle = append(p.idle, c)
	p.mu.Unlock()
	p.free <- struct{}{}
}

// last is the connection that was given back last, for whoever had its turn of free.
func (p *sqliteReaders) last() *sqliteConn {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.idle) - 1
	c := p.idle[n]
	p.idle = p.idle[:n]
	return c
}

func (p *sqliteReaders) take(ctx context.Context) (*sqliteConn, error) {
	select {
	case <-p.free:
		return p.last(), nil
	default:
		p.waited.Add(1)
	}
	select {
	case <-p.free:
		return p.last(), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-p.closed:
		return nil, errClosed
	}
}

func (p *sqliteReaders) query(ctx context.Context, query string, args []any) (rows, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c, err := p.take(ctx)
	if err != nil {
		return nil, err
	}
	back := func() { p.give(c) }
	found, err := c.lend(ctx, query, args, back)
	if err != nil {
		back()
	}
	return found, err
}

func (p *sqliteReaders) exec(ctx context.Context, query string, args []any) (int64, error) {
	c, err := p.take(ctx)
	if err != nil {
		return 0, err
	}
	defer p.give(c)
	return c.exec(ctx, query, args)
}

// close waits for those who read.
func (p *sqliteReaders) close() (err error) {
	close(p.closed)
	for range cap(p.free) {
		<-p.free
		err = errors.Join(err, p.last().close())
	}
	return err
}
