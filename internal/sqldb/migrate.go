package sqldb

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/pressly/goose/v3"
)

// Schema is the steps that make a database, each a file of SQL whose name begins with its number.
// One text serves both engines: each dialect rewrites what it must.
type Schema struct {
	files  fs.FS
	filled []string // the tables that the engine fills by itself
}

// NewSchema is the schema that the files of a folder make, and which tables of it the engine fills
// by itself: they are neither saved nor loaded.
func NewSchema(files fs.FS, filled ...string) Schema { return Schema{files, filled} }

// errNoDatabase is the refusal of a database that is yet to be made.
const errNoDatabase = Unfit("there is no database yet: belay serve makes one")

// fits refuses a schema that this program does not know and, where the database must be
// there, one that it would have to change.
func (db *DB) fits(ctx context.Context, existing bool) error {
	applied, err := db.applied(ctx)
	if err != nil {
		return err
	}
	steps, err := db.schema.steps(db.dialect)
	if err != nil {
		return err
	}
	known := map[int64]bool{0: true} // with which goose begins
	for _, step := range steps {
		known[step.Version] = true
	}
	for _, version := range applied {
		if !known[version] {
			return Unfit(fmt.Sprintf("the database has a newer schema (step %d) than this program knows: run the version of belay that made it, or a newer one", version))
		}
		delete(known, version)
	}
	switch {
	case !existing || len(known) == 0:
		return nil
	case len(applied) == 0:
		return errNoDatabase
	default:
		return Unfit("the database has an older schema than this program: start belay serve, which brings it up to date")
	}
}

// applied is the steps that a database has gone through.
func (db *DB) applied(ctx context.Context) (versions []int64, err error) {
	err = db.View(ctx, func(v *View) error {
		there, _, err := Value[int](v, v.SQL(db.dialect.hasVersions))
		if err != nil || there == 0 {
			return err
		}
		versions, err = Values[int64](v, v.SQL("SELECT DISTINCT version_id FROM goose_db_version"))
		return err
	})
	return versions, err
}

// migrate brings the schema up to date.
func (s Schema) migrate(ctx context.Context, kind goose.Dialect, db *sql.DB, d *Dialect, log *slog.Logger) error {
	provider, err := s.migrator(kind, db, d)
	if err != nil {
		return err
	}
	results, err := provider.Up(ctx)
	if err != nil {
		err = fmt.Errorf("migrate: %w", err)
	}
	if len(results) == len(provider.ListSources()) { // a new database has gone through all of them
		var took time.Duration
		for _, result := range results {
			took += result.Duration
		}
		log.Info("made the database", "schema", s.Newest(), "took", took)
		return err
	}
	for _, result := range results {
		log.Info("migrated", "version", result.Source.Version, "took", result.Duration)
	}
	return err
}

// Newest is the number of the newest step.
func (s Schema) Newest() int64 {
	files, err := fs.ReadDir(s.files, ".")
	if err != nil {
		return 0 // embedded: it cannot fail
	}
	var newest int64
	for _, file := range files {
		number, _, _ := strings.Cut(file.Name(), "_")
		if version, err := strconv.ParseInt(number, 10, 64); err == nil {
			newest = max(newest, version)
		}
	}
	return newest
}

// migrator runs the steps of the schema on a database.
func (s Schema) migrator(kind goose.Dialect, db *sql.DB, d *Dialect) (*goose.Provider, error) {
	steps, err := s.steps(d)
	if err != nil {
		return nil, err
	}
	// Steps that were written side by side come in any order: none leans on a later number.
	return goose.NewProvider(kind, db, nil,
		goose.WithGoMigrations(steps...), goose.WithDisableGlobalRegistry(true), goose.WithAllowOutofOrder(true))
}

func (s Schema) steps(d *Dialect) ([]*goose.Migration, error) {
	files, err := fs.ReadDir(s.files, ".")
	if err != nil {
		return nil, err
	}
	var steps []*goose.Migration
	for _, file := range files {
		number, _, _ := strings.Cut(file.Name(), "_")
		version, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("migration %s has no number: %w", file.Name(), err)
		}
		text, err := s.text(d, file.Name())
		if err != nil {
			return nil, err
		}
		steps = append(steps, goose.NewGoMigration(version, &goose.GoFunc{
			RunTx: func(ctx context.Context, tx *sql.Tx) error {
				_, err := tx.ExecContext(ctx, text)
				return err
			},
		}, nil))
	}
	return steps, nil
}

func (s Schema) text(d *Dialect, file string) (string, error) {
	raw, err := fs.ReadFile(s.files, file)
	return d.schema(partOf(d, string(raw))), err
}

// partOf leaves out of a step what is for the other engine: what follows a line "-- engine NAME".
func partOf(d *Dialect, step string) string {
	both, parts, _ := strings.Cut(step, "\n-- engine ")
	for _, part := range strings.Split(parts, "\n-- engine ") {
		if engine, text, _ := strings.Cut(part, "\n"); engine == d.Name {
			both += "\n" + text
		}
	}
	return both
}

// step is the text of one step of the schema.
func (s Schema) step(d *Dialect, version int64) (string, error) {
	files, err := fs.ReadDir(s.files, ".")
	if err != nil {
		return "", err
	}
	for _, file := range files {
		number, _, _ := strings.Cut(file.Name(), "_")
		if n, err := strconv.ParseInt(number, 10, 64); err == nil && n == version {
			return s.text(d, file.Name())
		}
	}
	return "", fmt.Errorf("the schema has no step %d", version)
}

// SchemaSteps is the steps of the schema: those that the database has gone through, and those
// that this program would take it through.
func (v *View) SchemaSteps() (applied, pending []int64, err error) {
	if applied, err = v.db.applied(v.Context()); err != nil {
		return nil, nil, err
	}
	steps, err := v.db.schema.steps(v.Dialect())
	if err != nil {
		return nil, nil, err
	}
	done := map[int64]bool{}
	for _, version := range applied {
		done[version] = true
	}
	for _, step := range steps {
		if !done[step.Version] {
			pending = append(pending, step.Version)
		}
	}
	return applied, pending, nil
}

// Clock is what the database takes for now, to a second.
func (v *View) Clock() (time.Time, error) {
	at, _, err := Value[int64](v, v.SQL(Text(v.Dialect().schema("SELECT "+nowMillis))))
	return time.UnixMilli(at), err
}
