package data

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/belayhq/belay/internal/backup"
	"github.com/belayhq/belay/internal/blob"
	"github.com/belayhq/belay/internal/cli/shell"
	"github.com/belayhq/belay/internal/seal"
	"github.com/belayhq/belay/internal/store"
)

// Maintenance makes a command that works on the data itself.
func (p Commands) Maintenance(use, short, long string, args cobra.PositionalArgs, run func(ctx context.Context, d *Database, args []string) error) *cobra.Command {
	d := &Database{}
	c := &cobra.Command{
		Use: use, Short: short, Long: long, Args: shell.Usage(args),
		RunE: p.Checked(d.Check, func(ctx context.Context, given []string) error { return unusable(run(ctx, d, given)) }),
	}
	d.Flags(c.Flags())
	return c
}

// unusable marks the errors by which a place or an archive says that it is not to be used so.
func unusable(err error) error {
	var refusal backup.Refusal
	if errors.As(err, &refusal) {
		return shell.Misconfigured(err)
	}
	return Refused(err)
}

const archiveForms = "A file, - for the standard %s, or s3://bucket/NAME?endpoint=…&region=… with the credentials of the environment."

// Backup writes an archive of all that the server keeps.
func (p Commands) Backup() *cobra.Command {
	var temp string
	c := p.Maintenance("backup ARCHIVE", "Write everything into one archive, while the server serves",
		"Write the database and every object that it names into one archive, while the server serves. Everything that was answered "+
			"before it began is in it. The encryption key is not: keep a copy of it elsewhere. The archive is as secret as the database.\n\n"+
			"ARCHIVE: "+fmt.Sprintf(archiveForms, "output"),
		cobra.ExactArgs(1), func(ctx context.Context, d *Database, args []string) error {
			return p.backup(ctx, d, args[0], temp)
		})
	c.Example = "  belay backup belay.tar\n  belay backup - | ssh vault 'cat > belay.tar'\n  belay backup 's3://vault/belay.tar?region=eu-central-1'"
	c.Flags().StringVar(&temp, "temp-dir", "", "folder where the rows wait, compressed, until the objects are written; the system's when empty (BELAY_TEMP_DIR)")
	return c
}

func (p Commands) backup(ctx context.Context, d *Database, to, temp string) (err error) {
	db, err := d.Open(ctx, store.Options{Existing: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	blobs, err := d.Blobs(ctx, nil)
	if err != nil {
		return shell.Misconfigured(err)
	}
	var m *backup.Manifest
	begun := time.Now()
	err = p.WriteArchive(ctx, to, func(w io.Writer) (err error) {
		m, err = backup.Write(ctx, backup.Source{DB: db, Blobs: blobs, Version: p.Version, TempDir: temp, Now: time.Now}, w)
		return err
	})
	if err != nil {
		return err
	}
	if err := backup.Noted(ctx, db, m, time.Since(begun)); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(p.ErrOut, "backed up %d rows of %d tables and %d objects of %d bytes\n", m.Rows(), len(m.Tables), m.Objects, m.ObjectBytes)
	for _, key := range m.Missing {
		_, _ = fmt.Fprintf(p.ErrOut, "missing: %s\n", key)
	}
	if len(m.Missing) > 0 {
		return fmt.Errorf("%d objects are missing from the store, and so from the backup, which is whole otherwise", len(m.Missing))
	}
	return nil
}

// WriteArchive has an archive written: to where it is kept it comes whole or not at all.
func (p Commands) WriteArchive(ctx context.Context, to string, write func(io.Writer) error) error {
	switch {
	case to == "-":
		return write(p.Out)
	case strings.HasPrefix(to, "s3://"):
		bucket, name, err := inBucket(ctx, to)
		if err != nil {
			return err
		}
		from, w := io.Pipe()
		go func() { _ = w.CloseWithError(write(w)) }() // the reader hears how it ended
		return errors.Join(bucket.PutSealed(ctx, name, from), from.Close())
	default:
		return writeFile(to, write)
	}
}

func writeFile(path string, write func(io.Writer) error) error {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return shell.Misconfigured(err)
	}
	defer func() { _ = os.Remove(file.Name()) }() // gone where all went well
	err = write(file)
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

// readArchive opens an archive.
func readArchive(ctx context.Context, in io.Reader, from string) (io.ReadCloser, error) {
	switch {
	case from == "-":
		return io.NopCloser(in), nil
	case strings.HasPrefix(from, "s3://"):
		bucket, name, err := inBucket(ctx, from)
		if err != nil {
			return nil, err
		}
		archive, _, err := bucket.Sealed(ctx, name)
		return archive, err
	default:
		archive, err := os.Open(from)
		if err != nil {
			return nil, shell.Misconfigured(err)
		}
		return archive, nil
	}
}

// inBucket is the bucket and the name of an archive in it.
func inBucket(ctx context.Context, address string) (blob.Store, string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, "", shell.Misconfigured(errors.New("the archive's address is not a URL"))
	}
	name := strings.Trim(u.Path, "/")
	u.Path = ""
	bucket, err := blob.Open(ctx, u.String(), nil)
	if err == nil && name == "" {
		err = errors.New("the archive has no name: write s3://bucket/NAME?endpoint=…")
	}
	if err != nil {
		return nil, "", shell.Misconfigured(err)
	}
	return bucket, name, nil
}

// Restore makes a server's data out of an archive.
func (p Commands) Restore() *cobra.Command {
	var replace bool
	var c *cobra.Command
	c = p.Maintenance("restore ARCHIVE", "Restore a backup into an empty place",
		"Restore a backup into an empty place: a data dir, or a PostgreSQL database and a store of objects. Either engine takes the backup of "+
			"the other. The encryption key has to be there before: in BELAY_ENCRYPTION_KEY, or as encryption.key in the data dir. No server may "+
			"run on the place meanwhile.\n\nARCHIVE: "+fmt.Sprintf(archiveForms, "input"),
		cobra.ExactArgs(1), func(ctx context.Context, d *Database, args []string) (err error) {
			archive, err := readArchive(ctx, c.InOrStdin(), args[0])
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, archive.Close()) }()
			return p.restore(ctx, d, archive, replace)
		})
	c.Example = "  belay restore --data-dir belay-data belay.tar\n  ssh vault 'cat belay.tar' | belay restore --database-url postgres://… -"
	c.Flags().BoolVar(&replace, "replace", false, "give up the database that is there, and write over its objects (BELAY_REPLACE)")
	return c
}

