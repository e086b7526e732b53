package repos

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/forge"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/base"
)

// told asks for what services told through a connection: what a server found by looking is told by nobody.
func told(q *sqldb.Query, c *forge.OAuthClient) *sqldb.Query {
	return q.Add(` FROM vcs_inbox i JOIN vcs_hooks h ON h.id = i.hook_id JOIN oauth_tokens t ON t.id = h.token_id
		WHERE i.organization_id = ? AND t.client_id = ? AND i.delivery_id NOT LIKE 'poll %'`, c.OrganizationID, c.ID)
}

// ToldDeliveries is what services told through a connection, the newest first, without the news itself, which may be long.
// What is of a repository that only workspaces within a scope follow may be told again.
func (v *View) ToldDeliveries(c *forge.OAuthClient, again belay.Scope, page belay.Page) ([]forge.ToldDelivery, int, error) {
	q := v.SQL("SELECT i.id, i.hook_id, i.delivery_id, i.about, i.became, i.state, i.tries, i.next_at, i.received_at, h.identifier, ")
	if again.Everything {
		q.Add("TRUE")
	} else {
		q.Add("NOT EXISTS (SELECT 1 FROM workspaces w WHERE w.vcs_hook_id = h.id AND w.vcs_hook_id <> '' AND NOT ")
		base.AddWithin(q, again).Add(")")
	}
	told(q, c)
	list, err := sqldb.Collect(v, q.Add(" ORDER BY i.received_at DESC, i.id DESC").Page(page), func(d *forge.ToldDelivery) []any {
		return []any{
			&d.ID, &d.HookID, &d.DeliveryID, &d.About, &d.Became, &d.State, &d.Tries, sqldb.Millis(&d.NextAt), sqldb.Millis(&d.ReceivedAt), &d.Identifier, &d.MayAgain,
		}
	})
	return sqldb.Counted(v, list, err, page, func() *sqldb.Query { return told(v.SQL("SELECT count(*)"), c) })
}

// ClientOfHook is the connection that a hook is of.
func (v *View) ClientOfHook(hookID string) (string, error) {
	id, found, err := sqldb.Value[string](v, v.SQL("SELECT t.client_id FROM vcs_hooks h JOIN oauth_tokens t ON t.id = h.token_id WHERE h.id = ?", hookID))
	if err == nil && !found {
		err = belay.ErrNotFound
	}
	return id, err
}

// Redeliver has a delivery worked on from its start. Whoever works on it now has it no more.
func (tx *Tx) Redeliver(id string) error {
	tx.Wake(ReposWake)
	return tx.Do("UPDATE vcs_inbox SET state = 'waiting', after_workspace = '', tries = 0, next_at = ?, claim = '', became = '' WHERE id = ?", sqldb.UnixMillis(tx.Now), id)
}
