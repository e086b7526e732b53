package data

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/pflag"

	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/blob"
	"github.com/belayhq/belay/internal/cli/shell"
	"github.com/belayhq/belay/internal/seal"
	"github.com/belayhq/belay/internal/store"
)

// Database is where the data lies.
type Database struct{ DataDir, databaseURL, BlobURL string }

// Flags adds the flags that say where the data are.
func (d *Database) Flags(flags *pflag.FlagSet) {
	flags.StringVar(&d.DataDir, "data-dir", "belay-data", "folder of the embedded database, state files and secrets (BELAY_DATA_DIR)")
	flags.StringVar(&d.databaseURL, "database-url", "", "postgres://… ; SQLite in the data dir when empty (BELAY_DATABASE_URL)")
	flags.StringVar(&d.BlobURL, "blob-url", "", "file:///… or s3://bucket?… ; blobs/ in the data dir when empty (BELAY_BLOB_URL)")
}

// Check says what is wrong with them.
func (d *Database) Check() error {
	if d.databaseURL != "" && !strings.HasPrefix(d.databaseURL, "postgres://") && !strings.HasPrefix(d.databaseURL, "postgresql://") {
		return fmt.Errorf("--database-url begins with postgres://, not %q", firstPart(d.databaseURL))
	}
	if d.BlobURL != "" && !strings.HasPrefix(d.BlobURL, "file://") && !strings.HasPrefix(d.BlobURL, "s3://") {
		return fmt.Errorf("--blob-url begins with file:// or s3://, not %q", firstPart(d.BlobURL))
	}
	return nil
}

// firstPart is the scheme of a URL: the rest may hold a password.
func firstPart(url string) string {
	scheme, _, _ := strings.Cut(url, ":")
	return scheme + ":…"
}

// Served says that a server of its own keeps the database.
func (d *Database) Served() bool { return d.databaseURL != "" }

// Prepare makes the data dir, for its owner alone, and tries the store of state files:
// nothing is made in a database while either can't be used.
func (d *Database) Prepare(ctx context.Context) error {
	if err := ownFolder(d.DataDir); err != nil {
		return shell.Misconfigured(fmt.Errorf("make the data dir: %w", err))
	}
	blobs, err := d.Blobs(ctx, nil)
	if err == nil {
		err = blobs.Ping(ctx)
	}
	if err != nil {
		return shell.Misconfigured(fmt.Errorf("--blob-url can't be used: %w", err))
	}
	return nil
}

// ownFolder makes a folder, or takes it back from others when it is one of ours alone.
func ownFolder(path string) error {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return err
	}
	if err := ownSecrets(path); err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode()&os.ModeSticky != 0 { // such as /tmp
		return err
	}
	return keepFrom(path, info, 0o700)
}

// secretFiles are the names of the files with secrets that a server keeps in its data folder, beside
// the database.
var secretFiles = []string{"encryption.key", "admin-token", "tls/*-key.pem"}

// ownSecrets takes the secrets in a folder back from others, who may have been let in by a copy or an
// archive.
func ownSecrets(folder string) error {
	for _, name := range secretFiles {
		found, err := fs.Glob(os.DirFS(folder), name)
		if err != nil {
			return err
		}
		for _, one := range found {
			path := filepath.Join(folder, one)
			info, err := os.Stat(path)
			if err == nil {
				err = keepFrom(path, info, 0o600)
			}
			if err != nil && !errors.Is(err, os.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}

// keepFrom lets nobody but its owner have what is open to others, where it is ours to change.
func keepFrom(path string, info os.FileInfo, mode os.FileMode) error {
	if info.Mode().Perm()&0o077 == 0 {
		return nil
	}
	err := os.Chmod(path, mode)
	if errors.Is(err, os.ErrPermission) || errors.Is(err, syscall.EROFS) { // another's, who lets us in
		return nil
	}
	return err
}

// Open opens the database.
func (d *Database) Open(ctx context.Context, o store.Options) (*store.DB, error) {
	var err error
	if o.URL, err = d.address(); err != nil {
		return nil, err
	}
	db, err := store.Open(ctx, o)
	if err != nil {
		return nil, Refused(fmt.Errorf("open the database: %w", err))
	}
	return db, nil
}

// address is the database as store.Open takes it.
func (d *Database) address() (string, error) {
	if d.databaseURL != "" {
		return d.databaseURL, nil
	}
	path, err := filepath.Abs(filepath.Join(d.DataDir, "belay.db"))
	return "sqlite:" + path, err
}

// Vault opens what is kept outside the database: the keys, and the state files that
// they seal. A key is made only for a database that never had one.
func (d *Database) Vault(ctx context.Context, db *store.DB, getenv func(string) string) (*seal.Ring, blob.Store, error) {
	fresh, err := app.Fresh(ctx, db)
	if err != nil {
		return nil, nil, err
	}
	ring, err := seal.Open(getenv("BELAY_ENCRYPTION_KEY"), d.DataDir, fresh)
	if err != nil {
		return nil, nil, shell.Misconfigured(fmt.Errorf("open the encryption keys: %w", err))
	}
	blobs, err := d.Blobs(ctx, ring)
	if err != nil {
		return nil, nil, fmt.Errorf("open the blob store: %w", err)
	}
	return ring, blobs, nil
}

// Blobs opens where files lie.
func (d *Database) Blobs(ctx context.Context, ring *seal.Ring) (blob.Store, error) {
	url := d.BlobURL
	if url == "" {
		path, err := filepath.Abs(filepath.Join(d.DataDir, "blobs"))
		if err != nil {
			return nil, err
		}
		url = "file://" + path
	}
	return blob.Open(ctx, url, ring)
}

// Refused marks the errors by which the data itself says that it is not to be served like
// this.
func Refused(err error) error {
	var unfit store.Unfit
	if errors.As(err, &unfit) || errors.Is(err, seal.ErrNoKey) {
		return shell.Misconfigured(err)
	}
	return err
}
