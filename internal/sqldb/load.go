package sqldb

import (
	"context"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/database"

	"github.com/belayhq/belay/internal/fair"
)

// ErrOccupied says that a database holds something already.
const ErrOccupied = Unfit("there is a database already")

// Loader fills an empty database with the rows of another one.
type Loader struct {
	ctx     context.Context
	conn    *sql.Conn
	tx      *sql.Tx
	dialect *Dialect
	schema  Schema
}

// Load makes a database of the schema that some steps make, has fill fill it, and brings it
// up to date. Until all of it is there, nothing is: a database half filled is never served.
// One that is there already is refused, or, where replace says so, given up for the new one.
func (s Schema) Load(ctx context.Context, url string, steps []int64, replace bool, fill func(*Loader) error) error {
	if err := s.Known(steps); err != nil {
		return err
	}
	if path, ok := strings.CutPrefix(url, "sqlite:"); ok {
		return s.loadSQLite(ctx, path, steps, replace, fill)
	}
	return s.loadPostgres(ctx, url, steps, replace, fill)
}

// Occupied says whether there is a database that a server has made.
func Occupied(ctx context.Context, url string) (bool, error) {
	if path, ok := strings.CutPrefix(url, "sqlite:"); ok {
		_, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		return err == nil, err
	}
	e, err := openPostgres(ctx, url, fair.New(time.Now))
	if err != nil {
		return false, err
	}
	defer e.pool.Close()
	var there int
	err = e.pool.QueryRow(ctx, string(postgresDialect.hasVersions)).Scan(&there)
	return there > 0, err
}

// Known refuses steps of a schema that this program does not know.
func (s Schema) Known(steps []int64) error {
	mine, err := s.steps(&sqliteDialect)
	if err != nil {
		return err
	}
	for _, step := range steps {
		if step != 0 && !slices.ContainsFunc(mine, func(m *goose.Migration) bool { return m.Version == step }) {
			return Unfit(fmt.Sprintf("the backup has a newer schema (step %d) than this program knows: restore it with the version of belay that made it, or a newer one", step))
		}
	}
	return nil
}

