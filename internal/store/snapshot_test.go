package store_test

import (
	"strings"
	"testing"

	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
)

// TestNoTableIsLeftOutOfASnapshot compares with what the database itself says that it has.
func TestNoTableIsLeftOutOfASnapshot(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		var tables []string
		if err := db.Snapshot(t.Context(), func(s *store.Snapshot) (err error) { tables, err = s.Tables(); return err }); err != nil {
			t.Fatal(err)
		}
		all, err := db.AllTables(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(tables)+1 != len(all) { // the migrations keep their own
			t.Errorf("%d tables of %d: %v of %v", len(tables), len(all), tables, all)
		}
	})
}

// TestNothingSealedAndNoObjectIsForgotten holds the lists of both against the schema: what is
// not in them is neither checked nor sealed anew, and objects that are not are swept.
func TestNothingSealedAndNoObjectIsForgotten(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		columns, err := db.AllColumns(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, column := range columns {
			name := column[strings.Index(column, ".")+1:]
			sealed := strings.Contains(name, "sealed") && name != "sealed_size"
			object := name == "blob_key" || name == "json_key"
			if sealed && !store.IsSealed(column) || object && !store.NamesObjects(column) {
				t.Errorf("%s is in no list", column)
			}
		}
	})
}
