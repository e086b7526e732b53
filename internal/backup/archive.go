// Package backup owns archives of everything that a server keeps: they are written while it
// serves, read into an empty place, and checked, as is what a server keeps itself.
//
// An archive is a tar file that any tar reads:
//
//	belay-backup.json          what it is: see Head
//	objects/KEY                every object that a row names, sealed as it lies
//	database/TABLE.jsonl.gz    the columns of a table, then its rows, each a line of JSON
//	sums/NNNNNN.sha256         checksums of the entries before it, as sha256sum reads them
//	manifest.json              how much there is, and the checksums of the above
//	manifest.json.sha256       the last entry: an archive without it is cut
//
// Nothing in it is opened on its way: the encryption key is not in it, and none is needed to
// write one. The rows are those of either engine.
//
// It never decides where an archive goes, and never deletes anything.
package backup

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"strings"
	"time"
)

const (
	headName     = "belay-backup.json"
	manifestName = "manifest.json"
	manifestSum  = manifestName + ".sha256"
	objectsIn    = "objects/"
	tablesIn     = "database/"
	tableEnd     = ".jsonl.gz"
	sumsIn       = "sums/"

	format    = 1
	sumsAfter = 1000 // entries
	smallFile = 64 << 20
)

// Head is what an archive says of itself first.
type Head struct {
	Format  int       `json:"format"`
	Version string    `json:"belay"` // of the program that wrote it
	Engine  string    `json:"engine"`
	At      time.Time `json:"at"`     // everything that was answered before it is there
	Schema  []int64   `json:"schema"` // the steps that the database had gone through

	Keys       []string `json:"keys"`        // fingerprints of the keys that it was served with
	Leading    []string `json:"leading"`     // of the one that sealed what was new
	SealedWith []string `json:"sealed_with"` // ids of the keys of values in the database
}

// Manifest is what an archive says of itself last.
type Manifest struct {
	Objects     int               `json:"objects"`
	ObjectBytes int64             `json:"object_bytes"`
	Tables      map[string]int    `json:"tables"` // rows
	Sums        map[string]string `json:"sums"`   // of the entries below sums/ and of the first
	Missing     []string          `json:"missing,omitempty"`
}

// Rows is how many rows there are.
func (m *Manifest) Rows() (n int) {
	for _, rows := range m.Tables {
		n += rows
	}
	return n
}

// writer writes the entries of an archive and notes their checksums.
type writer struct {
	tar  *tar.Writer
	at   time.Time
	sums bytes.Buffer // of the entries since the last entry below sums/
	n    int          // of lines in it
	all  map[string]string
}

func newWriter(w io.Writer, at time.Time) *writer {
	return &writer{tar: tar.NewWriter(w), at: at, all: map[string]string{}}
}

// entry writes one file and gives its checksum.
func (w *writer) entry(name string, size int64, from io.Reader) (string, error) {
	head := &tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o600, Size: size, ModTime: w.at.Truncate(time.Second), Format: tar.FormatPAX}
	if err := w.tar.WriteHeader(head); err != nil {
		return "", err
	}
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(w.tar, sum), from)
	if err == nil && n != size {
		err = fmt.Errorf("%s was cut: %d bytes of %d", name, n, size)
	}
	return hex.EncodeToString(sum.Sum(nil)), err
}

// file writes one file whose checksum goes below sums/.
func (w *writer) file(name string, size int64, from io.Reader) error {
	sum, err := w.entry(name, size, from)
	if err != nil {
		return err
	}
	fmt.Fprintf(&w.sums, "%s  %s\n", sum, name)
	if w.n++; w.n%sumsAfter == 0 {
		return w.flush()
	}
	return nil
}

// flush writes the checksums that are due.
func (w *writer) flush() error {
	if w.sums.Len() == 0 {
		return nil
	}
	name := fmt.Sprintf("%s%06d.sha256", sumsIn, len(w.all))
	defer w.sums.Reset()
	return w.noted(name, w.sums.Bytes())
}

// noted writes a small file whose checksum goes into the manifest.
func (w *writer) noted(name string, raw []byte) (err error) {
	w.all[name], err = w.entry(name, int64(len(raw)), bytes.NewReader(raw))
	return err
}

func (w *writer) notedJSON(name string, value any) error {
	raw, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	return w.noted(name, append(raw, '\n'))
}

// end writes the manifest.
func (w *writer) end(m *Manifest) error {
	if err := w.flush(); err != nil {
		return err
	}
	m.Sums = w.all
	raw, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	sum, err := w.entry(manifestName, int64(len(raw)), bytes.NewReader(raw))
	if err != nil {
		return err
	}
	line := sum + "  " + manifestName + "\n"
	if _, err := w.entry(manifestSum, int64(len(line)), strings.NewReader(line)); err != nil {
		return err
	}
	return w.tar.Close()
}

// summed reads on and remembers the checksum of what it read.
type summed struct {
	io.Reader
	sum hash.Hash
}

func newSummed(r io.Reader) *summed {
	sum := sha256.New()
	return &summed{io.TeeReader(r, sum), sum}
}

// rest reads what is left, and gives the checksum of all.
func (s *summed) rest() (string, error) {
	_, err := io.Copy(io.Discard, s)
	return hex.EncodeToString(s.sum.Sum(nil)), err
}
