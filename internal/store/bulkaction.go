package store

import (
	"context"
	"slices"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/backlog"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/core"
)

var bulkActions = sqldb.NewTable(sqldb.Table[backlog.BulkAction]{
	Name: "bulk_actions",
	Hold: "b",
	From: "bulk_actions b",
	Own: []sqldb.Column[backlog.BulkAction]{
		{Name: "id", At: func(b *backlog.BulkAction) any { return &b.ID }},
		{Name: "organization_id", At: func(b *backlog.BulkAction) any { return &b.OrganizationID }},
		{Name: "subject", At: func(b *backlog.BulkAction) any { return &b.Subject }},
		{Name: "message", At: func(b *backlog.BulkAction) any { return &b.Message }},
		{Name: "query", At: func(b *backlog.BulkAction) any { return &b.Query }},
		{Name: "created_count", At: func(b *backlog.BulkAction) any { return &b.CreatedCount }},
		{Name: "created_by", At: func(b *backlog.BulkAction) any { return &b.CreatedBy }},
		{Name: "created_by_name", At: func(b *backlog.BulkAction) any { return &b.CreatedByName }},
		{Name: "idempotency_key", At: func(b *backlog.BulkAction) any { return &b.IdempotencyKey }},
		{Name: "key_holder", At: func(b *backlog.BulkAction) any { return &b.KeyHolder }},
		{Name: "request_hash", At: func(b *backlog.BulkAction) any { return &b.SealedRequest }},
		{Name: "created_at", At: func(b *backlog.BulkAction) any { return sqldb.Millis(&b.CreatedAt) }},
		{Name: "due_at", At: func(b *backlog.BulkAction) any { return sqldb.Millis(&b.DueAt) }},
		{Name: "reminded_at", At: func(b *backlog.BulkAction) any { return sqldb.Millis(&b.RemindedAt) }},
		{Name: "unfinished_until", At: func(b *backlog.BulkAction) any { return sqldb.Millis(&b.UnfinishedUntil) }},
	},
	Joined: []sqldb.Column[backlog.BulkAction]{
		{Name: "(SELECT count(*) FROM change_requests c WHERE c.action_id = b.id AND c.archived_at > 0)", At: func(b *backlog.BulkAction) any { return &b.ArchivedCount }},
		{Name: "(SELECT count(*) FROM change_requests c WHERE c.action_id = b.id AND c.archived_at = 0)", At: func(b *backlog.BulkAction) any { return &b.OpenCount }},
	},
})

// BulkAction is one bulk action.
func (v *reads) BulkAction(id string) (backlog.BulkAction, error) {
	return core.Once(&v.coreView, bulkActionKey(id), func() (backlog.BulkAction, error) {
		return bulkActions.One(v, "b.id = ? AND b.unfinished_until = 0", id)
	})
}

type bulkActionKey string

// BulkActionByKey is the bulk action that a request with this idempotency key of its holder
// made, or is making.
func (v *reads) BulkActionByKey(o belay.Organization, holder, key string) (backlog.BulkAction, error) {
	return bulkActions.One(v, "b.organization_id = ? AND b.key_holder = ? AND b.idempotency_key = ? AND b.idempotency_key <> ''", o.ID, holder, key)
}

// ErrKeyTaken says that another request with the same idempotency key was first.
var ErrKeyTaken = belay.Refuse(belay.Conflict, "a request with this idempotency key was just made; try again")

// AddBulkAction writes a new bulk action.
func (tx *Tx) AddBulkAction(b *backlog.BulkAction) error {
	return bulkActions.Insert(tx, b, ErrKeyTaken)
}

// Filing is a change request that is to be put on a workspace.
type Filing struct {
	ID          string `json:"id"`
	WorkspaceID string `json:"workspace_id"`
}

// Filings gives each of some workspaces the id of a change request, in one order: of many that are written in parts each
// part stands together in the indexes, by workspace and by id, and touches few of their pages.
func Filings(workspaceIDs []string) []Filing {
	list := make([]Filing, len(workspaceIDs))
	for i := range list {
		list[i].ID = belay.NewID("wscr")
	}
	slices.SortFunc(list, func(a, b Filing) int { return strings.Compare(a.ID, b.ID) })
	for i, id := range workspaceIDs {
		list[i].WorkspaceID = id
	}
	return list
}

// filedAtOnce is how many change requests one statement files at least: PostgreSQL lets nobody go before it ends.
const filedAtOnce = 10

