package base

import "github.com/belayhq/belay/internal/sqldb"

// HoldRows holds rows of a table, the smaller id first: two transactions that hold several of
// them do not wait for each other in a circle. how is the dialect's hold, share or seize; where
// there is one writer nothing is held.
func (tx *Tx) HoldRows(table, how, condition sqldb.Text, args ...any) error {
	if how == "" {
		return nil
	}
	_, err := sqldb.Values[string](&tx.View, tx.SQL("SELECT id FROM "+table+" WHERE ").Add(condition, args...).Add(" ORDER BY id"+how))
	return err
}

// HoldOrganizations holds the rows that the counters are in, before they are written: what
// is decided by counting must not be decided by two at once.
func (tx *Tx) HoldOrganizations(condition sqldb.Text, args ...any) error {
	return tx.HoldRows("organizations", tx.Dialect().Hold, condition, args...)
}

// SeizeMembershipsOf holds a user's places in organizations as such that may go. Whoever goes
// on to hold an organization must have them before.
func (tx *Tx) SeizeMembershipsOf(userID string) error {
	return tx.HoldRows("organization_memberships", tx.Dialect().Seize, "user_id = ?", userID)
}

// SeizeInvited holds a user as one that may go if it holds no more than a place: it goes with
// its last membership, and users are held before those.
func (tx *Tx) SeizeInvited(membershipID string) error {
	return tx.HoldRows("users", tx.Dialect().Seize, "invited AND id IN (SELECT user_id FROM organization_memberships WHERE id = ?)", membershipID)
}

// SeizeSetsOf holds the variable sets of a project as such that go: those who apply one of
// them to the project hold the set first.
func (tx *Tx) SeizeSetsOf(projectID string) error {
	return tx.HoldRows("varsets", tx.Dialect().Seize, "project_id <> '' AND project_id = ?", projectID)
}

// SeizeTiesOf holds what ties a workspace to others, which goes with either: two that are tied
// in both directions may go at once.
func (tx *Tx) SeizeTiesOf(workspaceID string) error {
	seize := tx.Dialect().Seize
	if seize == "" {
		return nil
	}
	for _, tie := range []struct{ table, other sqldb.Text }{{"remote_state_consumers", "consumer_id"}, {"run_triggers", "source_id"}} {
		q := tx.SQL("SELECT workspace_id FROM "+tie.table+" WHERE workspace_id = ? OR "+tie.other+" = ?", workspaceID, workspaceID)
		if _, err := sqldb.Values[string](&tx.View, q.Add(" ORDER BY workspace_id, "+tie.other+seize)); err != nil {
			return err
		}
	}
	return nil
}

// HoldClientsOf holds the connections that use a pool, which those hold before it who choose
// the pool for them.
func (tx *Tx) HoldClientsOf(organizationID, poolID string) error {
	return tx.HoldRows("oauth_clients", tx.Dialect().Hold, "organization_id = ? AND agent_pool_id = ?", organizationID, poolID)
}

// DropTokens deletes the tokens that a condition finds, and says how many there were.
func (tx *Tx) DropTokens(condition sqldb.Text, args ...any) (int64, error) {
	if seize := tx.Dialect().Seize; seize != "" {
		condition = "id IN (SELECT id FROM tokens WHERE " + condition + " ORDER BY id" + seize + ")"
	}
	return tx.Exec(tx.SQL("DELETE FROM tokens WHERE "+condition, args...))
}
