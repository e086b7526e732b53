package core

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/backlog"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/base"
)

var workspaceViews = sqldb.NewTable(sqldb.Table[backlog.WorkspaceView]{
	Name: "workspace_views",
	From: "workspace_views w JOIN organizations o ON o.id = w.organization_id",
	Hold: "w",
	Own: []sqldb.Column[backlog.WorkspaceView]{
		{Name: "id", At: func(w *backlog.WorkspaceView) any { return &w.ID }},
		{Name: "organization_id", At: func(w *backlog.WorkspaceView) any { return &w.OrganizationID }},
		{Name: "user_id", At: func(w *backlog.WorkspaceView) any { return base.Reference(&w.UserID) }},
		{Name: "name", At: func(w *backlog.WorkspaceView) any { return &w.Name }},
		{Name: "query", At: func(w *backlog.WorkspaceView) any { return &w.Query }},
		{Name: "created_by", At: func(w *backlog.WorkspaceView) any { return &w.CreatedBy }},
		{Name: "created_at", At: func(w *backlog.WorkspaceView) any { return sqldb.Millis(&w.CreatedAt) }},
		{Name: "updated_at", At: func(w *backlog.WorkspaceView) any { return sqldb.Millis(&w.UpdatedAt) }},
	},
	Joined: base.Belongs(func(w *backlog.WorkspaceView) *belay.Organization { return &w.Organization }),
})

// WorkspaceView is one view, whosever it is.
func (v *View) WorkspaceView(id string) (backlog.WorkspaceView, error) {
	return workspaceViews.One(v, "w.id = ?", id)
}

// WorkspaceViews is one page of an organization's views: those that are shared, and the own ones
// of a user, by name. A first page that is not full tells how many there are.
func (v *View) WorkspaceViews(o belay.Organization, userID string, page belay.Page) ([]backlog.WorkspaceView, int, error) {
	const seen sqldb.Text = "WHERE w.organization_id = ? AND (w.user_id IS NULL OR w.user_id = ?)"
	list, err := workspaceViews.Many(v, v.SQL(workspaceViews.Selected+seen+" ORDER BY w.name, w.id", o.ID, userID).Page(page))
	if err != nil || page.Number == 1 && len(list) < page.Size {
		return list, len(list), err
	}
	total, _, err := sqldb.Value[int](v, v.SQL("SELECT count(*) FROM workspace_views w "+seen, o.ID, userID))
	return list, total, err
}

// CountWorkspaceViews is how many views an organization shares, or a user has there.
func (v *View) CountWorkspaceViews(o belay.Organization, userID string) (int, error) {
	q := v.SQL("SELECT count(*) FROM workspace_views WHERE organization_id = ? AND ", o.ID)
	if userID == "" {
		q.Add("user_id IS NULL")
	} else {
		q.Add("user_id = ?", userID)
	}
	n, _, err := sqldb.Value[int](v, q)
	return n, err
}

// AddWorkspaceView writes a new view.
func (tx *Tx) AddWorkspaceView(w *backlog.WorkspaceView) error {
	return workspaceViews.Insert(tx, w, base.NameTaken)
}

// SaveWorkspaceView writes a view.
func (tx *Tx) SaveWorkspaceView(w *backlog.WorkspaceView) error {
	return workspaceViews.Update(tx, w, base.NameTaken)
}

// DropWorkspaceView deletes a view.
func (tx *Tx) DropWorkspaceView(w *backlog.WorkspaceView) error {
	return tx.Do("DELETE FROM workspace_views WHERE id = ?", w.ID)
}
