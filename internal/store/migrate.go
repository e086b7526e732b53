package store

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"log/slog"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/pressly/goose/v3"
)

//go:embed migrations/*.sql
var migrations embed.FS

// errNoDatabase is the refusal of a database that is yet to be made.
const errNoDatabase = Unfit("there is no database yet: belay serve makes one")

// fits refuses a schema that this program does not know and, where the database must be
// there, one that it would have to change.
func (db *DB) fits(ctx context.Context, existing bool) error {
	applied, err := db.applied(ctx)
	if err != nil {
		return err
	}
	steps, err := migrationSteps(db.dialect)
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
		there, _, err := value[int](v, v.sql(db.dialect.hasVersions))
		if err != nil || there == 0 {
			return err
		}
		versions, err = values[int64](v, v.sql("SELECT DISTINCT version_id FROM goose_db_version"))
		return err
	})
	return versions, err
}

// migrate brings the schema up to date. One text serves both engines: each dialect
// rewrites what it must.
func migrate(ctx context.Context, kind goose.Dialect, db *sql.DB, d *dialect, log *slog.Logger) error {
	provider, err := migrator(kind, db, d)
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
		log.Info("made the database", "schema", NewestSchema(), "took", took)
		return err
	}
	for _, result := range results {
		log.Info("migrated", "version", result.Source.Version, "took", result.Duration)
	}
	return err
}

// NewestSchema is the number of the newest migration that this binary carries.
func NewestSchema() int64 {
	files, err := migrations.ReadDir("migrations")
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
func migrator(kind goose.Dialect, db *sql.DB, d *dialect) (*goose.Provider, error) {
	steps, err := migrationSteps(d)
	if err != nil {
		return nil, err
	}
	// Steps that were written side by side come in any order: none leans on a later number.
	return goose.NewProvider(kind, db, nil,
		goose.WithGoMigrations(steps...), goose.WithDisableGlobalRegistry(true), goose.WithAllowOutofOrder(true))
}

func migrationSteps(d *dialect) ([]*goose.Migration, error) {
	files, err := migrations.ReadDir("migrations")
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
		schema, err := schemaIn(d, file.Name())
		if err != nil {
			return nil, err
		}
		steps = append(steps, goose.NewGoMigration(version, &goose.GoFunc{
			RunTx: func(ctx context.Context, tx *sql.Tx) error {
				_, err := tx.ExecContext(ctx, schema)
				return err
			},
		}, nil))
	}
	return steps, nil
}

func schemaIn(d *dialect, file string) (string, error) {
	raw, err := migrations.ReadFile(path.Join("migrations", file))
	return d.schema(partOf(d, string(raw))), err
}

// partOf leaves out of a step what is for the other engine: what follows a line "-- engine NAME".
func partOf(d *dialect, step string) string {
	both, parts, _ := strings.Cut(step, "\n-- engine ")
	for _, part := range strings.Split(parts, "\n-- engine ") {
		if engine, text, _ := strings.Cut(part, "\n"); engine == d.name {
			both += "\n" + text
		}
	}
	return both
}

// schemaOf is the text of one step of the schema.
func schemaOf(d *dialect, version int64) (string, error) {
	files, err := migrations.ReadDir("migrations")
	if err != nil {
		return "", err
	}
	for _, file := range files {
		number, _, _ := strings.Cut(file.Name(), "_")
		if n, err := strconv.ParseInt(number, 10, 64); err == nil && n == version {
			return schemaIn(d, file.Name())
		}
	}
	return "", fmt.Errorf("the schema has no step %d", version)
}
