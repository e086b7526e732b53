package core

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
)

// WorkspacePlace is where a workspace is: all that deciding about access to it takes.
type WorkspacePlace struct{ ID, OrganizationID, ProjectID string }

// WorkspacePlaces is where many workspaces are, in no order.
func (v *View) WorkspacePlaces(ids []string) ([]WorkspacePlace, error) {
	q := v.SQL("SELECT w.id, w.organization_id, w.project_id FROM workspaces w WHERE w.id").In("", ids)
	return sqldb.Collect(v, q, func(p *WorkspacePlace) []any { return []any{&p.ID, &p.OrganizationID, &p.ProjectID} })
}

// SharedWith is where a workspace is, and which of some others, all of its organization,
// name it among their consumers. Their settings may let it read their states, too.
func (v *View) SharedWith(consumerID string, ids []string) (consumer WorkspacePlace, shared map[string]bool, err error) {
	places, err := v.WorkspacePlaces([]string{consumerID})
	if err != nil || len(places) == 0 {
		return consumer, nil, err
	}
	named, err := sqldb.Values[string](v, v.SQL("SELECT workspace_id FROM remote_state_consumers WHERE consumer_id = ? AND ", consumerID).In("workspace_id", ids))
	shared = make(map[string]bool, len(named))
	for _, id := range named {
		shared[id] = true
	}
	return places[0], shared, err
}

// AddConsumers lets workspaces read the state of another; those that may already stay.
func (tx *Tx) AddConsumers(w *belay.Workspace, ids []string) error {
	q := tx.SQL("INSERT INTO remote_state_consumers (workspace_id, consumer_id) SELECT ?, w.id FROM workspaces w WHERE w.id", w.ID)
	_, err := tx.Exec(q.In("", ids).Add(" ON CONFLICT DO NOTHING"))
	return err
}

// DropConsumers takes workspaces from the consumers of another.
func (tx *Tx) DropConsumers(w *belay.Workspace, ids []string) error {
	q := tx.SQL("DELETE FROM remote_state_consumers WHERE workspace_id = ? AND consumer_id", w.ID)
	_, err := tx.Exec(q.In("", ids))
	return err
}

// DropEveryConsumer empties the consumers of a workspace.
func (tx *Tx) DropEveryConsumer(w *belay.Workspace) error {
	return tx.Do("DELETE FROM remote_state_consumers WHERE workspace_id = ?", w.ID)
}

// DropRunTokensBy revokes the tokens that a user issued for runs.
func (tx *Tx) DropRunTokensBy(userID string) error {
	_, err := tx.DropTokens("created_by = ? AND workspace_id <> ''", userID)
	return err
}
