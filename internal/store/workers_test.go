package store_test

import (
	"testing"

	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
)

// TestStatementsTakeOneProcessor of PostgreSQL, unless the URL says otherwise.
func TestStatementsTakeOneProcessor(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t, "postgres")
	for more, want := range map[string]int{"": 0, "&options=-c%20max_parallel_workers_per_gather%3D3": 3, "&max_parallel_workers_per_gather=1": 1} {
		db, err := store.Open(t.Context(), store.Options{URL: url + more})
		if err != nil {
			t.Fatal(err)
		}
		if n, err := db.Ask(t.Context(), "SELECT CAST(current_setting('max_parallel_workers_per_gather') AS BIGINT)"); n != want || err != nil {
			t.Errorf("with %q there are %d workers, want %d; %v", more, n, want, err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}
