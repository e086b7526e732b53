package states

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/paths"
	"github.com/belayhq/belay/internal/state"
)

// resourceAttributes is what is told of a resource in a state. When it was made is not
// known: its dates are those of the state that it stands in.
var resourceAttributes = doc.Attributes[state.ResourceView, struct{}]{
	{Name: "address", Show: doc.Value(func(v *state.ResourceView) string { return v.Address })},
	{Name: "name", Show: doc.Value(func(v *state.ResourceView) string { return v.Name })},
	{Name: "module", Show: doc.Value(func(v *state.ResourceView) string { return v.Module })},
	{Name: "provider", Show: doc.Value(func(v *state.ResourceView) string { return v.Provider })},
	{Name: "provider-type", Show: doc.Value(func(v *state.ResourceView) string { return v.ProviderType })},
	{Name: "mode", Show: doc.Value(func(v *state.ResourceView) string { return v.Mode })},
	{Name: "name-index", Show: doc.Raw(nameIndex)},
	{Name: "created-at", Show: doc.Value(func(v *state.ResourceView) time.Time { return v.State.CreatedAt })},
	{Name: "updated-at", Show: doc.Value(func(v *state.ResourceView) time.Time { return v.State.CreatedAt })},
	{Name: "modified-by-state-version-id", Show: doc.Value(func(v *state.ResourceView) string { return v.State.ID })},
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

var resources = &doc.Noun[state.ResourceView, struct{}]{
	Type:       "resources",
	ID:         func(v *state.ResourceView) string { return v.ID },
	Attributes: resourceAttributes,
}

var _ = routes.Join(func(a *Verbs) []door.Route {
	return []door.Route{
		{Method: http.MethodGet, Path: paths.Workspace + "/resources", Status: http.StatusOK, Do: door.Listing(resources, a.listResources), Runs: true, Needs: belay.ReadState, Does: "List the resources in the state"},
	}
})

func (a *Verbs) listResources(r *door.Request) ([]state.ResourceView, int, error) {
	return a.App.StateResources(r.Context(), r.Principal, paths.WorkspaceRef(r), r.Page())
}
