package backup

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// ErrArchive says that an archive is not one, is cut, or was changed.
var ErrArchive = errors.New("the archive can't be used")

func broken(form string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrArchive, fmt.Errorf(form, args...))
}

// Reader reads an archive from its beginning to its end: its head, its objects, its tables.
type Reader struct {
	Head Head

	ctx     context.Context //nolint:containedctx // lives as long as one reading
	tar     *tar.Reader
	next    *tar.Header       // nil at the end
	due     map[string]string // checksums of entries that no sum was read for
	small   map[string]string // of the entries that the manifest sums
	objects int
	bytes   int64
	rows    map[string]int
}

// NewReader reads the head of an archive.
func NewReader(ctx context.Context, from io.Reader) (*Reader, error) {
	r := &Reader{ctx: ctx, tar: tar.NewReader(bufio.NewReaderSize(from, 1<<20)), due: map[string]string{}, small: map[string]string{}, rows: map[string]int{}}
	if err := r.advance(); err != nil {
		return nil, err
	}
	if r.next == nil || r.next.Name != headName {
		return nil, broken("it is no backup of a server of this kind")
	}
	raw, err := r.noted()
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(raw, &r.Head); err != nil {
		return nil, broken("its first entry can't be read: %w", err)
	}
	if r.Head.Format != format {
		return nil, broken("it has the form %d, and this program reads %d: use a newer one", r.Head.Format, format)
	}
	return r, nil
}

// advance goes to the next entry.
func (r *Reader) advance() error {
	if err := r.ctx.Err(); err != nil {
		return context.Cause(r.ctx)
	}
	head, err := r.tar.Next()
	switch {
	case errors.Is(err, io.EOF):
		r.next = nil
		return nil
	case err != nil:
		return broken("it is cut or damaged: %w", err)
	}
	r.next = head
	return nil
}

// noted reads a small entry whose checksum is in the manifest, and goes on.
func (r *Reader) noted() ([]byte, error) {
	if r.next.Size > smallFile {
		return nil, broken("%s is too large", r.next.Name)
	}
	from := newSummed(r.tar)
	raw, err := io.ReadAll(from)
	if err != nil {
		return nil, broken("%s: %w", r.next.Name, err)
	}
	if r.small[r.next.Name], err = from.rest(); err != nil {
		return nil, err
	}
	return raw, r.advance()
}

// Objects gives every object, sealed as it lay. It is checked after it was given.
func (r *Reader) Objects(each func(key string, from io.Reader) error) error {
	return r.entries(objectsIn, func(key string, from io.Reader) error {
		r.objects++
		r.bytes += r.next.Size
		return each(key, from)
	})
}

// Tables gives every table: its columns, and its rows one after another until nil.
func (r *Reader) Tables(each func(table string, columns []string, next func() ([]any, error)) error) error {
	return r.entries(tablesIn, func(name string, from io.Reader) error {
		return r.table(strings.TrimSuffix(name, tableEnd), from, each)
	})
}

// entries gives the entries of a part of the archive, and compares them with the checksums
// between them.
func (r *Reader) entries(part string, give func(name string, from io.Reader) error) error {
	for r.next != nil {
		name, ours := strings.CutPrefix(r.next.Name, part)
		switch {
		case ours:
			if err := r.summed(func(from io.Reader) error { return give(name, from) }); err != nil {
				return err
			}
		case strings.HasPrefix(r.next.Name, sumsIn):
			if err := r.compare(); err != nil {
				return err
			}
		default:
			return nil
		}
	}
	return nil
}

func (r *Reader) table(table string, from io.Reader, each func(string, []string, func() ([]any, error)) error) error {
	packed, err := gzip.NewReader(from)
	if err != nil {
		return broken("%s: %w", r.next.Name, err)
	}
	lines := json.NewDecoder(bufio.NewReaderSize(packed, 1<<16))
	lines.UseNumber()
	var columns []string
	if err := lines.Decode(&columns); err != nil {
		return broken("%s: %w", r.next.Name, err)
	}
	return each(table, columns, func() (row []any, err error) {
		if err = lines.Decode(&row); errors.Is(err, io.EOF) {
			return nil, nil
		}
		if err != nil {
			return nil, broken("%s: %w", tablesIn+table, err)
		}
		r.rows[table]++
		return row, r.ctx.Err()
	})
}

// summed gives an entry, and remembers its checksum until it can be compared.
func (r *Reader) summed(give func(io.Reader) error) error {
	from, name := newSummed(r.tar), r.next.Name
	if _, twice := r.due[name]; twice {
		return broken("%s is in it twice", name)
	}
	if err := give(from); err != nil {
		return err
	}
	var err error
	if r.due[name], err = from.rest(); err != nil {
		return broken("%s: %w", name, err)
	}
	return r.advance()
}

// compare reads an entry of checksums and compares those of the entries before it.
func (r *Reader) compare() error {
	name := r.next.Name
	raw, err := r.noted()
	if err != nil {
		return err
	}
	for line := range bytes.Lines(raw) {
		sum, file, _ := strings.Cut(strings.TrimSuffix(string(line), "\n"), "  ")
		if r.due[file] != sum {
			return broken("%s was changed: its checksum is not that of %s", file, name)
		}
		delete(r.due, file)
	}
	return nil
}

// End reads the manifest and compares with it everything that was read.
func (r *Reader) End() (*Manifest, error) {
	if r.next == nil || r.next.Name != manifestName {
		return nil, broken("it is cut: it has no manifest")
	}
	raw, err := r.noted()
	if err != nil {
		return nil, err
	}
	sum := r.small[manifestName]
	delete(r.small, manifestName)
	if r.next == nil || r.next.Name != manifestSum {
		return nil, broken("it is cut: it has no %s", manifestSum)
	}
	line, err := r.noted()
	if err != nil {
		return nil, err
	}
	delete(r.small, manifestSum)
	m := &Manifest{}
	if string(line) != sum+"  "+manifestName+"\n" || json.Unmarshal(raw, m) != nil {
		return nil, broken("%s was changed", manifestName)
	}
	return m, r.agree(m)
}

func (r *Reader) agree(m *Manifest) error {
	for name, sum := range m.Sums {
		if r.small[name] != sum {
			return broken("%s was changed or is missing", name)
		}
		delete(r.small, name)
	}
	for name := range r.small {
		return broken("the manifest does not know %s", name)
	}
	for name := range r.due {
		return broken("no checksum is known of %s", name)
	}
	if r.objects != m.Objects || r.bytes != m.ObjectBytes || len(r.rows) > len(m.Tables) {
		return broken("it has %d objects of %d bytes, and the manifest says %d of %d", r.objects, r.bytes, m.Objects, m.ObjectBytes)
	}
	for table, rows := range m.Tables {
		if r.rows[table] != rows {
			return broken("%s has %d rows, and the manifest says %d", table, r.rows[table], rows)
		}
	}
	return nil
}

// Check reads an archive to its end and says whether it is whole.
func Check(ctx context.Context, from io.Reader) (*Head, *Manifest, error) {
	r, err := NewReader(ctx, from)
	if err != nil {
		return nil, nil, err
	}
	if err = r.Objects(func(string, io.Reader) error { return nil }); err == nil {
		err = r.Tables(func(_ string, _ []string, next func() ([]any, error)) error {
			for row, err := next(); row != nil || err != nil; row, err = next() {
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err != nil {
		return &r.Head, nil, err
	}
	m, err := r.End()
	return &r.Head, m, err
}
