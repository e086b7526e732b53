package api

import (
	"encoding/json"

	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/jsonapi"
)

// resourceAttributes is what is told of a resource in a state. When it was made is not
// known: its dates are those of the state that it stands in.
var resourceAttributes = attributes[app.ResourceView, struct{}]{
	{name: "address", read: func(v *app.ResourceView) any { return v.Address }},
	{name: "name", read: func(v *app.ResourceView) any { return v.Name }},
	{name: "module", read: func(v *app.ResourceView) any { return v.Module }},
	{name: "provider", read: func(v *app.ResourceView) any { return v.Provider }},
	{name: "provider-type", read: func(v *app.ResourceView) any { return v.ProviderType }},
	{name: "mode", read: func(v *app.ResourceView) any { return v.Mode }},
	{name: "name-index", read: nameIndex},
	{name: "created-at", read: func(v *app.ResourceView) any { return v.State.CreatedAt }},
	{name: "updated-at", read: func(v *app.ResourceView) any { return v.State.CreatedAt }},
	{name: "modified-by-state-version-id", read: func(v *app.ResourceView) any { return v.State.ID }},
}

// nameIndex is the key of an instance as a text, which is what clients read it as.
func nameIndex(v *app.ResourceView) any {
	raw, err := json.Marshal(v.NameIndex)
	switch {
	case err != nil || string(raw) == "null":
		return nil
	case raw[0] == '"':
		return json.RawMessage(raw)
	default:
		return string(raw)
	}
}

func (a *API) listResources(r *request) (*jsonapi.Document, error) {
	list, total, err := a.App.StateResources(r.Context(), r.subject, r.workspaceRef(), r.page())
	if err != nil {
		return nil, err
	}
	return r.list(each(list, func(v app.ResourceView) *jsonapi.Resource {
		return &jsonapi.Resource{Type: "resources", ID: v.ID, Attributes: resourceAttributes.object(&v, a.App.Edition())}
	}), total), nil
}
