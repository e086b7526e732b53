package store

import "github.com/belayhq/belay"

var workspaceViews = newTable(table[belay.WorkspaceView]{
	name: "workspace_views",
	from: "workspace_views w JOIN organizations o ON o.id = w.organization_id",
	hold: "w",
	own: []column[belay.WorkspaceView]{
		{"id", func(w *belay.WorkspaceView) any { return &w.ID }},
		{"organization_id", func(w *belay.WorkspaceView) any { return &w.OrganizationID }},
		{"user_id", func(w *belay.WorkspaceView) any { return reference{&w.UserID} }},
		{"name", func(w *belay.WorkspaceView) any { return &w.Name }},
		{"query", func(w *belay.WorkspaceView) any { return &w.Query }},
		{"created_by", func(w *belay.WorkspaceView) any { return &w.CreatedBy }},
		{"created_at", func(w *belay.WorkspaceView) any { return millis{&w.CreatedAt} }},
		{"updated_at", func(w *belay.WorkspaceView) any { return millis{&w.UpdatedAt} }},
	},
	joined: belongs(func(w *belay.WorkspaceView) *belay.Organization { return &w.Organization }),
})

// WorkspaceView is one view, whosever it is.
func (v *View) WorkspaceView(id string) (belay.WorkspaceView, error) {
	return workspaceViews.one(v, "w.id = ?", id)
}

// WorkspaceViews is one page of an organization's views: those that are shared, and the own ones
// of a user, by name. A first page that is not full tells how many there are.
func (v *View) WorkspaceViews(o belay.Organization, userID string, page belay.Page) ([]belay.WorkspaceView, int, error) {
	const seen text = "WHERE w.organization_id = ? AND (w.user_id IS NULL OR w.user_id = ?)"
	list, err := workspaceViews.many(v, v.sql(workspaceViews.selected+seen+" ORDER BY w.name, w.id", o.ID, userID).page(page))
	if err != nil || page.Number == 1 && len(list) < page.Size {
		return list, len(list), err
	}
	total, _, err := value[int](v, v.sql("SELECT count(*) FROM workspace_views w "+seen, o.ID, userID))
	return list, total, err
}

// CountWorkspaceViews is how many views an organization shares, or a user has there.
func (v *View) CountWorkspaceViews(o belay.Organization, userID string) (int, error) {
	q := v.sql("SELECT count(*) FROM workspace_views WHERE organization_id = ? AND ", o.ID)
	if userID == "" {
		q.add("user_id IS NULL")
	} else {
		q.add("user_id = ?", userID)
	}
	n, _, err := value[int](v, q)
	return n, err
}

// AddWorkspaceView writes a new view.
func (tx *Tx) AddWorkspaceView(w *belay.WorkspaceView) error {
	return workspaceViews.insert(tx, w, nameTaken)
}

// SaveWorkspaceView writes a view.
func (tx *Tx) SaveWorkspaceView(w *belay.WorkspaceView) error {
	return workspaceViews.update(tx, w, nameTaken)
}

// DropWorkspaceView deletes a view.
func (tx *Tx) DropWorkspaceView(w *belay.WorkspaceView) error {
	return tx.do("DELETE FROM workspace_views WHERE id = ?", w.ID)
}
