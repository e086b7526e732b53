package store

import "github.com/belayhq/belay"

// WorkspacePlace is where a workspace is: all that deciding about access to it takes.
type WorkspacePlace struct{ ID, OrganizationID, ProjectID string }

// WorkspacePlaces is where many workspaces are, in no order.
func (v *View) WorkspacePlaces(ids []string) ([]WorkspacePlace, error) {
	q := v.sql("SELECT w.id, w.organization_id, w.project_id FROM workspaces w WHERE w.id").in("", ids)
	return collect(v, q, func(p *WorkspacePlace) []any { return []any{&p.ID, &p.OrganizationID, &p.ProjectID} })
}

// SharesState says whether a workspace lets another one read its state during runs: by
// its settings, or because the other is one of its consumers.
func (v *View) SharesState(w *belay.Workspace, consumerID string) (bool, error) {
	other, err := v.WorkspacePlaces([]string{consumerID})
	if err != nil || len(other) == 0 || other[0].OrganizationID != w.OrganizationID {
		return false, err
	}
	if w.SharesBySettings(other[0].OrganizationID, other[0].ProjectID) {
		return true, nil
	}
	_, found, err := value[int](v, v.sql("SELECT 1 FROM remote_state_consumers WHERE workspace_id = ? AND consumer_id = ?", w.ID, consumerID))
	return found, err
}

// AddConsumers lets workspaces read the state of another; those that may already stay.
func (tx *Tx) AddConsumers(w *belay.Workspace, ids []string) error {
	q := tx.sql("INSERT INTO remote_state_consumers (workspace_id, consumer_id) SELECT ?, w.id FROM workspaces w WHERE w.id", w.ID)
	_, err := tx.exec(q.in("", ids).add(" ON CONFLICT DO NOTHING"))
	return err
}

// DropConsumers takes workspaces from the consumers of another.
func (tx *Tx) DropConsumers(w *belay.Workspace, ids []string) error {
	q := tx.sql("DELETE FROM remote_state_consumers WHERE workspace_id = ? AND consumer_id", w.ID)
	_, err := tx.exec(q.in("", ids))
	return err
}

// DropEveryConsumer empties the consumers of a workspace.
func (tx *Tx) DropEveryConsumer(w *belay.Workspace) error {
	return tx.do("DELETE FROM remote_state_consumers WHERE workspace_id = ?", w.ID)
}

// DropRunTokensBy revokes the tokens that a user issued for runs.
func (tx *Tx) DropRunTokensBy(userID string) error {
	return tx.do("DELETE FROM tokens WHERE created_by = ? AND workspace_id <> ''", userID)
}
