package store

import (
	"encoding/json"
	"errors"
	"regexp"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// dialect is all that differs between the texts of the two engines.
type dialect struct {
	name            string
	in              text                    // how a value is looked up in a list given as one argument
	list            func(list []string) any // and how that argument is given
	likeFolds       bool                    // LIKE takes no notice of case, as LOWER would, but sooner
	hold            text                    // how a row is held until the transaction ends
	repoIdentifier  text                    // the identifier in the JSON of a workspace's vcs_repo
	skipHeld        text                    // how a row is held, passing over those that others hold
	schema          func(sql string) string // what a migration is rewritten to
	uniqueViolation func(err error) bool    // the row is there already
	transient       func(err error) bool    // running the transaction again may help
}

var sqliteDialect = dialect{
	name:      "sqlite",
	likeFolds: true,
	in:        " IN (SELECT value FROM json_each(?))",
	list: func(list []string) any {
		raw, _ := json.Marshal(list) // cannot fail for strings
		return string(raw)
	},
	repoIdentifier: "(CASE WHEN f.vcs_repo = '' THEN '' ELSE COALESCE(json_extract(f.vcs_repo, '$.identifier'), '') END)",
	schema:         func(sql string) string { return sql },
	uniqueViolation: func(err error) bool {
		var failed *sqlite.Error
		return errors.As(err, &failed) && (failed.Code() == sqlite3.SQLITE_CONSTRAINT_UNIQUE ||
			failed.Code() == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY)
	},
	transient: func(error) bool { return false },
}

// textColumn finds the columns that identifiers live in: they compare as bytes, as
// SQLite's do, whatever the database's locale.
var textColumn = regexp.MustCompile(`(?m)^(\s+\w+) TEXT\b`)

var postgresDialect = dialect{
	name:           "postgres",
	in:             " = ANY(?)",
	list:           func(list []string) any { return list },
	hold:           " FOR NO KEY UPDATE",
	repoIdentifier: "(CASE WHEN f.vcs_repo = '' THEN '' ELSE COALESCE(CAST(f.vcs_repo AS JSON) ->> 'identifier', '') COLLATE \"C\" END)",
	schema:         func(sql string) string { return textColumn.ReplaceAllString(sql, `$1 TEXT COLLATE "C"`) },
	skipHeld:       " FOR UPDATE SKIP LOCKED",
	uniqueViolation: func(err error) bool {
		var failed *pgconn.PgError
		return errors.As(err, &failed) && failed.Code == "23505"
	},
	transient: func(err error) bool {
		var failed *pgconn.PgError
		// 23503: what a row refers to was deleted meanwhile; the next attempt sees that.
		return errors.As(err, &failed) && (failed.Code == "40001" || failed.Code == "40P01" || failed.Code == "23503")
	},
}
