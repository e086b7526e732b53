package store

import (
	"context"

	"github.com/belayhq/belay/internal/sqldb"
)

// What the engine room gives, by the names that this one knows it by.
type (
	text  = sqldb.Text
	query = sqldb.Query

	sqlDB       = sqldb.DB
	sqlView     = sqldb.View
	sqlTx       = sqldb.Tx
	sqlSnapshot = sqldb.Snapshot
	sqlLoader   = sqldb.Loader
)

// Options is how a database is opened.
type Options = sqldb.Options

// DefaultCache is how many MiB SQLite keeps pages in.
const DefaultCache = sqldb.DefaultCache

// Unfit says why a database can't be opened by this program as it is asked to.
type Unfit = sqldb.Unfit

// Wake is a kind of change that somebody waits for.
type Wake = sqldb.Wake

// RowsAtOnce is how many rows one transaction writes at the most where it is free to choose:
// so many hold SQLite's one writer for some 10 milliseconds.
const RowsAtOnce = sqldb.RowsAtOnce

// InLine is a context whose transactions go one after another on this server with those of the same name, where they run beside one another.
func InLine(ctx context.Context, name string) context.Context { return sqldb.InLine(ctx, name) }

// Background marks work that no request waits for. Its statements are counted apart: what a
// request costs can be told while it goes on.
func Background(ctx context.Context) context.Context { return sqldb.Background(ctx) }
