package store

import (
	"context"
	"slices"

	"github.com/belayhq/belay/internal/sqldb"
)

// ErrOccupied says that a database holds something already.
const ErrOccupied = sqldb.ErrOccupied

// Loader fills an empty database with the rows of another one.
type Loader struct {
	*sqlLoader
	replicas bool // the schema has servers that tell of themselves
}

// Load makes a database of the schema that some steps make, has fill fill it, and brings it
// up to date. Until all of it is there, nothing is: a database half filled is never served.
// One that is there already is refused, or, where replace says so, given up for the new one.
func Load(ctx context.Context, url string, steps []int64, replace bool, fill func(*Loader) error) error {
	return theSchema.Load(ctx, url, steps, replace, func(l *sqlLoader) error { return fill(&Loader{l, slices.Contains(steps, replicasSchema)}) })
}

// Forget forgets what belonged to the servers that ran when the rows were taken: who of them
// does which background work, and which there were.
func (l *Loader) Forget() error {
	if err := l.Do("DELETE FROM leases"); err != nil || !l.replicas {
		return err
	}
	return l.Do("DELETE FROM replicas")
}

// replicasSchema is the first schema in which servers tell of themselves.
const replicasSchema = 670

// KnowsSchema refuses steps of a schema that this program does not know.
func KnowsSchema(steps []int64) error { return theSchema.Known(steps) }

// NewestSchema is the number of the newest migration that this binary carries.
func NewestSchema() int64 { return theSchema.Newest() }

// Occupied says whether there is a database that a server has made.
func Occupied(ctx context.Context, url string) (bool, error) { return sqldb.Occupied(ctx, url) }

// Portable is a value of Snapshot.Rows as JSON keeps it for either engine, bytes in base64.
func Portable(value any) any { return sqldb.Portable(value) }
