package sqldb

import (
	"context"
	"time"

	"github.com/belayhq/belay/internal/fair"
	"github.com/belayhq/belay/internal/trace"
)

// View reads. Each of its methods is one statement at the most; what they read may be from
// different moments. It lives no longer than the call it serves, so it carries its context.
type View struct {
	ctx  context.Context
	db   *DB
	conn conn
	inTx bool  // part of a transaction that may yet be undone: nothing it reads is to be kept
	hold Text  // how rows are held against other writers until the transaction ends
	work *work // what was done so far

	changes *rowChanges // of a transaction, that are yet to be written
}

// Reader is a view, or what embeds one.
type Reader interface{ reading() *View }

func (v *View) reading() *View { return v }

// View runs fn with a view of the database.
func (db *DB) View(ctx context.Context, fn func(*View) error) error {
	ctx, span := trace.Begin(ctx, "database view")
	did := &work{}
	err := db.room(fn(&View{ctx: ctx, db: db, conn: db.engine.reader(), work: did}))
	db.told(span, err, did, 0)
	return err
}

// Nobodys is a context whose statements wait for no turn: those of several tenants, none of whom is to wait for another's.
func Nobodys(ctx context.Context) context.Context { return fair.As(ctx, "") }

// InLine is a context whose transactions go one after another on this server with those of the same name, where they run beside one another.
func InLine(ctx context.Context, name string) context.Context { return fair.InLine(ctx, name) }

// Context is what the view was asked for with.
func (v *View) Context() context.Context { return v.ctx }

// Dialect is how the view's database says what the two say differently.
func (v *View) Dialect() *Dialect { return v.db.dialect }

// Moment is what the clock says. A transaction has one reading of it, Now.
func (v *View) Moment() time.Time { return v.db.now() }

// Versioned says whether a change of a row can be told by its version.
func (v *View) Versioned() bool { return v.db.Versioned() }

// Connections is how many connections to the database were made so far.
func (v *View) Connections() int64 { return v.db.Connections() }

// InTx says whether the view is part of a transaction that may yet be undone: nothing that it
// reads is to be kept.
func (v *View) InTx() bool { return v.inTx }

// Hold is how a row is held that the view reads alone; empty: it is not.
func (v *View) Hold() Text { return v.hold }

// Peek is the same view, but holds no row: for what a transaction only looks at.
func (v *View) Peek() *View { return v.holding("") }

// Seizing is the same view, but holds a row as one that is to be deleted. Whoever holds it
// otherwise first, and deletes it then, waits for those who refer to it while they wait for it.
func (v *View) Seizing() *View { return v.holding(v.db.dialect.Seize) }

func (v *View) holding(hold Text) *View {
	other := *v
	other.hold = hold
	return &other
}

// ask runs a statement that answers. Outside a transaction, which has its turn already, it waits for one,
// and has it until its rows are closed.
func (v *View) ask(sql string, args []any) (rows, error) {
	if err := v.settle(sql); err != nil {
		return nil, err
	}
	v.tally(sql, args)
	if v.inTx {
		return v.conn.query(v.ctx, sql, args)
	}
	leave, err := v.db.engine.turn(v.ctx)
	if err != nil {
		return nil, err
	}
	found, err := v.conn.query(v.ctx, sql, args)
	if err != nil {
		leave()
		return nil, err
	}
	return &turned{rows: found, leave: leave, work: fair.WorkOf(v.ctx)}, nil
}

// turned is rows that are read in a turn.
type turned struct {
	rows
	leave func()
	work  *fair.Work
	read  int
}

// restEach is after how many rows their reader looks whether it is time to rest.
const restEach = 4

// Next reads the next row.
func (t *turned) Next() bool {
	if t.read++; t.read%restEach == 0 {
		t.work.Rest()
	}
	return t.rows.Next()
}

func (t *turned) Close() error {
	defer t.leave()
	return t.rows.Close()
}

// exec runs a statement and returns how many rows it changed.
func (v *View) exec(q *Query) (int64, error) {
	sql := q.String()
	if err := v.settle(sql); err != nil {
		return 0, err
	}
	v.tally(sql, q.Args)
	n, err := v.conn.exec(v.ctx, sql, q.Args)
	v.work.rows += int(n)
	return n, err
}

// SQL begins a statement in the dialect of the database.
func (v *View) SQL(sql Text, args ...any) *Query {
	q := &Query{Dialect: v.db.dialect}
	return q.Add(sql, args...)
}

// Each reads the rows of a statement into dest, and calls fn after each.
func Each(on Reader, q *Query, dest []any, fn func()) (err error) {
	v := on.reading()
	found, err := v.ask(q.String(), q.Args)
	if err != nil {
		return err
	}
	defer func() { err = joinClose(err, found.Close()) }()
	for found.Next() {
		if err := found.Scan(dest...); err != nil {
			return err
		}
		fn()
	}
	return found.Err()
}

// Value reads one value of one row. found is false when there is no row.
func Value[T any](v Reader, q *Query) (result T, found bool, err error) {
	list, err := Values[T](v, q)
	if err != nil || len(list) == 0 {
		return result, false, err
	}
	return list[0], true, nil
}

// Values reads one value of every row.
func Values[T any](v Reader, q *Query) (list []T, err error) {
	return Collect(v, q, func(n *T) []any { return []any{n} })
}

// Collect reads every row through the destinations that dest gives for a noun.
func Collect[N any](on Reader, q *Query, dest func(*N) []any) (list []N, err error) {
	v := on.reading()
	found, err := v.ask(q.String(), q.Args)
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
