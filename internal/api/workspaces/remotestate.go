package workspaces

import (
	"net/http"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/paths"
)

// maxReferences is the most bytes of a list of references: clients send whole resources in
// it, and it may name a thousand.
const maxReferences = 8 << 20

var _ = routes.Join(func(a *Verbs) []door.Route {
	return []door.Route{
		{Method: http.MethodGet, Path: paths.Workspace + "/relationships/remote-state-consumers", Status: http.StatusOK, Do: door.Listing(Workspaces, a.listConsumers, a.Included), Query: []string{"show_only_configured"}, Filters: workspaceFilters, Needs: belay.ReadWorkspace, Does: "List the workspaces that read its state"},
		{Method: http.MethodPost, Path: paths.Workspace + "/relationships/remote-state-consumers", Status: http.StatusNoContent, Do: door.Naming("workspaces", a.addConsumers), Limit: maxReferences, Needs: belay.UpdateWorkspace, Does: "Let one more workspace that one sees read its state"},
		{Method: http.MethodDelete, Path: paths.Workspace + "/relationships/remote-state-consumers", Status: http.StatusNoContent, Do: door.Naming("workspaces", a.removeConsumers), Limit: maxReferences, Needs: belay.UpdateWorkspace, Does: "Let a workspace that one sees no longer read its state"},
		{Method: http.MethodPatch, Path: paths.Workspace + "/relationships/remote-state-consumers", Status: http.StatusNoContent, Do: door.Naming("workspaces", a.replaceConsumers), Limit: maxReferences, Needs: belay.ReplaceConsumers, Does: "Replace the whole list"},
	}
})

func (a *Verbs) listConsumers(r *door.Request) ([]WorkspaceDoc, int, error) {
	configured := r.Query().Get("show_only_configured") == "true"
	return a.App.RemoteStateConsumers(r.Context(), r.Principal, paths.WorkspaceRef(r), configured, belay.WorkspaceQuery{Page: r.Page()})
}

func (a *Verbs) addConsumers(r *door.Request, ids []string) error {
	return a.App.ChangeConsumers(r.Context(), r.Principal, paths.WorkspaceRef(r), belay.AddConsumers, ids)
}

func (a *Verbs) removeConsumers(r *door.Request, ids []string) error {
	return a.App.ChangeConsumers(r.Context(), r.Principal, paths.WorkspaceRef(r), belay.RemoveConsumers, ids)
}

func (a *Verbs) replaceConsumers(r *door.Request, ids []string) error {
	return a.App.ChangeConsumers(r.Context(), r.Principal, paths.WorkspaceRef(r), belay.SetConsumers, ids)
}
