package workspaces

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/paths"
)

// maxReferences is the most bytes of a list of references: clients send whole resources in
// it, and it may name a thousand.
const maxReferences = 8 << 20

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
