package store_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
)

// TestACloseLeavesOneFile wants all that was written in the file itself after a close, where
// whoever copies it looks, and nothing open.
func TestACloseLeavesOneFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "belay.db")
	storetest.FreshSQLite(t, file)
	db, err := store.Open(t.Context(), store.Options{URL: "sqlite:" + file})
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(t.Context(), func(tx *store.Tx) error { return tx.SetMeta("fact", "here") })
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file + "-wal"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the journal is still there: %v", err)
	}
}