// AddChangeRequests puts change requests of a bulk action on workspaces, so many as are
// still there and have none of it.
func (tx *Tx) AddChangeRequests(b *backlog.BulkAction, filings []Filing) (made int, err error) {
	for piece := range slices.Chunk(filings, max(filedAtOnce, len(filings)/5)) {
		n, err := tx.file(b, piece)
		if err != nil {
			return made, err
		}
		made += n
	}
	return made, nil
}

// file is one statement of that. All but the ids is the same in every row.
func (tx *Tx) file(b *backlog.BulkAction, filings []Filing) (int, error) {
	at := sqldb.UnixMillis(b.CreatedAt)
	q := tx.SQL(`INSERT INTO change_requests (id, workspace_id, organization_id, action_id, archived_by, archived_at, created_at, updated_at)
		SELECT given.id, given.workspace_id, ?, ?, '', 0, CAST(? AS BIGINT), CAST(? AS BIGINT) FROM `, b.OrganizationID, b.ID, at, at)
	q.Rows("change_requests", []text{"id", "workspace_id"}, filings)
	// OFFSET: either engine would rather walk all workspaces of the organization, for each piece.
	q.Add(" WHERE EXISTS (SELECT 1 FROM workspaces w WHERE w.id = given.workspace_id AND w.organization_id = ? LIMIT 1 OFFSET 0) AND ", b.OrganizationID)
	n, err := tx.Exec(unasked(q, tx.Dialect(), "given.workspace_id", b))
	return int(n), err
}

// unasked appends that a bulk action has asked nothing of a workspace. It looks at where that stands in the order of an index: by any
// other condition PostgreSQL walks all that the bulk action has asked, for each workspace, while it has not been told how many those are.
func unasked(q *query, d *sqldb.Dialect, workspaceID text, b *backlog.BulkAction) *query {
	return q.Add("(SELECT k.action_id = ? AND k.workspace_id = "+workspaceID+" FROM change_requests k WHERE (k.action_id, k.workspace_id) >= (?, "+
		d.Beside+workspaceID+") ORDER BY k.action_id, k.workspace_id LIMIT 1) IS NOT TRUE", b.ID, b.ID)
}

// KeepUnfinished goes on with a bulk action that was begun, and says whether it is still there.
func (tx *Tx) KeepUnfinished(b *backlog.BulkAction) (bool, error) {
	n, err := tx.Exec(tx.SQL("UPDATE bulk_actions SET unfinished_until = ? WHERE id = ? AND unfinished_until > ?",
		sqldb.UnixMillis(b.UnfinishedUntil), b.ID, sqldb.UnixMillis(tx.Now)))
	return n == 1, err
}

// FinishBulkAction shows a bulk action and all its change requests.
func (tx *Tx) FinishBulkAction(b *backlog.BulkAction) error {
	return tx.Do("UPDATE bulk_actions SET unfinished_until = 0, created_count = ? WHERE id = ?", b.CreatedCount, b.ID)
}

// DropUnfinished deletes some of what was left behind of a bulk action that nobody finished,
// and says whether there may be more.
func (db *DB) DropUnfinished(ctx context.Context) (more bool, err error) {
	return db.dropUnfinished(ctx, func(q *query, now int64) { q.Add("unfinished_until <= ?", now) })
}

// DropBulkAction deletes some of a bulk action that failed, and says whether there may be more.
func (db *DB) DropBulkAction(ctx context.Context, b *backlog.BulkAction) (more bool, err error) {
	return db.dropUnfinished(ctx, func(q *query, _ int64) { q.Add("id = ?", b.ID) })
}

func (db *DB) dropUnfinished(ctx context.Context, which func(q *query, now int64)) (more bool, err error) {
	err = db.Update(ctx, func(tx *Tx) error {
		q := tx.SQL("SELECT id FROM bulk_actions WHERE unfinished_until > 0 AND ")
		which(q, sqldb.UnixMillis(tx.Now))
		id, found, err := sqldb.Value[string](&tx.Locked, q.Add(" ORDER BY unfinished_until, id LIMIT 1"+tx.Dialect().SkipHeld))
		if more = found; err != nil || !found {
			return err
		}
		n, err := tx.Exec(tx.SQL("DELETE FROM change_requests WHERE id IN (SELECT id FROM change_requests WHERE action_id = ?", id).First(sqldb.RowsAtOnce).Add(")"))
		if err != nil || n == sqldb.RowsAtOnce {
			return err
		}
		return tx.Do("DELETE FROM bulk_actions WHERE id = ?", id)
	})
	return more, err
}
