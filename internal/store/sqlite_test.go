package store_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
)

func TestATransactionThatFailsUndoesOnlyItself(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := t.Context()
		refused := errors.New("refused")
		var all sync.WaitGroup
		var wrong atomic.Int64
		for i := range 200 {
			all.Go(func() {
				err := db.Update(ctx, func(tx *store.Tx) error {
					if err := tx.SetMeta(fmt.Sprint("fact-", i), "kept"); err != nil {
						return err
					}
					switch {
					case i%3 == 1:
						return refused
					case i%30 == 2:
						panic("a fault in a verb")
					}
					return nil
				})
				if (i%3 == 1) != errors.Is(err, refused) || (i%30 == 2 && i%3 != 1) != (err != nil && !errors.Is(err, refused)) {
					wrong.Add(1)
				}
			})
		}
		all.Wait()
		if wrong.Load() > 0 {
			t.Errorf("%d transactions were told another end than they had", wrong.Load())
		}
		for i := range 200 {
			want := "kept"
			if i%3 == 1 || i%30 == 2 {
				want = ""
			}
			err := db.View(ctx, func(v *store.View) error {
				got, err := v.Meta(fmt.Sprint("fact-", i))
				if got != want {
					t.Errorf("fact %d is %q, want %q", i, got, want)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestAClientThatHasGoneBeginsNothing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		err := db.Update(ctx, func(tx *store.Tx) error { return tx.SetMeta("gone", "yes") })
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
		_ = db.View(t.Context(), func(v *store.View) error {
			if got, err := v.Meta("gone"); got != "" || err != nil {
				t.Errorf("%q %v", got, err)
			}
			return nil
		})
	})
}

func TestAClosedDatabaseRefusesInsteadOfWaiting(t *testing.T) {
	t.Parallel()
	db, err := store.Open(t.Context(), store.Options{URL: "sqlite:" + filepath.Join(t.TempDir(), "a.db")})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			_ = db.Update(context.Background(), func(tx *store.Tx) error { return tx.SetMeta(fmt.Sprint(i), "x") })
		})
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	all.Wait() // none of them hangs
	if err := db.Update(context.Background(), func(*store.Tx) error { return nil }); err == nil {
		t.Error("a closed database takes a transaction")
	}
}

// TestStatisticsAreGiven: each index of the workspaces has its statistics in a new file, and has them again, without the
// samples, after somebody counted.
func TestStatisticsAreGiven(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "belay.db")
	raw, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = raw.Close() }()
	told := func(question string) (answer string) {
		if err := raw.QueryRowContext(t.Context(), "SELECT COALESCE(group_concat(x), '') FROM ("+question+")").Scan(&answer); err != nil {
			t.Fatal(err)
		}
		return answer
	}
	for _, when := range []string{"new", "counted"} {
		db, err := store.Open(t.Context(), store.Options{URL: "sqlite:" + path})
		if err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		indexes := told("SELECT name AS x FROM pragma_index_list('workspaces') ORDER BY name")
		if given := told("SELECT tbl || '' AS x FROM sqlite_stat1 WHERE tbl <> 'workspaces'") + told("SELECT idx AS x FROM sqlite_stat1 ORDER BY idx"); given != indexes {
			t.Errorf("%s: statistics of %s, and there are %s", when, given, indexes)
		}
		if wrong := told("SELECT name AS x FROM sqlite_schema WHERE name = 'sqlite_stat4' UNION ALL SELECT idx FROM sqlite_stat1 WHERE length(stat) - length(replace(stat, ' ', '')) <> (SELECT count(*) FROM pragma_index_info(idx))"); wrong != "" {
			t.Errorf("%s: %s should not be so", when, wrong)
		}
		if _, err := raw.ExecContext(t.Context(), "ANALYZE"); err != nil {
			t.Fatal(err)
		}
	}
}
