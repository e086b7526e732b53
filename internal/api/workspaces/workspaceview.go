package workspaces

import (
	"net/http"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/backlog"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/paths"
	"github.com/belayhq/belay/internal/patch"
)

type viewPatch = backlog.WorkspaceViewPatch

// ViewAttributes is every attribute of a view of the list of workspaces.
var ViewAttributes = doc.Attributes[backlog.WorkspaceView, viewPatch]{
	{Name: "name", Most: belay.MaxLabel, Show: doc.Value(func(w *backlog.WorkspaceView) string { return w.Name }), Write: doc.Field(func(p *viewPatch) *patch.Field[string] { return &p.Name })},
	{Name: "query", Show: doc.Value(func(w *backlog.WorkspaceView) string { return w.Query }), Write: doc.Field(func(p *viewPatch) *patch.Field[string] { return &p.Query })},
	{Name: "shared", Show: doc.Value((*backlog.WorkspaceView).Shared), Write: doc.Field(func(p *viewPatch) *patch.Field[bool] { return &p.Shared })},
	{Name: "created-at", Show: doc.Value(func(w *backlog.WorkspaceView) time.Time { return w.CreatedAt })},
	{Name: "updated-at", Show: doc.Value(func(w *backlog.WorkspaceView) time.Time { return w.UpdatedAt })},
}

var workspaceViews = &doc.Noun[backlog.WorkspaceView, viewPatch]{
	Type:       "workspace-views",
	ID:         func(w *backlog.WorkspaceView) string { return w.ID },
	Path:       func(w *backlog.WorkspaceView) string { return "/api/v2/workspace-views/" + w.ID },
	Attributes: ViewAttributes,
	Relations: []doc.Relation[backlog.WorkspaceView, viewPatch]{
		paths.OfOrganization[backlog.WorkspaceView, viewPatch](func(w *backlog.WorkspaceView) string { return w.Organization.Name }),
		doc.Bare[backlog.WorkspaceView, viewPatch]("created-by", "users", func(w *backlog.WorkspaceView) string { return w.CreatedBy }),
	},
}

var _ = routes.Join(func(a *Verbs) []door.Route {
	return []door.Route{
		{Method: http.MethodGet, Path: paths.Organization + "/workspace-views", Status: http.StatusOK, Do: door.Listing(workspaceViews, a.listWorkspaceViews), Needs: belay.Traverse, Does: "List the saved views of the list of workspaces"},
		{Method: http.MethodPost, Path: paths.Organization + "/workspace-views", Status: http.StatusCreated, Do: door.Writing(workspaceViews, a.createWorkspaceView), Needs: belay.ReadExplorer, Does: "Save a view of the list of workspaces"},
		{Method: http.MethodGet, Path: paths.WorkspaceView, Status: http.StatusOK, Do: door.Showing(workspaceViews, a.showWorkspaceView), Needs: belay.Traverse, Does: "See a saved view of the list of workspaces"},
		{Method: http.MethodPatch, Path: paths.WorkspaceView, Status: http.StatusOK, Do: door.Writing(workspaceViews, a.updateWorkspaceView), Needs: belay.ReadExplorer, Does: "Change a saved view of the list of workspaces"},
		{Method: http.MethodDelete, Path: paths.WorkspaceView, Status: http.StatusNoContent, Do: door.Doing(a.deleteWorkspaceView), Needs: belay.ReadExplorer, Does: "Delete a saved view of the list of workspaces"},
	}
})

func (a *Verbs) listWorkspaceViews(r *door.Request) ([]backlog.WorkspaceView, int, error) {
	return a.App.WorkspaceViews(r.Context(), r.Principal, r.Param("organization_name"), r.Page())
}

func (a *Verbs) createWorkspaceView(r *door.Request, p viewPatch) (backlog.WorkspaceView, error) {
	return a.App.CreateWorkspaceView(r.Context(), r.Principal, r.Param("organization_name"), p)
}

func (a *Verbs) showWorkspaceView(r *door.Request) (backlog.WorkspaceView, error) {
	return a.App.WorkspaceView(r.Context(), r.Principal, r.Param("workspace_view_id"))
}

func (a *Verbs) updateWorkspaceView(r *door.Request, p viewPatch) (backlog.WorkspaceView, error) {
	return a.App.UpdateWorkspaceView(r.Context(), r.Principal, r.Param("workspace_view_id"), p)
}

func (a *Verbs) deleteWorkspaceView(r *door.Request) error {
	return a.App.DeleteWorkspaceView(r.Context(), r.Principal, r.Param("workspace_view_id"))
}
