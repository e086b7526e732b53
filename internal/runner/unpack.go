package runner

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// What an archive may be.
const (
	maxEntries   = 100_000
	maxPath      = 1024
	maxUnpacked  = 1 << 30
	maxEntrySize = 512 << 20
)

// unpack unpacks a configuration into a new folder. Everything goes through a root that
// the kernel does not let it out of, so that no name and no link leads elsewhere.
func unpack(from io.Reader, to string) error {
	zipped, err := gzip.NewReader(from)
	if err != nil {
		return fmt.Errorf("the configuration is no gzip archive: %w", err)
	}
	return untar(zipped, to)
}

// untar is unpack without the compression.
func untar(from io.Reader, to string) error {
	root, err := os.OpenRoot(to)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	archive := tar.NewReader(from)
	left := int64(maxUnpacked)
	var links []string
	for entries := 0; ; entries++ {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return checkLinks(root, links)
		}
		switch {
		case err != nil:
			return fmt.Errorf("the archive can't be read: %w", err)
		case entries >= maxEntries:
			return fmt.Errorf("the archive has more than %d entries", maxEntries)
		}
		name, err := entryName(header)
		if err != nil {
			return err
		}
		if left -= max(0, header.Size); header.Size > maxEntrySize || left < 0 {
			return errors.New("the archive unpacks to more than it may")
		}
		if err := unpackEntry(root, name, header, archive); err != nil {
			return fmt.Errorf("unpack %q: %w", header.Name, err)
		}
		if header.Typeflag == tar.TypeSymlink {
			links = append(links, name)
		}
	}
}

// checkLinks follows the links when all are there: one may lead out through another.
func checkLinks(root *os.Root, links []string) error {
	for _, name := range links {
		if _, err := root.Stat(name); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("the archive has a link %q that leads nowhere: %w", name, err)
		}
	}
	return nil
}

// entryName is a name below the root; "." is the root itself.
func entryName(header *tar.Header) (string, error) {
	name := path.Clean(header.Name)
	if len(header.Name) > maxPath || strings.ContainsRune(header.Name, 0) || header.Typeflag != tar.TypeXGlobalHeader && !filepath.IsLocal(name) {
		return "", fmt.Errorf("the archive has an entry %q, which is not below its root", header.Name)
	}
	return name, nil
}

func unpackEntry(root *os.Root, name string, header *tar.Header, content io.Reader) error {
	if header.Typeflag == tar.TypeXGlobalHeader {
		return nil
	}
	if name == "." {
		if header.Typeflag != tar.TypeDir {
			return errors.New("the root is no folder")
		}
		return nil
	}
	if err := plainParents(root, name); err != nil {
		return err
	}
	switch header.Typeflag {
	case tar.TypeDir:
		return makeFolder(root, name)
	case tar.TypeReg:
		return unpackFile(root, name, header, content)
	case tar.TypeSymlink:
		if path.IsAbs(header.Linkname) || !filepath.IsLocal(path.Join(path.Dir(name), header.Linkname)) { //nolint:gosec // this is the check
			return fmt.Errorf("it is a link to %q, outside the archive", header.Linkname)
		}
		if err := makeRoom(root, name); err != nil {
			return err
		}
		return root.Symlink(header.Linkname, name)
	default:
		return errors.New("it is neither a file, a folder nor a symbolic link")
	}
}

// plainParents makes the folders above an entry; one that is a link is refused.
func plainParents(root *os.Root, name string) error {
	for i, c := range name {
		if c != '/' {
			continue
		}
		if err := makeFolder(root, name[:i]); err != nil {
			return err
		}
	}
	return nil
}

func makeFolder(root *os.Root, name string) error {
	info, err := root.Lstat(name)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return root.Mkdir(name, 0o700)
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%q is no folder", name)
	}
	return nil
}

// makeRoom takes away what lies there: the same name twice is what came last.
func makeRoom(root *os.Root, name string) error {
	info, err := root.Lstat(name)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.IsDir():
		return errors.New("it is a folder, too")
	}
	return root.Remove(name)
}

func unpackFile(root *os.Root, name string, header *tar.Header, content io.Reader) error {
	if err := makeRoom(root, name); err != nil {
		return err
	}
	mode := os.FileMode(0o600)
	if header.Mode&0o100 != 0 {
		mode = 0o700
	}
	file, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, io.LimitReader(content, header.Size))
	return errors.Join(err, file.Close())
}

// pack writes the files of a folder below a root as a tar, sorted, without owners and times.
// No link leads it out of the root.
func pack(root *os.Root, folder string, to io.Writer) error {
	archive, folder := tar.NewWriter(to), filepath.ToSlash(folder)
	err := fs.WalkDir(root.FS(), folder, func(at string, entry fs.DirEntry, err error) error {
		if err != nil || at == folder {
			return err
		}
		return packEntry(archive, root, folder, at, entry)
	})
	return errors.Join(err, archive.Close())
}

func packEntry(archive *tar.Writer, root *os.Root, folder, at string, entry fs.DirEntry) error {
	name, err := filepath.Rel(folder, at)
	if err != nil {
		return err
	}
	info, err := entry.Info()
	if err != nil {
		return err
	}
	header := &tar.Header{Name: filepath.ToSlash(name), Mode: int64(info.Mode().Perm())}
	switch {
	case info.IsDir():
		header.Typeflag, header.Name = tar.TypeDir, header.Name+"/"
		return archive.WriteHeader(header)
	case info.Mode().IsRegular():
		header.Typeflag, header.Size = tar.TypeReg, info.Size()
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		file, err := root.Open(at)
		if err != nil {
			return err
		}
		defer func() { _ = file.Close() }()
		_, err = io.Copy(archive, io.LimitReader(file, info.Size()))
		return err
	default:
		return nil // links out of the folder are not ours to carry
	}
}