// loadSQLite fills a file of another name, which takes its place only when it is whole.
func (s Schema) loadSQLite(ctx context.Context, path string, steps []int64, replace bool, fill func(*Loader) error) (err error) {
	release, err := own(ctx, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	if _, err := os.Stat(path); err == nil && !replace {
		return ErrOccupied
	}
	half := path + ".restoring"
	if err := removeSQLite(half); err != nil {
		return err
	}
	defer func() { _ = removeSQLite(half) }() // gone where all went well
	if err := keepPrivate(half); err != nil {
		return err
	}
	db, err := sql.Open("sqlite", strings.Replace(sqliteDSN(half, "_txlock=immediate", "_pragma=synchronous(FULL)"), "foreign_keys(1)", "foreign_keys(0)", 1))
	if err != nil {
		return err
	}
	err = s.load(ctx, db, goose.DialectSQLite3, &sqliteDialect, steps, fill, func(tx *sql.Tx) error { return soundSQLite(ctx, tx) })
	if err = errors.Join(err, db.Close()); err != nil {
		return err
	}
	if err := removeSQLite(path); err != nil {
		return err
	}
	if err := os.Rename(half, path); err != nil {
		return err
	}
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// soundSQLite refuses rows that refer to rows that are not there.
func soundSQLite(ctx context.Context, tx *sql.Tx) error {
	var table string
	err := tx.QueryRowContext(ctx, `SELECT "table" FROM pragma_foreign_key_check LIMIT 1`).Scan(&table)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	return errors.Join(err, fmt.Errorf("rows of the table %s refer to rows that are not there", table))
}

func removeSQLite(path string) error {
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func (s Schema) loadPostgres(ctx context.Context, url string, steps []int64, replace bool, fill func(*Loader) error) error {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return Unfit(err.Error())
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return err
	}
	defer pool.Close()
	db := stdlib.OpenDBFromPool(pool)
	defer func() { _ = db.Close() }()
	before := func(l *Loader) error {
		if !replace {
			var there int
			err := l.tx.QueryRowContext(ctx, string(postgresDialect.hasVersions)).Scan(&there)
			if err == nil && there > 0 {
				err = ErrOccupied
			}
			return err
		}
		return l.dropAll()
	}
	return s.load(ctx, db, goose.DialectPostgres, &postgresDialect, steps, fill, nil, before)
}

// dropAll gives up the tables of the server that are there.
func (l *Loader) dropAll() error {
	s := Snapshot{ctx: l.ctx, tx: l.tx, dialect: l.dialect, schema: l.schema}
	tables, err := s.Tables()
	if err != nil {
		return err
	}
	for _, table := range append(append(tables, l.schema.filled...), "goose_db_version") {
		if _, err := l.tx.ExecContext(l.ctx, "DROP TABLE IF EXISTS "+quoted(table)+" CASCADE"); err != nil {
			return err
		}
	}
	return nil
}

// load does all in one transaction: the schema, then the rows.
func (s Schema) load(ctx context.Context, db *sql.DB, kind goose.Dialect, d *Dialect, steps []int64, fill func(*Loader) error,
	sound func(*sql.Tx) error, before ...func(*Loader) error) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // does nothing after a commit
	l := &Loader{ctx: ctx, conn: conn, tx: tx, dialect: d, schema: s}
	for _, do := range before {
		if err := do(l); err != nil {
			return err
		}
	}
	if err := l.build(kind, steps); err != nil {
		return err
	}
	if err := fill(l); err != nil {
		return err
	}
	if sound != nil {
		if err := sound(tx); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// build makes the tables as the steps make them, and writes the steps down.
func (l *Loader) build(kind goose.Dialect, steps []int64) error {
	versions, err := database.NewStore(kind, "goose_db_version")
	if err != nil {
		return err
	}
	if err := versions.CreateVersionTable(l.ctx, l.tx); err != nil {
		return err
	}
	for _, step := range steps {
		if err := versions.Insert(l.ctx, l.tx, database.InsertRequest{Version: step}); err != nil {
			return err
		}
		if step == 0 { // with which goose begins
			continue
		}
		text, err := l.schema.step(l.dialect, step)
		if err != nil {
			return err
		}
		if _, err := l.tx.ExecContext(l.ctx, text); err != nil {
			return fmt.Errorf("step %d of the schema: %w", step, err)
		}
	}
	tables, err := (&Snapshot{ctx: l.ctx, tx: l.tx, dialect: l.dialect, schema: l.schema}).Tables()
	for _, table := range slices.Backward(tables) { // a step may have written rows of its own
		if err == nil {
			_, err = l.tx.ExecContext(l.ctx, "DELETE FROM "+quoted(table)) //nolint:gosec // one of our tables
		}
	}
	return err
}

// Table takes the rows of a table. next gives one after another, as JSON decodes the values
// that Snapshot.Rows gave (see Portable), and nil at the end.
func (l *Loader) Table(table string, columns []string, next func() ([]any, error)) error {
	ours, err := l.schema.tables()
	if err != nil {
		return err
	}
	types, err := l.types(table)
	if err != nil {
		return err
	}
	for _, column := range columns {
		if types[column] == "" || !ours[table] {
			return fmt.Errorf("the schema has no column %s of a table %s", column, table)
		}
	}
	row := func() ([]any, error) {
		values, err := next()
		if err != nil || values == nil {
			return nil, err
		}
		if len(values) != len(columns) {
			return nil, fmt.Errorf("a row of %s has %d values for %d columns", table, len(values), len(columns))
		}
		for i := range values {
			if values[i], err = native(values[i], types[columns[i]]); err != nil {
				return nil, fmt.Errorf("%s.%s: %w", table, columns[i], err)
			}
		}
		return values, nil
	}
	if l.dialect == &postgresDialect {
		return l.copyIn(table, columns, row)
	}
	return l.insert(table, columns, row)
}

func (l *Loader) types(table string) (map[string]string, error) {
	q := (&Query{Dialect: l.dialect}).Add(l.dialect.types, table)
	rows, err := l.tx.QueryContext(l.ctx, q.String(), q.Args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	types := map[string]string{}
	for rows.Next() {
		var name, kind string
		if err := rows.Scan(&name, &kind); err != nil {
			return nil, err
		}
		types[name] = kind
	}
	return types, rows.Err()
}

func (l *Loader) copyIn(table string, columns []string, row func() ([]any, error)) error {
	return l.conn.Raw(func(driver any) error {
		raw, ok := driver.(*stdlib.Conn)
		if !ok {
			return errors.New("not a connection of PostgreSQL's")
		}
		_, err := raw.Conn().CopyFrom(l.ctx, pgx.Identifier{table}, columns, pgx.CopyFromFunc(row))
		return err
	})
}

func (l *Loader) insert(table string, columns []string, row func() ([]any, error)) error {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = quoted(c)
	}
	places := strings.TrimSuffix(strings.Repeat("?, ", len(columns)), ", ")
	into, err := l.tx.PrepareContext(l.ctx, "INSERT INTO "+quoted(table)+" ("+strings.Join(names, ", ")+") VALUES ("+places+")") //nolint:gosec // our own names
	if err != nil {
		return err
	}
	defer func() { _ = into.Close() }()
	for {
		values, err := row()
		if err != nil || values == nil {
			return err
		}
		if _, err := into.ExecContext(l.ctx, values...); err != nil {
			return fmt.Errorf("a row of %s: %w", table, err)
		}
	}
}

// Do runs a statement beside the rows.
func (l *Loader) Do(sql Text) error {
	_, err := l.tx.ExecContext(l.ctx, string(sql))
	return err
}

// Portable is a value of Snapshot.Rows as JSON keeps it for either engine, bytes in base64.
func Portable(value any) any {
	switch v := value.(type) {
	case []byte:
		return map[string]string{"base64": base64.StdEncoding.EncodeToString(v)}
	case string:
		if !utf8.ValidString(v) { // which SQLite lets pass
			return map[string]string{"text": base64.StdEncoding.EncodeToString([]byte(v))}
		}
	}
	return value
}

// native is a portable value as a column of a type takes it.
func native(value any, kind string) (any, error) {
	switch v := value.(type) {
	case map[string]any:
		if text, ok := v["text"].(string); ok {
			raw, err := base64.StdEncoding.DecodeString(text)
			return string(raw), err
		}
		text, _ := v["base64"].(string)
		return base64.StdEncoding.DecodeString(text)
	case json.Number:
		n, err := v.Int64()
		if err == nil && kind == "boolean" {
			return n != 0, nil
		}
		return n, err
	case nil, bool, string:
		return v, nil
	default:
		return nil, fmt.Errorf("a value that no column has: %T", value)
	}
}
