package backup

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/blob"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/site"
)

const (
	// holdFor is how long no object is deleted after the hold was last renewed: a backup that
	// is killed leaves one that ends by itself.
	holdFor    = 5 * time.Minute
	holdRenews = 30 * time.Second
)

// Source is what is backed up.
type Source struct {
	DB      *store.DB
	Blobs   blob.Store // needs no key
	Version string     // of the program
	TempDir string     // where the rows wait until the objects are written; the system's when empty
	Now     func() time.Time

	Copying func() // called when the rows are taken and the objects are next; for tests
}

// Write writes an archive. The rows are those of one moment. Every object that they name is
// there then, and none is deleted until it is copied: see decisions/0155.
func Write(ctx context.Context, from Source, w io.Writer) (*Manifest, error) {
	ctx, release, err := hold(ctx, from.DB, from.Now)
	if err != nil {
		return nil, err
	}
	defer release()
	s, err := newSpool(from.TempDir)
	if err != nil {
		return nil, err
	}
	defer s.close()
	head := Head{Format: format, Version: from.Version, Engine: from.DB.Engine(), At: from.Now().UTC()}
	if err := from.DB.Snapshot(ctx, func(snap *store.Snapshot) error { return s.take(snap, &head) }); err != nil {
		return nil, cause(ctx, err)
	}
	if from.Copying != nil {
		from.Copying()
	}
	out := newWriter(w, head.At)
	m := &Manifest{Tables: map[string]int{}}
	err = out.notedJSON(headName, head)
	if err == nil {
		err = s.keys(func(key string) error { return m.copyObject(ctx, from.Blobs, out, key) })
	}
	if err == nil {
		err = m.copyObject(ctx, from.Blobs, out, ownerKey)
	}
	for _, t := range s.tables {
		if err == nil {
			m.Tables[t.name] = t.rows
			err = out.file(tablesIn+t.name+tableEnd, t.size, io.NewSectionReader(s.rows, t.at, t.size))
		}
	}
	if err == nil {
		err = out.end(m)
	}
	return m, cause(ctx, err)
}

// Noted notes in a database that an archive of it is where it is to be, and how long it took.
func Noted(ctx context.Context, db *store.DB, m *Manifest, took time.Duration) error {
	held := site.Backup{Took: took, Rows: int64(m.Rows()), Objects: int64(m.Objects), ObjectBytes: m.ObjectBytes}
	return db.Update(ctx, func(tx *store.Tx) error { return tx.NoteBackup(held) })
}

// ownerKey is the object that says which database the others belong to. No row names it.
const ownerKey = "belay.owner"

// cause is the reason for which the work was ended, where it was.
func cause(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// copyObject copies one object. One that is missing is told: it was before.
func (m *Manifest) copyObject(ctx context.Context, from blob.Store, out *writer, key string) error {
	sealed, size, err := from.Sealed(ctx, key)
	if errors.Is(err, blob.ErrNotFound) {
		if key != ownerKey { // which the first sweep writes
			m.Missing = append(m.Missing, key)
		}
		return nil
	}
	if err != nil {
		return err
	}
	err = out.file(objectsIn+key, size, sealed)
	if closing := sealed.Close(); err == nil {
		err = closing
	}
	m.Objects++
	m.ObjectBytes += size
	return err
}

// hold keeps objects from being deleted until release is called. The context ends with the hold.
func hold(ctx context.Context, db *store.DB, now func() time.Time) (held context.Context, release func(), err error) {
	holder := belay.RandomText(16)
	renew := func() error {
		return db.Update(ctx, func(tx *store.Tx) error { return tx.HoldObjects(holder, tx.Now.Add(holdFor)) })
	}
	if err := renew(); err != nil {
		return nil, nil, err
	}
	held, end := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for until := now().Add(holdFor); ; {
			select {
			case <-time.After(holdRenews):
			case <-held.Done():
				return
			}
			if err := renew(); err == nil {
				until = now().Add(holdFor)
			} else if now().After(until.Add(-2 * holdRenews)) {
				end(fmt.Errorf("the objects can't be kept from being deleted any longer: %w", err))
			}
		}
	}()
	return held, func() {
		end(nil)
		<-done
		// What can't be released now ends by itself.
		_ = db.Update(context.WithoutCancel(ctx), func(tx *store.Tx) error { return tx.ReleaseObjects(holder) })
	}, nil
}

// spool keeps the rows of the moment in files of their own, compressed: however slowly the
// archive is taken, the database does not keep that moment for it.
type spool struct {
	rows, named *os.File
	tables      []spooled
}

type spooled struct {
	name     string
	at, size int64
	rows     int
}

func newSpool(folder string) (*spool, error) {
	rows, err := os.CreateTemp(folder, "belay-backup-rows-*")
	if err != nil {
		return nil, err
	}
	named, err := os.CreateTemp(folder, "belay-backup-keys-*")
	if err != nil {
		return nil, errors.Join(err, rows.Close(), os.Remove(rows.Name()))
	}
	return &spool{rows: rows, named: named}, nil
}

func (s *spool) close() {
	for _, file := range []*os.File{s.rows, s.named} {
		_ = file.Close()
		_ = os.Remove(file.Name())
	}
}

// take takes everything from a database.
func (s *spool) take(snap *store.Snapshot, head *Head) (err error) {
	if head.Schema, err = snap.Schema(); err != nil {
		return err
	}
	if head.Leading, head.Keys, err = snap.Keys(); err != nil {
		return err
	}
	if head.SealedWith, err = snap.SealedWith(); err != nil {
		return err
	}
	tables, err := snap.Tables()
	if err != nil {
		return err
	}
	for _, table := range tables {
		if err := s.table(snap, table); err != nil {
			return fmt.Errorf("the rows of %s: %w", table, err)
		}
	}
	named := bufio.NewWriter(s.named)
	err = snap.ObjectKeys(func(key string) error {
		_, err := fmt.Fprintln(named, key)
		return err
	})
	return errors.Join(err, named.Flush())
}

func (s *spool) table(snap *store.Snapshot, table string) error {
	at, err := s.rows.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	packed, err := gzip.NewWriterLevel(s.rows, gzip.BestSpeed)
	if err != nil {
		return err
	}
	lines := json.NewEncoder(packed)
	lines.SetEscapeHTML(false)
	t := spooled{name: table, at: at}
	err = snap.Rows(table, func(columns []string) error { return lines.Encode(columns) }, func(values []any) error {
		t.rows++
		row := make([]any, len(values))
		for i := range values {
			row[i] = store.Portable(values[i])
		}
		return lines.Encode(row)
	})
	if err = errors.Join(err, packed.Close()); err != nil {
		return err
	}
	end, err := s.rows.Seek(0, io.SeekEnd)
	t.size = end - at
	s.tables = append(s.tables, t)
	return err
}

// keys gives the keys of the objects that the rows name.
func (s *spool) keys(each func(key string) error) error {
	if _, err := s.named.Seek(0, io.SeekStart); err != nil {
		return err
	}
	lines := bufio.NewScanner(s.named)
	for lines.Scan() {
		if err := each(lines.Text()); err != nil {
			return err
		}
	}
	return lines.Err()
}
