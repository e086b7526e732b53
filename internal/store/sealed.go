package store

import (
	"context"
	"fmt"

	"github.com/belayhq/belay/internal/sqldb"
)

// sealedColumn is where sealed values lie. Each begins with "v1." and the id of its key.
type sealedColumn struct {
	of, table, column, where text
	context                  text // what the value was sealed for, which names its row
	bytes                    bool // it is kept as bytes, not as text
}

var sealedColumns = []sealedColumn{
	{of: "SSH key", table: "ssh_keys", column: "sealed", context: "id"},
	{of: "VCS connection", table: "oauth_clients", column: "sealed_secret", context: "id"},
	{of: "VCS connection", table: "oauth_clients", column: "sealed_private_key", context: "id"},
	{of: "VCS token", table: "oauth_tokens", column: "sealed", context: "id"},
	{of: "VCS token", table: "oauth_tokens", column: "sealed_ssh_key", context: "id"},
	{of: "variable", table: "variables", column: "value", where: "sensitive AND ", context: "id"},
	{of: "variable of a set", table: "varset_variables", column: "value", where: "sensitive AND ", context: "id"},
	{of: "refresh token of an identity", table: "identities", column: "refresh_token", context: "id"},
	{of: "notification", table: "notifications", column: "sealed_token", context: "id"},
	{of: "output", table: "state_outputs", column: "sealed_value", context: "id"},
	{of: "variables of a run", table: "run_inputs", column: "sealed", context: "run_id"},
	{of: "file of a run", table: "run_files", column: "sealed", context: "'run file ' || run_id || ' ' || kind"},
	{of: "check of a run", table: "run_checks", column: "output", context: "id"},
	{of: "readme", table: "configuration_readmes", column: "sealed", context: "configuration_version_id"},
	{of: "webhook", table: "vcs_hooks", column: "sealed_secret", context: "id"},
	{of: "webhook", table: "vcs_hooks", column: "sealed_before", context: "id"},
	{of: "fetched commit", table: "vcs_fetches", column: "readme", context: "id"},
	{of: "kept answer", table: "kept_answers", column: "answer", context: "principal || ' ' || name"},
	{of: "bulk action", table: "bulk_actions", column: "request_hash", context: "id"},
	{of: "log", table: "log_chunks", column: "data", context: "'log ' || log_id || ' ' || at", bytes: true},
}

// SealedWith is the ids of the keys that values in the database are sealed with. What lives
// for minutes is left out.
func (v *reads) SealedWith() ([]string, error) {
	return sqldb.Values[string](v, v.SQL(sealedWith(v.Dialect())))
}

func sealedWith(d *sqldb.Dialect) (q text) {
	for i, c := range sealedColumns {
		if c.table == "kept_answers" {
			continue
		}
		if i > 0 {
			q += " UNION "
		}
		sealed := c.column
		if c.bytes {
			sealed = d.HeadOf(c.column)
		}
		q += "SELECT substr(" + sealed + ", 4, 8) FROM " + c.table + " WHERE " + c.where + sealed + " LIKE 'v1.%'"
	}
	return q
}

// SealedValue is a sealed value and where it lies.
type SealedValue struct {
	Of      string // what it is of, in words
	Context string
	Sealed  string

	column sealedColumn
}

// SealedValues gives every sealed value there is, some hundred at a time.
func (db *DB) SealedValues(ctx context.Context, each func([]SealedValue) error) error {
	for _, c := range sealedColumns {
		after := ""
		for {
			page, err := db.sealedPage(ctx, c, after)
			if err != nil {
				return fmt.Errorf("%s: %w", c.table, err)
			}
			if len(page) == 0 {
				break
			}
			if err := each(page); err != nil {
				return err
			}
			after = page[len(page)-1].Context
		}
	}
	return nil
}

func (db *DB) sealedPage(ctx context.Context, c sealedColumn, after string) (page []SealedValue, err error) {
	err = db.View(ctx, func(v *View) (err error) {
		q := v.SQL("SELECT "+c.context+", "+c.column+" FROM "+c.table+" WHERE "+c.where+"length("+c.column+") > 0 AND "+c.context+" > ? ORDER BY 1", after)
		page, err = sqldb.Collect(v, q.First(sqldb.RowsAtOnce), func(s *SealedValue) []any { return []any{&s.Context, sealedText{&s.Sealed}} })
		return err
	})
	for i := range page {
		page[i].Of, page[i].column = string(c.of), c
	}
	return page, err
}

// sealedText scans what is kept as text or as bytes.
type sealedText struct{ into *string }

// Scan takes a value of the database.
func (s sealedText) Scan(value any) error {
	switch v := value.(type) {
	case string:
		*s.into = v
	case []byte:
		*s.into = string(v)
	default:
		return fmt.Errorf("a sealed value can't be %T", value)
	}
	return nil
}

// Reseal writes a value as it is sealed now, unless it has changed meanwhile.
func (tx *Tx) Reseal(old SealedValue, sealed string) error {
	c := old.column
	var before, after any = old.Sealed, sealed
	if c.bytes {
		before, after = []byte(old.Sealed), []byte(sealed)
	}
	return tx.Do("UPDATE "+c.table+" SET "+c.column+" = ? WHERE "+c.context+" = ? AND "+c.column+" = ?", after, old.Context, before)
}
