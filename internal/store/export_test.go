package store

import (
	"context"
	"database/sql"
	"slices"
	"strings"

	_ "github.com/jackc/pgx/v5/stdlib" // registers the driver
	"github.com/pressly/goose/v3"
)

// OldSchema gives a database a schema of the past: all steps up to one. It must be empty.
func OldSchema(ctx context.Context, url string, version int64) (*sql.DB, error) {
	driver, name, kind, d := "pgx", url, goose.DialectPostgres, &postgresDialect
	if path, ok := strings.CutPrefix(url, "sqlite:"); ok {
		driver, name, kind, d = "sqlite", sqliteDSN(path), goose.DialectSQLite3, &sqliteDialect
	}
	db, err := sql.Open(driver, name)
	if err != nil {
		return nil, err
	}
	steps, err := migrator(kind, db, d)
	if err == nil {
		_, err = steps.UpTo(ctx, version)
	}
	return db, err
}

// Plans is how the database finds the rows of what fn reads: one step of a plan each, and the
// statement that it is of.
func (db *DB) Plans(ctx context.Context, fn func(*View) error) (plans []string, err error) {
	err = db.View(ctx, func(v *View) error {
		v.conn = explaining{v.conn, db, &plans}
		return fn(v)
	})
	return plans, err
}

// explaining is a connection that says how it finds rows, before it does.
type explaining struct {
	conn
	db    *DB
	plans *[]string
}

func (e explaining) query(ctx context.Context, sql string, args []any) (rows, error) {
	explain := "EXPLAIN QUERY PLAN "
	if e.db.Engine() == "postgres" {
		explain = "EXPLAIN "
	}
	found, err := e.conn.query(ctx, explain+sql, args)
	if err != nil {
		return nil, err
	}
	for found.Next() {
		var id, parent, unused int
		var detail string
		into := []any{&id, &parent, &unused, &detail}
		if e.db.Engine() == "postgres" {
			into = []any{&detail}
		}
		if err := found.Scan(into...); err != nil {
			return nil, err
		}
		*e.plans = append(*e.plans, detail+" <- "+sql)
	}
	if err := found.Close(); err != nil {
		return nil, err
	}
	return e.conn.query(ctx, sql, args)
}

// AllTables is the names of all tables, but for those that SQLite keeps for itself.
func (db *DB) AllTables(ctx context.Context) (tables []string, err error) {
	err = db.View(ctx, func(v *View) error {
		list, err := values[string](v, v.sql(db.dialect.tables))
		for _, table := range list {
			if !strings.HasPrefix(table, "sqlite_") {
				tables = append(tables, table)
			}
		}
		return err
	})
	return tables, err
}

// Do runs a statement as it is.
func (db *DB) Do(ctx context.Context, sql string) error {
	return db.Update(ctx, func(tx *Tx) error { return tx.do(text(sql)) })
}

// CopyWorkspaces writes so many copies of a workspace, which are called w1, w2 and so on and
// are counted nowhere.
func (db *DB) CopyWorkspaces(ctx context.Context, id string, n int) error {
	return db.Update(ctx, func(tx *Tx) error {
		names, values := workspaces.names(), text("")
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
		q := tx.sql("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < CAST(? AS BIGINT)) INSERT INTO workspaces (", n)
		_, err := tx.exec(q.list(names).add(") SELECT "+values+" FROM n CROSS JOIN workspaces w WHERE w.id = ?", id))
		return err
	})
}

// Ask is the one number that a statement gives.
func (db *DB) Ask(ctx context.Context, sql string) (n int, err error) {
	err = db.View(ctx, func(v *View) error {
		n, _, err = value[int](v, v.sql(text(sql)))
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
			types, err := (&Loader{ctx: ctx, tx: s.tx, dialect: s.dialect}).types(table)
			if err != nil {
				return err
			}
			for name := range types {
				columns = append(columns, table+"."+name)
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
