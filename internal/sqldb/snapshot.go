package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
)

// Snapshot is the whole of a database as it was at one moment. While it is read the others
// read and write as ever.
type Snapshot struct {
	ctx     context.Context
	tx      *sql.Tx
	dialect *Dialect
	schema  Schema
}

// Snapshot runs fn with all that was committed when it began, and nothing newer.
func (db *DB) Snapshot(ctx context.Context, fn func(*Snapshot) error) error {
	raw, done := db.engine.raw()
	defer done()
	tx, err := raw.BeginTx(ctx, db.dialect.moment)
	if err != nil {
		return db.room(err)
	}
	s := &Snapshot{ctx: ctx, tx: tx, dialect: db.dialect, schema: db.schema}
	return errors.Join(fn(s), tx.Rollback())
}

// Dialect is how the database says what the two say differently.
func (s *Snapshot) Dialect() *Dialect { return s.dialect }

// made finds the tables that migrations make.
var made = regexp.MustCompile(`(?m)^CREATE TABLE (\w+)`)

// Tables is the tables of the server that are there, each after those that it refers to.
// The migrations keep their own.
func (s *Snapshot) Tables() ([]string, error) {
	ours, err := s.schema.tables()
	if err != nil {
		return nil, err
	}
	there, err := s.Texts(s.dialect.Tables)
	if err != nil {
		return nil, err
	}
	refers := map[string][]string{}
	for _, table := range there {
		if !ours[table] {
			continue
		}
		if refers[table], err = s.Texts(s.dialect.refersTo, table); err != nil {
			return nil, err
		}
	}
	return inOrder(refers)
}

// tables is every table that a step has ever made, but for those that the engine fills by itself.
func (s Schema) tables() (map[string]bool, error) {
	files, err := fs.ReadDir(s.files, ".")
	if err != nil {
		return nil, err
	}
	ours := map[string]bool{}
	for _, file := range files {
		raw, err := fs.ReadFile(s.files, file.Name())
		if err != nil {
			return nil, err
		}
		for _, found := range made.FindAllStringSubmatch(string(raw), -1) {
			ours[found[1]] = true
		}
	}
	for _, table := range s.filled {
		delete(ours, table)
	}
	return ours, nil
}

// inOrder puts tables after those that they refer to.
func inOrder(refers map[string][]string) (list []string, err error) {
	left := make([]string, 0, len(refers))
	for table := range refers {
		left = append(left, table)
	}
	slices.Sort(left)
	for len(left) > 0 {
		var waiting []string
		for _, table := range left {
			waits := slices.ContainsFunc(refers[table], func(other string) bool { return other != table && !slices.Contains(list, other) })
			if waits {
				waiting = append(waiting, table)
			} else {
				list = append(list, table)
			}
		}
		if len(waiting) == len(left) {
			return nil, fmt.Errorf("the tables %s refer to each other in a circle", strings.Join(waiting, ", "))
		}
		left = waiting
	}
	return list, nil
}

// Schema is the steps of the schema that the database has gone through.
func (s *Snapshot) Schema() (steps []int64, err error) {
	rows, err := s.tx.QueryContext(s.ctx, "SELECT DISTINCT version_id FROM goose_db_version ORDER BY version_id")
	if err != nil {
		return nil, err
	}
	defer func() { err = joinClose(err, rows.Close()) }()
	for rows.Next() {
		var step int64
		if err := rows.Scan(&step); err != nil {
			return nil, err
		}
		steps = append(steps, step)
	}
	return steps, rows.Err()
}

// Rows gives every row of a table: its values in the order of the columns. They are nil,
// bool, int64, float64, string or []byte.
func (s *Snapshot) Rows(table string, columns func([]string) error, each func([]any) error) (err error) {
	rows, err := s.tx.QueryContext(s.ctx, "SELECT * FROM "+quoted(table)) //nolint:gosec // the name of one of our tables
	if err != nil {
		return err
	}
	defer func() { err = joinClose(err, rows.Close()) }()
	names, err := rows.Columns()
	if err == nil {
		err = columns(names)
	}
	if err != nil {
		return err
	}
	types, err := rows.ColumnTypes()
	if err != nil {
		return err
	}
	values, into := make([]any, len(names)), make([]any, len(names))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		for i := range values {
			if n, isNumber := values[i].(int64); isNumber && types[i].DatabaseTypeName() == "BOOLEAN" { // as SQLite has it
				values[i] = n != 0
			}
		}
		if err := each(values); err != nil {
			return err
		}
	}
	return rows.Err()
}

// Texts is the one text of each row that a statement gives.
func (s *Snapshot) Texts(fragment Text, args ...any) (list []string, err error) {
	err = s.EachText(func(one string) error {
		list = append(list, one)
		return nil
	}, fragment, args...)
	return list, err
}

// EachText gives the one text of each row of a statement.
func (s *Snapshot) EachText(each func(string) error, fragment Text, args ...any) (err error) {
	q := (&Query{Dialect: s.dialect}).Add(fragment, args...)
	rows, err := s.tx.QueryContext(s.ctx, q.String(), q.Args...)
	if err != nil {
		return err
	}
	defer func() { err = joinClose(err, rows.Close()) }()
	for rows.Next() {
		var one string
		if err := rows.Scan(&one); err != nil {
			return err
		}
		if err := each(one); err != nil {
			return err
		}
	}
	return rows.Err()
}

func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
