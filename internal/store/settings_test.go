package store_test

import (
	"testing"

	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
)

// TestConnectionsSayHowPostgreSQLPlans: one processor for a statement, and reads that cost little, unless the URL says otherwise.
func TestConnectionsSayHowPostgreSQLPlans(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t, "postgres")
	for more, want := range map[string][2]int{
		"": {0, 110},
		"&options=-c%20max_parallel_workers_per_gather%3D3":     {3, 110},
		"&max_parallel_workers_per_gather=1&random_page_cost=2": {1, 200},
		"&random_page_cost=4": {0, 400},
	} {
		db, err := store.Open(t.Context(), store.Options{URL: url + more})
		if err != nil {
			t.Fatal(err)
		}
		workers, err := db.Ask(t.Context(), "SELECT CAST(current_setting('max_parallel_workers_per_gather') AS BIGINT)")
		if err != nil || workers != want[0] {
			t.Errorf("with %q there are %d workers, want %d; %v", more, workers, want[0], err)
		}
		cost, err := db.Ask(t.Context(), "SELECT CAST(100 * CAST(current_setting('random_page_cost') AS NUMERIC) AS BIGINT)")
		if err != nil || cost != want[1] {
			t.Errorf("with %q a page costs %d hundredths, want %d; %v", more, cost, want[1], err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}
