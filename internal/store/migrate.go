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

	"github.com/pressly/goose/v3"
)

//go:embed migrations/*.sql
var migrations embed.FS

// migrate brings the schema up to date. One text serves both engines: each dialect
// rewrites what it must.
func migrate(ctx context.Context, kind goose.Dialect, db *sql.DB, d *dialect, log *slog.Logger, options ...goose.ProviderOption) error {
	steps, err := migrationSteps(d)
	if err != nil {
		return err
	}
	// Steps that were written side by side come in any order: none leans on a later number.
	options = append(options, goose.WithGoMigrations(steps...), goose.WithDisableGlobalRegistry(true), goose.WithAllowOutofOrder(true))
	provider, err := goose.NewProvider(kind, db, nil, options...)
	if err != nil {
		return err
	}
	results, err := provider.Up(ctx)
	for _, result := range results {
		log.Info("migrated", "version", result.Source.Version, "took", result.Duration)
	}
	return err
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
		raw, err := migrations.ReadFile(path.Join("migrations", file.Name()))
		if err != nil {
			return nil, err
		}
		schema := d.schema(string(raw))
		steps = append(steps, goose.NewGoMigration(version, &goose.GoFunc{
			RunTx: func(ctx context.Context, tx *sql.Tx) error {
				_, err := tx.ExecContext(ctx, schema)
				return err
			},
		}, nil))
	}
	return steps, nil
}
