package api

import (
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
)

type viewPatch = belay.WorkspaceViewPatch

// viewAttributes is every attribute of a view of the list of workspaces.
var viewAttributes = attributes[belay.WorkspaceView, viewPatch]{
	{name: "name", most: belay.MaxLabel, show: value(func(w *belay.WorkspaceView) string { return w.Name }), write: field(func(p *viewPatch) *patch.Field[string] { return &p.Name })},
	{name: "query", show: value(func(w *belay.WorkspaceView) string { return w.Query }), write: field(func(p *viewPatch) *patch.Field[string] { return &p.Query })},
	{name: "shared", show: value((*belay.WorkspaceView).Shared), write: field(func(p *viewPatch) *patch.Field[bool] { return &p.Shared })},
	{name: "created-at", show: value(func(w *belay.WorkspaceView) time.Time { return w.CreatedAt })},
	{name: "updated-at", show: value(func(w *belay.WorkspaceView) time.Time { return w.UpdatedAt })},
}

var workspaceViews = &noun[belay.WorkspaceView, viewPatch]{
	typ:        "workspace-views",
	id:         func(w *belay.WorkspaceView) string { return w.ID },
	path:       func(w *belay.WorkspaceView) string { return "/api/v2/workspace-views/" + w.ID },
	attributes: viewAttributes,
	relations: []relation[belay.WorkspaceView, viewPatch]{
		ofOrganization[belay.WorkspaceView, viewPatch](func(w *belay.WorkspaceView) string { return w.Organization.Name }),
		bare[belay.WorkspaceView, viewPatch]("created-by", "users", func(w *belay.WorkspaceView) string { return w.CreatedBy }),
	},
}

func (a *API) listWorkspaceViews(r *request) ([]belay.WorkspaceView, int, error) {
	return a.App.WorkspaceViews(r.Context(), r.subject, r.param("organization_name"), r.page())
}

func (a *API) createWorkspaceView(r *request, p viewPatch) (belay.WorkspaceView, error) {
	return a.App.CreateWorkspaceView(r.Context(), r.subject, r.param("organization_name"), p)
}

func (a *API) showWorkspaceView(r *request) (belay.WorkspaceView, error) {
	return a.App.WorkspaceView(r.Context(), r.subject, r.param("workspace_view_id"))
}

func (a *API) updateWorkspaceView(r *request, p viewPatch) (belay.WorkspaceView, error) {
	return a.App.UpdateWorkspaceView(r.Context(), r.subject, r.param("workspace_view_id"), p)
}

func (a *API) deleteWorkspaceView(r *request) error {
	return a.App.DeleteWorkspaceView(r.Context(), r.subject, r.param("workspace_view_id"))
}
