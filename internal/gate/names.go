package gate

import (
	"slices"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
)

// WorkspaceNames is what those of some workspaces of an organization are called that somebody reads, by id.
func WorkspaceNames(v *store.View, o belay.Organization, access belay.Access, ids []string) (map[string]string, error) {
	names := map[string]string{}
	ids = slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(ids))), func(id string) bool { return id == "" })
	if len(ids) == 0 {
		return names, nil
	}
	found, err := v.NamedWorkspaces(o.ID, ids)
	for _, w := range found {
		if access.OnWorkspace(w.ID, w.ProjectID).Has(belay.ReadWorkspace) {
			names[w.ID] = w.Name
		}
	}
	return names, err
}
