package sqldb

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/belayhq/belay/internal/fair"
)

// TestTheJournalIsCopiedBesideTheWriter writes more than the journal is to hold, and finds it copied without a commit that did so. What
// is written is there when the file is opened anew.
func TestTheJournalIsCopiedBesideTheWriter(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	open := func() *sqliteEngine {
		e, err := openSQLite(t.Context(), path, 1<<20, true, fair.New(time.Now))
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	e := open()
	write := func(query string, args ...any) {
		t.Helper()
		if err := e.update(t.Context(), func(c conn) error { _, err := c.exec(context.Background(), query, args); return err }); err != nil {
			t.Fatal(err)
		}
	}
	write("CREATE TABLE pages (text TEXT)")
	const rows, size = 24, 100 // and pages of each: when fewer than copiedAt wait, more than that are in the file
	for range rows {
		write("INSERT INTO pages (text) VALUES ($1)", strings.Repeat("x", size<<12))
	}
	for waited := time.Now(); ; time.Sleep(time.Millisecond) {
		has, copied := e.journal.pages()
		if has-copied < copiedAt {
			break
		}
		if time.Since(waited) > 10*time.Second {
			t.Fatalf("%d pages wait", has-copied)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Size() < copiedAt<<12 {
		t.Errorf("the file has %d bytes, %v", info.Size(), err)
	}
	if err := e.close(); err != nil {
		t.Fatal(err)
	}
	e = open()
	defer func() { _ = e.close() }()
	list, err := e.reads.query(t.Context(), "SELECT count(*), sum(length(text)) FROM pages", nil)
	if err != nil || !list.Next() {
		t.Fatal(err)
	}
	var n, length int
	if err := list.Scan(&n, &length); err != nil || n != rows || length != rows*size<<12 {
		t.Errorf("%d rows of %d letters, %v", n, length, err)
	}
	if err := list.Close(); err != nil {
		t.Error(err)
	}
}

// TestALongJournalBeginsAnew: it does not grow with all that was ever written, though the writer never rests.
func TestALongJournalBeginsAnew(t *testing.T) {
	t.Parallel()
	e := opened(t)
	most := 0
	for n := range 4 * begunAnew / 100 {
		err := e.update(t.Context(), func(c conn) error {
			if n == 0 {
				if _, err := c.exec(context.Background(), "CREATE TABLE pages (id INTEGER PRIMARY KEY, text TEXT)", nil); err != nil {
					return err
				}
			}
			_, err := c.exec(context.Background(), "INSERT OR REPLACE INTO pages (id, text) VALUES (1, $1)", []any{strings.Repeat("x", 100<<12)})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		has, _ := e.journal.pages()
		if has < most {
			return
		}
		most = has
	}
	t.Errorf("it has %d pages", most)
}
