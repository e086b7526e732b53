package store

import "github.com/belayhq/belay"

var bulkActions = newTable(table[belay.BulkAction]{
	name: "bulk_actions",
	hold: "b",
	from: "bulk_actions b",
	own: []column[belay.BulkAction]{
		{"id", func(b *belay.BulkAction) any { return &b.ID }},
		{"organization_id", func(b *belay.BulkAction) any { return &b.OrganizationID }},
		{"subject", func(b *belay.BulkAction) any { return &b.Subject }},
		{"message", func(b *belay.BulkAction) any { return &b.Message }},
		{"query", func(b *belay.BulkAction) any { return &b.Query }},
		{"created_count", func(b *belay.BulkAction) any { return &b.CreatedCount }},
		{"created_by", func(b *belay.BulkAction) any { return &b.CreatedBy }},
		{"created_by_name", func(b *belay.BulkAction) any { return &b.CreatedByName }},
		{"idempotency_key", func(b *belay.BulkAction) any { return &b.IdempotencyKey }},
		{"request_hash", func(b *belay.BulkAction) any { return &b.RequestHash }},
		{"created_at", func(b *belay.BulkAction) any { return millis{&b.CreatedAt} }},
	},
	joined: []column[belay.BulkAction]{
		{"(SELECT count(*) FROM change_requests c WHERE c.action_id = b.id AND c.archived_at > 0)", func(b *belay.BulkAction) any { return &b.ArchivedCount }},
		{"(SELECT count(*) FROM change_requests c WHERE c.action_id = b.id AND c.archived_at = 0)", func(b *belay.BulkAction) any { return &b.OpenCount }},
	},
})

// BulkAction is one bulk action.
func (v *View) BulkAction(id string) (belay.BulkAction, error) {
	return bulkActions.one(v, "b.id = ?", id)
}

// BulkActionByKey is the bulk action that a request with this idempotency key made.
func (v *View) BulkActionByKey(o belay.Organization, key string) (belay.BulkAction, error) {
	return bulkActions.one(v, "b.organization_id = ? AND b.idempotency_key = ? AND b.idempotency_key <> ''", o.ID, key)
}

// ErrKeyTaken says that another request with the same idempotency key was first.
var ErrKeyTaken = belay.Refuse(belay.Conflict, "a request with this idempotency key was just made; try again")

// AddBulkAction writes a new bulk action.
func (tx *Tx) AddBulkAction(b *belay.BulkAction) error {
	return bulkActions.insert(tx, b, ErrKeyTaken)
}
