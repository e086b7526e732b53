package store

import (
	"context"
	"encoding/json"
	"time"

	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/base"
	"github.com/belayhq/belay/site"
)

// Figures is what the database tells about itself, for those who watch over a server.
type Figures struct {
	Organizations, Workspaces, Users, Sessions int

	Runs              map[string]int // that are unfinished, by status
	OldestRun         time.Time      // that is pending; zero: none
	Due, DeadLettered int            // deliveries that are due, and that were given up in the last hour
	OldestDue         time.Time      // delivery; zero: none
	Bytes             int64          // of the database
	LastBackup        time.Time      // that ended well; zero: none
	ObjectsHeld       bool           // a backup copies objects
	Replicas          []site.Replica // servers that told of themselves
}

// lastBackup is the fact that says when a backup last ended well.
const lastBackup = "last-backup"

// lastBackupHeld is the fact that says what was in it.
const lastBackupHeld = "last-backup-held"

// NoteBackup notes that a backup ended well, and what is in it.
func (tx *Tx) NoteBackup(b site.Backup) error {
	b.At = tx.Now
	held, err := json.Marshal(b)
	if err != nil {
		return err
	}
	if err := tx.SetMeta(lastBackupHeld, string(held)); err != nil {
		return err
	}
	return tx.SetMeta(lastBackup, tx.Now.Format(time.RFC3339))
}

// LastBackup is the last backup that ended well. What was in one of an older version is not known.
func (v *reads) LastBackup() (b site.Backup, err error) {
	at, err := v.Meta(lastBackup)
	if err != nil || at == "" {
		return b, err
	}
	held, err := v.Meta(lastBackupHeld)
	if json.Unmarshal([]byte(held), &b) != nil {
		b = site.Backup{}
	}
	ended, _ := time.Parse(time.RFC3339, at)
	if b.At.Truncate(time.Second).Equal(ended) {
		return b, err
	}
	return site.Backup{At: ended}, err
}

// Figures looks. Each statement is on an index, or on few rows.
func (db *DB) Figures(ctx context.Context) (f Figures, err error) {
	f.Runs = map[string]int{}
	now := sqldb.UnixMillis(db.Moment())
	err = db.View(ctx, func(v *View) error {
		for _, one := range []struct {
			into *int
			sql  text
			args []any
		}{
			{&f.Organizations, "SELECT count(*) FROM organizations WHERE NOT " + base.IsHidden, nil},
			{&f.Workspaces, "SELECT CAST(COALESCE(sum(" + base.Counted("organizations") + "), 0) AS BIGINT) FROM organizations WHERE NOT " + base.IsHidden, nil},
			{&f.Users, "SELECT count(*) FROM users", nil},
			{&f.Sessions, "SELECT count(*) FROM sessions WHERE expired_at > ?", []any{now}},
			{&f.Due, "SELECT count(*) FROM deliveries WHERE status = 'pending' AND next_at <= ?", []any{now}},
			{&f.DeadLettered, "SELECT count(*) FROM deliveries WHERE status = 'parked' AND updated_at > ?", []any{now - time.Hour.Milliseconds()}},
		} {
			n, _, err := sqldb.Value[int](v, v.SQL(one.sql, one.args...))
			if err != nil {
				return err
			}
			*one.into = n
		}
		return f.look(v)
	})
	return f, err
}

func (f *Figures) look(v *View) (err error) {
	type counted struct {
		status string
		n      int
	}
	runs, err := sqldb.Collect(v, v.SQL("SELECT status, count(*) FROM runs WHERE unfinished AND operation <> 'assessment' GROUP BY status"), func(c *counted) []any { return []any{&c.status, &c.n} })
	if err != nil {
		return err
	}
	for _, c := range runs {
		f.Runs[c.status] = c.n
	}
	if f.OldestRun, err = v.oldest("SELECT min(created_at) FROM runs WHERE unfinished AND status = 'pending' HAVING count(*) > 0"); err != nil {
		return err
	}
	if f.OldestDue, err = v.oldest("SELECT min(next_at) FROM deliveries WHERE status = 'pending' HAVING count(*) > 0"); err != nil {
		return err
	}
	if f.Bytes, _, err = sqldb.Value[int64](v, v.SQL(v.Dialect().Size)); err != nil {
		return err
	}
	if f.ObjectsHeld, err = v.ObjectsHeld(); err != nil {
		return err
	}
	if f.Replicas, err = v.Replicas(); err != nil {
		return err
	}
	at, err := v.Meta(lastBackup)
	f.LastBackup, _ = time.Parse(time.RFC3339, at) // zero where there is none
	return err
}

func (v *reads) oldest(sql text) (time.Time, error) {
	at, found, err := sqldb.Value[int64](v, v.SQL(sql))
	if err != nil || !found {
		return time.Time{}, err
	}
	return time.UnixMilli(at), nil
}
