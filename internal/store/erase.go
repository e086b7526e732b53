package store

import (
	"context"

	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/base"
)

// workspacesErased is how many workspaces one transaction erases, with all that hangs on each.
const workspacesErased = 10

// erasure is what an organization loses before its own row goes, a part at a time and in the
// order in which transactions take rows: what belongs to something before that. The rest is
// little, and goes with the row.
var erasure = []struct {
	table  text
	atOnce int
}{
	{"tokens", sqldb.RowsAtOnce}, {"change_requests", sqldb.RowsAtOnce}, {"bulk_actions", sqldb.RowsAtOnce}, {"tags", sqldb.RowsAtOnce},
	{"notifications", 5}, {"teams", 5}, {"organization_memberships", sqldb.RowsAtOnce}, {"varsets", 5}, {"agent_pools", 5},
	{"oauth_clients", 5}, {"ssh_keys", sqldb.RowsAtOnce}, {"saved_views", sqldb.RowsAtOnce}, {"projects", sqldb.RowsAtOnce / 5},
}

// EraseSome erases some of what is in the organizations that are deleted, and says whether
// there may be more.
func (db *DB) EraseSome(ctx context.Context) (more bool, err error) {
	err = db.Update(ctx, func(tx *Tx) error {
		id, found, err := sqldb.Value[string](&tx.Locked, tx.SQL("SELECT id FROM organizations WHERE "+base.IsGone+" ORDER BY name LIMIT 1"))
		if more = found; err != nil || !found {
			return err
		}
		n, err := tx.eraseWorkspaces(id)
		for i := 0; i < len(erasure) && n == 0 && err == nil; i++ {
			n, err = tx.eraseRows(erasure[i].table, id, erasure[i].atOnce)
		}
		if n == 0 && err == nil { // of the names that went with the workspaces
			var read int
			read, err = tx.ReadNamesOf(id, NamesAtOnce)
			n = int64(read)
		}
		if err != nil || n > 0 {
			return err
		}
		if err := tx.Do("DELETE FROM flows WHERE organization_id = ?", id); err != nil { // one for each pool that served it
			return err
		}
		service, _, err := sqldb.Value[string](&tx.Locked, tx.SQL("DELETE FROM organizations WHERE id = ? RETURNING service_user_id", id))
		if err != nil {
			return err
		}
		return tx.Do("DELETE FROM users WHERE id = ?", service)
	})
	return more, err
}

// eraseWorkspaces erases some of the workspaces of an organization, or of what hangs on them,
// and says how many it was about.
func (tx *Tx) eraseWorkspaces(organizationID string) (int64, error) {
	q := tx.SQL("SELECT id FROM workspaces WHERE organization_id = ? ORDER BY id", organizationID).First(workspacesErased)
	ids, err := sqldb.Values[string](&tx.Locked, q.Add(tx.Dialect().Seize))
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	return int64(len(ids)), tx.eraseSomeOf(ids)
}

// eraseRows erases some rows of a table that are an organization's, and says how many.
func (tx *Tx) eraseRows(table text, organizationID string, atOnce int) (int64, error) {
	q := tx.SQL("DELETE FROM "+table+" WHERE id IN (SELECT id FROM "+table+" WHERE organization_id = ? ORDER BY id", organizationID)
	return tx.Exec(q.First(atOnce).Add(tx.Dialect().Seize + ")"))
}
