package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	_ "github.com/jackc/pgx/v5/stdlib" // opens a database by its URL
	_ "modernc.org/sqlite"             // the same
)

// copyFrom is how many workspaces are made through the API before the others are copied from them,
// and copiedAtOnce how often all of those are copied in one transaction: the server goes on meanwhile.
const (
	copyFrom     = 1000 // as the statement has it, too
	copiedAtOnce = 20
)

// dialect is what the copying says differently on the two engines.
type dialect struct {
	driver, columns, series, padded string
	after                           []string
}

var dialects = map[bool]dialect{
	false: {
		driver: "sqlite", columns: "SELECT name FROM pragma_table_info('workspaces')",
		series: "(WITH RECURSIVE s(k) AS (SELECT $1 UNION ALL SELECT k + 1 FROM s WHERE k < $2) SELECT k FROM s)", padded: "printf('%%0%dd', %s)",
		// The parts of names are what the background of the server would write in the next minutes.
		after: []string{`INSERT OR IGNORE INTO workspace_grams WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
			SELECT w.organization_id, substr(lower(w.name), n.i, 3), w.id FROM workspaces w JOIN n ON n.i <= length(w.name) - 2`, "DELETE FROM unread_names",
			"PRAGMA wal_checkpoint(TRUNCATE)"}, // the journal is as large as all that was copied, and who reads looks through it
	},
	true: {
		driver: "pgx", columns: "SELECT column_name FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = 'workspaces'",
		series: "(SELECT generate_series($1::bigint, $2::bigint) AS k)", padded: "lpad(CAST(%[2]s AS TEXT), greatest(%[1]d, length(CAST(%[2]s AS TEXT))), '0')",
	},
}

// copyUpTo fills the organization with copies of the workspaces that are there, by SQL: a million through
// the API would take most of the time. They differ from those by their names and ids alone.
func (t *target) copyUpTo(ctx context.Context, size int) (err error) {
	postgres := strings.HasPrefix(t.url, "postgres")
	d, url := dialects[postgres], t.url
	if !postgres {
		url = "file:" + strings.TrimPrefix(t.url, "sqlite:") + "?_txlock=immediate&_pragma=busy_timeout(60000)&_pragma=foreign_keys(1)&_pragma=cache_size(-262144)"
	}
	db, err := sql.Open(d.driver, url)
	if err != nil {
		return err
	}
	defer func() {
		if closing := db.Close(); err == nil {
			err = closing
		}
	}()
	db.SetMaxOpenConns(1)
	copying, err := copying(ctx, db, &d)
	if err != nil {
		return err
	}
	there := len(t.ids)
	for k := there / copyFrom; k < size/copyFrom; k += copiedAtOnce {
		last := min(k+copiedAtOnce, size/copyFrom) - 1
		if _, err := db.ExecContext(ctx, copying, k, last); err != nil {
			return err
		}
	}
	for i := there + 1; i <= size; i++ {
		t.ids = append(t.ids, fmt.Sprintf("ws-%016d", i))
	}
	const counted = " SET workspace_count = workspace_count + "
	statements := []string{
		"UPDATE projects" + counted + strconv.Itoa(size-there) + " WHERE id = (SELECT project_id FROM workspaces WHERE name LIKE '%-workspace-%' LIMIT 1)",
		"UPDATE organizations" + counted + strconv.Itoa(size-there) + ", generation = generation + 1, facts_generation = facts_generation + 1 WHERE name = 'bench'",
	}
	for _, statement := range append(statements, d.after...) {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// takeFilled copies the database of a folder, with its key, so that it can be measured again.
func takeFilled(from, into string) error {
	return errors.Join(
		exec.Command("cp", "--reflink=auto", filepath.Join(from, "belay.db"), filepath.Join(from, "encryption.key"), into).Run(),
		exec.Command("cp", "-r", filepath.Join(from, "blobs"), into).Run())
}

// keep copies what a server was filled with into a folder, so that it can be measured again with -filled.
func (t *target) keep(ctx context.Context, into string) (err error) {
	if err := os.MkdirAll(into, 0o700); err != nil {
		return err
	}
	db, err := sql.Open("sqlite", "file:"+strings.TrimPrefix(t.url, "sqlite:")+"?_pragma=busy_timeout(60000)")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if _, err := db.ExecContext(ctx, "VACUUM INTO ?", filepath.Join(into, "belay.db")); err != nil { // of one moment, while the server goes on
		return err
	}
	return exec.Command("cp", "-r", filepath.Join(t.dir, "encryption.key"), filepath.Join(t.dir, "blobs"), into).Run()
}

// takeIDs finds the workspaces of a server that was filled before, and the member who sees few of them.
func (t *target) takeIDs(ctx context.Context) (err error) {
	db, err := sql.Open("sqlite", "file:"+strings.TrimPrefix(t.url, "sqlite:")+"?_pragma=busy_timeout(60000)")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var ids, user string
	const both = "SELECT (SELECT group_concat(id) FROM workspaces), COALESCE((SELECT id FROM users WHERE username = 'member'), '')"
	if err := db.QueryRowContext(ctx, both).Scan(&ids, &user); err != nil {
		return err
	}
	t.ids = strings.Split(ids, ",")
	if user == "" {
		return nil
	}
	c, err := t.connect()
	if err != nil {
		return err
	}
	t.member, err = c.secret(v2 + "/users/" + user + "/authentication-tokens")
	return errors.Join(err, c.conn.Close())
}

// copying is the statement that copies the first workspaces, from its first argument times to its second.
func copying(ctx context.Context, db *sql.DB, d *dialect) (string, error) {
	rows, err := db.QueryContext(ctx, d.columns)
	if err != nil {
		return "", err
	}
	defer func() { _ = rows.Close() }()
	const number = "base.n + s.k * 1000" // copyFrom
	made := map[string]string{
		"id":   "'ws-' || " + fmt.Sprintf(d.padded, 16, number),
		"name": "base.environment || '-workspace-' || " + fmt.Sprintf(d.padded, 6, number),
	}
	var names, values []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return "", err
		}
		names = append(names, name)
		if made[name] == "" {
			made[name] = "w." + name
		}
		values = append(values, made[name])
	}
	return "INSERT INTO workspaces (" + strings.Join(names, ", ") + ") SELECT " + strings.Join(values, ", ") + ` FROM (SELECT id,
		CAST(substr(name, length(name) - 5) AS INTEGER) AS n, substr(name, 1, length(name) - 17) AS environment
		FROM workspaces WHERE name LIKE '%-workspace-%' AND id NOT LIKE 'ws-000000%') base
		JOIN workspaces w ON w.id = base.id CROSS JOIN ` + d.series + " s", rows.Err()
}
