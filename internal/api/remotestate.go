package api

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
)

// maxReferences is the most bytes of a list of references: clients send whole resources in
// it, and it may name a thousand.
const maxReferences = 8 << 20

func (a *API) listConsumers(r *request) ([]workspaceDoc, int, error) {
	configured := r.query().Get("show_only_configured") == "true"
	return a.App.RemoteStateConsumers(r.Context(), r.subject, r.workspaceRef(), configured, belay.WorkspaceQuery{Page: r.page()})
}

func (a *API) addConsumers(r *request, ids []string) error {
	return a.App.ChangeConsumers(r.Context(), r.subject, r.workspaceRef(), belay.AddConsumers, ids)
}

func (a *API) removeConsumers(r *request, ids []string) error {
	return a.App.ChangeConsumers(r.Context(), r.subject, r.workspaceRef(), belay.RemoveConsumers, ids)
}

func (a *API) replaceConsumers(r *request, ids []string) error {
	return a.App.ChangeConsumers(r.Context(), r.subject, r.workspaceRef(), belay.SetConsumers, ids)
}

func (a *API) issueRunToken(r *request, want app.NewToken) (tokenDoc, error) {
	return made(a.App.IssueRunToken(r.Context(), r.subject, r.workspaceRef(), want))
}
