// Package archive owns the rules of the archives that configurations come in: which
// gzip-compressed tars may be unpacked at all. It reads them as streams, from strangers, in
// a memory that does not grow with what they claim to hold.
//
// It never writes a file, and knows no noun.
package archive

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
)

// Limits are how much an archive may hold.
type Limits struct {
	Unpacked int64 // bytes in all
	File     int64 // bytes of one file
	Entries  int
	Path     int // bytes of a name
}

// Standard is what every archive is held to.
var Standard = Limits{Unpacked: 1 << 30, File: 512 << 20, Entries: 100_000, Path: 1024}

// maxReadme is the most bytes of a README that are kept.
const maxReadme = 256 << 10

// Error says what is wrong with an archive, in words for whoever sent it.
type Error struct{ Reason string }

func (e *Error) Error() string { return e.Reason }

func bad(format string, args ...any) error { return &Error{fmt.Sprintf(format, args...)} }

// Contents is what was found in an archive on the way.
type Contents struct {
	Entries int
	Readme  string // of the folder asked for, else of the root; empty when there is none
}

// Check reads an archive to its end and refuses what breaks a rule, as an *Error. open gives
// its bytes from their beginning; it is called again when the archive holds links. Their
// reader's own errors are returned as they are. directory is where a README is looked for
// before the root.
func Check(open func() (io.ReadCloser, error), limits Limits, directory string) (Contents, error) {
	c := &checker{limits: limits, directory: clean(directory), links: map[[16]byte]bool{}}
	if err := c.pass(open, c.first); err != nil {
		return Contents{}, err
	}
	if len(c.links) > 0 {
		if err := c.pass(open, c.second); err != nil {
			return Contents{}, err
		}
	}
	found := Contents{Entries: c.entries, Readme: c.readmes[c.directory]}
	if found.Readme == "" {
		found.Readme = c.readmes["."]
	}
	return found, nil
}

// checker is one archive on its way through the rules.
type checker struct {
	limits    Limits
	directory string
	entries   int
	sizes     int64
	links     map[[16]byte]bool // the names of links, hashed: strangers choose how long they are
	readmes   map[string]string // by folder
}

// pass reads the whole archive once.
func (c *checker) pass(open func() (io.ReadCloser, error), visit func(*tar.Header, io.Reader) error) error {
	rc, err := open()
	if err != nil {
		return err
	}
	defer func() { _ = rc.Close() }()
	source := &watched{r: rc}
	err = c.read(source, visit)
	if source.err != nil { // not the archive's fault
		return source.err
	}
	return err
}

func (c *checker) read(source io.Reader, visit func(*tar.Header, io.Reader) error) error {
	zip, err := gzip.NewReader(source)
	if err != nil {
		return bad("it is not compressed with gzip: %v", err)
	}
	plain := &counted{r: zip, most: c.limits.Unpacked}
	entries, filled := tar.NewReader(plain), int64(0)
	for {
		header, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return c.end(plain, filled)
		}
		if err != nil {
			return unreadable(err)
		}
		if err := visit(header, entries); err != nil {
			return err
		}
		if _, err := io.Copy(io.Discard, entries); err != nil { //nolint:gosec // plain counts, and has a limit
			return unreadable(err)
		}
		filled = plain.n
	}
}

// end reads what comes after the last entry. An archive that is whole ends in empty blocks:
// without them it was cut short just between two entries.
func (c *checker) end(plain *counted, filled int64) error {
	const block = 512
	if _, err := io.Copy(io.Discard, plain); err != nil {
		return unreadable(err)
	}
	if padded := (filled + block - 1) / block * block; plain.n-padded < block {
		return bad("it is cut short: its end is missing")
	}
	return nil
}

// unreadable is the refusal of what no gzip or tar can be read from.
func unreadable(err error) error {
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	return bad("it can't be read to its end: %v", err)
}

// first holds every entry to the rules that it can be held to alone.
func (c *checker) first(h *tar.Header, content io.Reader) error {
	if h.Typeflag == tar.TypeXGlobalHeader {
		return nil
	}
	if c.entries++; c.entries > c.limits.Entries {
		return bad("it has more than %d entries", c.limits.Entries)
	}
	name, err := c.name(h.Name)
	if err != nil {
		return err
	}
	switch h.Typeflag {
	case tar.TypeDir:
		return nil
	case tar.TypeReg:
		return c.file(h, name, content)
	case tar.TypeSymlink:
		return c.link(h, name)
	default:
		return bad("%q is neither a file nor a directory nor a symbolic link", short(h.Name))
	}
}

