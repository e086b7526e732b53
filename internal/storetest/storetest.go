// Package storetest gives a test a fresh database of every engine. It is for tests
// only and knows nothing of what they test.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
)

// EnvPostgres names the environment variable with the URL of a PostgreSQL server in
// which tests may make databases.
const EnvPostgres = "BELAY_TEST_POSTGRES"

// Engines is what a test runs on: SQLite and PostgreSQL. In the short form, in which the race
// detector makes everything ten times slower, it is one of them, by the name of the test: what
// the detector looks for is in what both have in common, or in the half of the tests that is left.
func Engines(t testing.TB) []string {
	t.Helper()
	if testing.Short() {
		return []string{byName(t)}
	}
	return []string{"sqlite", "postgres"}
}

// byName is an engine for a test, always the same one, and one that is there.
func byName(t testing.TB) string {
	if os.Getenv(EnvPostgres) == "" && os.Getenv("CI") == "" {
		return "sqlite"
	}
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(t.Name())) // never fails
	if sum.Sum32()%2 == 0 {
		return "sqlite"
	}
	return "postgres"
}

// Outside is what a test of a door, or of the whole program, runs on: both engines where slow tests
// were asked for, as in CI, and one of them, by the name of the test, while somebody waits. What
// the engines do differently is the store's own, whose tests have both always.
func Outside(t testing.TB) []string {
	t.Helper()
	if Slow() {
		return Engines(t)
	}
	return []string{byName(t)}
}

// Slow says whether slow tests were asked for.
func Slow() bool { return os.Getenv("BELAY_SLOW") != "" }

// NeedsSlow skips a test that takes long, unless slow tests were asked for.
func NeedsSlow(t testing.TB) {
	t.Helper()
	if !Slow() {
		t.Skip("slow: set BELAY_SLOW=1, or run make check-all")
	}
}

// Each runs a test once for every engine, in parallel, with a fresh database.
func Each(t *testing.T, test func(t *testing.T, db *store.DB)) {
	t.Helper()
	for _, engine := range Engines(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			test(t, Open(t, engine))
		})
	}
}

// Open opens a fresh database of an engine, with its schema.
func Open(t testing.TB, engine string) *store.DB {
	t.Helper()
	db, err := store.Open(t.Context(), store.Options{URL: URL(t, engine)})
	if err != nil {
		t.Fatalf("open %s: %v", engine, err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("close %s: %v", engine, err)
		}
	})
	return db
}

// URL is the URL of a fresh database of an engine. Without PostgreSQL the test is
// skipped, but not in CI: there it fails.
func URL(t testing.TB, engine string) string {
	t.Helper()
	if engine == "sqlite" {
		file := filepath.Join(t.TempDir(), "belay.db")
		FreshSQLite(t, file)
		return "sqlite:" + file
	}
	server := postgres(t)
	return freshPostgres(t, server, template(t, server))
}

// EmptyPostgres is the URL of a fresh PostgreSQL database without a schema.
func EmptyPostgres(t testing.TB) string {
	t.Helper()
	return freshPostgres(t, postgres(t), "template0")
}

// postgres is the URL of the server in which tests make their databases.
func postgres(t testing.TB) string {
	t.Helper()
	server := os.Getenv(EnvPostgres)
	if server == "" {
		if os.Getenv("CI") != "" {
			t.Fatalf("CI is set and %s is not: both engines must be tested", EnvPostgres)
		}
		t.Skipf("%s is not set: run the tests with scripts/with-postgres", EnvPostgres)
	}
	return server
}

// FreshSQLite puts a copy of a database that was migrated once into a file: that is faster
// than migrating.
func FreshSQLite(t testing.TB, file string) {
	t.Helper()
	raw, err := migratedSQLite()
	if err != nil {
		t.Fatalf("migrate the template: %v", err)
	}
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		t.Fatal(err)
	}
}

var migratedSQLite = sync.OnceValues(func() (raw []byte, err error) {
	folder, err := os.MkdirTemp("", "belay-template")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	file := filepath.Join(folder, "belay.db")
	db, err := store.Open(context.Background(), store.Options{URL: "sqlite:" + file})
	if err != nil {
		return nil, err
	}
	if err := db.Close(); err != nil { // which moves everything from the journal into the file
		return nil, err
	}
	return os.ReadFile(filepath.Clean(file))
})

// freshPostgres copies a database that was migrated once: that is faster than migrating.
func freshPostgres(t testing.TB, server, template string) string {
	t.Helper()
	name := "test_" + strings.ToLower(belay.RandomText(20))
	exec(t, server, fmt.Sprintf("CREATE DATABASE %s TEMPLATE %s%s", name, template, adminOf(t, server).copying))
	t.Cleanup(func() { exec(t, server, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)") })
	return withDatabase(t, server, name)
}

var templates sync.Map // server → func() string, run once

// template is the name of a database with the schema, made once for this process.
func template(t testing.TB, server string) string {
	t.Helper()
	name := fmt.Sprintf("template_%d", os.Getpid())
	once, _ := templates.LoadOrStore(server, sync.OnceFunc(func() {
		exec(t, server, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)")
		exec(t, server, "CREATE DATABASE "+name)
		db, err := store.Open(context.Background(), store.Options{URL: withDatabase(t, server, name)})
		if err != nil {
			t.Fatalf("migrate the template: %v", err)
		}
		if err := db.Close(); err != nil {
			t.Fatalf("close the template: %v", err)
		}
	}))
	once.(func())() //nolint:forcetypeassert // the map holds nothing else
	return name
}

func withDatabase(t testing.TB, server, name string) string {
	t.Helper()
	u, err := url.Parse(server)
	if err != nil {
		t.Fatalf("%s: %v", EnvPostgres, err)
	}
	u.Path = "/" + name
	return u.String()
}

func exec(t testing.TB, server, statement string) {
	t.Helper()
	if _, err := adminOf(t, server).pool.Exec(context.Background(), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// admin makes and drops databases, by connections that all tests of this process share: a new one costs
// more than what is done with it.
type admin struct {
	pool *pgxpool.Pool
	// copying has a template copied as the files that it is, where the server knows how: that takes a
	// third of what its pages take one by one.
	copying string
}

var admins sync.Map // server → func() (admin, error), run once

func adminOf(t testing.TB, server string) admin {
	t.Helper()
	once, _ := admins.LoadOrStore(server, sync.OnceValues(func() (admin, error) { return newAdmin(server) }))
	a, err := once.(func() (admin, error))() //nolint:forcetypeassert // the map holds nothing else
	if err != nil {
		t.Fatalf("connect to PostgreSQL: %v", err)
	}
	return a
}

func newAdmin(server string) (a admin, err error) {
	ctx := context.Background()
	if a.pool, err = pgxpool.New(ctx, server); err != nil {
		return a, err
	}
	var knows bool
	err = a.pool.QueryRow(ctx, "SELECT current_setting('server_version_num')::int >= 150000").Scan(&knows)
	if knows {
		a.copying = " STRATEGY file_copy"
	}
	return a, err
}

// Number is what a variable of the environment says, where that is a number above 0.
func Number(variable string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(variable)); err == nil && n > 0 {
		return n
	}
	return otherwise
}

// Rounds is how often a race is run: a few times, 200 where slow tests are asked for, or as often as BELAY_ROUNDS says.
func Rounds(few int) int {
	if Slow() {
		few = 200
	}
	return Number("BELAY_ROUNDS", few)
}
