package workspaces

import (
	"net/http"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/paths"
)

// recoverableItems is the deleted workspaces that can be brought back. What they were is not
// there for anybody to read, so nothing links to it.
var recoverableItems = &doc.Noun[belay.RecoverableItem, struct{}]{
	Type: "recoverable-items",
	ID:   func(i *belay.RecoverableItem) string { return i.ID },
	Attributes: doc.Attributes[belay.RecoverableItem, struct{}]{
		{Name: "recoverable-name", Show: doc.Value(func(i *belay.RecoverableItem) string { return i.Name })},
		{Name: "deleted-at", Show: doc.Value(func(i *belay.RecoverableItem) time.Time { return i.DeletedAt })},
		{Name: "deleted-by", Show: doc.Value(func(i *belay.RecoverableItem) string { return i.DeletedBy })},
		{Name: "expires-at", Show: doc.Value(func(i *belay.RecoverableItem) time.Time { return i.ExpiresAt })},
		{Name: "unmanaged-resources", Show: doc.Value(func(i *belay.RecoverableItem) int { return i.Resources })},
	},
	Relations: []doc.Relation[belay.RecoverableItem, struct{}]{
		paths.OfOrganization[belay.RecoverableItem, struct{}](func(i *belay.RecoverableItem) string { return i.Organization.Name }),
		doc.Bare[belay.RecoverableItem, struct{}]("project", "projects", func(i *belay.RecoverableItem) string { return i.ProjectID }),
		doc.Bare[belay.RecoverableItem, struct{}]("recoverable", "workspaces", func(i *belay.RecoverableItem) string { return i.WorkspaceID }),
	},
}

var _ = routes.Join(func(a *Verbs) []door.Route {
	return []door.Route{
		{Method: http.MethodGet, Path: paths.Organization + "/recoverable-items", Status: http.StatusOK, Do: door.Listing(recoverableItems, a.listRecoverableItems), Needs: belay.UpdateOrganization, Does: "List the deleted workspaces that can be brought back"},
		{Method: http.MethodPost, Path: paths.RecoverableItem + "/actions/recover", Status: http.StatusNoContent, Do: door.Doing(a.recoverItem), Refuses: []belay.Kind{belay.Conflict}, Needs: belay.UpdateOrganization, Does: "Bring a deleted workspace back"},
		{Method: http.MethodPut, Path: paths.RecoverableItem + "/actions/recover", Status: http.StatusNoContent, Do: door.Doing(a.recoverItem), Refuses: []belay.Kind{belay.Conflict}, Needs: belay.UpdateOrganization, Does: "Bring a deleted workspace back (published form)"},
		{Method: http.MethodDelete, Path: paths.RecoverableItem, Status: http.StatusNoContent, Do: door.Doing(a.eraseItem), Needs: belay.UpdateOrganization, Does: "Erase a deleted workspace for good"},
		{Method: http.MethodPut, Path: paths.RecoverableItem + "/actions/permanently-delete", Status: http.StatusNoContent, Do: door.Doing(a.eraseItem), Needs: belay.UpdateOrganization, Does: "Erase a deleted workspace for good (published form)"},
	}
})

func (a *Verbs) listRecoverableItems(r *door.Request) ([]belay.RecoverableItem, int, error) {
	return a.App.RecoverableItems(r.Context(), r.Principal, r.Param("organization_name"), r.Page())
}

func (a *Verbs) recoverItem(r *door.Request) error {
	return a.App.Recover(r.Context(), r.Principal, r.Param("recoverable_item_id"))
}

func (a *Verbs) eraseItem(r *door.Request) error {
	return a.App.EraseItem(r.Context(), r.Principal, r.Param("recoverable_item_id"))
}
