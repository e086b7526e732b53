package cli

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
	"github.com/belayhq/belay/internal/seal"
	"github.com/belayhq/belay/internal/store"
)

// database is where the data lies.
type database struct{ dataDir, databaseURL, blobURL string }

func (d *database) flags(flags *pflag.FlagSet) {
	flags.StringVar(&d.dataDir, "data-dir", "belay-data", "folder of the embedded database, state files and secrets (BELAY_DATA_DIR)")
	flags.StringVar(&d.databaseURL, "database-url", "", "postgres://… ; SQLite in the data dir when empty (BELAY_DATABASE_URL)")
	flags.StringVar(&d.blobURL, "blob-url", "", "file:///… or s3://bucket?… ; blobs/ in the data dir when empty (BELAY_BLOB_URL)")
}

func (d *database) check() error {
	if d.databaseURL != "" && !strings.HasPrefix(d.databaseURL, "postgres://") && !strings.HasPrefix(d.databaseURL, "postgresql://") {
		return fmt.Errorf("--database-url begins with postgres://, not %q", firstPart(d.databaseURL))
	}
	if d.blobURL != "" && !strings.HasPrefix(d.blobURL, "file://") && !strings.HasPrefix(d.blobURL, "s3://") {
		return fmt.Errorf("--blob-url begins with file:// or s3://, not %q", firstPart(d.blobURL))
	}
	return nil
}

// firstPart is the scheme of a URL: the rest may hold a password.
func firstPart(url string) string {
	scheme, _, _ := strings.Cut(url, ":")
	return scheme + ":…"
}

// prepare makes the data dir, for its owner alone, and tries the store of state files:
// nothing is made in a database while either can't be used.
func (d *database) prepare(ctx context.Context) error {
	if err := ownFolder(d.dataDir); err != nil {
		return misconfigured{fmt.Errorf("make the data dir: %w", err)}
	}
	blobs, err := d.blobs(ctx, nil)
	if err == nil {
		err = blobs.Ping(ctx)
	}
	if err != nil {
		return misconfigured{fmt.Errorf("--blob-url can't be used: %w", err)}
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

// open opens the database.
func (d *database) open(ctx context.Context, o store.Options) (*store.DB, error) {
	var err error
	if o.URL, err = d.address(); err != nil {
		return nil, err
	}
	db, err := store.Open(ctx, o)
	if err != nil {
		return nil, refused(fmt.Errorf("open the database: %w", err))
	}
	return db, nil
}

// address is the database as store.Open takes it.
func (d *database) address() (string, error) {
	if d.databaseURL != "" {
		return d.databaseURL, nil
	}
	path, err := filepath.Abs(filepath.Join(d.dataDir, "belay.db"))
	return "sqlite:" + path, err
}

// vault opens what is kept outside the database: the keys, and the state files that
// they seal. A key is made only for a database that never had one.
func (d *database) vault(ctx context.Context, db *store.DB, getenv func(string) string) (*seal.Ring, blob.Store, error) {
	fresh, err := app.Fresh(ctx, db)
	if err != nil {
		return nil, nil, err
	}
	ring, err := seal.Open(getenv("BELAY_ENCRYPTION_KEY"), d.dataDir, fresh)
	if err != nil {
		return nil, nil, misconfigured{fmt.Errorf("open the encryption keys: %w", err)}
	}
	blobs, err := d.blobs(ctx, ring)
	if err != nil {
		return nil, nil, fmt.Errorf("open the blob store: %w", err)
	}
	return ring, blobs, nil
}

func (d *database) blobs(ctx context.Context, ring *seal.Ring) (blob.Store, error) {
	url := d.blobURL
	if url == "" {
		path, err := filepath.Abs(filepath.Join(d.dataDir, "blobs"))
		if err != nil {
			return nil, err
		}
		url = "file://" + path
	}
	return blob.Open(ctx, url, ring)
}

// refused marks the errors by which the data itself says that it is not to be served like
// this.
func refused(err error) error {
	var unfit store.Unfit
	if errors.As(err, &unfit) || errors.Is(err, seal.ErrNoKey) {
		return misconfigured{err}
	}
	return err
}
