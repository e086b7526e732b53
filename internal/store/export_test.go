package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // registers the driver

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

// someLooks is one kind of looks: it holds them up, tells how many wait, and looks by keys.
type someLooks struct {
	name    string
	keys    int
	hold    func() (release func())
	waiting func() int
	look    func(context.Context, *DB, []string) string
	both    func(*View, []string) error // alone and with others
}

func looksOf[L any](name string, f *flights[L]) someLooks {
	return someLooks{
		name: name, keys: strings.Count(string(f.together), "CAST($"),
		hold: func() func() {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.flying, f.began = f.flying+1, time.Now().Add(time.Hour)
			return f.land
		},
		waiting: func() int {
			f.mu.Lock()
			defer f.mu.Unlock()
			return len(f.waiting)
		},
		look: func(ctx context.Context, db *DB, keys []string) string {
			l, err := f.ask(ctx, db, keys)
			return fmt.Sprintf("%+v %v", l, err)
		},
		both: func(v *View, keys []string) error {
			var found [2]L
			return errors.Join(f.lookAlone(v.baseView.View, keys, &found[0]), f.lookTogether(v.baseView.View, [][]string{keys, keys}, found[:]))
		},
	}
}

// looks is all kinds there are, in an order.
func (m *memory) looks() (list []someLooks) {
	for owner, f := range m.whoFlights {
		list = append(list, looksOf(fmt.Sprint("0 ", owner), f))
	}
	for how, f := range m.flights {
		list = append(list, looksOf(fmt.Sprint("1 ", how), f))
	}
	for owner, f := range m.listFlights {
		list = append(list, looksOf(fmt.Sprint("2 ", owner), f))
	}
	slices.SortFunc(list, func(a, b someLooks) int { return cmp.Compare(a.name, b.name) })
	return list
}

// LookAtAll runs what looks at a token, at a workspace and at a page, with every kind of token.
func (v *View) LookAtAll(hash, workspaceID string) error {
	for _, kind := range v.db.memory.looks() {
		keys := []string{hash, workspaceID, "org", "prj", "org", "org"}
		switch {
		case kind.keys <= mostWhoKeys:
			keys = []string{hash, "org", "org"}
		case kind.keys > len(keys):
			keys = []string{hash, "org", "{" + workspaceID + "}", "{1}", "{prj}", "{1}", "org", "org"}
		}
		if err := kind.both(v, keys[:kind.keys]); err != nil {
			return err
		}
	}
	return nil
}

// mostWhoKeys is how many keys a look at a token takes at the most.
const mostWhoKeys = 3

// HoldLooks has whoever looks wait, as if another look were on its way, until release.
func (db *DB) HoldLooks() (release func()) {
	var all []func()
	for _, kind := range db.memory.looks() {
		all = append(all, kind.hold())
	}
	return func() {
		for _, one := range all {
			one()
		}
	}
}

// LooksWaiting is how many wait.
func (db *DB) LooksWaiting() (n int) {
	for _, kind := range db.memory.looks() {
		n += kind.waiting()
	}
	return n
}

// Looks is how many keys each kind of looks takes.
func (db *DB) Looks() (keys []int) {
	for _, kind := range db.memory.looks() {
		keys = append(keys, kind.keys)
	}
	return keys
}

// Look is what somebody sees who looks by these keys.
func (db *DB) Look(ctx context.Context, kind int, keys []string) any {
	return db.memory.looks()[kind].look(ctx, db, keys)
}

// VersionsOfAll is those of all workspaces and projects, as a list in one text.
func (v *View) VersionsOfAll() (string, error) {
	versions, _, err := sqldb.Value[string](v, v.SQL("SELECT CAST(array_agg(DISTINCT CAST(x AS TEXT)) AS TEXT) FROM (SELECT xmin FROM workspaces UNION ALL SELECT xmin FROM projects) d(x)"))
	return versions, err
}
