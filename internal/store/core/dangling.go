package core

import (
	"context"
	"slices"

	"github.com/belayhq/belay/internal/sqldb"
)

// useOf is something that very many workspaces may refer to. When it is deleted some of
// them forget it at once, and the rest in parts; meanwhile none of them shows it.
type useOf struct{ key, table, forgotten sqldb.Text }

var (
	// ToToken is the use of a token by which a repository is reached.
	ToToken  = useOf{"vcs_token_id", "oauth_tokens", "vcs_repo = '', vcs_token_id = ''"}
	toSSHKey = useOf{"ssh_key_id", "ssh_keys", "ssh_key_id = ''"}
)

// Dangles is the condition of a workspace whose reference leads to nothing.
func (r useOf) Dangles(alias sqldb.Text) sqldb.Text {
	return alias + "." + r.key + " <> '' AND NOT EXISTS (SELECT 1 FROM " + r.table + " x WHERE x.id = " + alias + "." + r.key + ")"
}

// Forget has some of the workspaces forget what is about to be deleted, and says how many.
func (tx *Tx) Forget(r useOf, ids []string) (int64, error) {
	q := tx.SQL("UPDATE workspaces SET "+r.forgotten+", updated_at = ? WHERE id IN (SELECT id FROM workspaces WHERE "+r.key+" <> '' AND "+r.key, sqldb.UnixMillis(tx.Now))
	return tx.Exec(q.In("", ids).Add(" ORDER BY id").First(sqldb.RowsAtOnce).Add(tx.Dialect().Hold + ")"))
}

// ForgetSome has some of the workspaces forget what was deleted, and says whether there may be
// more. They are looked for while nobody waits, in the order of the index of what they refer to: by their ids all would be walked.
func (db *DB) ForgetSome(ctx context.Context) (more bool, err error) {
	for _, r := range []useOf{ToToken, toSSHKey} {
		var ids []string
		err := db.View(ctx, func(v *View) (err error) {
			ids, err = sqldb.Values[string](v, v.SQL("SELECT w.id FROM workspaces w WHERE "+r.Dangles("w")+" ORDER BY w."+r.key).First(sqldb.RowsAtOnce))
			return err
		})
		if err != nil || len(ids) == 0 {
			if err != nil {
				return false, err
			}
			continue
		}
		return true, db.Update(ctx, func(tx *Tx) error { return tx.forgetDangling(r, ids) })
	}
	return false, nil
}

func (tx *Tx) forgetDangling(r useOf, ids []string) error {
	q := tx.SQL("SELECT id FROM workspaces WHERE ").In("id", ids).Add(" ORDER BY id" + tx.Dialect().Hold)
	if _, err := sqldb.Values[string](&tx.View, q); err != nil {
		return err
	}
	q = tx.SQL("UPDATE workspaces SET "+r.forgotten+", updated_at = ? WHERE "+r.Dangles("workspaces")+" AND ", sqldb.UnixMillis(tx.Now))
	organizations, err := sqldb.Values[string](&tx.View, q.In("id", ids).Add(" RETURNING organization_id"))
	slices.Sort(organizations)
	for _, id := range slices.Compact(organizations) {
		tx.MoveFacts(id)
	}
	return err
}
