package data

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/belayhq/belay/internal/backup"
	"github.com/belayhq/belay/internal/cli/shell"
	"github.com/belayhq/belay/internal/store"
)

// Keys tells of the keys that secrets are sealed with, and seals anew.
func (p Commands) Keys() *cobra.Command {
	parent := &cobra.Command{Use: "keys", Short: "Look after the encryption keys"}
	parent.AddCommand(
		p.Maintenance("status", "Tell which keys there are and how much each seals",
			"Tell which encryption keys this server has, by their ids, and how many sealed values and objects there are of each. A key may go "+
				"once it seals nothing and is not the current one. No key is printed.", shell.NoArgs, p.keysStatus),
		p.Maintenance("reseal", "Seal with the current key what an older one seals",
			"Seal with the current key everything that an older key seals, so that the older one can go. A server may serve meanwhile, "+
				"if all of them have both keys. It may be stopped, and begun again, at any time.", shell.NoArgs,
			func(ctx context.Context, d *Database, _ []string) (err error) {
				db, ring, blobs, err := p.existing(ctx, d)
				if err != nil {
					return err
				}
				defer func() { err = errors.Join(err, db.Close()) }()
				done, err := backup.Reseal(ctx, db, blobs, ring)
				_, _ = fmt.Fprintf(p.Out, "sealed %d values and %d objects with the key %s\n", done.Values, done.Objects, ring.ID())
				return err
			}))
	return parent
}

func (p Commands) keysStatus(ctx context.Context, d *Database, _ []string) (err error) {
	db, ring, blobs, err := p.existing(ctx, d)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	uses, err := backup.KeysInUse(ctx, db, blobs, ring)
	if err != nil {
		return err
	}
	var mine []string
	for i, fingerprint := range ring.Fingerprints() {
		id, _, _ := strings.Cut(fingerprint, ".")
		mine = append(mine, id)
		what := "older"
		if i == 0 {
			what = "current"
		}
		_, _ = fmt.Fprintf(p.Out, "%s  %-8s %d values, %d objects\n", id, what, uses[id].Values, uses[id].Objects)
	}
	lacking := false
	for _, id := range slices.Sorted(maps.Keys(uses)) {
		if !slices.Contains(mine, id) {
			lacking = true
			_, _ = fmt.Fprintf(p.Out, "%s  %-8s %d values, %d objects\n", id, "MISSING", uses[id].Values, uses[id].Objects)
		}
	}
	if lacking {
		return errors.New("some of the data is sealed with a key that is not here")
	}
	return nil
}

// DB tells of the schema, and changes it.
func (p Commands) DB() *cobra.Command {
	parent := &cobra.Command{Use: "db", Short: "Look after the database"}
	parent.AddCommand(
		p.Maintenance("status", "Tell the schema of the database and what is to be done to it",
			"Tell the engine and the schema of the database, and which steps this program would take it through. It changes nothing. "+
				"Status 2 says that the schema is newer than this program.", shell.NoArgs, p.DBStatus),
		p.Maintenance("migrate", "Bring the schema up to date, without serving",
			"Bring the schema of the database up to date, as belay serve does when it starts. Replicas and other servers of the same "+
				"version may run; a server of the version before may not.", shell.NoArgs, p.dbMigrate))
	return parent
}

// DBStatus tells of the schema.
func (p Commands) DBStatus(ctx context.Context, d *Database, _ []string) (err error) {
	db, err := d.Open(ctx, store.Options{Existing: true, AnySchema: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var applied, pending []int64
	err = db.View(ctx, func(v *store.View) (err error) {
		applied, pending, err = v.SchemaSteps()
		return err
	})
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(p.Out, "engine   %s\nschema   %d\nprogram  %d\n", db.Engine(), slices.Max(append(applied, 0)), store.NewestSchema())
	if len(pending) == 0 {
		_, _ = fmt.Fprintln(p.Out, "pending  none")
		return nil
	}
	_, _ = fmt.Fprintf(p.Out, "pending  %s\n", strings.Trim(fmt.Sprint(pending), "[]"))
	return nil
}

func (p Commands) dbMigrate(ctx context.Context, d *Database, args []string) error {
	address, err := d.address()
	if err != nil {
		return err
	}
	there, err := store.Occupied(ctx, address)
	if err == nil && !there {
		err = shell.Misconfigured(errors.New("there is no database yet: belay serve makes one"))
	}
	if err != nil {
		return err
	}
	db, err := d.Open(ctx, store.Options{Alone: true, Log: shell.NewLog(p.ErrOut, "text", "info")})
	if err != nil {
		return err
	}
	if err := db.Close(); err != nil {
		return err
	}
	return p.DBStatus(ctx, d, args)
}
