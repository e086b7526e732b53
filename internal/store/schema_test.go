package store_test

import (
	"database/sql"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/belayhq/belay/internal/storetest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// schemas is how the schema that all migrations come to is told, on each engine: one text for
// each row.
var schemas = map[string]string{
	"sqlite": `SELECT sql || ';' FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' AND tbl_name <> 'goose_db_version'
		ORDER BY tbl_name, type DESC, name`,
	"postgres": `SELECT told FROM (
		SELECT c.table_name AS of, 1 AS part, c.ordinal_position AS place, '' AS name,
			c.table_name || '.' || c.column_name || ' ' || c.data_type || COALESCE(' COLLATE ' || c.collation_name, '')
			|| CASE c.is_nullable WHEN 'NO' THEN ' NOT NULL' ELSE '' END || COALESCE(' DEFAULT ' || c.column_default, '') AS told
		FROM information_schema.columns c WHERE c.table_schema = 'public'
		UNION ALL SELECT conrelid::regclass::text, 2, 0, conname, conrelid::regclass::text || ' ' || pg_get_constraintdef(oid)
		FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND contype <> 'n'
		UNION ALL SELECT tablename, 3, 0, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'
		) t WHERE of <> 'goose_db_version' ORDER BY of COLLATE "C", part, place, name COLLATE "C", told COLLATE "C"`,
}

// TestTheSchemaIsTheOneThatIsWrittenDown holds testdata/schema.*.sql against what the
// migrations make, so that a change of the schema can be read beside its migration.
func TestTheSchemaIsTheOneThatIsWrittenDown(t *testing.T) {
	t.Parallel()
	for engine, question := range schemas {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			driver, source := "pgx", storetest.URL(t, engine)
			if engine == "sqlite" {
				driver, source = "sqlite", strings.Replace(source, "sqlite:", "file:", 1)
			}
			db, err := sql.Open(driver, source)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = db.Close() }()
			rows, err := db.QueryContext(t.Context(), question)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = rows.Close() }()
			var told strings.Builder
			for rows.Next() {
				var line string
				if err := rows.Scan(&line); err != nil {
					t.Fatal(err)
				}
				told.WriteString(strings.TrimRight(regexp.MustCompile(`(\S)[ \t]+`).ReplaceAllString(line, "$1 "), " ") + "\n")
			}
			if err := rows.Err(); err != nil {
				t.Fatal(err)
			}
			golden(t, filepath.Join("testdata", "schema."+engine+".sql"), told.String())
		})
	}
}

// golden holds a text against a file.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(filepath.Clean(file))
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is not what is made now: run the test with -update, and read the difference", file)
	}
}
