package api

import (
	"fmt"

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
	ids, err := r.references("workspaces")
	if err != nil {
		return err
	}
	return r.api.App.ChangeConsumers(r.Context(), r.subject, r.workspaceRef(), change, ids)
}

// references reads a body that is a list of references to resources of a type. Clients
// send whole resources in it: what is not type or id is passed over.
func (r *request) references(typ string) ([]string, error) {
	refs, err := jsonapi.DecodeRefs(r.body)
	if err != nil {
		return nil, shapeRefusal(err)
	}
	ids := make([]string, len(refs))
	var problems belay.Problems
	for i, ref := range refs {
		if err := problems.Add(checkType(ref.Type, fmt.Sprintf("/data/%d/type", i), typ)); err != nil {
			return nil, err
		}
		ids[i] = ref.ID
	}
	return ids, problems.Err()
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
