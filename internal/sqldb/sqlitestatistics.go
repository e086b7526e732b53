package sqldb

import (
	"context"
	"errors"
	"slices"

	"zombiezen.com/go/sqlite"
)

// statistics is what SQLite takes to be in its indexes: of a table with so many rows how many have one value of the first
// column, of the first two, and so on. Without any it takes an organization for ten workspaces, and walks all of it to find a
// few by their ids. They are given, and not counted, so that every file is read as was tested.
var statistics = []indexStatistics{
	{"workspaces", "sqlite_autoindex_workspaces_1", "100000 1"},
	{"workspaces", "workspaces_engine", "100000 50000 5000 1 1"},
	{"workspaces", "workspaces_explorer", "100000 50000 1 1 1 1 1 1 1 1 1"},
	{"workspaces", "workspaces_latest_change", "100000 50000 2 1"},
	{"workspaces", "workspaces_locked", "1000 500 50"},
	{"workspaces", "workspaces_name", "100000 50000 1 1"},
	{"workspaces", "workspaces_pool", "1000 100 1"},
	{"workspaces", "workspaces_project", "100000 1000 1 1"},
	{"workspaces", "workspaces_project_runs", "100000 1200 300 30"},
	{"workspaces", "workspaces_release", "100000 5000 2000"},
	{"workspaces", "workspaces_retention", "1000 100"},
	{"workspaces", "workspaces_run_at", "100000 50000 25000 2 1"},
	{"workspaces", "workspaces_run_status", "100000 50000 5000 1"},
	{"workspaces", "workspaces_ssh_key", "1000 100"},
	{"workspaces", "workspaces_state_engine", "100000 50000 5000 1 1"},
	{"workspaces", "workspaces_unhooked", "10 1"},
	{"workspaces", "workspaces_unique_name", "100000 50000 1"},
	{"workspaces", "workspaces_vcs_hook", "50000 100 1"},
	{"workspaces", "workspaces_vcs_token", "50000 5000"},
}

type indexStatistics struct{ table, index, rows string }

// giveStatistics writes them into the file. Samples of values, which somebody's ANALYZE leaves there, go: with them SQLite
// plans a statement anew each time that it gets other arguments, which costs several times what most of them do. That the
// tables go and come has every connection read them anew.
func giveStatistics(path string) (err error) {
	c, err := connectFile(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	if given, err := givenStatistics(c); err != nil || given {
		return err
	}
	ctx := context.Background()
	again := []string{"BEGIN IMMEDIATE", "DROP TABLE IF EXISTS sqlite_stat1", "DROP TABLE IF EXISTS sqlite_stat4", "ANALYZE sqlite_schema", "DROP TABLE IF EXISTS sqlite_stat4"}
	for _, sql := range again { // ANALYZE of nothing makes the tables
		if _, err := c.exec(ctx, sql, nil); err != nil {
			return err
		}
	}
	for _, s := range statistics {
		if _, err := c.exec(ctx, "INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ($1, $2, $3)", []any{s.table, s.index, s.rows}); err != nil {
			return err
		}
	}
	_, err = c.exec(ctx, "COMMIT", nil)
	return err
}

// givenStatistics says whether the file has these statistics, and nothing else of them.
func givenStatistics(c *sqliteConn) (bool, error) {
	tables, err := textsOf(c, "SELECT name FROM sqlite_schema WHERE name GLOB 'sqlite_stat*'")
	if err != nil || !slices.Equal(tables, []string{"sqlite_stat1"}) {
		return false, err
	}
	has, err := textsOf(c, "SELECT tbl || ' ' || COALESCE(idx, '') || ' ' || COALESCE(stat, '') FROM sqlite_stat1 ORDER BY tbl, idx")
	var wanted []string
	for _, s := range statistics {
		wanted = append(wanted, s.table+" "+s.index+" "+s.rows)
	}
	return slices.Equal(has, wanted), err
}

// textsOf is the only column of a statement's rows.
func textsOf(c *sqliteConn, sql string) (list []string, err error) {
	found, err := c.query(context.Background(), sql, nil)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, found.Close()) }()
	for found.Next() {
		var one string
		if err := found.Scan(&one); err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, found.Err()
}
