package store

import (
	"context"
	"time"

	"github.com/belayhq/belay/internal/sqldb"
)

// Object is an object beside the database as a row names it.
type Object struct {
	Of   string // what it belongs to, in words
	ID   string
	Key  string
	Sum  string // in hex: MD5 or SHA-256
	Size int64
}

// objectColumn is where a table names objects.
type objectColumn struct{ of, table, id, key, sum, size text }

// objectColumns is where rows name objects. What is not here is swept.
var objectColumns = []objectColumn{
	{"state version", "state_versions", "id", "blob_key", "md5", "size"},
	{"state version", "state_versions", "id", "json_key", "json_md5", "json_size"},
	{"configuration version", "configuration_versions", "id", "blob_key", "sha256", "size"},
	{"run", "run_files", "run_id", "blob_key", "sha256", "size"},
	{"fetched commit", "vcs_fetches", "id", "blob_key", "sha256", "size"},
}

func (c objectColumn) selected() text {
	return "SELECT " + c.id + ", " + c.key + ", " + c.sum + ", " + c.size + " FROM " + c.table + " WHERE " + c.key + " <> ''"
}

// NamedBlobs is which of the keys a row names.
func (v *reads) NamedBlobs(keys []string) (map[string]bool, error) {
	q := v.SQL("")
	for i, c := range objectColumns {
		if i > 0 {
			q.Add(" UNION ")
		}
		q.Add("SELECT "+c.key+" FROM "+c.table+" WHERE "+c.key+" <> '' AND ").In(c.key, keys)
	}
	list, err := sqldb.Values[string](v, q)
	named := make(map[string]bool, len(list))
	for _, key := range list {
		named[key] = true
	}
	return named, err
}

// ObjectStillNamed says whether a row names an object now.
func (v *reads) ObjectStillNamed(key string) (bool, error) {
	named, err := v.NamedBlobs([]string{key})
	return named[key], err
}

// holdName begins the names of the leases of those who want no object deleted.
const holdName = "hold objects "

// HoldObjects keeps the objects that no row names any more from being deleted until a moment.
func (tx *Tx) HoldObjects(holder string, until time.Time) error {
	if err := tx.Do("DELETE FROM leases WHERE name LIKE ? AND until < ?", holdName+"%", sqldb.UnixMillis(tx.Now)); err != nil {
		return err
	}
	_, err := tx.TakeLease(holdName+holder, holder, until)
	return err
}

// ReleaseObjects ends a hold.
func (tx *Tx) ReleaseObjects(holder string) error {
	return tx.Do("DELETE FROM leases WHERE name = ?", holdName+holder)
}

// ObjectsHeld says whether anybody wants no object deleted now. Whoever deletes one asks
// after it knows that no row names it: a hold that begins later finds no such row either.
func (v *reads) ObjectsHeld() (bool, error) {
	held, _, err := sqldb.Value[int](v, v.SQL("SELECT 1 FROM leases WHERE name LIKE ? AND until > ? LIMIT 1", holdName+"%", sqldb.UnixMillis(v.Moment())))
	return held == 1, err
}

// Objects gives every object that a row names, some hundred at a time: none of those that are
// named all along is left out.
func (db *DB) Objects(ctx context.Context, each func(Object) error) error {
	for _, c := range objectColumns {
		for after, more := "", true; more; {
			var page []Object
			err := db.View(ctx, func(v *View) (err error) {
				q := v.SQL(c.selected()+" AND "+c.key+" > ? ORDER BY "+c.key, after)
				page, err = sqldb.Collect(v, q.First(sqldb.RowsAtOnce), func(o *Object) []any { return []any{&o.ID, &o.Key, &o.Sum, &o.Size} })
				return err
			})
			if err != nil {
				return err
			}
			for _, o := range page {
				o.Of, after = string(c.of), o.Key
				if err := each(o); err != nil {
					return err
				}
			}
			more = len(page) == sqldb.RowsAtOnce
		}
	}
	return nil
}
