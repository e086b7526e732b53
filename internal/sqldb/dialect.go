package sqldb

import (
	"database/sql"
	"encoding/json"
	"errors"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	modernc "modernc.org/sqlite"
	"zombiezen.com/go/sqlite"
)

// Dialect is all that differs between the texts of the two engines.
type Dialect struct {
	Name            string
	In              Text                    // how a value is looked up in a list given as one argument
	List            func(list []string) any // and how that argument is given
	Among           func(few Text) Text     // how a value is looked up among the few that a statement finds, by its index
	Beside          Text                    // before a column that no index is to be chosen by
	rows            recordset               // JSON rows of the columns of a table, given as one argument
	likeFolds       bool                    // LIKE takes no notice of case, as LOWER would, but sooner
	Hold            Text                    // how a row is held until the transaction ends
	Seize           Text                    // and how one that is to be deleted, which others may not even refer to
	Share           Text                    // and how one that is referred to, which must stay
	notify          Text                    // how other replicas are told; empty: there are none
	versioned       bool                    // a row has a column xmin, which is another after each change of it
	SkipHeld        Text                    // how a row is held, passing over those that others hold
	hasVersions     Text                    // counts the tables that say which migrations were done
	Tables          Text                    // the names of all tables
	refersTo        Text                    // the tables that one refers to
	HeadOf          func(column Text) Text  // the first bytes of a column of bytes, as text
	types           Text                    // the names and types of the columns of one
	Size            Text                    // how many bytes it has
	moment          *sql.TxOptions          // a transaction that sees one moment
	schema          func(sql string) string // what a migration is rewritten to
	uniqueViolation func(err error) bool    // the row is there already
	full            func(err error) bool    // there is no room for it
	transient       func(err error) bool    // running the transaction again may help
}

// recordset is the text of a table, called given, that has some columns of another one.
type recordset func(table Text, columns []Text) Text

var sqliteDialect = Dialect{
	Name:      "sqlite",
	Among:     func(few Text) Text { return " IN (" + few + ")" },
	Beside:    "+",
	likeFolds: true,
	In:        " IN (SELECT value FROM json_each(?))",
	List: func(list []string) any {
		raw, _ := json.Marshal(list) // cannot fail for strings
		return string(raw)
	},
	rows: func(_ Text, columns []Text) Text {
		values := make([]string, len(columns))
		for i, c := range columns {
			values[i] = string("value ->> '$." + c + "' AS " + c)
		}
		return Text("(SELECT "+strings.Join(values, ", ")) + " FROM json_each(?)) given"
	},
	hasVersions: "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'goose_db_version'",
	Size:        "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size",
	Tables:      "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name",
	refersTo:    `SELECT DISTINCT "table" FROM pragma_foreign_key_list(?)`,
	HeadOf:      func(column Text) Text { return "CAST(substr(" + column + ", 1, 12) AS TEXT)" },
	types:       "SELECT name, lower(type) FROM pragma_table_info(?)",
	schema:      func(sql string) string { return strings.ReplaceAll(sql, nowMillis, "strftime('%s', 'now') * 1000") },
	uniqueViolation: func(err error) bool {
		code := sqliteCode(err)
		return code == sqlite.ResultConstraintUnique || code == sqlite.ResultConstraintPrimaryKey
	},
	full: func(err error) bool {
		switch sqliteCode(err) {
		case sqlite.ResultFull, sqlite.ResultIOErrWrite, sqlite.ResultIOErrSHMSize: // the disk, a quota, the journal's index
			return true
		}
		return false
	},
	transient: func(error) bool { return false },
}

// sqliteCode is SQLite's own number of an error, whichever way it was spoken to.
func sqliteCode(err error) sqlite.ResultCode {
	var failed *modernc.Error
	if errors.As(err, &failed) {
		return sqlite.ResultCode(failed.Code()) //nolint:gosec // a number of SQLite's
	}
	return sqlite.ErrCode(err)
}

// nowMillis is the moment of a migration, where one needs it.
const nowMillis = "NOW_MILLIS"

// textColumn finds the columns that identifiers live in: they compare as bytes, as
// SQLite's do, whatever the database's locale.
var textColumn = regexp.MustCompile(`(?m)^(\s+\w+) TEXT\b`)

var postgresDialect = Dialect{
	Name:  "postgres",
	Among: func(few Text) Text { return " = ANY(ARRAY(" + few + "))" },
	In:    " = ANY(?)",
	List:  func(list []string) any { return list },
	rows: func(table Text, _ []Text) Text {
		return "json_populate_recordset(CAST(NULL AS " + table + "), CAST(? AS JSON)) given"
	},
	Hold:        " FOR NO KEY UPDATE",
	Seize:       " FOR UPDATE",
	Share:       " FOR KEY SHARE",
	hasVersions: "SELECT count(to_regclass('goose_db_version'))",
	Size:        "SELECT pg_database_size(current_database())",
	Tables:      "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() ORDER BY tablename",
	refersTo: `SELECT DISTINCT r.relname FROM pg_constraint c JOIN pg_class r ON r.oid = c.confrelid
		WHERE c.contype = 'f' AND c.conrelid = to_regclass(?)`,
	HeadOf: func(column Text) Text { return "encode(substr(" + column + ", 1, 12), 'escape')" },
	types:  "SELECT column_name, data_type FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = ?",
	moment: &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true},
	schema: func(sql string) string {
		return textColumn.ReplaceAllString(strings.ReplaceAll(sql, nowMillis, "CAST(extract(epoch FROM now()) AS BIGINT) * 1000"), `$1 TEXT COLLATE "C"`)
	},
	notify:    "(SELECT count(pg_notify('belay', kind)) FROM unnest(CAST(? AS TEXT[])) kind)",
	versioned: true,
	SkipHeld:  " FOR UPDATE SKIP LOCKED",
	uniqueViolation: func(err error) bool {
		var failed *pgconn.PgError
		return errors.As(err, &failed) && failed.Code == "23505"
	},
	full: func(err error) bool {
		var failed *pgconn.PgError
		return errors.As(err, &failed) && strings.HasPrefix(failed.Code, "53") // of disk, memory or connections
	},
	transient: func(err error) bool {
		var failed *pgconn.PgError
		// 23503: what a row refers to was deleted meanwhile; the next attempt sees that.
		return errors.As(err, &failed) && (failed.Code == "40001" || failed.Code == "40P01" || failed.Code == "23503")
	},
}