// name is the name of an entry in its shortest form.
func (c *checker) name(raw string) (string, error) {
	switch {
	case raw == "":
		return "", bad("an entry has no name")
	case len(raw) > c.limits.Path:
		return "", bad("the name %q… is longer than %d bytes", short(raw), c.limits.Path)
	case strings.ContainsRune(raw, 0):
		return "", bad("the name %q holds a NUL", short(raw))
	case rooted(raw):
		return "", bad("the name %q is not relative", short(raw))
	}
	for segment := range strings.SplitSeq(raw, "/") {
		if segment == ".." {
			return "", bad("the name %q leads out of the archive", short(raw))
		}
	}
	return clean(raw), nil
}

// rooted says whether a path begins at a root, on whichever system.
func rooted(p string) bool {
	drive := len(p) > 2 && p[1] == ':' && (p[2] == '\\' || p[2] == '/')
	return strings.HasPrefix(p, "/") || strings.HasPrefix(p, `\`) || drive
}

func (c *checker) file(h *tar.Header, name string, content io.Reader) error {
	if name == "." {
		return bad("an entry has no name")
	}
	if h.Size > c.limits.File {
		return bad("the file %q has more than %d bytes", short(name), c.limits.File)
	}
	if c.sizes += h.Size; c.sizes > c.limits.Unpacked { // a sparse file is more than its bytes in the archive
		return c.tooLarge()
	}
	folder := path.Dir(name)
	if folder != c.directory && folder != "." || !strings.EqualFold(path.Base(name), "README.md") {
		return nil
	}
	if c.readmes == nil {
		c.readmes = map[string]string{}
	}
	delete(c.readmes, folder) // of two the last one counts
	if h.Size > maxReadme {
		return nil
	}
	raw, err := io.ReadAll(content)
	if err != nil {
		return unreadable(err)
	}
	c.readmes[folder] = strings.ReplaceAll(strings.ToValidUTF8(string(raw), "\uFFFD"), "\x00", "\uFFFD")
	return nil
}

func (c *checker) tooLarge() error { return bad("it unpacks to more than %d bytes", c.limits.Unpacked) }

// link takes a link whose target, joined with its folder, stays inside.
func (c *checker) link(h *tar.Header, name string) error {
	target := h.Linkname
	if name == "." {
		return bad("an entry has no name")
	}
	if target == "" || len(target) > c.limits.Path || strings.ContainsRune(target, 0) || rooted(target) {
		return bad("the link %q has a target that is not relative, or too long", short(name))
	}
	if to := path.Join(path.Dir(name), target); to == ".." || strings.HasPrefix(to, "../") { //nolint:gosec // this is the check
		return bad("the link %q leads out of the archive", short(name))
	}
	c.links[hashed(name)] = true
	return nil
}

// second holds every entry to the rules about links, all of which are known now: nothing
// lies below a link, and no target goes back from below one, for where that leads is not
// where the words say.
func (c *checker) second(h *tar.Header, _ io.Reader) error {
	if h.Typeflag == tar.TypeXGlobalHeader {
		return nil
	}
	name := clean(h.Name)
	for folder := path.Dir(name); folder != "."; folder = path.Dir(folder) {
		if c.links[hashed(folder)] {
			return bad("%q lies below the link %q", short(name), short(folder))
		}
	}
	if h.Typeflag != tar.TypeSymlink {
		return nil
	}
	at := path.Dir(name)
	for segment := range strings.SplitSeq(h.Linkname, "/") {
		if segment == ".." && c.links[hashed(at)] {
			return bad("the link %q leads back from the link %q", short(name), short(at))
		}
		at = path.Join(at, segment)
	}
	return nil
}

func clean(p string) string { return path.Clean("./" + p) }

func hashed(name string) [16]byte {
	sum := sha256.Sum256([]byte(name))
	return [16]byte(sum[:16])
}

// short is the beginning of a name, for a text that people read.
func short(name string) string {
	if len(name) > 80 {
		return name[:80]
	}
	return name
}

// counted reads no more than a number of bytes.
type counted struct {
	r       io.Reader
	n, most int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	if c.n += int64(n); c.n > c.most {
		return 0, bad("it unpacks to more than %d bytes", c.most)
	}
	return n, err
}

// watched remembers the failure of a reader, so that it is not taken for the archive's.
type watched struct {
	r   io.Reader
	err error
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		w.err = err
	}
	return n, err
}
