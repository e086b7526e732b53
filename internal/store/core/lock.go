package core

import (
	"context"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
)

// SaveLock writes the lock of a workspace.
func (tx *Tx) SaveLock(w *belay.Workspace) error {
	l, row := w.Lock, tx.Change("workspaces", w.ID)
	row.Set("lock_holder_type", l.Holder.Type)
	row.Set("lock_holder_id", l.Holder.ID)
	if l.Held() && w.LastHolderID != l.Holder.ID { // what stands in an index is written only where it changes
		w.LastHolderID = l.Holder.ID
		row.Set("lock_last_id", l.Holder.ID)
	}
	row.Set("lock_holder_name", l.Holder.Name)
	row.Set("lock_reason", l.Reason)
	row.Set("lock_questions", sqldb.JSON(&l.Questions))
	row.Set("locked_at", sqldb.UnixMillis(l.At))
	row.Set("updated_at", sqldb.UnixMillis(w.UpdatedAt))
	return nil
}

// ForgetHolders forgets who held the locks of some workspaces that are open now, so that those that are locked are
// found among few, and says whether there may be more.
func (db *DB) ForgetHolders(ctx context.Context) (more bool, err error) {
	err = db.Update(ctx, func(tx *Tx) error {
		q := tx.SQL("UPDATE workspaces SET lock_last_id = '' WHERE id IN (SELECT id FROM workspaces WHERE lock_last_id > '' AND lock_holder_id = ''")
		n, err := tx.Exec(q.First(sqldb.RowsAtOnce).Add(tx.Dialect().SkipHeld + ")"))
		more = n == sqldb.RowsAtOnce
		return err
	})
	return more, err
}
