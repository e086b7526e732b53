package api

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/belayhq/belay/internal/state"
)

// resourceAttributes is what is told of a resource in a state. When it was made is not
// known: its dates are those of the state that it stands in.
var resourceAttributes = attributes[state.ResourceView, struct{}]{
	{name: "address", show: value(func(v *state.ResourceView) string { return v.Address })},
	{name: "name", show: value(func(v *state.ResourceView) string { return v.Name })},
	{name: "module", show: value(func(v *state.ResourceView) string { return v.Module })},
	{name: "provider", show: value(func(v *state.ResourceView) string { return v.Provider })},
	{name: "provider-type", show: value(func(v *state.ResourceView) string { return v.ProviderType })},
	{name: "mode", show: value(func(v *state.ResourceView) string { return v.Mode })},
	{name: "name-index", show: raw(nameIndex)},
	{name: "created-at", show: value(func(v *state.ResourceView) time.Time { return v.State.CreatedAt })},
	{name: "updated-at", show: value(func(v *state.ResourceView) time.Time { return v.State.CreatedAt })},
	{name: "modified-by-state-version-id", show: value(func(v *state.ResourceView) string { return v.State.ID })},
}

// nameIndex is the key of an instance as a text, which is what clients read it as.
func nameIndex(v *state.ResourceView) json.RawMessage {
	raw, err := json.Marshal(v.NameIndex)
	switch {
	case err != nil || string(raw) == "null":
		return nil
	case raw[0] == '"':
		return raw
	default:
		return json.RawMessage(strconv.Quote(string(raw)))
	}
}

var resources = &noun[state.ResourceView, struct{}]{
	typ:        "resources",
	id:         func(v *state.ResourceView) string { return v.ID },
	attributes: resourceAttributes,
}

func (a *API) listResources(r *request) ([]state.ResourceView, int, error) {
	return a.App.StateResources(r.Context(), r.subject, r.workspaceRef(), r.page())
}
