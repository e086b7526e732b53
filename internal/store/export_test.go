package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // registers the driver

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/core"
)

// OldSchema gives a database a schema of the past: all steps up to one. It must be empty.
func OldSchema(ctx context.Context, url string, version int64) (*sql.DB, error) {
	files, err := migrations.ReadDir("migrations")
	if err != nil {
		return nil, err
	}
	steps := []int64{0}
	for _, file := range files {
		number, _, _ := strings.Cut(file.Name(), "_")
		if step, err := strconv.ParseInt(number, 10, 64); err == nil && step <= version {
			steps = append(steps, step)
		}
	}
	if err := Load(ctx, url, steps, true, func(*Loader) error { return nil }); err != nil {
		return nil, err
	}
	if path, ok := strings.CutPrefix(url, "sqlite:"); ok {
		return sql.Open("sqlite", "file:"+path+"?_pragma=foreign_keys(1)&_pragma=busy_timeout(5000)")
	}
	return sql.Open("pgx", url)
}

// Plans is how the database finds the rows of what fn reads: one step of a plan each, and the
// statement that it is of.
func (db *DB) Plans(ctx context.Context, fn func(*View) error) (plans []string, err error) {
	type statement struct {
		sql  string
		args []any
	}
	var said []statement
	db.OnStatement(func(sql string, args []any) { said = append(said, statement{sql, args}) })
	err = db.View(ctx, fn)
	db.OnStatement(func(string, []any) {})
	for _, s := range said {
		if err == nil {
			err = db.View(ctx, func(v *View) error { return v.explain(s.sql, s.args, &plans) })
		}
	}
	return plans, err
}

func (v *reads) explain(statement string, args []any, plans *[]string) error {
	var id, parent, unused int
	var detail string
	how, into := text("EXPLAIN QUERY PLAN "), []any{&id, &parent, &unused, &detail}
	if v.db.Engine() == "postgres" {
		how, into = "EXPLAIN ", []any{&detail}
	}
	q := v.SQL(how + text(statement))
	q.Args = args
	return sqldb.Each(v, q, into, func() { *plans = append(*plans, detail+" <- "+statement) })
}

// AllTables is the names of all tables, but for those that SQLite keeps for itself.
func (db *DB) AllTables(ctx context.Context) (tables []string, err error) {
	err = db.View(ctx, func(v *View) error {
		list, err := sqldb.Values[string](v, v.SQL(v.Dialect().Tables))
		for _, table := range list {
			if !strings.HasPrefix(table, "sqlite_") && !slices.Contains(besideTables, table) {
				tables = append(tables, table)
			}
		}
		return err
	})
	return tables, err
}

// Value is the text that a statement finds.
func (db *DB) Value(ctx context.Context, sql string) (value string, err error) {
	err = db.View(ctx, func(v *View) error {
		list, err := sqldb.Values[string](v, v.SQL(text(sql)))
		if err == nil && len(list) == 1 {
			value = list[0]
		}
		return err
	})
	return value, err
}

// Do runs a statement as it is.
func (db *DB) Do(ctx context.Context, sql string) error {
	return db.Update(ctx, func(tx *Tx) error { return tx.Do(text(sql)) })
}

// CopyWorkspaces writes so many copies of a workspace, which are called w1, w2 and so on and
// are counted nowhere.
func (db *DB) CopyWorkspaces(ctx context.Context, id string, n int) error {
	return db.Update(ctx, func(tx *Tx) error {
		names, values := core.Workspaces.Names(), text("")
		for i, name := range names {
			if i > 0 {
				values += ", "
			}
			switch name {
			case "id":
				values += "'ws-' || CAST(n.i AS TEXT)"
			case "name":
				values += "'w' || CAST(n.i AS TEXT)"
			default:
				values += "w." + name
			}
		}
		q := tx.SQL("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < CAST(? AS BIGINT)) INSERT INTO workspaces (", n)
		_, err := tx.Exec(q.List(names).Add(") SELECT "+values+" FROM n CROSS JOIN workspaces w WHERE w.id = ?", id))
		return err
	})
}

// Ask is the one number that a statement gives.
func (db *DB) Ask(ctx context.Context, sql string) (n int, err error) {
	err = db.View(ctx, func(v *View) error {
		n, _, err = sqldb.Value[int](v, v.SQL(text(sql)))
		return err
	})
	return n, err
}

// AllColumns is every column of every table, with its table before a dot.
func (db *DB) AllColumns(ctx context.Context) (columns []string, err error) {
	tables, err := db.AllTables(ctx)
	if err != nil {
		return nil, err
	}
	err = db.Snapshot(ctx, func(s *Snapshot) error {
		for _, table := range tables {
			err := s.Rows(table, func(names []string) error {
				for _, name := range names {
					columns = append(columns, table+"."+name)
				}
				return nil
			}, func([]any) error { return nil })
			if err != nil {
				return err
			}
		}
		return nil
	})
	return columns, err
}

// IsSealed says whether a column is among those of sealed values.
func IsSealed(column string) bool {
	return slices.ContainsFunc(sealedColumns, func(c sealedColumn) bool { return string(c.table+"."+c.column) == column })
}

// NamesObjects says whether a column is among those that name objects.
func NamesObjects(column string) bool {
	return slices.ContainsFunc(objectColumns, func(c objectColumn) bool { return string(c.table+"."+c.key) == column })
}

// LookAtAll runs what looks at a workspace with every kind of token.
func (v *View) LookAtAll(hash, workspaceID string) error {
	for _, how := range kindsOfLooks() {
		f := v.db.memory.flights[how]
		me := &looker{keys: append([]string{hash, workspaceID, "org", "prj"}, how.keys(&belay.Token{})...)}
		if err := errors.Join(f.lookAlone(v.baseView.View, me), f.lookTogether(v.baseView.View, []*looker{me, me})); err != nil {
			return err
		}
	}
	return nil
}

// HoldLooks has whoever looks wait, as if another look were on its way, until release.
func (db *DB) HoldLooks() (release func()) {
	for _, f := range db.memory.flights {
		f.mu.Lock()
		f.flying, f.began = f.flying+1, time.Now().Add(time.Hour)
		f.mu.Unlock()
	}
	return func() {
		for _, f := range db.memory.flights {
			f.land()
		}
	}
}

// LooksWaiting is how many wait.
func (db *DB) LooksWaiting() (n int) {
	for _, f := range db.memory.flights {
		f.mu.Lock()
		n += len(f.waiting)
		f.mu.Unlock()
	}
	return n
}

// kindsOfLooks is all there are, in an order.
func kindsOfLooks() []glanced {
	return slices.SortedFunc(maps.Keys(glances), func(a, b glanced) int { return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
}

// Looks is how many kinds of looks there are.
func Looks() int { return len(glances) }

// Look is what somebody sees who looks, by a token, a workspace, an organization, a project and what the token is made of.
func (db *DB) Look(ctx context.Context, kind int, keys []string) any {
	f := db.memory.flights[kindsOfLooks()[kind]]
	l, err := f.ask(ctx, db, keys[:4+len(f.how.keys(&belay.Token{}))])
	return fmt.Sprintf("%+v %v", l, err)
}
