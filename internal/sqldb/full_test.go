package sqldb

import (
	"context"
	"database/sql"
	"path/filepath"
	"strings"
	"testing"
)

// TestSQLiteSaysThatItIsFull reaches the most pages that a file may have: SQLite says the
// same of a disk without room.
func TestSQLiteSaysThatItIsFull(t *testing.T) {
	t.Parallel()
	db, err := sql.Open("sqlite", sqliteDSN(filepath.Join(t.TempDir(), "x.db"), "_pragma=max_page_count(20)"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(context.Background(), "CREATE TABLE t (v TEXT)"); err != nil {
		t.Fatal(err)
	}
	_, err = db.ExecContext(context.Background(), "INSERT INTO t VALUES (?)", strings.Repeat("x", 1<<20))
	if !sqliteDialect.full(err) {
		t.Errorf("%v is not taken for a full disk", err)
	}
}
