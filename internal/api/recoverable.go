package api

import (
	"time"

	"github.com/belayhq/belay"
)

// recoverableItems is the deleted workspaces that can be brought back. What they were is not
// there for anybody to read, so nothing links to it.
var recoverableItems = &noun[belay.RecoverableItem, struct{}]{
	typ: "recoverable-items",
	id:  func(i *belay.RecoverableItem) string { return i.ID },
	attributes: attributes[belay.RecoverableItem, struct{}]{
		{name: "recoverable-name", show: value(func(i *belay.RecoverableItem) string { return i.Name })},
		{name: "deleted-at", show: value(func(i *belay.RecoverableItem) time.Time { return i.DeletedAt })},
		{name: "deleted-by", show: value(func(i *belay.RecoverableItem) string { return i.DeletedBy })},
		{name: "expires-at", show: value(func(i *belay.RecoverableItem) time.Time { return i.ExpiresAt })},
		{name: "unmanaged-resources", show: value(func(i *belay.RecoverableItem) int { return i.Resources })},
	},
	relations: []relation[belay.RecoverableItem, struct{}]{
		ofOrganization[belay.RecoverableItem, struct{}](func(i *belay.RecoverableItem) string { return i.Organization.Name }),
		bare[belay.RecoverableItem, struct{}]("project", "projects", func(i *belay.RecoverableItem) string { return i.ProjectID }),
		bare[belay.RecoverableItem, struct{}]("recoverable", "workspaces", func(i *belay.RecoverableItem) string { return i.WorkspaceID }),
	},
}

func (a *API) listRecoverableItems(r *request) ([]belay.RecoverableItem, int, error) {
	return a.App.RecoverableItems(r.Context(), r.subject, r.param("organization_name"), r.page())
}

func (a *API) recoverItem(r *request) error {
	return a.App.Recover(r.Context(), r.subject, r.param("recoverable_item_id"))
}

func (a *API) eraseItem(r *request) error {
	return a.App.EraseItem(r.Context(), r.subject, r.param("recoverable_item_id"))
}
