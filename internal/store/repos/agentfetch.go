package repos

import (
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/base"
	"github.com/belayhq/belay/run"
)

// hooksThrough is the hooks whose connection is reached through a pool; the empty one is none.
const hooksThrough sqldb.Text = `SELECT h.id FROM vcs_hooks h JOIN oauth_tokens t ON t.id = h.token_id JOIN oauth_clients c ON c.id = t.client_id WHERE c.agent_pool_id = ?`

// AgentFetchDue says whether there is a commit that agents of a pool may fetch now.
func (v *View) AgentFetchDue(poolID string, now time.Time) (bool, error) {
	_, due, err := sqldb.Value[string](v, v.SQL("SELECT id FROM vcs_fetches WHERE state = 'elsewhere' AND next_at <= ? AND hook_id IN ("+hooksThrough+") LIMIT 1",
		sqldb.UnixMillis(now), poolID))
	return due, err
}

// elsewhere is what waits to be fetched by agents.
var elsewhere = workIn("vcs_fetches", "elsewhere")

// ClaimAgentFetch takes a fetch for an agent of a pool, so that no other does it before until.
func (tx *Tx) ClaimAgentFetch(poolID, claim string, until time.Time) (id string, err error) {
	id, _, err = sqldb.Value[string](&tx.View, elsewhere.queue.Claim(tx, claim, tx.Now, until, 1, "id", "k.hook_id IN ("+hooksThrough+")", poolID))
	return id, err
}

// RenewAgentFetch keeps a fetch for longer, unless another has it by now.
func (tx *Tx) RenewAgentFetch(id, claim string, until time.Time) (mine bool, err error) {
	return elsewhere.queue.Renew(tx, id, claim, until)
}

// LeftByAgents says whether fetches wait for agents of connections that are not reached through any pool
// any more.
func (v *View) LeftByAgents() (bool, error) {
	_, some, err := sqldb.Value[string](v, v.SQL("SELECT id FROM vcs_fetches WHERE state = 'elsewhere' AND hook_id IN ("+hooksThrough+") LIMIT 1", ""))
	return some, err
}

// FetchHere gives the server back what waits for agents of no pool.
func (tx *Tx) FetchHere() error {
	_, err := tx.Exec(tx.SQL("UPDATE vcs_fetches SET state = 'waiting', claim = '', tries = 0, error = '', next_at = ? WHERE state = 'elsewhere' AND hook_id IN ("+hooksThrough+")",
		sqldb.UnixMillis(tx.Now), ""))
	return err
}

// ConnectionUsedBeyond says whether workspaces outside a scope have their code through a connection.
func (v *View) ConnectionUsedBeyond(clientID string, within belay.Scope) (bool, error) {
	if within.Everything {
		return false, nil
	}
	q := v.SQL("SELECT 1 FROM workspaces w WHERE w.vcs_hook_id <> '' AND w.vcs_hook_id IN (SELECT h.id FROM vcs_hooks h JOIN oauth_tokens t ON t.id = h.token_id WHERE t.client_id = ?) AND NOT ", clientID)
	_, used, err := sqldb.Value[int](v, base.AddWithin(q, within).Add(" LIMIT 1"))
	return used, err
}

// PoolFetchesBeyond says whether agents of a pool fetch for workspaces outside a scope; some says whether
// they fetch at all.
func (v *View) PoolFetchesBeyond(p *run.AgentPool, within belay.Scope) (beyond, some bool, err error) {
	if _, some, err = sqldb.Value[string](v, v.SQL("SELECT id FROM oauth_clients WHERE organization_id = ? AND agent_pool_id = ? LIMIT 1", p.OrganizationID, p.ID)); err != nil || !some || within.Everything {
		return false, some, err
	}
	q := v.SQL("SELECT 1 FROM workspaces w WHERE w.vcs_hook_id <> '' AND w.vcs_hook_id IN ("+hooksThrough+") AND NOT ", p.ID)
	_, beyond, err = sqldb.Value[int](v, base.AddWithin(q, within).Add(" LIMIT 1"))
	return beyond, some, err
}
