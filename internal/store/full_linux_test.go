package store_test

import (
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
)

// write keeps a fact of some MiB.
func write(t *testing.T, db *store.DB, name string) error {
	t.Helper()
	return db.Update(t.Context(), func(tx *store.Tx) error { return tx.SetMeta(name, strings.Repeat("x", 4<<20)) })
}

func wantFullThenRoom(t *testing.T, db *store.DB, full, room func()) {
	t.Helper()
	full()
	err := write(t, db, "a")
	room()
	if belay.KindOf(err) != belay.NotReady {
		t.Errorf("on a full disk: %v", err)
	}
	if err := write(t, db, "b"); err != nil {
		t.Errorf("once there is room again: %v", err)
	}
	_ = db.View(t.Context(), func(v *store.View) error {
		a, err := v.Meta("a")
		b, err2 := v.Meta("b")
		if a != "" || len(b) != 4<<20 || err != nil || err2 != nil {
			t.Errorf("%d bytes are kept of what was refused, %d of what was not: %v %v", len(a), len(b), err, err2)
		}
		return nil
	})
}

// TestAFullDiskOfSQLite has the kernel let no file grow beyond 1 MiB.
func TestAFullDiskOfSQLite(t *testing.T) { // not parallel: the limit is the whole process's
	db := storetest.Open(t, "sqlite")
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	set := func(limit syscall.Rlimit) {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
			t.Fatal(err)
		}
	}
	wantFullThenRoom(t, db, func() { set(syscall.Rlimit{Cur: 1 << 20, Max: before.Max}) }, func() { set(before) })
}

// TestAFullDiskOfPostgreSQL has the server say what it says then.
func TestAFullDiskOfPostgreSQL(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t, "postgres")
	db, err := store.Open(t.Context(), store.Options{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	run := func(statement string) func() {
		return func() {
			conn, err := pgx.Connect(t.Context(), url)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = conn.Close(t.Context()) }()
			if _, err := conn.Exec(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
		}
	}
	wantFullThenRoom(t, db, run(`CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
		'BEGIN RAISE EXCEPTION ''could not extend file'' USING ERRCODE = ''disk_full''; END';
		CREATE TRIGGER full_disk BEFORE INSERT ON meta EXECUTE FUNCTION full_disk()`), run("DROP TRIGGER full_disk ON meta"))
}
