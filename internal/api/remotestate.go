package api

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/jsonapi"
)

// maxReferences is the most bytes of a list of references: clients send whole resources in
// it, and it may name a thousand.
const maxReferences = 8 << 20

func (a *API) listConsumers(r *request) (*jsonapi.Document, error) {
	names, err := r.includes(workspaceIncludes...)
	if err != nil {
		return nil, err
	}
	configured := r.URL.Query().Get("show_only_configured") == "true"
	list, total, err := a.App.RemoteStateConsumers(r.Context(), r.subject, r.workspaceRef(), configured, belay.WorkspaceQuery{Page: r.page()})
	if err != nil {
		return nil, err
	}
	document := r.list(each(list, a.workspace), total)
	return document, r.includeRelated(document, list, names)
}

func (a *API) addConsumers(r *request) (*jsonapi.Document, error) {
	return nil, r.changeConsumers(belay.AddConsumers)
}

func (a *API) removeConsumers(r *request) (*jsonapi.Document, error) {
	return nil, r.changeConsumers(belay.RemoveConsumers)
}

func (a *API) replaceConsumers(r *request) (*jsonapi.Document, error) {
	return nil, r.changeConsumers(belay.SetConsumers)
}

func (r *request) changeConsumers(change belay.ConsumersChange) error {
	ids, err := r.identifiers("workspaces")
	if err != nil {
		return err
	}
	return r.api.App.ChangeConsumers(r.Context(), r.subject, r.workspaceRef(), change, ids)
}

func (a *API) issueRunToken(r *request) (*jsonapi.Document, error) {
	want, err := r.newToken()
	if err != nil {
		return nil, err
	}
	t, value, err := a.App.IssueRunToken(r.Context(), r.subject, r.workspaceRef(), want)
	if err != nil {
		return nil, err
	}
	return one(a.token(tokenDoc{t, value})), nil
}
