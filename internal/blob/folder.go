package blob

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/belayhq/belay/internal/fair"
	"github.com/belayhq/belay/internal/seal"
)

// incoming holds the files of unfinished Puts; no key can lead into it.
const incoming = ".incoming"

// folder is a Store in a directory: the key is the path.
type folder struct {
	root string
	ring *seal.Ring
	// tree keeps Delete from removing an empty directory that a Put is about to use.
	tree sync.Mutex
}

func openFolder(u *url.URL, ring *seal.Ring) (Store, error) {
	if u.Host != "" || u.RawQuery != "" || !filepath.IsAbs(u.Path) {
		return nil, errors.New("blob store: a folder is written file:///absolute/path")
	}
	f := &folder{root: filepath.Clean(u.Path), ring: ring}
	// Made only here: if the volume is unmounted later, a Put must fail rather
	// than fill the directory under the mount point.
	if err := os.MkdirAll(filepath.Join(f.root, incoming), 0o700); err != nil {
		return nil, fmt.Errorf("blob store: %w", err)
	}
	return f, syncDir(f.root)
}

func (f *folder) path(key string) string { return filepath.Join(f.root, filepath.FromSlash(key)) }

func (f *folder) Put(ctx context.Context, key string, r io.Reader) (Written, error) {
	return f.put(ctx, key, func(w io.Writer) (Written, error) { return pour(ctx, f.ring, key, w, r) })
}

func (f *folder) PutSealed(ctx context.Context, key string, r io.Reader) error {
	_, err := f.put(ctx, key, func(w io.Writer) (Written, error) { return copied(ctx, w, r) })
	return err
}

func (f *folder) put(ctx context.Context, key string, fill func(io.Writer) (Written, error)) (Written, error) {
	if err := begin(ctx, key); err != nil {
		return Written{}, err
	}
	file, err := f.temp()
	if err != nil {
		return Written{}, fmt.Errorf("put blob %s: %w", key, err)
	}
	growing := &paced{file: file, work: fair.WorkOf(ctx)}
	written, err := fill(growing)
	if err == nil {
		err = growing.Sync()
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = ctx.Err()
	}
	if err == nil {
		err = f.place(file.Name(), key)
	}
	if err != nil {
		_ = os.Remove(file.Name()) // or Sweep gets it
		return Written{}, fmt.Errorf("put blob %s: %w", key, err)
	}
	return written, nil
}

func (f *folder) temp() (*os.File, error) {
	name := filepath.Join(f.root, incoming, rand.Text())
	return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
}

// place gives a finished file its name, to stay after a power cut.
func (f *folder) place(temp, key string) error {
	path := f.path(key)
	if err := f.rename(temp, path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

func (f *folder) rename(temp, path string) error {
	f.tree.Lock()
	defer f.tree.Unlock()
	if err := f.makeDir(filepath.Dir(path)); err != nil {
		return err
	}
	return os.Rename(temp, path)
}

// makeDir makes dir below the root and syncs the parent of each directory it made.
func (f *folder) makeDir(dir string) error {
	err := os.Mkdir(dir, 0o700)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	parent := filepath.Dir(dir)
	if errors.Is(err, fs.ErrNotExist) && len(parent) > len(f.root) {
		if err = f.makeDir(parent); err == nil {
			err = os.Mkdir(dir, 0o700)
		}
	}
	if err != nil {
		return err
	}
	return syncDir(parent)
}

func (f *folder) Sealed(ctx context.Context, key string) (io.ReadCloser, int64, error) {
	if err := begin(ctx, key); err != nil {
		return nil, 0, err
	}
	file, err := os.Open(f.path(key))
	if errors.Is(err, fs.ErrNotExist) && f.mounted() {
		err = ErrNotFound
	}
	if err != nil {
		return nil, 0, fmt.Errorf("get blob %s: %w", key, err)
	}
	info, err := file.Stat()
	if err != nil {
		return nil, 0, errors.Join(fmt.Errorf("get blob %s: %w", key, err), file.Close())
	}
	return file, info.Size(), nil
}

func (f *folder) Get(ctx context.Context, key string) (io.ReadCloser, error) {
	file, _, err := f.Sealed(ctx, key)
	if err != nil {
		return nil, err
	}
	plain, err := draw(ctx, f.ring, key, file)
	if err != nil {
		return nil, fmt.Errorf("get blob %s: %w", key, err)
	}
	return plain, nil
}

// mounted says whether the folder itself is there.
func (f *folder) mounted() bool {
	_, err := os.Stat(filepath.Join(f.root, incoming))
	return err == nil
}

func (f *folder) Delete(ctx context.Context, key string) error {
	if err := begin(ctx, key); err != nil {
		return err
	}
	path := f.path(key)
	f.tree.Lock()
	defer f.tree.Unlock()
	if err := os.Remove(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return fmt.Errorf("delete blob %s: %w", key, err)
	}
	for dir := filepath.Dir(path); len(dir) > len(f.root); dir = filepath.Dir(dir) {
		if os.Remove(dir) != nil { // not empty
			break
		}
	}
	return nil
}

func (f *folder) Walk(ctx context.Context, visit func(key string, modified time.Time) error) error {
	return filepath.WalkDir(f.root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, fs.ErrNotExist) && path != f.root:
			return nil // deleted meanwhile
		case err != nil:
			return fmt.Errorf("walk blobs: %w", err)
		case entry.IsDir() && path != f.root && strings.HasPrefix(entry.Name(), "."):
			return filepath.SkipDir
		case !entry.Type().IsRegular():
			return nil
		}
		return f.visit(path, entry, visit)
	})
}

func (f *folder) visit(path string, entry fs.DirEntry, visit func(string, time.Time) error) error {
	relative, err := filepath.Rel(f.root, path)
	if err != nil {
		return err
	}
	key := filepath.ToSlash(relative)
	info, err := entry.Info()
	if errors.Is(err, fs.ErrNotExist) || !validKey(key) {
		return nil
	}
	if err != nil {
		return err
	}
	return visit(key, info.ModTime())
}

func (f *folder) Sweep(ctx context.Context, before time.Time) (int, error) {
	dir := filepath.Join(f.root, incoming)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0, fmt.Errorf("sweep blobs: %w", err)
	}
	swept := 0
	for _, entry := range entries {
		if err := ctx.Err(); err != nil {
			return swept, err
		}
		info, err := entry.Info()
		if err != nil || !info.ModTime().Before(before) {
			continue // finished meanwhile, or still young
		}
		if err := os.Remove(filepath.Join(dir, entry.Name())); err == nil {
			swept++
		} else if !errors.Is(err, fs.ErrNotExist) {
			return swept, fmt.Errorf("sweep blobs: %w", err)
		}
	}
	return swept, nil
}

// Ping writes a few bytes: that notices a folder that is gone, read-only or full.
func (f *folder) Ping(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	file, err := f.temp()
	if err != nil {
		return fmt.Errorf("blob store: %w", err)
	}
	_, err = file.WriteString("ping")
	if err = errors.Join(err, file.Close(), os.Remove(file.Name())); err != nil {
		return fmt.Errorf("blob store: %w", err)
	}
	return nil
}

// syncDir makes a new name in dir survive a power cut.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" { // cannot sync a directory and need not
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