func (p Commands) restore(ctx context.Context, d *Database, archive io.Reader, replace bool) error {
	ring, err := seal.Open(p.Getenv("BELAY_ENCRYPTION_KEY"), d.DataDir, false)
	if err != nil {
		return shell.Misconfigured(fmt.Errorf("a backup is restored beside its encryption key: %w", err))
	}
	if err := d.Prepare(ctx); err != nil {
		return err
	}
	blobs, err := d.Blobs(ctx, ring)
	if err != nil {
		return shell.Misconfigured(err)
	}
	address, err := d.address()
	if err != nil {
		return err
	}
	head, m, err := backup.Restore(ctx, archive, backup.Place{DatabaseURL: address, Blobs: blobs, Ring: ring, Replace: replace})
	if err != nil {
		return err
	}
	db, err := d.Open(ctx, store.Options{}) // which brings the schema up to date
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(p.Out, "restored the backup of %s: %d rows of %d tables and %d objects of %d bytes\n",
		head.At.Format(time.RFC3339), m.Rows(), len(m.Tables), m.Objects, m.ObjectBytes)
	for _, key := range m.Missing {
		_, _ = fmt.Fprintf(p.Out, "missing from the backup: %s\n", key)
	}
	return db.Close()
}

// Verify proves an archive, or the data as they lie.
func (p Commands) Verify() *cobra.Command {
	var c *cobra.Command
	c = p.Maintenance("verify [ARCHIVE]", "Check everything that is kept, or an archive",
		"Check what the server keeps, while it serves or not: every object that is named is there, opens and has its checksum, every sealed "+
			"value opens, every counter is what it counts. With an ARCHIVE: that it is whole. Each fault is one line; status 1 says that there is one.",
		cobra.MaximumNArgs(1), func(ctx context.Context, d *Database, args []string) (err error) {
			if len(args) == 0 {
				return p.verify(ctx, d)
			}
			archive, err := readArchive(ctx, c.InOrStdin(), args[0])
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, archive.Close()) }()
			head, m, err := backup.Check(ctx, archive)
			if err == nil {
				_, _ = fmt.Fprintf(p.Out, "the archive of %s is whole: %d rows of %d tables and %d objects of %d bytes\n",
					head.At.Format(time.RFC3339), m.Rows(), len(m.Tables), m.Objects, m.ObjectBytes)
			}
			return err
		})
	return c
}

func (p Commands) verify(ctx context.Context, d *Database) (err error) {
	db, ring, blobs, err := p.existing(ctx, d)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	seen, err := backup.Verify(ctx, db, blobs, ring, func(f backup.Fault) { _, _ = fmt.Fprintln(p.Out, f) })
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(p.Out, "looked at %d objects of %d bytes, %d sealed values and every counter: %d faults\n", seen.Objects, seen.Bytes, seen.Values, seen.Faults)
	if seen.Faults > 0 {
		return fmt.Errorf("%d faults", seen.Faults)
	}
	return nil
}

// existing opens the data that is there, with its keys.
func (p Commands) existing(ctx context.Context, d *Database) (*store.DB, *seal.Ring, blob.Store, error) {
	db, err := d.Open(ctx, store.Options{Existing: true})
	if err != nil {
		return nil, nil, nil, err
	}
	ring, blobs, err := d.Vault(ctx, db, p.Getenv)
	if err != nil {
		return nil, nil, nil, errors.Join(err, db.Close())
	}
	return db, ring, blobs, nil
}
